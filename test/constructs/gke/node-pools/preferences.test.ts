import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import { Accelerator, Framework, GpuSharing, MigSize, TrainingJob } from '../../../../src';
import {
  Capacity, GkeClusterReference, GpuComputeClass, GpuNodePool, GpuResourceFlavors, NodeCount, ProvisioningRequest,
  QueuedProvisioningCheck, WhenUnsatisfiable, type GpuComputeClassProps,
} from '../../../../src/constructs/gke';
import { GpuTopology } from '../../../../src/constructs/queues';
import { errorsOf } from '../../../support/synth-errors';

const H100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');
const A100 = Accelerator.NVIDIA_A100_80GB.onMachine('a2-ultragpu-8g');
const CLUSTER = GkeClusterReference.named('ml', { location: 'us-central1' });
const RESERVED = Capacity.reservation('r', { machineType: 'a3-highgpu-8g' });

const PREFERENCES: GpuComputeClassProps = {
  name: 'fast', anyOf: [H100, A100], zones: ['us-central1-a'], capacity: [RESERVED, Capacity.SPOT, Capacity.flexStart({ maxRunDuration: Duration.days(1) }), Capacity.ON_DEMAND],
};

function problems(build: (chart: Chart) => void): string[] {
  const app = new App();
  build(new Chart(app, 'chart', { namespace: 'ml' }));
  return errorsOf(app);
}

