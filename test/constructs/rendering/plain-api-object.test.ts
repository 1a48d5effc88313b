import { ApiObject, App, Chart, JsonPatch, Lazy, type ApiObjectProps, type IResolver, type ResolutionContext } from 'cdk8s';
import fc from 'fast-check';
import { PlainApiObject } from '../../../src/constructs/rendering/plain-api-object';

type Given = ApiObjectProps & { readonly [field: string]: unknown };

/** The same object as cdk8s writes it and as we do, in apps of their own. */
function bothWays(given: () => Given, change: (object: ApiObject) => void = () => undefined, resolvers: IResolver[] = []) {
  const written = [ApiObject, PlainApiObject].map((kind) => {
    const object = new kind(new Chart(new App({ resolvers }), 'chart', { namespace: 'team', labels: { tier: 'ml' } }), 'object', given());
    change(object);
    try {
      // As text: the order of fields counts too.
      return JSON.stringify(object.toJson());
    } catch (error) {
      return String(error);
    }
  });
  return { cdk8s: written[0], ours: written[1] };
}

const HEAD = { apiVersion: 'example.org/v1', kind: 'Example' };

/** Any data; a name that would set the prototype is not a field of JSON. */
const NAMES = fc.string().filter((name) => name !== '__proto__');
const VALUES = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 }, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined), fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(NAMES, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).tree;

test('writes any plain data as cdk8s does', () => {
  fc.assert(fc.property(VALUES, VALUES, (spec, data) => {
    const { cdk8s, ours } = bothWays(() => ({ ...HEAD, metadata: { name: 'a', annotations: { note: 'x' } }, spec, data }));
    expect(ours).toBe(cdk8s);
  }), { numRuns: 300 });
});

test('writes any metadata as cdk8s does, given at first or added later', () => {
  const texts = fc.dictionary(NAMES, fc.string(), { maxKeys: 3, noNullPrototype: true });
  const finalizers = fc.array(fc.string(), { maxLength: 2 });
  const metadata = fc.record(
    { name: fc.string({ minLength: 1 }), namespace: fc.string(), labels: texts, annotations: texts, finalizers, more: VALUES }, { requiredKeys: [] },
  );
  fc.assert(fc.property(metadata, texts, texts, finalizers, NAMES, VALUES, (given, labels, annotations, added, name, value) => {
    const { cdk8s, ours } = bothWays(() => ({ ...HEAD, metadata: given as Given['metadata'], spec: {} }), (object) => {
      Object.entries(labels).forEach(([label, text]) => object.metadata.addLabel(label, text));
      Object.entries(annotations).forEach(([annotation, text]) => object.metadata.addAnnotation(annotation, text));
      object.metadata.addFinalizers(...added);
      added.forEach((uid) => object.metadata.addOwnerReference({ apiVersion: 'v1', kind: 'Example', name: 'owner', uid }));
      object.metadata.add(name, value);
    });
    expect(ours).toBe(cdk8s);
  }), { numRuns: 300 });
});

test('leaves metadata that keeps more than is known to cdk8s', () => {
  const { cdk8s, ours } = bothWays(() => ({ ...HEAD, metadata: { name: 'a' }, spec: {} }), ({ metadata }) => {
    const write = metadata.toJson.bind(metadata);
    Object.assign(metadata, { generation: 5, toJson: () => ({ ...write() as object, generation: 5 }) });
  });
  expect(ours).toBe(cdk8s);
  expect(ours).toContain('"generation":5');
});

test.each<[string, Given]>([
  ['a spec that is known late', { ...HEAD, spec: Lazy.any({ produce: () => ({ b: 1, a: [{ d: 2, c: undefined }] }) }) }],
  ['a late value deep inside', { ...HEAD, spec: { list: [{ late: Lazy.any({ produce: () => ({ z: 1, y: 2 }) }) }] } }],
  ['a late value inside of a late one', { ...HEAD, spec: Lazy.any({ produce: () => ({ inner: Lazy.any({ produce: () => 5 }) }) }) }],
  ['a token of another toolkit', { ...HEAD, spec: { token: { resolve: () => 'resolved' } } }],
  ['a union of number and string', { ...HEAD, spec: { port: new (class { public readonly value = 8080; })() } }],
  ['late labels', { ...HEAD, metadata: { labels: { late: Lazy.any({ produce: () => 'now' }) as string } }, spec: { a: 1 } }],
  ['an object that is no data', { ...HEAD, spec: { when: new Date(0) } }],
  ['a late value that cannot be told', { ...HEAD, spec: Lazy.any({ produce: () => { throw new Error('not yet'); } }) }],
])('leaves %s to cdk8s, with what it says', (_what, given) => {
  const { cdk8s, ours } = bothWays(() => given);
  expect(ours).toBe(cdk8s);
});

