/**
 * Objects of all constructs of node pools, accepted by the real API server with the definitions of Config Connector, GKE and Kueue, strictly and
 * without a warning.
 */
import { Chart, Duration, Size, Testing } from 'cdk8s';
import { Accelerator, Framework, Gpu, GpuSharing, MigSize, TrainingJob } from '../../../src';
import {
  Capacity, GkeClusterReference, GpuComputeClass, GpuDriver, GpuNodePool, GpuResourceFlavors, JobCapacity, NodeCount, PoolUpgrade,
  ProvisioningRequest, QueuedProvisioningCheck, WhenUnsatisfiable, type ConfigConnectorNodePoolProps,
} from '../../../src/constructs/gke';
import { GpuTopology } from '../../../src/constructs/queues';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { objectionsTo } from '../support/submit';

/** Of all definitions of those systems, the ones whose kinds are here. */
const NEEDED = /containernodepools|computeclasses|provisioningrequest|admissionchecks|resourceflavors|topologies/;

const COLLECTIONS: { readonly [kind: string]: string } = {
  MLTrainingJob: '/apis/ml.collabnix.io/v1alpha1/namespaces/NAMESPACE/mltrainingjobs',
  ContainerNodePool: '/apis/container.cnrm.cloud.google.com/v1beta1/namespaces/NAMESPACE/containernodepools',
  ComputeClass: '/apis/cloud.google.com/v1/computeclasses',
  ProvisioningRequest: '/apis/autoscaling.x-k8s.io/v1/namespaces/NAMESPACE/provisioningrequests',
  PodTemplate: '/api/v1/namespaces/NAMESPACE/podtemplates',
  ResourceFlavor: '/apis/kueue.x-k8s.io/v1beta2/resourceflavors',
  Topology: '/apis/kueue.x-k8s.io/v1beta2/topologies',
  ProvisioningRequestConfig: '/apis/kueue.x-k8s.io/v1beta2/provisioningrequestconfigs',
  AdmissionCheck: '/apis/kueue.x-k8s.io/v1beta2/admissionchecks',
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('node-pools');
  const files = upstreamCrds('config-connector', 'compute-class', 'provisioning-request', 'kueue');
  await installCrds([constructTrainingJobCrd(), ...files.filter((file) => NEEDED.test(file))]);
});
afterAll(async () => deleteNamespace(namespace));

