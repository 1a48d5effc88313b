/**
 * The thirty mistakes that people made on GKE (with threads to prove it), each caught by a rule: the number is the one of the collection that the
 * rules were written from. A mistake in each row is refused, by a rule that names its source.
 */
import { errorsOf, warningsOf, type Finding, type Rule } from '../../src/model/accelerators/findings';
import type { GpuRequest } from '../../src/model/accelerators/requests';
import { checkGpuRequest } from '../../src/model/accelerators/rules/gpu-rules';
import { checkPodAccelerators, type PodAccelerators } from '../../src/model/accelerators/rules/pod-rules';
import { RULES } from '../../src/model/accelerators/rules/rule-list';
import { checkIdentity } from '../../src/model/identity/workload-identity';
import { IDENTITY_RULES } from '../../src/model/identity/rule-list';
import { configConnectorGaps } from '../../src/model/node-pools/gaps';
import { POOL_RULES } from '../../src/model/node-pools/rules/rule-list';
import type { ClusterFacts, NodePoolSpec } from '../../src/model/node-pools/spec';
import { checkNodePool, checkNodePools } from '../../src/model/node-pools/validate-node-pool';
import { checkFilestore } from '../../src/model/storage/filestore';
import { checkGcsFuse } from '../../src/model/storage/gcs-fuse';
import { checkLustre } from '../../src/model/storage/lustre';
import { checkRayRedis } from '../../src/model/storage/ray-redis';
import { STORAGE_RULES } from '../../src/model/storage/rule-list';

const L4: Partial<NodePoolSpec> = { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 } };
const H100: Partial<NodePoolSpec> = { machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 } };
const V6E: Partial<NodePoolSpec> = { machineType: 'ct6e-standard-4t', tpus: { type: 'tpu-v6e-slice', topology: '4x4' } };
const account = { projectId: 'ml', projectNumber: '1', namespace: 'train', name: 'trainer' };

const pool = (fields: Partial<NodePoolSpec>) => checkNodePool({ name: 'pool', ...fields });
const cluster = (fields: Partial<ClusterFacts>) => checkNodePools({ pools: [], ...fields });
const gpus = (fields: Partial<GpuRequest>) => checkGpuRequest({ kind: 'gpu', type: 'nvidia-l4', count: 1, ...fields }, 'accelerator');
const named = (fields: Partial<NodePoolSpec>) => ({ name: 'gpus', ...fields });

const pod = (fields: Partial<PodAccelerators>) => checkPodAccelerators({ nodeSelector: {}, labelPath: (label) => `nodeSelector['${label}']`, tolerations: [], devices: [], ...fields });

