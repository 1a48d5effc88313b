import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import { TaintEffect } from 'cdk8s-plus-28';
import { Accelerator, GpuSharing, MigSize } from '../../../../src';
import {
  Capacity, GkeClusterReference, GpuDriver, GpuNodePool, NodeCount, NodeMetadata, PoolUpgrade, type ConfigConnectorNodePoolProps,
} from '../../../../src/constructs/gke';
import { errorsOf } from '../../../support/synth-errors';

const CLUSTER = GkeClusterReference.named('ml', { location: 'us-central1' });
const L4 = Accelerator.NVIDIA_L4.onMachine('g2-standard-24');

function poolIn(chart: Chart, props: Partial<ConfigConnectorNodePoolProps> = {}) {
  return new GpuNodePool(chart, 'Pool', { name: 'l4', cluster: CLUSTER, accelerator: L4, ...props });
}

function synthesized(props: Partial<ConfigConnectorNodePoolProps> = {}) {
  const chart = Testing.chart();
  poolIn(chart, props);
  return Testing.synth(chart);
}

function problems(props: Partial<ConfigConnectorNodePoolProps>): string[] {
  const app = new App();
  poolIn(new Chart(app, 'chart'), props);
  return errorsOf(app);
}

test('the least pool has its machine, its GPUs with their driver, and Workload Identity', () => {
  expect(synthesized()).toEqual([{
    apiVersion: 'container.cnrm.cloud.google.com/v1beta1',
    kind: 'ContainerNodePool',
    metadata: { name: 'l4' },
    spec: {
      clusterRef: { external: 'ml' },
      location: 'us-central1',
      nodeConfig: {
        machineType: 'g2-standard-24',
        guestAccelerator: [{ type: 'nvidia-l4', count: 2, gpuDriverInstallationConfig: { gpuDriverVersion: 'DEFAULT' } }],
        workloadMetadataConfig: { mode: 'GKE_METADATA' },
      },
    },
  }]);
});

