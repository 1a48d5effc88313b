/** Each rule of Kueue for queues, cohorts and flavors, with what it says, of constructs and of the same objects in YAML. */
import { constructClusterQueueSpec, constructCohortSpec, constructFlavorSpec } from '../../../src/manifests/kueue/queues';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { validateClusterQueue, validateCohort, validateFlavor, validateLandscape } from '../../../src/model/queues/rules';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec } from '../../../src/model/queues/spec';
import { formatViolation } from '../../../src/model/violations';

const quota = (resource: string, nominal = '8', more: { borrowingLimit?: string; lendingLimit?: string } = {}) => ({ resource, nominal, ...more });
const group = (...quotas: ReturnType<typeof quota>[]) => ({ flavors: [{ flavor: 'a', quotas }] });
const queue: ClusterQueueSpec = { name: 'q', cohort: 'all', resourceGroups: [group(quota('cpu'))] };
const checks = ({ admissionChecks = [] }: ClusterQueueSpec) => admissionChecks.map(({ name, kind }) => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'AdmissionCheck', metadata: { name },
  spec: { controllerName: { provisioning: 'kueue.x-k8s.io/provisioning-request', multiKueue: 'kueue.x-k8s.io/multikueue', other: 'example.com/budget' }[kind] },
}));

/** What is told of an object as it stands in a manifest. */
function toldOfObject(kind: string, name: string, spec: unknown, others: readonly ManifestObject[] = []): string[] {
  const object = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind, metadata: { name }, spec: JSON.parse(JSON.stringify(spec ?? {})) as object };
  return checkForeign(object, [object, ...others]).map(formatViolation);
}

/** A manifest names the resources of a group by themselves, where a construct has them from its first flavor; and NaN is no number in it. */
const inObjects = (text: string) => text.replace(/flavor 'a' of the group/, 'coveredResources of the group').replace(/: (?:NaN|"NaN"|null):/, ': NaN:');

const many = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a queue, a cohort and a flavor that keep the rules', () => {
  expect(validateClusterQueue({ ...queue, fairWeight: 0.5, admissionChecks: [{ name: 'dws', kind: 'provisioning', onFlavors: ['a'] }] })).toEqual([]);
  expect(validateCohort({ name: 'all', parent: 'top', resourceGroups: [group(quota('cpu', '1', { lendingLimit: '8', borrowingLimit: '0' }))] })).toEqual([]);
  expect(validateFlavor({ name: 'h100', nodeLabels: { 'cloud.google.com/gke-nodepool': 'h100' }, nodeTaints: [{ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }], tolerations: [], topology: { name: 't' } })).toEqual([]);
});