describe('a ComputeClass', () => {
  test('has a priority for each choice, in their order', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml' });
    new GpuComputeClass(chart, 'Fast', PREFERENCES);
    const [{ metadata, spec }] = Testing.synth(chart);
    expect(metadata).toEqual({ name: 'fast' });
    const gpus = { h100: { type: 'nvidia-h100-80gb', count: 8, driverVersion: 'default' }, a100: { type: 'nvidia-a100-80gb', count: 8, driverVersion: 'default' } };
    const location = { zones: ['us-central1-a'] };
    const [h100, a100] = [{ machineType: 'a3-highgpu-8g', gpu: gpus.h100, location }, { machineType: 'a2-ultragpu-8g', gpu: gpus.a100, location }];
    expect(spec.priorities).toEqual([
      { ...h100, reservations: { affinity: 'Specific', specific: [{ name: 'r', zones: ['us-central1-a'] }] } },
      { ...h100, spot: true },
      { ...a100, spot: true },
      { ...h100, flexStart: { enabled: true }, maxRunDurationSeconds: 86_400 },
      { ...a100, flexStart: { enabled: true }, maxRunDurationSeconds: 86_400 },
      h100,
      a100,
    ]);
    expect(spec).toMatchObject({ nodePoolAutoCreation: { enabled: true }, nodePoolConfig: { workloadMetadata: 'GKE_METADATA' }, whenUnsatisfiable: 'DoNotScaleUp' });
    expect(problems((inside) => void new GpuComputeClass(inside, 'Fast', PREFERENCES))).toEqual([]);
  });

  test('with every option', () => {
    const chart = Testing.chart();
    const fast = new GpuComputeClass(chart, 'Fast', {
      name: 'fast', accelerator: Accelerator.NVIDIA_H200_141GB, capacity: [Capacity.reservation('r', { project: 'p', block: 'b', subBlock: 's' })],
      whenUnsatisfiable: WhenUnsatisfiable.SCALE_UP_ANYWAY, moveUp: true, consolidationDelay: Duration.minutes(30), zones: ['z'], size: NodeCount.total(2, 8).inAnyZone(),
      network: { managedNetworks: true, gpuDirectRdma: true, gvnic: true, privateNodes: true }, disks: { bootType: 'hyperdisk-balanced', bootSize: Size.gibibytes(100), imageCaches: [{ image: 'i', project: 'p' }] },
      imageType: 'COS_CONTAINERD', imageStreaming: true, taints: [{ key: 'team', value: 'a' }], maxPodsPerNode: 32, serviceAccount: 's@p.iam.gserviceaccount.com', secureBoot: true, autoRepair: true,
      autoUpgrade: true, placementPolicy: 'near',
    });
    fast.addLabel('team', 'a');
    expect(Testing.synth(chart)[0].spec).toEqual({
      description: '1. reserved (r) a3-ultragpu-8g',
      whenUnsatisfiable: 'ScaleUpAnyway',
      minimumCapacity: { targetNodeCount: 2 },
      activeMigration: { optimizeRulePriority: true },
      autoscalingPolicy: { consolidationDelayMinutes: 30 },
      nodePoolAutoCreation: { enabled: true, shieldedInstanceConfig: { enableSecureBoot: true, enableIntegrityMonitoring: true } },
      nodePoolConfig: {
        imageType: 'cos_containerd', serviceAccount: 's@p.iam.gserviceaccount.com', gvnic: { enabled: true }, ipType: 'private', imageStreaming: { enabled: true }, workloadMetadata: 'GKE_METADATA',
        autoRepair: true, autoUpgrade: true, nodeLabels: { 'cloud.google.com/gke-networking-dra-driver': 'true', 'team': 'a' }, taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      },
      priorities: [{
        machineType: 'a3-ultragpu-8g', gpu: { type: 'nvidia-h200-141gb', count: 8, driverVersion: 'default' },
        reservations: { affinity: 'Specific', specific: [{ name: 'r', project: 'p', zones: ['z'], reservationBlock: { name: 'b', reservationSubBlock: { name: 's' } } }] },
        maxPodsPerNode: 32, location: { zones: ['z'], locationPolicy: 'ANY' }, placement: { policyName: 'near' },
        acceleratorNetworkProfile: 'auto', gpuDirect: 'rdma',
        storage: { bootDiskType: 'hyperdisk-balanced', bootDiskSize: 100, secondaryBootDisks: [{ diskImageName: 'i', project: 'p', mode: 'CONTAINER_IMAGE_CACHE' }] },
      }],
    });
    expect(fast.warnings).toEqual(["pool.size.totalMax: 8: has no field in a ComputeClass: the number of nodes is limited by the cluster's auto-provisioning or by a Kueue quota."]);
  });

  test('has partitions, shares and slices', () => {
    const spec = (accelerator: Accelerator, placementPolicy?: string) => {
      const chart = Testing.chart();
      new GpuComputeClass(chart, 'Class', { accelerator, placementPolicy, capacity: [Capacity.SPOT] });
      return Testing.synth(chart)[0].spec.priorities[0];
    };
    expect(spec(H100.partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(2))).gpu.gpuSharing).toEqual({ gpuPartitionSize: '1g.10gb', sharingStrategy: 'TIME_SHARING', maxSharedClientsPerGPU: 2 });
    expect(spec(Accelerator.tpuV6e('4x4')).tpu).toEqual({ type: 'tpu-v6e-slice', topology: '4x4', count: 4 });
    expect(spec(Accelerator.NVIDIA_GB200, 'nvl')).toMatchObject({ gpu: { topology: '1x72' }, placement: { policyName: 'nvl' } });
  });

  test('shows the price of each choice, and names those that cost too much', () => {
    const price = (capacity: Capacity, perHour: number) => ({ machineType: 'a3-highgpu-8g', capacity, perHour });
    const chart = Testing.chart();
    const fast = new GpuComputeClass(chart, 'Fast', {
      accelerator: H100,
      capacity: [Capacity.SPOT, Capacity.ON_DEMAND],
      prices: [price(Capacity.SPOT, 30), price(Capacity.ON_DEMAND, 88)],
      maxPrice: 50,
    });
    const [{ spec }] = Testing.synth(chart);
    expect(spec.description).toBe('1. spot a3-highgpu-8g, 30 an hour. Left out for their price: on demand a3-highgpu-8g, 88 an hour');
    expect(spec.priorities).toHaveLength(1);
    expect([fast.choices, fast.leftOut]).toEqual([['spot a3-highgpu-8g, 30 an hour'], ['on demand a3-highgpu-8g, 88 an hour']]);
  });

  test('of pools that are there names them, and they carry its label and taint', () => {
    const chart = Testing.chart();
    const pool = new GpuNodePool(chart, 'Pool', { name: 'h100', cluster: CLUSTER, accelerator: H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND], computeClass: 'fast' });
    const fast = new GpuComputeClass(chart, 'Fast', { name: 'fast', pools: [pool] });
    const manifests = Testing.synth(chart);
    expect(manifests[2].spec).toEqual({
      description: '1. spot a3-highgpu-8g; 2. on demand a3-highgpu-8g', priorities: [{ nodepools: ['h100-spot'] }, { nodepools: ['h100-on-demand'] }],
      nodePoolAutoCreation: { enabled: false }, whenUnsatisfiable: 'DoNotScaleUp',
    });
    expect(manifests[0].spec.nodeConfig).toMatchObject({
      labels: { 'cloud.google.com/compute-class': 'fast' }, taint: [{ key: 'cloud.google.com/compute-class', value: 'fast', effect: 'NO_SCHEDULE' }],
    });
    expect([fast.leftOut, fast.warnings]).toEqual([[], []]);
  });

  test('is selected by jobs, which tolerate its taint', () => {
    const chart = Testing.chart();
    const fast = new GpuComputeClass(chart, 'Fast', PREFERENCES);
    new TrainingJob(chart, 'Job', {
      framework: Framework.pytorch(), image: 'i', replicas: 2, scheduling: { nodeSelector: fast.nodeSelector, tolerations: fast.tolerations },
    });
    expect(Testing.synth(chart)[1].spec.scheduling).toEqual({
      nodeSelector: { 'cloud.google.com/compute-class': 'fast' }, tolerations: [{ key: 'cloud.google.com/compute-class', operator: 'Equal', value: 'fast' }],
    });
  });

  test.each<[string, (chart: Chart) => GpuComputeClassProps, string]>([
    ['no choice at all', () => ({}), 'pool.accelerator: is required, or anyOf.'],
    ['no pools', () => ({ pools: [] }), 'pools: []: is empty.'],
    ['pools and an accelerator', (chart) => ({ pools: [new GpuNodePool(chart, 'P', { cluster: CLUSTER, accelerator: H100, computeClass: 'fast' })], accelerator: H100 }), 'pools: 1: cannot be combined with accelerator'],
    ['pools of no class', (chart) => ({ pools: [new GpuNodePool(chart, 'P', { cluster: CLUSTER, accelerator: H100 })] }), "pools[0].computeClass: must be 'fast' for pool 'chart-p'"],
    ['queued machines', () => ({ accelerator: H100, capacity: [Capacity.QUEUED] }), 'pool.capacity.queued: true: has no field in a ComputeClass. Use flexStart, or a separate pool.'],
    ['half a minute', () => ({ accelerator: H100, consolidationDelay: Duration.seconds(30) }), 'consolidationDelay: 0.5: must be a whole number of minutes from 1 to 1440.'],
  ])('is refused for %s', (_what, props, message) => {
    const found = problems((chart) => void new GpuComputeClass(chart, 'Fast', { name: 'fast', ...props(chart) }));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`GpuComputeClass 'fast': ${message}`);
  });
});