test('a pool with every option', () => {
  const [{ metadata, spec }] = synthesized({
    cluster: GkeClusterReference.object('ml', { location: 'us-central1', project: 'p' }),
    namespace: 'infra',
    accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g').partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3)),
    capacity: [Capacity.reservation('r', { project: 'shared', block: 'b', subBlock: 's' })],
    driver: GpuDriver.LATEST,
    size: NodeCount.total(0, 8).inAnyZone(),
    zones: ['us-central1-a'],
    compactPlacement: true,
    network: { gvnic: true, privateNodes: true, additionalNetworks: Array.from({ length: 4 }, (_net, index) => ({ network: `n${index}`, subnetwork: `s${index}`, mtu: 8244 })) },
    disks: { bootType: 'pd-ssd', bootSize: Size.gibibytes(200), attached: ['pd-balanced'] },
    imageType: 'COS_CONTAINERD',
    imageStreaming: true,
    labels: { team: 'a' },
    taints: [{ key: 'team', value: 'a' }, { key: 'slow', effect: TaintEffect.PREFER_NO_SCHEDULE }],
    resourceLabels: { bill: 'a' },
    tags: ['nodes'],
    computeClass: 'fast',
    maxPodsPerNode: 32,
    serviceAccount: 'nodes@p.iam.gserviceaccount.com',
    metadataServer: NodeMetadata.GCE,
    secureBoot: true,
    autoRepair: true,
    autoUpgrade: false,
    upgrade: PoolUpgrade.surge(1, 0),
  });
  expect(metadata).toEqual({ name: 'l4', namespace: 'infra', annotations: { 'cnrm.cloud.google.com/project-id': 'p' } });
  expect(spec).toEqual({
    clusterRef: { name: 'ml' },
    location: 'us-central1',
    nodeLocations: ['us-central1-a'],
    autoscaling: { totalMinNodeCount: 0, totalMaxNodeCount: 8, locationPolicy: 'ANY' },
    management: { autoRepair: true, autoUpgrade: false },
    maxPodsPerNode: 32,
    networkConfig: {
      enablePrivateNodes: true,
      additionalNodeNetworkConfigs: [0, 1, 2, 3].map((index) => ({ networkRef: { external: `n${index}` }, subnetworkRef: { external: `s${index}` } })),
    },
    placementPolicy: { type: 'COMPACT' },
    upgradeSettings: { strategy: 'SURGE', maxSurge: 1, maxUnavailable: 0 },
    nodeConfig: {
      machineType: 'a3-highgpu-8g',
      guestAccelerator: [{
        type: 'nvidia-h100-80gb', count: 8, gpuDriverInstallationConfig: { gpuDriverVersion: 'LATEST' }, gpuPartitionSize: '1g.10gb',
        gpuSharingConfig: { gpuSharingStrategy: 'TIME_SHARING', maxSharedClientsPerGpu: 3 },
      }],
      reservationAffinity: {
        consumeReservationType: 'SPECIFIC_RESERVATION', key: 'compute.googleapis.com/reservation-name', values: ['projects/shared/reservations/r/reservationBlocks/b/reservationSubBlocks/s'],
      },
      labels: { 'cloud.google.com/compute-class': 'fast', 'team': 'a' },
      taint: [
        { key: 'cloud.google.com/compute-class', value: 'fast', effect: 'NO_SCHEDULE' }, { key: 'team', value: 'a', effect: 'NO_SCHEDULE' }, { key: 'slow', value: '', effect: 'PREFER_NO_SCHEDULE' },
      ],
      imageType: 'COS_CONTAINERD',
      diskType: 'pd-ssd',
      diskSizeGb: 200,
      gcfsConfig: { enabled: true },
      gvnic: { enabled: true },
      serviceAccountRef: { external: 'nodes@p.iam.gserviceaccount.com' },
      resourceLabels: { bill: 'a' },
      tags: ['nodes'],
      shieldedInstanceConfig: { enableSecureBoot: true, enableIntegrityMonitoring: true },
      workloadMetadataConfig: { mode: 'GCE_METADATA' },
    },
  });
});

