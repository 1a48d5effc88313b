import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, Framework, Gpu, GpuSharing, RestartPolicy, TrainingJob } from 'trainyard';
import { Capacity, GkeClusterReference, GpuComputeClass, GpuNodePool, GpuResourceFlavors, JobCapacity, NodeCount } from 'trainyard/gke';
import { GpuTopology } from 'trainyard/queues';

const app = new App();
const chart = new Chart(app, 'node-pools', { namespace: 'ml' });
const cluster = GkeClusterReference.named('ml', { location: 'us-central1', project: 'ml-prod' });

// A pool of one machine type, each GPU shared by four notebooks.
new GpuNodePool(chart, 'Notebooks', {
  name: 'notebooks',
  cluster,
  accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24').shared(GpuSharing.timeSharing(4)),
  size: NodeCount.total(0, 4),
  zones: ['us-central1-a'],
  blueGreen: true,
});

// H100 or A100: what is reserved first, then spot, then flex-start, and on demand where a machine costs no more than 60 an hour.
const h100 = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g');
const a100 = Accelerator.NVIDIA_A100_80GB.onMachine('a2-ultragpu-8g');
const price = (machineType: string, capacity: Capacity, perHour: number) => ({ machineType, capacity, perHour });
// Networks between the H100s of different machines, which GKE makes.
const network = { gvnic: true, managedNetworks: true };
const flexStart = Capacity.flexStart({ maxRunDuration: Duration.days(2) });

const training = new GpuComputeClass(chart, 'Training', {
  name: 'training',
  anyOf: [h100, a100],
  capacity: [Capacity.reservation('h100-2026', { machineType: 'a3-highgpu-8g' }), Capacity.SPOT, flexStart, Capacity.ON_DEMAND],
  maxPrice: 60,
  // Examples, not prices: fill in those of your contract.
  prices: [
    price('a3-highgpu-8g', Capacity.SPOT, 30), price('a3-highgpu-8g', flexStart, 45), price('a3-highgpu-8g', Capacity.ON_DEMAND, 90),
    price('a2-ultragpu-8g', Capacity.SPOT, 15), price('a2-ultragpu-8g', flexStart, 25), price('a2-ultragpu-8g', Capacity.ON_DEMAND, 40),
  ],
  zones: ['us-central1-a'],
  network,
});

// The same choices for Kueue, in the same order.
new GpuResourceFlavors(chart, 'Flavors', { computeClass: training, topology: new GpuTopology(chart, 'Topology', { name: 'gke' }) });

new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'llm-pretrain' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 2,
  resources: { gpu: Gpu.nvidia(8) },
  scheduling: { nodeSelector: training.nodeSelector, tolerations: training.tolerations },
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

// A job with preferences of its own: GKE makes nodes for it alone.
new TrainingJob(chart, 'Tune', {
  metadata: { name: 'tune' },
  framework: Framework.pytorch(),
  image: 'registry.example/tune:1',
  replicas: 1,
  resources: { gpu: Gpu.nvidia(8) },
  capacity: JobCapacity.preferences({ anyOf: [a100, h100], capacity: [Capacity.SPOT, Capacity.ON_DEMAND], network }),
});

app.synth();
