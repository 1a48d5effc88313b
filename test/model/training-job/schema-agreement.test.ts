/**
 * The CRD's schema and the model's own check of types, ranges and words say the same, field by field: what passes at synth is not refused at
 * apply, and the other way round. Left out: bounds on the length of texts, lists and maps, which the API server needs to estimate costs.
 */
import type { JsonSchema } from '../../../src/model/training-job/schema/json-schema';
import { specSchema } from '../../../src/model/training-job/schema/spec-schema';
import { SPEC_SHAPE } from '../../../src/model/training-job/fields/spec-shape';
import { checkShape } from '../../../src/model/shapes';

/** A field of the schema: the keys that lead there (`[]` into a list, `{}` into a map) and what it says. */
interface Field {
  readonly keys: readonly string[];
  readonly schema: JsonSchema;
  /** Whether the object around it demands it. */
  readonly isRequired: boolean;
}

function fieldsOf(schema: JsonSchema, keys: readonly string[] = [], isRequired = true): Field[] {
  return [
    { keys, schema, isRequired },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, entry]) => fieldsOf(entry, [...keys, name], schema.required?.includes(name) ?? false)),
    ...(schema.items ? fieldsOf(schema.items, [...keys, '[]'], false) : []),
    ...(schema.additionalProperties ? fieldsOf(schema.additionalProperties, [...keys, '{}'], false) : []),
  ];
}

const pathOf = (keys: readonly string[]) => keys.reduce((path, key) => (key === '[]' ? `${path}[0]` : `${path}.${key === '{}' ? 'key' : key}`), 'spec');

/** A spec that has nothing but one value at one place. */
function specWith([key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) {
    return value;
  }
  const below = specWith(rest, value);
  return key === '[]' ? [below] : { [key === '{}' ? 'key' : key]: below };
}

/** What the shape says of a value at exactly this place. */
function complaints({ keys }: Field, value: unknown): string[] {
  return checkShape(SPEC_SHAPE, specWith(keys, value), 'spec').filter(({ path }) => path === pathOf(keys)).map(({ message }) => message);
}

const FIELDS = fieldsOf(specSchema());
// The model checks less of what is a pod's: that is the API server's to check when pods are made.
const OURS = FIELDS.filter(({ keys }) => !keys.includes('template') && !keys.includes('tolerations'));
const named = (fields: readonly Field[]) => fields.map((field): [string, Field] => [pathOf(field.keys), field]);

test('there is a schema to compare with', () => {
  expect(OURS.length).toBeGreaterThan(100);
});

test.each(named(OURS.filter(({ schema }) => schema.enum)))('the words of %s are the same', (_path, field) => {
  expect(field.schema.enum!.flatMap((word) => complaints(field, word))).toEqual([]);
  expect(complaints(field, 'no-such-word')).toEqual([expect.stringContaining(field.schema.enum!.join(', '))]);
});

test.each(named(OURS.filter(({ schema }) => schema.type === 'integer' || schema.type === 'number')))('the range of %s is the same', (_path, field) => {
  const { minimum, maximum, type } = field.schema;
  const inside = [minimum, maximum].filter((bound) => bound !== undefined);
  expect(inside.flatMap((value) => complaints(field, value))).toEqual([]);
  const outside = [...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1]), ...(type === 'integer' ? [1.5] : []), '1', true];
  expect(outside.filter((value) => complaints(field, value).length === 0)).toEqual([]);
});

test.each(named(OURS.filter(({ schema }) => schema.type === 'string')))('%s is text', (_path, field) => {
  expect([1, true, [], {}, null].filter((value) => complaints(field, value).length === 0)).toEqual([]);
});

/** Names of which the second round of rules knows more than their characters, such as a role that is close to another. */
const NAMED_LATER = ['', '.roles[0]', '.helpers[0]', '.hooks.before', '.hooks.after', '.hooks.onExit'].flatMap((place) => ['name', 'env[0].name', 'resources.extended.key'].map((field) => `spec${place}.${field}`));
const isLater = (path: string) => NAMED_LATER.includes(path) || path.endsWith('gpuResourceName');

test.each(named(OURS.filter(({ schema }) => schema.pattern ?? schema.minLength)).filter(([path]) => !isLater(path)))(
  'the form of %s is the same', (_path, field) => {
    const { pattern = '', minLength = 0 } = field.schema;
    for (const sample of ['', 'a', 'A', 'a b', 'a.b-c', '-a', 'a_b', '4', '500m', '16Gi', '16GB', '1.5', '-1', 'repo/image:tag', '\n', 'ä']) {
      const isAllowed = new RegExp(pattern).test(sample) && sample.length >= minLength;
      expect([sample, complaints(field, sample).length === 0]).toEqual([sample, isAllowed]);
    }
  });

test.each(named(FIELDS.filter(({ schema }) => schema.type === 'boolean')))('%s is a switch', (_path, field) => {
  expect(['true', 0, null].filter((value) => complaints(field, value).length === 0)).toEqual([]);
  expect([true, false].flatMap((value) => complaints(field, value))).toEqual([]);
});

test.each(named(FIELDS.filter(({ schema }) => schema.type === 'array')))('%s is a list', (_path, field) => {
  expect([{}, 'a', null].filter((value) => complaints(field, value).length === 0)).toEqual([]);
  expect(complaints(field, []).length).toBe(field.schema.minItems ?? 0);
});

test.each(named(OURS.filter(({ schema }) => schema.properties && !schema['x-kubernetes-preserve-unknown-fields'])))('%s has the same fields', (path, field) => {
  const [unknown] = checkShape(SPEC_SHAPE, specWith(field.keys, { qqqqqqqqqqqqqq: 1 }), 'spec').filter((violation) => violation.path === `${path}.qqqqqqqqqqqqqq`);
  const known = /Its fields: (.*)\.$/.exec(unknown.message)![1].split(', ');
  expect(known.sort()).toEqual(Object.keys(field.schema.properties!).sort());
});

test.each(named(FIELDS.filter(({ isRequired, keys }) => isRequired && keys.length > 0)))('%s cannot be left out', (path, field) => {
  const around = specWith(field.keys.slice(0, -1), {});
  expect(checkShape(SPEC_SHAPE, around, 'spec').filter((violation) => violation.path === path)).toHaveLength(1);
});

test('the fields that can be left out are the same', () => {
  const optional = FIELDS.filter(({ isRequired, keys }) => !isRequired && !['[]', '{}'].includes(keys[keys.length - 1]));
  const demanded = optional.filter((field) => {
    const around = specWith(field.keys.slice(0, -1), {});
    return checkShape(SPEC_SHAPE, around, 'spec').some((violation) => violation.path === pathOf(field.keys));
  });
  expect(demanded.map((field) => pathOf(field.keys))).toEqual([]);
});
