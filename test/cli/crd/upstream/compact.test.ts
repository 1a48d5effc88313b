/** What is committed in `upstream/`: schemas that are written once, and read as if they had been written out. */
import fc from 'fast-check';
import { compact } from '../../../../scripts/upstream/compact';
import { digestOf, factsOf, schemaFacts } from '../../../../scripts/upstream/facts';
import { differences, upstreamFiles } from '../../../../scripts/upstream/files';
import { SOURCES } from '../../../../scripts/upstream/sources';
import type { KindFacts, SystemEntry, SystemFile } from '../../../../src/cli/crd/upstream/compact-format';
import { Expansion, UpstreamSchemas, mapSchemas } from '../../../../src/cli/crd/upstream/upstream-schemas';
import type { StructuralSchema } from '../../../../src/cli/crd/structural-schema';

/** Few words, so that schemas are often equal. */
const word = fc.constantFrom('name', 'image', 'env', 'value', 'string', 'integer', 'root', '__proto__x', 'a-very-long-name-of-a-field');

const leaf: fc.Arbitrary<StructuralSchema> = fc.oneof(
  fc.constant<StructuralSchema>({ type: 'string' }),
  fc.record({ type: fc.constant('string' as const), description: fc.string(), pattern: fc.constantFrom('^a$', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'), maxLength: fc.nat(3) }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('integer' as const), format: fc.constantFrom('int32', 'int64'), minimum: fc.nat(2), default: fc.nat(2) }, { requiredKeys: ['type'] }),
  fc.constant<StructuralSchema>({ 'anyOf': [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }),
  fc.constant<StructuralSchema>({ 'type': 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'has(self.a) ', message: 'must have a' }] }),
);

const { schema: anySchema } = fc.letrec<{ schema: StructuralSchema }>((tie) => ({
  schema: fc.oneof({ maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.record({
      type: fc.constant('object' as const), properties: fc.dictionary(word, tie('schema'), { maxKeys: 4 }), required: fc.uniqueArray(word, { maxLength: 2 }),
      description: fc.string(), default: fc.constantFrom({}, { b: 1, a: 2 }),
    }, { requiredKeys: ['type', 'properties'] }),
    fc.record({ type: fc.constant('array' as const), items: tie('schema') }),
    fc.record({ type: fc.constant('object' as const), additionalProperties: fc.oneof(tie('schema'), fc.boolean()) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), not: tie('schema') }),
  ),
}));

const definition = (kind: string, schema: StructuralSchema): KindFacts => factsOf({
  spec: {
    group: 'test.example', scope: 'Namespaced', names: { kind, plural: `${kind.toLowerCase()}s`, listKind: `${kind}List`, shortNames: ['x'] },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } }],
  },
});

/** As it is once it was written and read. */
function readAgain(systems: ReadonlyMap<string, readonly KindFacts[]>): Map<string, KindFacts[]> {
  const { systems: files, shared } = compact(systems);
  const read = JSON.parse(JSON.stringify({ files: [...files], shared })) as { files: [string, SystemFile][]; shared: SystemFile['parts'] };
  return new Map(read.files.map(([name, { kinds, parts }]) => {
    const expansion = new Expansion([parts, read.shared]);
    return [name, kinds.map((kind) => expansion.kind(kind))];
  }));
}