test.each<[string, Partial<ClusterQueueSpec>, string]>([
  ['a name', { name: 'Team_A' }, 'metadata.name: "Team_A": must be lower-case letters'],
  ['too many groups', { resourceGroups: many(17).map((index) => ({ flavors: [{ flavor: `f${index}`, quotas: [quota(`r${index}`)] }] })) }, 'spec.resourceGroups: 17: must be 0 to 16.'],
  ['a group without flavors', { resourceGroups: [{ flavors: [] }] }, 'spec.resourceGroups[0].flavors: 0: must be 1 to 64.'],
  ['a flavor without quotas', { resourceGroups: [group()] }, 'spec.resourceGroups[0].coveredResources: 0: must be 1 to 64.'],
  ['too many flavors', { resourceGroups: [{ flavors: many(65).map((index) => ({ flavor: `f${index}`, quotas: [quota('cpu')] })) }] }, 'spec.resourceGroups[0].flavors: 65: must be 1 to 64.'],
  ['too many quotas', { resourceGroups: [{ flavors: many(60).map((index) => ({ flavor: `f${index}`, quotas: many(9).map((other) => quota(`r${other}`)) })) }] }, '540: has more quotas than 512.'],
  ['the name of a resource', { resourceGroups: [group(quota('a/b/c'))] }, '"a/b/c": must be the name of a resource'],
  ['a resource in two groups', { resourceGroups: [group(quota('cpu')), { flavors: [{ flavor: 'b', quotas: [quota('cpu')] }] }] }, 'spec.resourceGroups[1].coveredResources[0]: "cpu": has quota in another group'],
  ['a flavor in two groups', { resourceGroups: [group(quota('cpu')), group(quota('memory'))] }, 'spec.resourceGroups[1].flavors[0].name: "a": is already in the queue'],
  ['a flavor that lacks a resource', { resourceGroups: [{ flavors: [{ flavor: 'a', quotas: [quota('cpu'), quota('memory')] }, { flavor: 'b', quotas: [quota('cpu')] }] }] }, "has no quota of memory, which flavor 'a' of the group has"],
  ['a flavor with a further resource', { resourceGroups: [{ flavors: [{ flavor: 'a', quotas: [quota('cpu')] }, { flavor: 'b', quotas: [quota('pods'), quota('cpu')] }] }] }, "has a quota of pods, which flavor 'a' of the group does not have"],
  ['a negative quota', { resourceGroups: [group(quota('cpu', '-1'))] }, "spec.resourceGroups[0].flavors[0].resources['cpu'].nominalQuota: \"-1\": must be 0 or more."],
  ['a borrowing limit without a cohort', { cohort: undefined, resourceGroups: [group(quota('cpu', '1', { borrowingLimit: '1' }))] }, 'borrowingLimit: "1": applies only in a cohort'],
  ['a lending limit without a cohort', { cohort: undefined, resourceGroups: [group(quota('cpu', '1', { lendingLimit: '1' }))] }, 'lendingLimit: "1": applies only in a cohort'],
  ['more to lend than there is', { resourceGroups: [group(quota('memory', '1Gi', { lendingLimit: '2Gi' }))] }, 'lendingLimit: "2Gi": is more than the queue can lend: the nominal quota is 1Gi.'],
  ['a negative weight', { fairWeight: -1 }, 'spec.fairSharing.weight: -1: must be 0, or more than 0.000000001.'],
  ['a weight that collapses', { fairWeight: 1e-9 }, 'spec.fairSharing.weight'],
  ['preemption to borrow without reclaiming', { preemption: { borrowWithinCohort: { policy: 'LowerPriority' } } }, 'but reclaimWithinCohort is Never. Set that to'],
  ['reclaiming without a cohort', { cohort: undefined, preemption: { reclaimWithinCohort: 'Any' } }, 'has no effect without a cohort'],
  ['a preference without all flavors tried', { flavorFungibility: { preference: 'BorrowingOverPreemption' } }, 'set whenCanBorrow and whenCanPreempt to TryNextFlavor'],
  ['no namespace', { namespaces: [] }, 'selects no namespace'],
  ['a check twice', { admissionChecks: [{ name: 'c', kind: 'other' }, { name: 'c', kind: 'other' }] }, '"c": is listed twice.'],
  ['a check on a flavor of another queue', { admissionChecks: [{ name: 'c', kind: 'other', onFlavors: ['b'] }] }, '"b": is not a flavor of the queue, which has a.'],
  ['two checks of MultiKueue', { admissionChecks: [{ name: 'c', kind: 'multiKueue' }, { name: 'd', kind: 'multiKueue' }] }, 'a queue can have only one'],
  ['MultiKueue on a flavor', { admissionChecks: [{ name: 'c', kind: 'multiKueue', onFlavors: ['a'] }] }, 'check applies to all flavors. Leave onFlavors out.'],
  ['MultiKueue beside ProvisioningRequest', { admissionChecks: [{ name: 'c', kind: 'multiKueue' }, { name: 'd', kind: 'provisioning' }] }, 'cannot be in the same queue'],
])('a queue is told of %s', (_what, change, words) => {
  const changed = { ...queue, ...change };
  const told = validateClusterQueue(changed).map(formatViolation);
  expect(told).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
  expect(toldOfObject('ClusterQueue', changed.name, constructClusterQueueSpec(changed), checks(changed)).map(inObjects)).toEqual(told.map(inObjects));
});