test('says which construct cannot be written', () => {
  const { ours } = bothWays(() => ({ ...HEAD, spec: { when: new Date(0) } }));
  expect(ours).toContain('Failed serializing construct at path \'chart/object\'');
});

test('applies patches', () => {
  const { cdk8s, ours } = bothWays(() => ({ ...HEAD, spec: { a: 1 } }), (object) => object.addJsonPatch(JsonPatch.replace('/spec/a', 2)));
  expect(ours).toBe(cdk8s);
  expect(ours).toContain('"a":2');
});

test('shows each value to the resolvers of the app', () => {
  const resolver: IResolver = {
    resolve: (context: ResolutionContext) => context.value === 'where' && context.replaceValue('here'),
  };
  const { cdk8s, ours } = bothWays(() => ({ ...HEAD, spec: { place: 'where' } }), undefined, [resolver]);
  expect(ours).toBe(cdk8s);
  expect(ours).toContain('"place":"here"');
});

test('keeps the order of fields where cdk8s is told not to sort them', () => {
  process.env.CDK8S_DISABLE_SORT = '1';
  try {
    const { cdk8s, ours } = bothWays(() => ({ ...HEAD, spec: { b: 1, a: 2 } }));
    expect(ours).toBe(cdk8s);
    expect(ours).toContain('"spec":{"b":1,"a":2}');
  } finally {
    delete process.env.CDK8S_DISABLE_SORT;
  }
});

test('gives a copy: what is done to a manifest is not done to what it was made of', () => {
  const spec = { list: [{ a: 1 }] };
  const object = new PlainApiObject(new Chart(new App(), 'chart'), 'object', { ...HEAD, spec });
  (object.toJson() as { spec: typeof spec }).spec.list[0].a = 2;
  expect(spec.list[0].a).toBe(1);
});

describe('a manifest that checks have looked at', () => {
  function lookedAt(produce: () => unknown) {
    const object = new PlainApiObject(new Chart(new App(), 'chart'), 'object', { ...HEAD, metadata: { name: 'a' }, spec: Lazy.any({ produce }) });
    return { object, seen: object._lookAtJson() };
  }

  test('is written as it was seen, with what was added to its metadata since', () => {
    const spec = { b: 1, a: [{ d: 1, c: 2 }] };
    const { object, seen } = lookedAt(() => spec);
    object.metadata.addLabel('team', 'vision');
    expect(seen).toEqual({ ...HEAD, metadata: { name: 'a' }, spec });
    expect(JSON.stringify(object.toJson())).toBe(JSON.stringify({
      ...HEAD, metadata: { labels: { team: 'vision' }, name: 'a' }, spec: { a: [{ c: 2, d: 1 }], b: 1 },
    }));
  });

  test('is made again when a part is another one', () => {
    let spec = { a: 1 };
    const { object } = lookedAt(() => spec);
    spec = { a: 2 };
    expect((object.toJson() as { spec: unknown }).spec).toEqual({ a: 2 });
  });

  test('is given away once', () => {
    const spec = { list: [1] };
    const { object } = lookedAt(() => spec);
    (object.toJson() as { spec: typeof spec }).spec.list.push(2);
    expect((object.toJson() as { spec: unknown }).spec).toEqual({ list: [1] });
    expect(spec).toEqual({ list: [1] });
  });

  test('has patches that were added since', () => {
    const { object } = lookedAt(() => ({ a: 1 }));
    object.addJsonPatch(JsonPatch.replace('/spec/a', 2));
    expect((object.toJson() as { spec: unknown }).spec).toEqual({ a: 2 });
  });
});