describe('Kueue\'s flavors', () => {
  test('of a class are its choices, in their order', () => {
    const chart = Testing.chart();
    const topology = new GpuTopology(chart, 'Topology', { name: 'gke' });
    const flavors = new GpuResourceFlavors(chart, 'Flavors', { computeClass: new GpuComputeClass(chart, 'Fast', { ...PREFERENCES, taints: [{ key: 'team', value: 'a' }] }), topology });
    expect(flavors.flavorNames).toEqual([
      'fast-reserved-h100-80gb', 'fast-spot-h100-80gb', 'fast-spot-a100-80gb', 'fast-flex-h100-80gb', 'fast-flex-a100-80gb', 'fast-on-demand-h100-80gb', 'fast-on-demand-a100-80gb',
    ]);
    const manifests = Testing.synth(chart).filter(({ kind }) => kind === 'ResourceFlavor');
    const common = { 'cloud.google.com/compute-class': 'fast', 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb', 'node.kubernetes.io/instance-type': 'a3-highgpu-8g' };
    expect(manifests[0]).toEqual({
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'ResourceFlavor',
      metadata: { name: 'fast-reserved-h100-80gb' },
      spec: {
        nodeLabels: { ...common, 'cloud.google.com/reservation-name': 'r' },
        nodeTaints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
        tolerations: [
          { key: 'nvidia.com/gpu', operator: 'Equal', value: 'present', effect: 'NoSchedule' }, { key: 'cloud.google.com/compute-class', operator: 'Equal', value: 'fast', effect: 'NoSchedule' },
        ],
        topologyName: 'gke',
      },
    });
    expect(manifests.map(({ spec }) => spec.nodeLabels['cloud.google.com/gke-provisioning'])).toEqual([undefined, 'spot', 'spot', 'flex-start', 'flex-start', 'standard', 'standard']);
  });

  test('of pools are called as the pools are, and tolerate what is of their kind', () => {
    const chart = Testing.chart();
    const pool = new GpuNodePool(chart, 'Pool', { name: 'h100', cluster: CLUSTER, accelerator: H100, capacity: [Capacity.QUEUED], blueGreen: true });
    const flavors = new GpuResourceFlavors(chart, 'Flavors', { pools: [pool] });
    expect(flavors.flavorNames).toEqual(pool.poolNames);
    const [made, { metadata, spec }] = Testing.synth(chart);
    expect([metadata.name, spec.nodeLabels]).toEqual([made.metadata.name, { 'cloud.google.com/gke-nodepool': made.metadata.name }]);
    expect(spec.tolerations.map(({ key }: { key: string }) => key)).toEqual(['nvidia.com/gpu', 'cloud.google.com/gke-queued']);
  });

  test('and pools carry the price of their choice where it is known, and what is no price of theirs stays off', () => {
    const price = (capacity: Capacity, perHour: number) => ({ machineType: 'a3-highgpu-8g', capacity, perHour });
    const capacity = [Capacity.reservation('h100-2026'), Capacity.SPOT, Capacity.ON_DEMAND];
    const props = { accelerator: H100, capacity, prices: [price(Capacity.SPOT, 30), price(Capacity.ON_DEMAND, 88.5)], maxPrice: 60 };
    const chart = Testing.chart();
    const pool = new GpuNodePool(chart, 'Pool', { name: 'h100', cluster: CLUSTER, ...props });
    new GpuResourceFlavors(chart, 'OfPools', { pools: [pool] });
    new GpuResourceFlavors(chart, 'OfClass', { name: 'fast', computeClass: new GpuComputeClass(chart, 'Fast', { name: 'fast', ...props }) });
    const priced = Testing.synth(chart).filter(({ kind }) => kind !== 'ComputeClass').map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations]);
    const spot = { 'ml.collabnix.io/price': 'spot a3-highgpu-8g, 30 an hour' };
    expect(priced).toEqual([
      ['ContainerNodePool', 'h100-reserved', undefined], ['ContainerNodePool', 'h100-spot', spot],
      ['ResourceFlavor', 'h100-reserved', undefined], ['ResourceFlavor', 'h100-spot', spot],
      ['ResourceFlavor', 'fast-reserved', undefined], ['ResourceFlavor', 'fast-spot', spot],
    ]);
  });

  test('of any reservation and on demand select different nodes', () => {
    const chart = Testing.chart();
    new GpuResourceFlavors(chart, 'Flavors', { computeClass: new GpuComputeClass(chart, 'Fast', { name: 'fast', accelerator: H100, capacity: [Capacity.ANY_RESERVATION, Capacity.ON_DEMAND] }) });
    const [, reserved, onDemand] = Testing.synth(chart).map(({ spec }) => spec.nodeLabels);
    expect(reserved['cloud.google.com/reservation-affinity']).toBe('any');
    expect(onDemand['cloud.google.com/gke-provisioning']).toBe('standard');
  });

  test('have names that were given', () => {
    const chart = Testing.chart();
    const flavors = new GpuResourceFlavors(chart, 'Flavors', { name: 'gpu', computeClass: new GpuComputeClass(chart, 'Fast', { name: 'fast', accelerator: H100, capacity: [Capacity.SPOT, Capacity.ON_DEMAND] }) });
    expect(flavors.flavorNames).toEqual(['gpu-spot', 'gpu-on-demand']);
  });

  test('are of pools or of a class', () => {
    const chart = Testing.chart();
    expect(() => new GpuResourceFlavors(chart, 'None', {})).toThrow("GpuResourceFlavors at 'test/None': needs either pools or computeClass, but has none. Set one of the two.");
    const pool = new GpuNodePool(chart, 'Pool', { cluster: CLUSTER, accelerator: H100, computeClass: 'fast' });
    const ofPools = new GpuComputeClass(chart, 'Fast', { name: 'fast', pools: [pool] });
    expect(() => new GpuResourceFlavors(chart, 'Class', { computeClass: ofPools })).toThrow("class 'fast' consists of pools listed by name. Set pools instead.");
  });
});

