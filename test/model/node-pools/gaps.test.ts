/** What a rendering has no field for is told, and not left out. */
import { errorsOf, warningsOf } from '../../../src/model/findings';
import { computeClassGaps, configConnectorGaps } from '../../../src/model/node-pools/gaps';
import { constructProvisioningConfigSpec, constructProvisioningRequestSpec } from '../../../src/manifests/node-pools/kueue';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { checkProvisioningRequest } from '../../../src/model/node-pools/provisioning-request';
import type { NodePoolSpec } from '../../../src/model/node-pools/spec';

const network = { network: 'n', subnetwork: 's' };

test.each<[string, Partial<NodePoolSpec>, string]>([
  ['flex-start', { capacity: { flexStart: true } }, 'pool.capacity.flexStart'],
  ['a duration', { capacity: { maxRunSeconds: 3600 } }, 'pool.capacity.maxRunSeconds'],
  ['reservations and nothing else', { capacity: { reservationAffinity: 'any-then-fail' } }, 'pool.capacity.reservationAffinity'],
  ['DRANET', { network: { acceleratorNetworkProfile: 'auto' } }, 'pool.network.acceleratorNetworkProfile'],
  ['RDMA', { network: { gpuDirect: 'rdma' } }, 'pool.network.gpuDirect'],
  ['disks with images', { secondaryBootDisks: [{ image: 'i' }] }, 'pool.secondaryBootDisks'],
])('Config Connector has no field for %s', (_what, pool, path) => {
  expect(configConnectorGaps({ name: 'pool', ...pool })).toMatchObject([{ severity: 'error', path, source: expect.stringContaining('k8s-config-connector'), message: expect.stringContaining('Render the pool for Pulumi') }]);
});

test.each<[string, Partial<NodePoolSpec>, string, string]>([
  ['a fixed number', { size: { nodes: 2 } }, 'pool.size.nodes', 'nodes are added when pods wait'],
  ['queued machines', { capacity: { queued: true } }, 'pool.capacity.queued', 'Use flexStart'],
  ['a compact placement', { placement: { compact: true } }, 'pool.placement.compact', 'Name a resource policy'],
  ['networks of one\'s own', { network: { additionalNetworks: [network] } }, 'pool.network.additionalNetworks', "acceleratorNetworkProfile: 'auto'"],
  ['Fast Socket', { network: { fastSocket: true } }, 'pool.network.fastSocket', 'a separate pool'],
  ['SSDs as block devices', { localSsdBlock: 1 }, 'pool.localSsdBlock', 'Use localSsdEphemeral'],
  ['network tags', { tags: ['a'] }, 'pool.tags', 'Remove them'],
  ['labels of machines', { resourceLabels: { team: 'a' } }, 'pool.resourceLabels', 'Remove them'],
  ['replacement by blue and green', { blueGreen: true }, 'pool.blueGreen', 'are created and deleted automatically'],
  ['a number in each of zones that are not named', { size: { minPerZone: 1, maxPerZone: 2 } }, 'pool.size.minPerZone', 'Name zones'],
])('a ComputeClass has no field for %s', (_what, pool, path, words) => {
  const found = errorsOf(computeClassGaps({ name: 'pool', ...pool }));
  expect(found).toMatchObject([{ path, rule: 'compute-class', source: expect.stringContaining('compute-class-api'), message: expect.stringContaining(words) }]);
});

test.each<[string, Partial<NodePoolSpec>, string]>([
  ['the most nodes in total', { size: { totalMin: 0, totalMax: 4 } }, 'pool.size.totalMax'],
  ['the most nodes in each zone', { size: { minPerZone: 0, maxPerZone: 4 } }, 'pool.size.maxPerZone'],
  ['how nodes are upgraded', { upgrade: { strategy: 'SURGE', maxSurge: 1 } }, 'pool.upgrade'],
])('a ComputeClass leaves %s to others, which is a warning', (_what, pool, path) => {
  const found = computeClassGaps({ name: 'pool', ...pool });
  expect(errorsOf(found)).toEqual([]);
  expect(warningsOf(found).map((warning) => warning.path)).toEqual([path]);
});

const sets = (count: number) => Array.from({ length: count }, (_set, index) => ({ podTemplate: `t${index}`, count: 1 }));

test.each([
  ['no pods', { podSets: [] }, 'spec.podSets', 'Add one'],
  ['33 sets of pods', { podSets: sets(33) }, 'spec.podSets', 'several requests'],
  ['a set of no pods', { podSets: [{ podTemplate: 't', count: 0 }] }, 'spec.podSets[0].count', '1 or more'],
  ['machines for a minute', { podSets: sets(1), maxRunSeconds: 60 }, 'spec.maxRunSeconds', '10 minutes to 7 days'],
])('a ProvisioningRequest is refused for %s', (_what, spec, path, words) => {
  const found = checkProvisioningRequest(spec);
  expect(found).toMatchObject([{ path, rule: 'provisioning-request', message: expect.stringContaining(words) }]);
  const ofObject = path.replace('maxRunSeconds', 'parameters.maxRunDurationSeconds');
  expect(toldOfObject('autoscaling.x-k8s.io/v1', 'ProvisioningRequest', constructProvisioningRequestSpec(spec))).toMatchObject([{ path: ofObject, message: found[0].message }]);
});

/** What is told of an object in YAML. */
function toldOfObject(apiVersion: string, kind: string, spec: object) {
  const object = { apiVersion, kind, metadata: { name: 'gpus' }, spec: JSON.parse(JSON.stringify(spec)) as object };
  return checkForeign(object, [object]);
}

describe('Kueue\'s configuration of requests in YAML', () => {
  const told = (spec: object) => toldOfObject('kueue.x-k8s.io/v1beta2', 'ProvisioningRequestConfig', spec).map(({ path }) => path);

  test('is refused for machines of a minute, and for less than no retries', () => {
    expect(told(constructProvisioningConfigSpec([], 60))).toEqual(['spec.parameters.maxRunDurationSeconds']);
    expect(told(constructProvisioningConfigSpec([], undefined, { retries: { limit: -1 } }))).toEqual(['spec.retryStrategy.backoffLimitCount']);
  });

  test('may have other classes with parameters of their own, and pauses that are all alike', () => {
    expect(told(constructProvisioningConfigSpec([], 60, { className: 'check-capacity.autoscaling.x-k8s.io' }))).toEqual([]);
    expect(told(constructProvisioningConfigSpec([], 3600, { retries: { firstSeconds: 60, longestSeconds: 10 } }))).toEqual([]);
  });

  test.each([[], 'x', { parameters: 'x', retryStrategy: [], provisioningClassName: 1 }, { podSets: [null, 'x'] }])('%j ends nothing', (spec) => {
    expect(() => told(spec as object)).not.toThrow();
    expect(() => toldOfObject('autoscaling.x-k8s.io/v1', 'ProvisioningRequest', spec as object)).not.toThrow();
  });
});

test('a ProvisioningRequest of 32 sets for a week is fine', () => {
  expect(checkProvisioningRequest({ podSets: sets(32), maxRunSeconds: 604_800 })).toEqual([]);
});