const MISTAKES: readonly [fact: number, what: string, found: Finding[], rule: { readonly id: string }][] = [
  [1, 'two L4 on a machine with one', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 2 } }), POOL_RULES.count],
  [2, 'a GPU on E2', pool({ ...L4, machineType: 'e2-standard-8' }), RULES.generalPurpose],
  [2, 'no machine type', pool({ gpus: L4.gpus }), POOL_RULES.needsMachine],
  [3, 'the A100 of 40 GB on machines of 80', pool({ machineType: 'a2-ultragpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1 } }), RULES.machineAccelerator],
  [4, 'too many vCPUs for a T4', pool({ machineType: 'n1-standard-64', gpus: { type: 'nvidia-tesla-t4', count: 1 } }), RULES.vcpu],
  [5, 'a partition that the GPU has not', pool({ machineType: 'a2-highgpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1, partition: '1g.10gb' } }), RULES.migSize],
  [6, 'two partitions for one pod', gpus({ type: 'nvidia-h100-80gb', partition: '1g.10gb', count: 2 }), RULES.migCount],
  [6, 'two shares for one pod', gpus({ count: 2, sharing: { strategy: 'time-sharing', clients: 4 } }), RULES.sharingCount],
  [7, 'fifty clients', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, sharing: { strategy: 'mps', clients: 50 } } }), RULES.sharingClients],
  [8, 'the taint that GKE adds', pool({ ...L4, taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] }), POOL_RULES.gpuTaint],
  [9, 'no place for system pods', cluster({ pools: [named(L4)] }), POOL_RULES.systemPool],
  [10, 'no driver', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' } }), POOL_RULES.driver],
  [13, 'the resource instead of the type in a limit', cluster({ autoprovisioningLimits: { 'nvidia.com/gpu': 8 } }), POOL_RULES.limits],
  [14, 'pd-balanced to boot A4', pool({ machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 }, capacity: { spot: true }, bootDiskType: 'pd-balanced' }), POOL_RULES.bootDisk],
  [14, 'a claim of pd-balanced on A4X', pool({ machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, attachedDiskTypes: ['pd-balanced'] }), POOL_RULES.attachedDisk],
  [15, '100 GiB of Filestore', checkFilestore({ sizeGiB: 100 }), STORAGE_RULES.size],
  [15, 'Filestore on another network', checkFilestore({ sizeGiB: 1024, clusterNetwork: 'ml' }), STORAGE_RULES.network],
  [16, 'a slice that is counted in total', pool({ ...V6E, size: { totalMax: 4 } }), POOL_RULES.slice],
  [17, 'compact TPU7x', pool({ machineType: 'tpu7x-standard-4t', tpus: { type: 'tpu7x', topology: '2x2x2' }, placement: { compact: true } }), POOL_RULES.workloadPolicy],
  [18, 'spot and flex-start', pool({ ...L4, autoRepair: false, capacity: { spot: true, flexStart: true } }), POOL_RULES.exclusive],
  [18, 'queued and compact', pool({ ...H100, zones: ['z'], capacity: { queued: true }, placement: { compact: true } }), POOL_RULES.queuedCompact],
  [19, 'flex-start for eight days', pool({ ...L4, autoRepair: false, capacity: { flexStart: true, maxRunSeconds: 691_200 } }), POOL_RULES.runDuration],
  [20, 'a pod for queued nodes that does not tolerate them', pod({
    nodeSelector: { 'cloud.google.com/gke-queued': 'true' }, devices: [{ resource: 'nvidia.com/gpu', value: 1, path: 'limits' }], tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
  }), RULES.queued],
  [21, 'networks in a cluster without multi-networking', cluster({
    multiNetworking: false,
    pools: [named({ machineType: 'e2-standard-4' }), named({ ...H100, network: { additionalNetworks: [1, 2, 3, 4].map((index) => ({ network: `n${index}`, subnetwork: 's' })) } })],
  }), POOL_RULES.multiNetworking],
  [21, 'DRANET beside networks', pool({ ...H100, network: { acceleratorNetworkProfile: 'auto', additionalNetworks: [{ network: 'n', subnetwork: 's' }] } }), POOL_RULES.dranet],
  [23, 'the id of the project where its number belongs', checkIdentity({
    account, members: ['principal://iam.googleapis.com/projects/ml/locations/global/workloadIdentityPools/ml.svc.id.goog/subject/ns/train/sa/trainer'],
  }), IDENTITY_RULES.number],
  [23, 'the binding of another account', checkIdentity({ account, members: ['serviceAccount:ml.svc.id.goog[default/trainer]'] }), IDENTITY_RULES.account],
  [23, 'nodes with their own identity', cluster({ workloadPool: 'ml.svc.id.goog', pools: [{ name: 'system', machineType: 'e2-standard-4', workloadMetadata: 'GCE_METADATA' }] }), POOL_RULES.metadata],
  [24, 'a bucket without the annotation', checkGcsFuse({}), STORAGE_RULES.fuseAnnotation],
  [25, 'B200 on demand', pool({ machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 } }), POOL_RULES.onDemand],
  [26, 'the GPU operator beside GKE\'s plugin', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' }, gpuOperator: true }), POOL_RULES.operatorPlugin],
  [27, 'local SSDs beside those of the machine', pool({ ...H100, localSsdEphemeral: 4 }), POOL_RULES.localSsd],
  [28, 'Lustre without throughput', checkLustre({ sizeGiB: 9000 }), STORAGE_RULES.lustreThroughput],
  [28, 'a TiB of Lustre', checkLustre({ sizeGiB: 1024, perUnitStorageThroughput: '125' }), STORAGE_RULES.lustreSize],
  [29, 'flex-start by Config Connector', configConnectorGaps({ name: 'pool', capacity: { flexStart: true } }), POOL_RULES.configConnector],
  [30, 'Ray on a Redis Cluster', checkRayRedis({ cluster: true }), STORAGE_RULES.redis],
];

test.each(MISTAKES)('fact %i: %s', (_fact, _what, found, rule) => {
  const told = errorsOf(found).filter((error) => error.rule === rule.id);
  expect(told).toHaveLength(1);
  expect(told[0].source).toMatch(/^https:\/\//);
});

/** Facts of which no source is certain enough to refuse anything. */
const WARNED: readonly [fact: number, what: string, found: Finding[], rule: { readonly id: string }][] = [
  [11, 'a helper on nodes with GPUs that it does not tolerate', pod({ nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' } }), RULES.unused],
  [12, 'zones that are not named', cluster({ regional: true, pools: [named({ machineType: 'e2-standard-4' }), named(L4)] }), POOL_RULES.zones],
  [22, 'images on arm64 nodes', gpus({ type: 'nvidia-gb200', count: 4 }), RULES.arm64],
];

test.each(WARNED)('fact %i is a warning: %s', (_fact, _what, found, rule) => {
  expect(warningsOf(found).map((warning) => warning.rule)).toContain(rule.id);
});

test('there are thirty of them', () => {
  const facts = new Set([...MISTAKES, ...WARNED].map(([fact]) => fact));
  expect([...facts].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_fact, index) => index + 1));
});

test('each rule has a name of its own, whatever it is on', () => {
  const ids = [RULES, POOL_RULES, STORAGE_RULES, IDENTITY_RULES].flatMap((rules) => Object.values<Rule>(rules).map(({ id }) => id));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids.length).toBeGreaterThan(80);
});
