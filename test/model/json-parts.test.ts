import { record, records, texts } from '../../src/model/json-parts';

test.each([undefined, null, 1, 'text', true, ['a']])('%p is no object', (value) => {
  expect(record(value)).toEqual({});
});

test('objects and lists are what they are', () => {
  const object = { a: 1 };
  expect(record(object)).toBe(object);
  expect(records([object, 'no object'])).toEqual([object, {}]);
  expect([records({}), records(undefined), texts(['a']), texts('a')]).toEqual([[], [], ['a'], []]);
});