test.each<[string, Partial<ConfigConnectorNodePoolProps>, object]>([
  ['spot machines, which never come from a reservation', { capacity: [Capacity.SPOT] }, { nodeConfig: { spot: true, reservationAffinity: { consumeReservationType: 'NO_RESERVATION' } } }],
  ['networks of nodes that are private, if nothing else is said', {
    accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g'), capacity: [Capacity.SPOT], zones: ['us-central1-a'],
    network: { gvnic: true, additionalNetworks: Array.from({ length: 4 }, (_net, index) => ({ network: `n${index}`, subnetwork: `s${index}`, mtu: 8244 })) },
  }, {
    networkConfig: { enablePrivateNodes: true },
  }],
  ['queued machines, with the label that GKE leaves to us', { capacity: [Capacity.QUEUED], size: NodeCount.perZone(0, 4) }, {
    queuedProvisioning: { enabled: true }, autoscaling: { minNodeCount: 0, maxNodeCount: 4 }, nodeConfig: { labels: { 'cloud.google.com/gke-queued': 'true' } },
  }],
  ['a fixed number', { size: NodeCount.exactly(2) }, { nodeCount: 2 }],
  ['nodes spread over zones', { size: NodeCount.total(1, 3).balanced() }, { autoscaling: { locationPolicy: 'BALANCED' } }],
  ['MPS', { accelerator: L4.shared(GpuSharing.mps(4)) }, { nodeConfig: { guestAccelerator: [{ gpuSharingConfig: { gpuSharingStrategy: 'MPS', maxSharedClientsPerGpu: 4 } }] } }],
  ['the GPU operator, and none of GKE\'s own', { driver: GpuDriver.GPU_OPERATOR }, {
    nodeConfig: { guestAccelerator: [{ gpuDriverInstallationConfig: { gpuDriverVersion: 'INSTALLATION_DISABLED' } }], labels: { 'gke-no-default-nvidia-gpu-device-plugin': 'true' } },
  }],
  ['a GPU attached to N1', { accelerator: Accelerator.NVIDIA_T4.onMachine('n1-standard-8'), gpusPerNode: 2 }, { nodeConfig: { guestAccelerator: [{ type: 'nvidia-tesla-t4', count: 2 }] } }],
  ['the only machine of a GPU', { accelerator: Accelerator.NVIDIA_B200, capacity: [Capacity.SPOT] }, { nodeConfig: { machineType: 'a4-highgpu-8g', guestAccelerator: [{ count: 8 }] } }],
  ['a slice over four hosts', { accelerator: Accelerator.tpuV6e('4x4'), size: NodeCount.perZone(0, 4) }, {
    placementPolicy: { type: 'COMPACT', tpuTopology: '4x4' }, autoscaling: { maxNodeCount: 4, locationPolicy: 'ANY' }, nodeConfig: { machineType: 'ct6e-standard-4t' },
  }],
  ['a slice by a workload policy', { accelerator: Accelerator.tpu7x('2x2x2'), placementPolicy: 'tpu' }, { placementPolicy: { type: '', policyNameRef: { external: 'tpu' } } }],
  ['local SSDs', { disks: { localSsdEphemeral: 2 } }, { nodeConfig: { ephemeralStorageLocalSsdConfig: { localSsdCount: 2 } } }],
  ['local SSDs as block devices', { disks: { localSsdBlock: 2 } }, { nodeConfig: { localNvmeSsdBlockConfig: { localSsdCount: 2 } } }],
  ['upgrades by blue and green', { upgrade: PoolUpgrade.blueGreen({ batchPercentage: 0.25, batchSoak: Duration.minutes(5), soak: Duration.hours(1) }) }, {
    upgradeSettings: { strategy: 'BLUE_GREEN', blueGreenSettings: { nodePoolSoakDuration: '3600s', standardRolloutPolicy: { batchPercentage: 0.25, batchSoakDuration: '300s' } } },
  }],
  ['upgrades by blue and green, a node at a time', { upgrade: PoolUpgrade.blueGreen() }, { upgradeSettings: { blueGreenSettings: { standardRolloutPolicy: { batchNodeCount: 1 } } } }],
  ['Fast Socket', { network: { gvnic: true, fastSocket: true } }, { nodeConfig: { gvnic: { enabled: true }, fastSocket: { enabled: true } } }],
  ['confidential nodes', { accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-1g'), confidentialNodeType: 'TDX' }, {
    nodeConfig: { confidentialNodes: { enabled: true, confidentialInstanceType: 'TDX' } },
  }],
])('%s', (_what, props, expected) => {
  expect(problems(props)).toEqual([]);
  expect(synthesized(props)[0].spec).toMatchObject(expected);
});

test('several choices are a pool each, with labels that were added to all of them later', () => {
  const chart = Testing.chart();
  const pool = poolIn(chart, { capacity: [Capacity.reservation('r'), Capacity.SPOT, Capacity.ON_DEMAND], prices: [{ machineType: 'g2-standard-24', capacity: Capacity.SPOT, perHour: 0.8 }] });
  pool.addLabel('team', 'a');
  const manifests = Testing.synth(chart);
  expect(manifests.map(({ metadata }) => metadata.name)).toEqual(['l4-reserved', 'l4-spot', 'l4-on-demand']);
  expect(manifests.map(({ spec }) => spec.nodeConfig.labels)).toEqual([{ team: 'a' }, { team: 'a' }, { team: 'a' }]);
  expect(pool.poolNames).toEqual(['l4-reserved', 'l4-spot', 'l4-on-demand']);
  expect(pool.choices).toEqual(['reserved (r) g2-standard-24', 'spot g2-standard-24, 0.8 an hour', 'on demand g2-standard-24']);
  expect(pool.leftOut).toEqual([]);
  expect(() => pool.nodeSelector).toThrow("GpuNodePool at 'test/Pool': has 3 pools, and no label selects all of them. Use a GpuComputeClass, or add your own label with addLabel.");
});

