/** The kinds of workloads, held against what upstream systems publish and against what engines write. */
import { UpstreamSchemas } from '../../../src/cli/crd/upstream/upstream-schemas';
import { engines } from '../../../src/manifests/engines/registry';
import { WORKLOAD_KINDS, jobKindOf, workloadKindOf } from '../../../src/model/kinds/registry';
import type { FieldNames, WorkloadKind } from '../../../src/model/kinds/workload-kind';
import { API_GROUP } from '../../../src/model/labels';

const UPSTREAM = UpstreamSchemas.packaged();

/** Kinds of which a definition is published. */
const FOREIGN = WORKLOAD_KINDS.filter(({ group, isRetired }) => group !== API_GROUP && isRetired !== true).map((kind) => [`${kind.group}/${kind.kind}`, kind] as const);

/** Kubernetes' own have structures of another form. */
const isDefined = ({ group }: WorkloadKind) => group !== 'batch';

/** A part of a schema. */
interface Schema {
  readonly properties?: { readonly [name: string]: Schema };
}

test('no kind is there twice', () => {
  const keys = WORKLOAD_KINDS.map(({ group, kind }) => `${group}/${kind}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test.each(FOREIGN)('%s is as upstream defines it: plural, scope, versions', (_key, kind) => {
  const found = UPSTREAM.find(kind.group, kind.kind);
  expect(found.length).toBeGreaterThan(0);
  expect([...new Set(found.map(({ facts }) => facts.plural))]).toEqual([kind.plural]);
  expect([...new Set(found.map(({ facts }) => facts.scope))]).toEqual([kind.isNamespaced === false ? 'Cluster' : 'Namespaced']);
  expect(found.flatMap(({ facts }) => facts.versions.map(({ name }) => name))).toEqual(expect.arrayContaining([...kind.versions]));
});

test.each(FOREIGN.filter(([, kind]) => isDefined(kind)).flatMap(([key, kind]) => (
  [kind.suspend, kind.ttl].filter((field): field is FieldNames => field?.[0] === 'spec').map((field) => [`${key}: ${field.join('.')}`, kind, field] as const))))('%s is a field', (_what, kind, field) => {
  const versions = UPSTREAM.find(kind.group, kind.kind).flatMap(({ facts }) => facts.versions).filter(({ name }) => kind.versions.includes(name));
  expect(versions.length).toBeGreaterThan(0);
  for (const { schema } of versions) {
    expect(field.reduce<Schema | undefined>((part, name) => part?.properties?.[name], schema as Schema)).toBeDefined();
  }
});

test('kinds of one policy are of one group, and have the same expressions', () => {
  const targets = new Map<string, WorkloadKind>();
  for (const kind of WORKLOAD_KINDS.filter(({ policy }) => policy !== undefined)) {
    const first = targets.get(kind.policy!.target) ?? kind;
    targets.set(kind.policy!.target, first);
    expect([kind.group, kind.policy!.cel]).toEqual([first.group, first.policy!.cel]);
    expect(kind.policy!.everyVersion === true || kind.versions.join() === first.versions.join()).toBe(true);
  }
});

test.each(engines().map((engine) => [engine.name, engine] as const))('what engine %s writes is a job that is known', (_name, engine) => {
  const spec = { framework: 'pytorch', image: 'train:1', replicas: 2 } as const;
  const { job } = engine.render({ name: 'net', namespace: 'ml', spec });
  const { apiVersion, kind } = job as unknown as { readonly apiVersion: string; readonly kind: string };
  expect(jobKindOf({ apiVersion, kind })?.kind).toBe(kind);
  expect(jobKindOf({ apiVersion, kind })?.versions).toContain(apiVersion.split('/')[1]);
});

test.each(FOREIGN.filter(([, { isJob }]) => isJob === true))('of %s migrate makes a job, or says why it does not', (_key, { migrated, notMigrated }) => {
  expect([migrated, notMigrated].filter((each) => each !== undefined)).toHaveLength(1);
});

test('other objects are no workloads', () => {
  expect([{ apiVersion: 'v1', kind: 'ConfigMap' }, { apiVersion: 'example.com/v1', kind: 'RayJob' }, { kind: 'Job' }, {}].map((object) => workloadKindOf(object))).toEqual(Array(4).fill(undefined));
  expect(jobKindOf({ apiVersion: 'ray.io/v1', kind: 'RayCluster' })).toBeUndefined();
});