test.each<[string, Partial<CohortSpec>, string]>([
  ['a name', { name: 'a b' }, 'metadata.name'],
  ['a limit without a parent', { resourceGroups: [group(quota('cpu', '1', { borrowingLimit: '1' }))] }, 'applies only in a parent. Set one'],
  ['a weight', { fairWeight: NaN }, 'spec.fairSharing.weight'],
])('a cohort is told of %s', (_what, change, words) => {
  const changed = { name: 'all', resourceGroups: [], ...change };
  const told = validateCohort(changed).map(formatViolation);
  expect(told).toEqual([expect.stringContaining(words)]);
  expect(toldOfObject('Cohort', changed.name, constructCohortSpec(changed)).map(inObjects)).toEqual(told.map(inObjects));
});

test.each<[string, Partial<FlavorSpec>, string]>([
  ['too many labels', { nodeLabels: Object.fromEntries(many(9).map((index) => [`l${index}`, 'v'])) }, 'spec.nodeLabels: 9: must be 0 to 8.'],
  ['a label\'s key', { nodeLabels: { 'a b': 'v' } }, "spec.nodeLabels['a b']"],
  ['a label\'s value', { nodeLabels: { a: 'v!' } }, 'must be a label'],
  ['too many taints', { nodeTaints: many(9).map((index) => ({ key: `k${index}`, effect: 'NoSchedule' })) }, 'spec.nodeTaints: 9'],
  ['a taint twice', { nodeTaints: [{ key: 'k', value: 'a', effect: 'NoSchedule' }, { key: 'k', value: 'b', effect: 'NoSchedule' }] }, 'duplicates a taint'],
  ['a taint\'s key', { nodeTaints: [{ key: 'a b', effect: 'NoSchedule' }] }, 'must have a key and a value that are valid in a label'],
  ['too many tolerations', { tolerations: many(9).map(() => ({ operator: 'Exists' })) }, 'spec.tolerations: 9'],
  ['a topology without labels', { topology: { name: 't' } }, "a flavor with a topology ('t') must set at least one node label"],
])('a flavor is told of %s', (_what, change, words) => {
  const changed = { name: 'f', nodeLabels: {}, nodeTaints: [], tolerations: [], ...change };
  const told = validateFlavor(changed).map(formatViolation);
  expect(told).toEqual([expect.stringContaining(words)]);
  expect(toldOfObject('ResourceFlavor', changed.name, constructFlavorSpec(changed))).toEqual(told);
});

describe('all queues together', () => {
  const flavor: FlavorSpec = { name: 'a', nodeLabels: {}, nodeTaints: [], tolerations: [], nodes: { count: 2, perNode: { cpu: 8 } } };
  const other: ClusterQueueSpec = { ...queue, name: 'other' };

  test('may promise what the nodes have', () => {
    expect(validateLandscape({ clusterQueues: [queue, other], cohorts: [], flavors: [flavor] })).toEqual([]);
  });

  test('are told when they promise more, with the sums', () => {
    const cohort: CohortSpec = { name: 'all', resourceGroups: [group(quota('cpu', '4'))] };
    expect(validateLandscape({ clusterQueues: [queue, other], cohorts: [cohort], flavors: [flavor] }).map(formatViolation)).toEqual([
      "flavors['a']: \"20 cpu\": is the total of the quotas (8 cpu of 'q', 8 cpu of 'other', 4 cpu of 'all'), but 2 nodes of 8 have 16: Kueue would admit jobs that cannot run. "
      + 'Lower the quotas, enlarge the pool, or set overcommitted.',
    ]);
  });

  test('may promise more where the flavor says so', () => {
    expect(validateLandscape({ clusterQueues: [queue, other, { ...queue, name: 'third' }], cohorts: [], flavors: [{ ...flavor, nodes: { ...flavor.nodes, overcommitted: true } }] })).toEqual([]);
  });

  test('are told of a circle of cohorts', () => {
    const circle: CohortSpec[] = [{ name: 'all', parent: 'top', resourceGroups: [] }, { name: 'top', parent: 'all', resourceGroups: [] }];
    expect(validateLandscape({ clusterQueues: [queue], cohorts: circle, flavors: [] }).map(formatViolation)).toEqual(['cohorts: "all -> top -> all": forms a cycle, and Kueue admits nothing in it. Remove one parent.']);
  });
});