test('a pool of one choice is selected by its name, which is that of the construct where none is given', () => {
  const chart = new Chart(new App(), 'chart');
  expect(poolIn(chart, { name: undefined }).nodeSelector).toEqual({ 'cloud.google.com/gke-nodepool': 'chart-pool' });
});

test('what forces a replacement is told, and with blueGreen the pool gets another name that Argo CD deletes the old one after', () => {
  const chart = Testing.chart();
  const before = { name: 'l4', accelerator: L4 };
  expect(poolIn(chart, { capacity: [Capacity.SPOT] }).replacementsFrom(before)).toEqual([
    "pool 'l4' and all of its nodes are replaced when capacity.spot (false -> true) change. With blueGreen: true the new pool is created first.",
  ]);
  expect(new GpuNodePool(chart, 'Same', { ...before, cluster: CLUSTER, size: NodeCount.total(0, 9) }).replacementsFrom(before)).toEqual([]);
  const [blue] = synthesized({ blueGreen: true });
  const [green] = synthesized({ blueGreen: true, capacity: [Capacity.SPOT] });
  const [larger] = synthesized({ blueGreen: true, size: NodeCount.total(0, 9) });
  expect([blue.metadata.name, green.metadata.name]).toEqual([expect.stringMatching(/^l4-[0-9a-f]{6}$/), expect.stringMatching(/^l4-[0-9a-f]{6}$/)]);
  expect(green.metadata.name).not.toBe(blue.metadata.name);
  expect(larger.metadata.name).toBe(blue.metadata.name);
  expect(blue.metadata.annotations).toEqual({ 'argocd.argoproj.io/sync-options': 'PruneLast=true' });
});

describe('synth fails for', () => {
  test.each<[string, Partial<ConfigConnectorNodePoolProps>, string]>([
    ['no accelerator', { accelerator: undefined }, 'pool.accelerator: is required, or anyOf. Set an accelerator.'],
    ['one and several', { anyOf: [L4] }, 'pool.accelerator: "nvidia-l4": cannot be combined with anyOf. Remove one of the two.'],
    ['a machine that it has not', { accelerator: Accelerator.NVIDIA_L4.onMachine('a2-highgpu-1g') }, 'pool.machineType: "a2-highgpu-1g": '],
    ['no machine type where there are several', { accelerator: Accelerator.NVIDIA_L4 }, 'pool.machineType: is required: the default machine, e2-medium, cannot have nvidia-l4.'],
    // The page shows this one.
    ['a boot disk of other machines', { disks: { bootType: 'hyperdisk-balanced' } },
      'pool.bootDiskType: "hyperdisk-balanced": is not a boot disk of g2-standard-24, which has pd-balanced or pd-ssd. Use pd-balanced. (https://github.com/GoogleCloudPlatform/cluster-autoscaler/'],
    ['flex-start for five minutes', { capacity: [Capacity.flexStart({ maxRunDuration: Duration.minutes(5) })] }, 'pool.capacity.maxRunSeconds: 300: must be a whole number'],
    ['a value that Config Connector does not have', { capacity: [Capacity.ANY_RESERVATION] }, "pool.capacity.reservationAffinity: \"any-then-fail\": is not available in Config Connector's ContainerNodePool."],
    ['what Config Connector has no field for', { capacity: [Capacity.flexStart()] }, "pool.capacity.flexStart: true: is not available in Config Connector's ContainerNodePool."],
  ])('%s', (_what, props, message) => {
    const found = problems(props);
    expect(found[0]).toContain(`GpuNodePool 'l4': ${message}`);
    expect(found[0]).toMatch(/ \((https:\/\/|docs\/)[^ ]+.*\)$/);
  });
});

test('what no source is certain of is a warning of the construct', () => {
  const pool = poolIn(Testing.chart(), { network: { fastSocket: true } });
  expect(pool.warnings).toEqual(['pool.network.fastSocket: true: may have no effect without gVNIC. Set gvnic too.']);
});