test('a schema is what it was once it was made compact and written out', () => {
  fc.assert(fc.property(fc.array(fc.array(anySchema, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), (schemas) => {
    const systems = new Map(schemas.map((some, index) => [`s${index}`, some.map((schema, number) => definition(`K${number}`, schema))]));
    const again = readAgain(systems);
    expect(again).toEqual(systems);
    // Fields too are in their order, so that the same facts have the same sum.
    systems.forEach((kinds, name) => expect(digestOf(again.get(name)!)).toBe(digestOf(kinds)));
  }));
});

test('what is equal is written once, where everybody who has it finds it', () => {
  const pod: StructuralSchema = { type: 'object', properties: { image: { type: 'string', pattern: '^[a-z]+$' }, labels: { type: 'object', additionalProperties: { type: 'string' } } } };
  const own: StructuralSchema = { type: 'object', properties: { only: { type: 'string', maxLength: 63 }, here: { type: 'boolean' } } };
  const { systems, shared } = compact(new Map([
    ['one', [definition('A', { type: 'object', properties: { head: pod, worker: pod, left: own, right: own } })]],
    ['two', [definition('B', { type: 'object', properties: { template: pod } })]],
  ]));
  const [part] = Object.keys(shared).filter((name) => JSON.stringify(shared[name]).includes('image'));
  expect(part).toMatch(/^(head|template|worker)-[0-9a-f]{3}$/);
  const properties = systems.get('one')!.kinds[0].versions[0].schema;
  expect(properties).toEqual({ type: 'object', properties: { head: part, worker: part, left: expect.stringMatching(/^left-/) as string, right: expect.stringMatching(/^left-/) as string } });
  expect(Object.keys(systems.get('one')!.parts)).toEqual([expect.stringMatching(/^left-/)]);
  expect(systems.get('two')!.parts).toEqual({});
});

test('what explains and shows is left out, and the order of fields says nothing', () => {
  const explained = schemaFacts({
    'description': 'A thing.', 'required': ['b', 'a'],
    'properties': { b: { type: 'string', description: 'B.' }, a: { description: 'A.', type: 'integer' } },
    'type': 'object', 'x-kubernetes-validations': [{ rule: 'self.a > 1', message: 'a must be more than 1', messageExpression: '"a"', reason: 'FieldValueInvalid' }],
  });
  expect(JSON.stringify(explained)).toBe(JSON.stringify({
    'type': 'object', 'required': ['a', 'b'], 'x-kubernetes-validations': [{ rule: 'self.a > 1', reason: 'FieldValueInvalid' }],
    'properties': { a: { type: 'integer' }, b: { type: 'string' } },
  }));
  expect(() => schemaFacts({ 'x-new': true } as StructuralSchema)).toThrow('a schema has x-new: say in scripts/upstream/facts.ts whether that is kept.');
});

describe('what is committed', () => {
  const committed = UpstreamSchemas.packaged();
  const folder = `${__dirname}/../../../../upstream`;

  test('is what the list of sources says, and written by this script', () => {
    const published = ({ system, version, archive }: Pick<SystemEntry, 'system' | 'version' | 'archive'>) => ({ system, version, archive });
    expect(committed.entries.map(published)).toEqual(SOURCES.map(published));
    const files = upstreamFiles(SOURCES.map((source) => ({ ...source, ...committed.facts(source.system, source.version)! })));
    expect(differences(folder, files)).toEqual([]);
  });

  test('has the sum that the index says', () => {
    for (const entry of committed.entries) {
      expect({ system: entry.system, facts: digestOf(committed.kindsOf(entry)) }).toEqual({ system: entry.system, facts: entry.facts });
    }
  });

  test('has facts only', () => {
    const texts: string[] = [];
    const visit = (schema: StructuralSchema): StructuralSchema => {
      texts.push(...Object.keys(schema), ...(schema['x-kubernetes-validations'] ?? []).flatMap((rule) => Object.keys(rule)));
      return mapSchemas(schema, visit);
    };
    committed.entries.flatMap((entry) => committed.kindsOf(entry)).forEach(({ versions }) => versions.forEach(({ schema }) => visit(schema)));
    expect([...new Set(texts)].filter((name) => ['description', 'title', 'example', 'externalDocs', 'message', 'messageExpression'].includes(name))).toEqual([]);
  });

  test('defines no version of a kind twice', () => {
    const versions = committed.entries.flatMap((entry) => committed.kindsOf(entry)).flatMap(({ group, kind, versions: all }) => all.map(({ name }) => `${group}/${name} ${kind}`));
    expect(versions.filter((version, index) => versions.indexOf(version) !== index)).toEqual([]);
  });
});