describe('objects in YAML', () => {
  const told = (kind: string, spec: object, others: readonly ManifestObject[] = [], name = 'q') => toldOfObject(kind, name, spec, others);
  const cohort = (name: string, parentName: string) => ({ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Cohort', metadata: { name }, spec: { parentName } });

  test('without a selector are of no namespace', () => {
    expect(told('ClusterQueue', { namespaceSelector: {} })).toEqual([]);
    expect(told('ClusterQueue', {})).toEqual([expect.stringMatching(/^spec\.namespaceSelector: \[\]: selects no namespace, .* \{\} in YAML/)]);
  });

  test('have numbers as amounts, and the same resources in all flavors', () => {
    const flavor = (name: string, ...of: string[]) => ({ name, resources: of.map((resource) => ({ name: resource, nominalQuota: 8 })) });
    const groups = (...flavors: object[]) => ({ namespaceSelector: {}, resourceGroups: [{ coveredResources: ['cpu', 'memory'], flavors }] });
    expect(told('ClusterQueue', groups(flavor('a', 'cpu', 'memory')))).toEqual([]);
    expect(told('ClusterQueue', groups(flavor('a', 'cpu')))).toEqual([expect.stringContaining('has no quota of memory, which coveredResources of the group has')]);
  });

  test('of an older version name their cohort by another field', () => {
    const preemption = { reclaimWithinCohort: 'Any' };
    expect(told('ClusterQueue', { namespaceSelector: {}, cohort: 'all', preemption })).toEqual([]);
    expect(told('ClusterQueue', { namespaceSelector: {}, preemption })).toEqual([expect.stringContaining('has no effect without a cohort')]);
  });

  test('are told of a LocalQueue in a namespace that its queue does not accept', () => {
    const apiVersion = 'kueue.x-k8s.io/v1beta2';
    const queueWith = (namespaceSelector: object) => ({ apiVersion, kind: 'ClusterQueue', metadata: { name: 'q' }, spec: { namespaceSelector } });
    const local = (namespace?: string) => ({ apiVersion, kind: 'LocalQueue', metadata: { name: 'gpus', namespace }, spec: { clusterQueue: 'q' } });
    const toldIn = (namespace: string | undefined, selector: object) => (
      checkForeign(local(namespace), [queueWith(selector), local(namespace)]).map(formatViolation));
    const key = 'kubernetes.io/metadata.name';
    const line = 'metadata.namespace: "a": ClusterQueue \'q\' only accepts jobs of b. Add the namespace there.';
    expect(toldIn('a', { matchExpressions: [{ key, operator: 'In', values: ['b'] }] })).toEqual([line]);
    expect(toldIn('a', { matchLabels: { [key]: 'b' } })).toEqual([line]);
    expect(toldIn('b', { matchLabels: { [key]: 'b', team: 'x' } })).toEqual([]);
    expect(toldIn('a', { matchExpressions: [{ key, operator: 'NotIn', values: ['b'] }, null] })).toEqual([]);
    expect(toldIn(undefined, { matchLabels: { [key]: 'b' } })).toEqual([]);
    expect(checkForeign(local('a'), [local('a')])).toEqual([]);
  });

  test('are told once of a cycle of cohorts', () => {
    const cycle = [cohort('all', 'top'), cohort('top', 'all')];
    expect(cycle.flatMap((one) => checkForeign(one, cycle)).map(formatViolation)).toEqual(['spec.parentName: "top": creates a cycle of cohorts, all -> top -> all, in which Kueue admits nothing. Remove one parent.']);
  });

  test('of other groups, or with values of the wrong kind, end nothing', () => {
    expect(checkForeign({ apiVersion: 'example.com/v1', kind: 'ClusterQueue', metadata: { name: 'q' } }, [])).toEqual([]);
    for (const spec of [null, [], 'x', { resourceGroups: {}, preemption: [], admissionChecksStrategy: 1 }, { resourceGroups: [null, { flavors: [1] }], flavorFungibility: 'x', fairSharing: [] }]) {
      for (const kind of ['ClusterQueue', 'Cohort', 'ResourceFlavor']) {
        expect(() => told(kind, spec as object)).not.toThrow();
      }
    }
  });
});
