import { App, Chart, Duration, Size } from 'cdk8s';
import { PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Accelerator, Framework, TrainingJob } from 'trainyard';
import { Capacity, GkeClusterReference, GpuComputeClass, GpuNodePool, NodeCount } from 'trainyard/gke';

const app = new App();
const chart = new Chart(app, 'cost', { namespace: 'team-a' });
const image = 'registry.example/train:1';
const h100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');

// Networks between the GPUs of different machines, which GKE makes.
const network = { gvnic: true, managedNetworks: true };

// Four machines for at most two days, whichever of three ways there are machines first.
const fast = new GpuComputeClass(chart, 'Fast', { name: 'fast', accelerator: h100, capacity: [Capacity.SPOT, Capacity.flexStart(), Capacity.ON_DEMAND], network });
new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'pretrain' },
  framework: Framework.pytorch(),
  image,
  replicas: 4,
  accelerator: h100.count(8),
  scheduling: { nodeSelector: fast.nodeSelector, tolerations: fast.tolerations },
  runPolicy: { activeDeadline: Duration.days(2) },
});

// One GPU for each of forty evaluations, eight at a time, on machines of a pool.
const pool = new GpuNodePool(chart, 'L4', {
  name: 'l4',
  cluster: GkeClusterReference.named('ml', { location: 'us-central1' }),
  accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-12'),
  capacity: [Capacity.SPOT],
  size: NodeCount.total(0, 8),
  disks: { bootType: 'pd-balanced', bootSize: Size.gibibytes(100) },
});
new TrainingJob(chart, 'Evaluate', {
  metadata: { name: 'evaluate' },
  framework: Framework.plain(),
  image,
  replicas: 1,
  accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-12').count(1),
  array: { count: 40, parallelism: 8 },
  scheduling: { nodeSelector: pool.nodeSelector },
});

new PersistentVolumeClaim(chart, 'Data', {
  metadata: { name: 'data' },
  storage: Size.gibibytes(2000),
  storageClassName: 'standard-rwx',
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
});

app.synth();
