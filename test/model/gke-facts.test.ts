/**
 * The thirty mistakes that people made on GKE (with threads to prove it), each caught by a rule: the number is the one of the collection that the
 * rules were written from. Most of them are several mistakes, and each has a row. A mistake in a row is refused, by a rule that names its source;
 * where nothing that is looked at makes it certain, it is a warning, and the row says why.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { errorsOf, warningsOf, type Finding, type Rule } from '../../src/model/findings';
import type { GpuRequest } from '../../src/model/accelerators/requests';
import { checkGpuRequest } from '../../src/model/accelerators/rules/gpu-rules';
import { checkPodAccelerators, type PodAccelerators } from '../../src/model/accelerators/rules/pod-rules';
import { RULES } from '../../src/model/accelerators/rules/rule-list';
import { IDENTITY_RULES, checkIdentity } from '../../src/model/identity/workload-identity';
import { configConnectorGaps } from '../../src/model/node-pools/gaps';
import { POOL_RULES } from '../../src/model/node-pools/rules/rule-list';
import { checkPodOnPools } from '../../src/model/node-pools/rules/divided-rules';
import type { ClusterFacts, NodePoolSpec, PoolGpus } from '../../src/model/node-pools/spec';
import { checkNodePool, checkNodePools } from '../../src/model/node-pools/validate-node-pool';
import { checkFilestore, checkLustre, checkGcsFuse } from '../../src/model/storage/check-backends';
import { STORAGE_RULES } from '../../src/model/storage/rule-list';

const L4: Partial<NodePoolSpec> = { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 } };
const H100: Partial<NodePoolSpec> = { machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 } };
const V6E: Partial<NodePoolSpec> = { machineType: 'ct6e-standard-4t', tpus: { type: 'tpu-v6e-slice', topology: '4x4' } };
const account = { projectId: 'ml', projectNumber: '1', namespace: 'train', name: 'trainer' };

const FUSE = { annotations: { 'gke-gcsfuse/volumes': 'true' } };

const pool = (fields: Partial<NodePoolSpec>) => checkNodePool({ name: 'pool', ...fields });
const cluster = (fields: Partial<ClusterFacts>) => checkNodePools({ pools: [], ...fields });
const gpus = (fields: Partial<GpuRequest>) => checkGpuRequest({ kind: 'gpu', type: 'nvidia-l4', count: 1, ...fields }, 'accelerator');
const named = (fields: Partial<NodePoolSpec>) => ({ name: 'gpus', ...fields });

const pod = (fields: Partial<PodAccelerators>) => checkPodAccelerators({ nodeSelector: {}, labelPath: (label) => `nodeSelector['${label}']`, tolerations: [], devices: [], ...fields });

/** A pod that asks for GPUs, and selects nodes. */
function asking(nodeSelector: { readonly [label: string]: string }, count = 1, images: readonly string[] = []): PodAccelerators {
  return {
    nodeSelector, labelPath: (label) => `nodeSelector['${label}']`, tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
    devices: [{ resource: 'nvidia.com/gpu', value: count, path: 'limits' }], images: images.map((value) => ({ value, path: 'image' })),
  };
}

const divided = (fields: Partial<PoolGpus>) => [{ name: 'shared', gpus: { type: 'nvidia-l4', count: 1, ...fields } }];

const networks = (count: number, mtus: readonly number[] = []) => (
  Array.from({ length: count }, (_network, index) => ({ network: `n${index}`, subnetwork: 's', mtu: mtus[index] })));