describe('queued machines', () => {
  const podSpec = { containers: [{ name: 'main', image: 'i', resources: { limits: { 'nvidia.com/gpu': '8' } } }] };

  test('are asked for by a request, with a template of the pods', () => {
    const chart = Testing.chart();
    const request = new ProvisioningRequest(chart, 'Request', { metadata: { name: 'train', namespace: 'ml' }, pods: [{ count: 4, podSpec }, { count: 1, podTemplate: 'leader' }], maxRunDuration: Duration.days(1) });
    const labels = { 'cloud.google.com/apply-warden-policies': 'true' };
    expect(Testing.synth(chart)).toEqual([
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'train-0', namespace: 'ml', labels }, template: { metadata: { labels }, spec: podSpec } },
      {
        apiVersion: 'autoscaling.x-k8s.io/v1',
        kind: 'ProvisioningRequest',
        metadata: { name: 'train', namespace: 'ml' },
        spec: {
          provisioningClassName: 'queued-provisioning.gke.io',
          podSets: [{ count: 4, podTemplateRef: { name: 'train-0' } }, { count: 1, podTemplateRef: { name: 'leader' } }],
          parameters: { maxRunDurationSeconds: '86400' },
        },
      },
    ]);
    expect(request.podAnnotations).toEqual({ 'autoscaling.x-k8s.io/consume-provisioning-request': 'train', 'autoscaling.x-k8s.io/provisioning-class-name': 'queued-provisioning.gke.io' });
    expect(request.resourceType).toBe('provisioningrequests');
  });

  test.each([
    ['neither pods nor a template', [{ count: 1 }], 'pods[0]: needs either podSpec or podTemplate, but has none. Set one of the two.'],
    ['pods and a template', [{ count: 1, podSpec, podTemplate: 't' }], 'pods[0]: needs either podSpec or podTemplate, but has both.'],
    ['no pods', [], 'spec.podSets: 0: must be 1 to 32. Add one.'],
  ])('are refused for %s', (_what, pods, message) => {
    expect(problems((chart) => void new ProvisioningRequest(chart, 'Request', { metadata: { name: 'train' }, pods }))).toEqual([expect.stringContaining(`ProvisioningRequest 'train': ${message}`)]);
  });

  test('are asked for by Kueue', () => {
    const chart = Testing.chart();
    new QueuedProvisioningCheck(chart, 'Check', { name: 'dws', maxRunDuration: Duration.days(7) });
    expect(Testing.synth(chart).map(({ kind, spec }) => [kind, spec])).toEqual([
      ['ProvisioningRequestConfig', { provisioningClassName: 'queued-provisioning.gke.io', managedResources: ['nvidia.com/gpu'], parameters: { maxRunDurationSeconds: '604800' } }],
      ['AdmissionCheck', { controllerName: 'kueue.x-k8s.io/provisioning-request', parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name: 'dws' } }],
    ]);
    expect(problems((inside) => void new QueuedProvisioningCheck(inside, 'C', { name: 'dws', maxRunDuration: Duration.days(8) }))).toEqual([expect.stringContaining('maxRunDuration: 691200')]);
  });
});