const CLUSTER = GkeClusterReference.object('ml', { location: 'us-central1', project: 'p' });
const H100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');
const A100 = Accelerator.NVIDIA_A100_80GB.onMachine('a2-ultragpu-8g');
const pool = (chart: Chart, props: Omit<ConfigConnectorNodePoolProps, 'cluster'>, id = 'Pool') => new GpuNodePool(chart, id, { cluster: CLUSTER, ...props });

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least pool', (chart) => void pool(chart, { accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24') })],
  ['a pool with everything that Config Connector has', (chart) => void pool(chart, {
    accelerator: H100.partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3)), capacity: [Capacity.reservation('r', { project: 'p', block: 'b', subBlock: 's' })],
    driver: GpuDriver.LATEST, size: NodeCount.total(0, 8).inAnyZone(), zones: ['us-central1-a'], compactPlacement: true,
    network: { gvnic: true, fastSocket: true, privateNodes: true, additionalNetworks: [1, 2, 3, 4].map((index) => ({ network: `n${index}`, subnetwork: `s${index}` })) },
    disks: { bootType: 'pd-ssd', bootSize: Size.gibibytes(200), localSsdEphemeral: 16 }, imageType: 'COS_CONTAINERD', imageStreaming: true, labels: { team: 'a' }, taints: [{ key: 'team' }],
    resourceLabels: { bill: 'a' }, tags: ['nodes'], computeClass: 'fast', maxPodsPerNode: 32, serviceAccount: 'nodes@p.iam.gserviceaccount.com', secureBoot: true, autoRepair: true,
    autoUpgrade: true, upgrade: PoolUpgrade.surge(1, 0), blueGreen: true,
  })],
  ['pools of spot and queued machines, a slice, and one that is placed by a policy', (chart) => {
    const upgrade = PoolUpgrade.blueGreen({ batchPercentage: 0.5, batchSoak: Duration.minutes(1), soak: Duration.hours(1) });
    pool(chart, { accelerator: H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND], upgrade });
    pool(chart, { accelerator: A100, capacity: [Capacity.QUEUED], size: NodeCount.perZone(0, 4) }, 'Queued');
    pool(chart, { accelerator: Accelerator.tpuV6e('4x4'), size: NodeCount.perZone(0, 4) }, 'Slice');
    pool(chart, { accelerator: Accelerator.tpu7x('2x2x2'), placementPolicy: 'tpu' }, 'Policy');
    pool(chart, { accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-1g'), confidentialNodeType: 'TDX' }, 'Confidential');
  }],
  ['a class with every choice, its flavors and their topology', (chart) => {
    const fast = new GpuComputeClass(chart, 'Fast', {
      anyOf: [H100, A100], capacity: [Capacity.reservation('r', { machineType: 'a3-highgpu-8g', project: 'p' }), Capacity.SPOT, Capacity.flexStart({ maxRunDuration: Duration.days(1) }), Capacity.ON_DEMAND],
      whenUnsatisfiable: WhenUnsatisfiable.SCALE_UP_ANYWAY, moveUp: true, consolidationDelay: Duration.minutes(30), zones: ['us-central1-a'], size: NodeCount.total(2, 8).inAnyZone(),
      disks: { bootType: 'pd-ssd', bootSize: Size.gibibytes(100), imageCaches: [{ image: 'i', project: 'p' }] }, network: { gvnic: true, privateNodes: false }, imageType: 'COS_CONTAINERD', imageStreaming: true,
      labels: { team: 'a' }, taints: [{ key: 'team', value: 'a' }], maxPodsPerNode: 32, serviceAccount: 's@p.iam.gserviceaccount.com', secureBoot: true, autoUpgrade: true, placementPolicy: 'near',
    });
    new GpuResourceFlavors(chart, 'Flavors', { computeClass: fast, topology: new GpuTopology(chart, 'Topology') });
  }],
  ['classes with RDMA, partitions, a slice, NVLink over nodes, and confidential nodes', (chart) => {
    const spot = { capacity: [Capacity.SPOT] };
    new GpuComputeClass(chart, 'Rdma', { ...spot, accelerator: Accelerator.NVIDIA_H200_141GB, network: { managedNetworks: true, gpuDirectRdma: true } });
    new GpuComputeClass(chart, 'Mig', { ...spot, accelerator: H100.partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.mps(2)) });
    new GpuComputeClass(chart, 'Slice', { ...spot, accelerator: Accelerator.tpuV6e('4x4') });
    new GpuComputeClass(chart, 'NvLink', { ...spot, accelerator: Accelerator.NVIDIA_GB200, placementPolicy: 'nvl' });
    new GpuComputeClass(chart, 'Tdx', { ...spot, accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-1g'), confidentialNodeType: 'TDX', zones: ['us-central1-a'] });
  }],
  ['a job with preferences of its own, its class and its flavors', (chart) => {
    const prices = [{ machineType: 'a3-highgpu-8g', capacity: Capacity.SPOT, perHour: 30 }];
    const train = new TrainingJob(chart, 'Train', {
      framework: Framework.pytorch(), image: 'i', replicas: 2, resources: { gpu: Gpu.nvidia(8) }, helpers: [{ name: 'feeder', command: ['feed'] }],
      capacity: JobCapacity.preferences({ anyOf: [H100, A100], capacity: [Capacity.reservation('r', { machineType: 'a3-highgpu-8g' }), Capacity.SPOT, Capacity.flexStart(), Capacity.ON_DEMAND], prices }),
    });
    new GpuResourceFlavors(chart, 'Flavors', { computeClass: train.computeClass });
  }],
  ['jobs that share a class', (chart) => {
    const capacity = JobCapacity.shared(new GpuComputeClass(chart, 'Fast', { anyOf: [H100, A100], capacity: [Capacity.SPOT] }));
    const common = { framework: Framework.pytorch(), image: 'i', replicas: 1, capacity };
    new TrainingJob(chart, 'One', { ...common, resources: { gpu: Gpu.nvidia(4) } });
    new TrainingJob(chart, 'Other', { ...common, accelerator: Accelerator.NVIDIA_H100_80GB.count(8) });
  }],
  ['a class of pools that are there, and their flavors', (chart) => {
    const there = pool(chart, { accelerator: H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND], computeClass: 'fast' });
    new GpuComputeClass(chart, 'Fast', { name: 'fast', pools: [there] });
    new GpuResourceFlavors(chart, 'Flavors', { pools: [there] });
  }],
  ['a request for queued machines, and Kueue\'s check', (chart) => {
    const podSpec = { containers: [{ name: 'main', image: 'i', resources: { limits: { 'nvidia.com/gpu': '8' } } }] };
    new ProvisioningRequest(chart, 'Request', { pods: [{ count: 4, podSpec }], maxRunDuration: Duration.days(1) });
    new QueuedProvisioningCheck(chart, 'Check', { maxRunDuration: Duration.days(1) });
  }],
];

function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'pools', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

const objections = (objects: readonly TestObject[]) => objectionsTo(objects, ({ kind }) => COLLECTIONS[kind!].replace('NAMESPACE', namespace));

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    expect(await objections(synthesize(program))).toEqual([]);
  });

  test('and refuses what our rules refuse before it: flex-start beside spot, and RDMA without its networks', async () => {
    const [object] = synthesize((chart) => new GpuComputeClass(chart, 'Fast', { accelerator: H100, capacity: [Capacity.SPOT] }));
    const { spec } = object as unknown as { readonly spec: { readonly priorities: readonly object[] } };
    const [priority] = spec.priorities;
    const wrong = (fields: object) => ({ ...object, spec: { ...spec, priorities: [{ ...priority, ...fields }] } }) as TestObject;
    // Definitions that are made of facts have the rules, and say them as they are.
    expect(await objections([wrong({ flexStart: { enabled: true } })]))
      .toEqual([expect.stringMatching(/Flex Start provisioning model is incompatible with Spot|failed rule: .*self\.spot == true && self\.flexStart\.enabled == true/)]);
    expect(await objections([wrong({ gpuDirect: 'rdma' })]))
      .toEqual([expect.stringMatching(/acceleratorNetworkProfile must be specified when gpuDirect is 'rdma'|failed rule: .*self\.gpuDirect == 'rdma'\) \|\| has\(self\.acceleratorNetworkProfile\)/)]);
    expect(await objections([wrong({ gpuDirects: 'rdma' })])).toEqual([expect.stringContaining('unknown field "spec.priorities[0].gpuDirects"')]);
  });
});
