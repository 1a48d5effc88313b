import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Accelerator, Framework, GpuSharing, MigSize, MigStrategy, TrainingJob, type TrainingResources } from 'trainyard';
import {
  DevicePluginConfig, DevicePluginSharing, FeatureMatch, FeatureValue, GpuOperatorPolicy, MigLayout, MigPartedConfig, NodeFeatureRule,
} from 'trainyard/gpu-operator';

const app = new App();
const chart = new Chart(app, 'gpu-sharing', { namespace: 'gpu-operator' });

// Nodes choose by the label nvidia.com/device-plugin.config: four notebooks a GPU, or three inference servers on each small partition.
const sharing = new DevicePluginConfig(chart, 'Sharing', {
  metadata: { name: 'gpu-sharing' },
  configs: {
    whole: { migStrategy: MigStrategy.MIXED },
    notebooks: { sharing: DevicePluginSharing.timeSlicing().gpus(4) },
    inference: { migStrategy: MigStrategy.MIXED, sharing: DevicePluginSharing.timeSlicing().partitions(MigSize.MIG_1G_10GB, 3) },
  },
  defaultConfig: 'whole',
});

// And by nvidia.com/mig.config into which partitions their GPUs are divided.
const partitions = new MigPartedConfig(chart, 'Partitions', {
  metadata: { name: 'gpu-partitions' },
  configs: {
    'all-small': [MigLayout.of({ '1g.10gb': 7 }, { product: 'NVIDIA-H100-80GB-HBM3' })],
    'first-mixed': [
      MigLayout.of({ '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 }, { devices: [0], product: 'NVIDIA-H100-80GB-HBM3' }),
      MigLayout.disabled({ devices: [1, 2, 3, 4, 5, 6, 7] }),
    ],
  },
});

new GpuOperatorPolicy(chart, 'Policy', {
  operatorNamespace: 'gpu-operator', migStrategy: MigStrategy.MIXED, devicePluginConfig: sharing, migConfig: partitions, serviceMonitor: true,
});

// Nodes with NVIDIA's GPUs and InfiniBand are told from the others.
new NodeFeatureRule(chart, 'Fabric', {
  metadata: { name: 'fabric' },
  rules: {
    infiniband: {
      labels: { 'example.com/fabric': 'infiniband' },
      allOf: [FeatureMatch.pciDevice('10de'), FeatureMatch.of('pci.device', { vendor: FeatureValue.isIn('15b3'), class: FeatureValue.isIn('0207') })],
    },
  },
});

// Jobs ask for them by the product.
const h100 = Accelerator.product('NVIDIA-H100-80GB-HBM3');
const job = (id: string, accelerator: Accelerator, count: number, resources?: TrainingResources) => new TrainingJob(chart, id, {
  metadata: { name: id.toLowerCase(), namespace: 'team-a' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  replicas: 1,
  accelerator: accelerator.count(count),
  resources,
});
job('Train', h100, 8);
// With whole GPUs /dev/shm comes by itself; with a part of one the job says how much its data loaders need.
const part = { cpu: Cpu.units(4), memory: Size.gibibytes(32), sharedMemory: Size.gibibytes(4) };
job('Tune', h100.partitioned(MigSize.MIG_3G_40GB), 1, part);
job('Smoke', h100.shared(GpuSharing.timeSharing(4)), 1, part);

app.synth();
