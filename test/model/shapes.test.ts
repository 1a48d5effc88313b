import fc from 'fast-check';
import {
  BOOLEAN, NUMBER, OBJECT, TEXT, checkShape, fieldPath, integer, listOf, mapOf, oneOf, openRecord, pattern, record, required, type Shape,
} from '../../src/model/shapes';

const messages = (shape: Shape, value: unknown) => checkShape(shape, value, 'at').map(({ path, message }) => `${path} ${message}`);

describe('a single value', () => {
  test.each<[string, Shape, unknown[], unknown[]]>([
    ['a string', TEXT, ['', 'a'], [1, true, null, [], {}]],
    ['a boolean', BOOLEAN, [true, false], ['true', 0, null, []]],
    ['a number', NUMBER, [0, -1.5], ['1', null, NaN, Infinity, []]],
    ['an object', OBJECT, [{}, { a: 1 }], [[], null, 'a', 1]],
    ['a whole number in a range', integer(1, 3), [1, 2, 3], [0, 4, 1.5, '2', null, NaN, [2]]],
    ['one of some words', oneOf(['a', 'b']), ['a', 'b'], ['c', 'A', 1, null, ['a']]],
    ['a matching string', pattern(/^\d$/, 'must be a digit.'), ['1'], ['a', 1, null]],
  ])('of the shape of %s passes, any other does not', (_what, shape, good, bad) => {
    expect(good.flatMap((value) => checkShape(shape, value, 'at'))).toEqual([]);
    for (const value of bad) {
      expect(checkShape(shape, value, 'at')).toEqual([{ path: 'at', value, message: expect.any(String) }]);
    }
  });

  test('is told how to be a string', () => {
    expect(messages(TEXT, 32)).toEqual(['at must be a string. Put it in quotes: "32".']);
    expect(messages(TEXT, true)).toEqual(['at must be a string. Put it in quotes: "true".']);
  });

  test('that is empty in YAML is told so', () => {
    expect(messages(TEXT, null)).toEqual(['at must be a string. It is empty (null): remove the field or give it a value.']);
    expect(messages(integer(0), null)[0]).toContain('It is empty (null)');
    expect(messages(listOf(TEXT), null)[0]).toContain('It is empty (null)');
    expect(messages(oneOf(['a']), null)[0]).toContain('It is empty (null)');
  });

  test('is told the range', () => {
    expect(messages(integer(1, 100), 0)).toEqual(['at must be a whole number from 1 to 100.']);
    expect(messages(integer(0), -1)).toEqual(['at must be a whole number, 0 or more.']);
  });

  test('is told the word that it may mean', () => {
    expect(messages(oneOf(['Running', 'None']), 'runing')).toEqual(["at must be one of Running, None. Did you mean 'Running'?"]);
  });
});

describe('lists and maps', () => {
  test('report each entry that does not fit at its own path', () => {
    expect(messages(listOf(TEXT), ['a', 1, 'b', null]).map((line) => line.split(' ')[0])).toEqual(['at[1]', 'at[3]']);
    expect(messages(mapOf(TEXT), { a: 'x', b: 1, 'c/d': 2 }).map((line) => line.split(' ')[0])).toEqual(['at.b', "at['c/d']"]);
  });

  test('are not taken for each other', () => {
    expect(messages(listOf(TEXT), { 0: 'a' })).toEqual(['at must be a list.']);
    expect(messages(mapOf(TEXT), ['a'])).toEqual(['at must be a map of names to values.']);
  });

  test('can have to have entries', () => {
    expect(messages(listOf(TEXT, 1), [])).toEqual(['at must have at least 1 entry.']);
  });
});

describe('records', () => {
  const point = record('a point', { x: required(NUMBER, 'is required: the distance.'), y: NUMBER, label: TEXT });

  test('report what is missing, wrong and unknown together', () => {
    expect(messages(point, { y: 'a', lable: 'b' })).toEqual([
      'at.x is required: the distance.',
      'at.y must be a number.',
      "at.lable is not a field of a point. Did you mean 'label'?",
    ]);
  });

  test('list their fields when none is close', () => {
    expect(messages(point, { x: 1, colour: 'red' })).toEqual(['at.colour is not a field of a point. Its fields: x, y, label.']);
  });

  test('take an undefined field for a missing one', () => {
    expect(messages(point, { x: 1, y: undefined, other: undefined })).toEqual([]);
    expect(messages(point, { x: undefined })).toEqual(['at.x is required: the distance.']);
  });

  test('do not take what every object inherits for fields', () => {
    expect(messages(record('a thing', { constructor: TEXT, toString: TEXT }), {})).toEqual([]);
    expect(messages(point, JSON.parse('{"x": 1, "__proto__": 2}'))).toEqual(['at.__proto__ is not a field of a point. Its fields: x, y, label.']);
  });

  test('that are open say nothing about other fields', () => {
    expect(messages(openRecord({ x: NUMBER }), { x: 1, other: 'a' })).toEqual([]);
  });

  test('are not lists, words or nothing', () => {
    for (const value of [[], 'a', 1, null]) {
      expect(messages(point, value)).toHaveLength(1);
    }
  });
});

test('no shape throws on any value', () => {
  const nested = record('all', {
    a: required(TEXT), b: listOf(record('entry', { c: integer(1) })), d: mapOf(oneOf(['x'])), e: openRecord({ f: BOOLEAN }),
  });
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    expect(Array.isArray(checkShape(nested, value, 'at'))).toBe(true);
    expect(Array.isArray(checkShape(nested, { a: value, b: [value], d: { k: value }, e: value }, 'at'))).toBe(true);
  }));
});

test('a path says names that are plain words with a dot and others in brackets', () => {
  expect(fieldPath('spec', 'image')).toBe('spec.image');
  expect(fieldPath('spec.extended', 'rdma/hca')).toBe("spec.extended['rdma/hca']");
  expect(fieldPath('spec', '')).toBe("spec['']");
});