const MISTAKES: readonly [fact: number, what: string, found: Finding[], rule: { readonly id: string }][] = [
  [1, 'two L4 on a machine with one', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 2 } }), POOL_RULES.count],
  [2, 'a GPU on E2', pool({ ...L4, machineType: 'e2-standard-8' }), RULES.generalPurpose],
  [2, 'no machine type', pool({ gpus: L4.gpus }), POOL_RULES.needsMachine],
  [3, 'the A100 of 40 GB on machines of 80', pool({ machineType: 'a2-ultragpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1 } }), RULES.machineAccelerator],
  [4, 'too many vCPUs for a T4', pool({ machineType: 'n1-standard-64', gpus: { type: 'nvidia-tesla-t4', count: 1 } }), RULES.vcpu],
  [5, 'a partition that the GPU has not', pool({ machineType: 'a2-highgpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1, partition: '1g.10gb' } }), RULES.migSize],
  [6, 'two partitions for one pod', gpus({ type: 'nvidia-h100-80gb', partition: '1g.10gb', count: 2 }), RULES.migCount],
  [6, 'two shares on a pool that the pod names and that is shared', checkPodOnPools(
    asking({ 'cloud.google.com/gke-nodepool': 'shared' }, 2),
    [{ name: 'shared', gpus: { type: 'nvidia-l4', count: 2, sharing: { strategy: 'time-sharing', clients: 4 } } }],
  ), RULES.sharingCount],
  [6, 'two shares for one pod', gpus({ count: 2, sharing: { strategy: 'time-sharing', clients: 4 } }), RULES.sharingCount],
  [7, 'one client', gpus({ sharing: { strategy: 'time-sharing', clients: 1 } }), RULES.sharingClients],
  [7, 'clients without a strategy that there is', gpus({ sharing: { strategy: 'timeslicing', clients: 4 } }), RULES.sharingStrategy],
  [7, 'fifty clients', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, sharing: { strategy: 'mps', clients: 50 } } }), RULES.sharingClients],
  [8, 'the taint that GKE adds', pool({ ...L4, taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] }), POOL_RULES.gpuTaint],
  [9, 'no place for system pods', cluster({ pools: [named(L4)] }), POOL_RULES.systemPool],
  [10, 'no driver', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' } }), POOL_RULES.driver],
  [12, 'compact placement in zones that nobody names', pool({ ...H100, placement: { compact: true } }), POOL_RULES.compactZone],
  [12, 'a block of a reservation in zones that nobody names', pool({
    ...H100, capacity: { reservation: { name: 'h100', project: 'ml', block: 'b1' } },
  }), POOL_RULES.reservation],
  [13, 'the resource instead of the type in a limit', cluster({ autoprovisioningLimits: { 'nvidia.com/gpu': 8 } }), POOL_RULES.limits],
  [14, 'pd-balanced to boot A4', pool({ machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 }, capacity: { spot: true }, bootDiskType: 'pd-balanced' }), POOL_RULES.bootDisk],
  [14, 'a claim of pd-balanced on A4X', pool({ machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, attachedDiskTypes: ['pd-balanced'] }), POOL_RULES.attachedDisk],
  [15, '100 GiB of Filestore', checkFilestore({ sizeGiB: 100 }), STORAGE_RULES.size],
  [15, 'Filestore on another network', checkFilestore({ sizeGiB: 1024, clusterNetwork: 'ml' }), STORAGE_RULES.network],
  [16, 'a topology of another machine', pool({ ...V6E, machineType: 'ct6e-standard-8t' }), RULES.tpuMachine],
  [16, 'a slice with a node too few', pool({ ...V6E, size: { maxPerZone: 3 } }), POOL_RULES.slice],
  [16, 'a slice that is counted in total', pool({ ...V6E, size: { totalMax: 4 } }), POOL_RULES.slice],
  [17, 'compact TPU7x', pool({ machineType: 'tpu7x-standard-4t', tpus: { type: 'tpu7x', topology: '2x2x2' }, placement: { compact: true } }), POOL_RULES.workloadPolicy],
  [18, 'spot and flex-start', pool({ ...L4, autoRepair: false, capacity: { spot: true, flexStart: true } }), POOL_RULES.exclusive],
  [18, 'spot from a reservation', pool({ ...L4, capacity: { spot: true, reservation: { name: 'l4' } } }), POOL_RULES.exclusive],
  [18, 'queued from a reservation', pool({ ...H100, capacity: { queued: true, reservation: { name: 'h100' } } }), POOL_RULES.exclusive],
  [18, 'queued and compact', pool({ ...H100, zones: ['z'], capacity: { queued: true }, placement: { compact: true } }), POOL_RULES.queuedCompact],
  [19, 'flex-start for eight days', pool({ ...L4, autoRepair: false, capacity: { flexStart: true, maxRunSeconds: 691_200 } }), POOL_RULES.runDuration],
  [19, 'flex-start for five minutes', pool({ ...L4, autoRepair: false, capacity: { flexStart: true, maxRunSeconds: 300 } }), POOL_RULES.runDuration],
  [20, 'a volume that is made with each pod, on queued nodes', checkPodAccelerators({
    ...asking({ 'cloud.google.com/gke-queued': 'true' }), ephemeralVolumes: [{ value: 'scratch', path: 'volumes[0]' }],
    tolerations: [{ key: 'cloud.google.com/gke-queued', operator: 'Exists' }],
  }), RULES.queuedVolumes],
  [20, 'a pod for queued nodes that does not tolerate them', pod({
    nodeSelector: { 'cloud.google.com/gke-queued': 'true' }, devices: [{ resource: 'nvidia.com/gpu', value: 1, path: 'limits' }], tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
  }), RULES.queued],
  [21, 'networks in a cluster without multi-networking', cluster({
    multiNetworking: false,
    pools: [named({ machineType: 'e2-standard-4' }), named({ ...H100, network: { additionalNetworks: [1, 2, 3, 4].map((index) => ({ network: `n${index}`, subnetwork: 's' })) } })],
  }), POOL_RULES.multiNetworking],
  [21, 'networks in a cluster without Dataplane V2', cluster({
    dataplaneV2: false, pools: [named({ machineType: 'e2-standard-4' }), named({ ...H100, network: { acceleratorNetworkProfile: 'auto' } })],
  }), POOL_RULES.multiNetworking],
  [21, 'ordinary packets between GPUs', pool({ ...H100, network: { additionalNetworks: networks(4, [1460, 8244, 8244, 8244]) } }), POOL_RULES.mtu],
  [21, 'three networks for four interfaces', pool({ ...H100, network: { additionalNetworks: networks(3) } }), POOL_RULES.additionalNetworks],
  [21, 'DRANET beside networks', pool({ ...H100, network: { acceleratorNetworkProfile: 'auto', additionalNetworks: [{ network: 'n', subnetwork: 's' }] } }), POOL_RULES.dranet],
  [22, 'arm64 nodes for a pod that wants amd64', checkPodAccelerators(
    asking({ 'cloud.google.com/gke-accelerator': 'nvidia-gb200', 'kubernetes.io/arch': 'amd64' }, 4),
  ), RULES.arm64],
  [22, 'an image for amd64 by its tag, on arm64 nodes', checkPodAccelerators(
    asking({ 'cloud.google.com/gke-accelerator': 'nvidia-gb200' }, 4, ['registry.example/train:1.2-amd64']),
  ), RULES.arm64],
  [23, 'an annotation without a binding', checkIdentity({
    account, members: [], annotations: { 'iam.gke.io/gcp-service-account': 'trainer@ml.iam.gserviceaccount.com' },
  }), IDENTITY_RULES.binding],
  [23, 'the id of the project where its number belongs', checkIdentity({
    account, members: ['principal://iam.googleapis.com/projects/ml/locations/global/workloadIdentityPools/ml.svc.id.goog/subject/ns/train/sa/trainer'],
  }), IDENTITY_RULES.number],
  [23, 'the binding of another account', checkIdentity({ account, members: ['serviceAccount:ml.svc.id.goog[default/trainer]'] }), IDENTITY_RULES.account],
  [23, 'nodes with their own identity', cluster({ workloadPool: 'ml.svc.id.goog', pools: [{ name: 'system', machineType: 'e2-standard-4', workloadMetadata: 'GCE_METADATA' }] }), POOL_RULES.metadata],
  [24, 'a bucket without the annotation', checkGcsFuse({}), STORAGE_RULES.fuseAnnotation],
  [24, 'a bucket on the network of the host', checkGcsFuse({ ...FUSE, hostNetwork: true }), STORAGE_RULES.fuseHostNetwork],
  [24, 'a bucket whose files are root\'s', checkGcsFuse({ ...FUSE, runAsUser: 1000 }), STORAGE_RULES.fuseUser],
  [24, 'a bucket with access lists', checkGcsFuse({ ...FUSE, uniformBucketAccess: false }), STORAGE_RULES.fuseBucket],
  [25, 'B200 on demand', pool({ machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 } }), POOL_RULES.onDemand],
  [26, 'secure boot with the driver that the GPU operator compiles', pool({
    ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' }, gpuOperator: true, secureBoot: true, labels: { 'gke-no-default-nvidia-gpu-device-plugin': 'true' },
  }), POOL_RULES.secureBoot],
  [26, 'the GPU operator beside GKE\'s plugin', pool({ ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' }, gpuOperator: true }), POOL_RULES.operatorPlugin],
  [27, 'local SSDs beside those of the machine', pool({ ...H100, localSsdEphemeral: 4 }), POOL_RULES.localSsd],
  [27, 'local SSDs on a machine that has none', pool({ ...H100, machineType: 'a3-highgpu-8g-nolssd', localSsdEphemeral: 4 }), POOL_RULES.localSsd],
  [28, 'an instance of Lustre that nodes of GKE cannot mount', checkLustre({ sizeGiB: 9000, existing: true }), STORAGE_RULES.lustreGke],
  [28, 'Lustre without throughput', checkLustre({ sizeGiB: 9000 }), STORAGE_RULES.lustreThroughput],
  [28, 'a TiB of Lustre', checkLustre({ sizeGiB: 1024, perUnitStorageThroughput: '125' }), STORAGE_RULES.lustreSize],
  // Of clusters there is nothing to refuse: nothing here renders a ContainerCluster. GkeCluster is Pulumi's, which has all three addons, and what
  // Config Connector is given names a cluster that exists (GkeClusterReference). The last test of this file holds that.
  ...Object.entries<Partial<NodePoolSpec>>({
    'flex-start': { capacity: { flexStart: true } },
    'a time to live': { capacity: { maxRunSeconds: 3600 } },
    'GPUDirect': { network: { gpuDirect: 'rdma' } },
    'images that are there at boot': { secondaryBootDisks: [{ image: 'images' }] },
    'networks that DRANET makes': { network: { acceleratorNetworkProfile: 'auto' } },
  }).map(([what, fields]): typeof MISTAKES[number] => [29, `${what} by Config Connector`, configConnectorGaps({ name: 'pool', ...fields }), POOL_RULES.configConnector]),
];

test.each(MISTAKES)('fact %i: %s', (_fact, _what, found, rule) => {
  const told = errorsOf(found).filter((error) => error.rule === rule.id);
  expect(told).toHaveLength(1);
  expect(told[0].source).toMatch(/^https:\/\//);
});

/** What may be a mistake and need not be one, by what is looked at. */
const WARNED: readonly [fact: number, what: string, found: Finding[], rule: { readonly id: string }, why: string][] = [
  [6, 'a pod that may come to shares and selects none', checkPodOnPools(
    asking({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' }), divided({ sharing: { strategy: 'time-sharing', clients: 4 } }),
  ), POOL_RULES.divided, 'there may be another pool of whole GPUs, and a share runs the pod too'],
  [6, 'a pod that may come to partitions and selects none', checkPodOnPools(
    asking({}), divided({ type: 'nvidia-h100-80gb', partition: '1g.10gb' }),
  ), POOL_RULES.divided, 'there may be another pool of whole GPUs, and a partition runs the pod too'],
  [10, 'GPUs of auto-provisioning that nobody installs a driver for', cluster({
    autoprovisioningLimits: { 'nvidia-l4': 8 },
  }), POOL_RULES.limitsDriver, 'pods may select the version of their driver, or a ComputeClass'],
  [10, 'a pod on auto-provisioned nodes without a driver', checkPodAccelerators(
    asking({ 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'cloud.google.com/gke-accelerator-count': '1' }),
  ), RULES.autoDriver, 'Autopilot has the same label, and a driver'],
  [11, 'a helper on nodes with GPUs that it does not tolerate', pod({
    nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' },
  }), RULES.unused, 'GKE taints nodes with GPUs only where the cluster has others, which no pod shows (fact 9)'],
  [12, 'zones that are not named', cluster({
    regional: true, pools: [named({ machineType: 'e2-standard-4' }), named(L4)],
  }), POOL_RULES.zones, 'no source that can be read lists the accelerators of each zone: all zones of a region may have them'],
  [22, 'images on arm64 nodes', gpus({
    type: 'nvidia-gb200', count: 4,
  }), RULES.arm64, 'what an image is built for stands in its registry, and synth is offline'],
];

test.each(WARNED)('fact %i is a warning: %s', (_fact, _what, found, rule) => {
  const told = warningsOf(found).filter((warning) => warning.rule === rule.id);
  expect(told).toHaveLength(1);
  expect(told[0].source).toMatch(/^https:\/\//);
  expect(errorsOf(found)).toEqual([]);
});

test('there are thirty of them: the last, Ray on a Redis Cluster, is a rule of Ray itself', () => {
  const facts = new Set([...MISTAKES, ...WARNED].map(([fact]) => fact));
  expect([...facts].sort((a, b) => a - b)).toEqual(Array.from({ length: 29 }, (_fact, index) => index + 1));
});

test('each rule has a name of its own, whatever it is on', () => {
  const ids = [RULES, POOL_RULES, STORAGE_RULES, IDENTITY_RULES].flatMap((rules) => Object.values<Rule>(rules).map(({ id }) => id));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids.length).toBeGreaterThan(80);
});

test('nothing warns of auto-provisioned GPUs that a ComputeClass makes, of limits without GPUs, or of a pod that selects its driver', () => {
  const selector = { 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'cloud.google.com/gke-accelerator-count': '1' };
  expect(cluster({ autoprovisioningLimits: { 'nvidia-l4': 8 }, autoprovisionedByClass: true })).toEqual([]);
  expect(cluster({ autoprovisioningLimits: { cpu: 8, memory: 8 } })).toEqual([]);
  expect(checkPodAccelerators(asking({ ...selector, 'cloud.google.com/gke-gpu-driver-version': 'default' }))).toEqual([]);
  expect(checkPodAccelerators(asking({ ...selector, 'cloud.google.com/compute-class': 'fast' }))).toEqual([]);
});

test.each<[string, { [label: string]: string }]>([
  ['selects its share', { 'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing' }],
  ['selects another type', { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' }],
  ['selects another pool', { 'cloud.google.com/gke-nodepool': 'whole' }],
  ['selects partitions', { 'cloud.google.com/gke-gpu-partition-size': '1g.10gb' }],
  ['comes by a ComputeClass', { 'cloud.google.com/compute-class': 'fast' }],
])('a pool with shares says nothing of a pod that %s', (_what, nodeSelector) => {
  expect(checkPodOnPools(asking(nodeSelector), divided({ sharing: { strategy: 'time-sharing', clients: 4 } }))).toEqual([]);
});

test.each(['registry.example/train:1', 'registry.example/amd64/train:arm64', 'registry.example/amd64-tools:1.2'])('%s may be for arm64', (image) => {
  expect(errorsOf(checkPodAccelerators(asking({ 'cloud.google.com/gke-accelerator': 'nvidia-gb200' }, 4, [image])))).toEqual([]);
});

test('no manifest that is made here is a ContainerCluster', () => {
  const folder = path.join(__dirname, '..', '..', 'src');
  const makers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(manifests|constructs)\/.*\.ts$/.test(file) && /kind: 'ContainerCluster'/.test(readFileSync(path.join(folder, file), 'utf8')));
  expect(makers).toEqual([]);
});
