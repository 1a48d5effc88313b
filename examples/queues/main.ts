import { App, Chart, Duration, Size } from 'cdk8s';
import { PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Accelerator, Checkpoint, Framework, Gpu, RestartPolicy, TrainingJob } from 'trainyard';
import { Capacity, GkeClusterReference, GpuNodePool, GpuResourceFlavors, NodeCount, QueuedProvisioningCheck } from 'trainyard/gke';
import {
  ClusterQueue, Cohort, FlavorSearch, GpuTopology, LocalQueue, MultiKueue, MultiKueueCluster, MultiKueueSource, PreemptionWithinQueue, Quota,
  ReclaimWithinCohort, ResourceFlavor, WorkloadPriorityClass,
} from 'trainyard/queues';

const app = new App();
const chart = new Chart(app, 'queues');
const cluster = GkeClusterReference.named('ml', { location: 'us-central1' });

// A network for each of the four interfaces that the machines have besides the ordinary one.
const additionalNetworks = [1, 2, 3, 4].map((index) => ({ network: `gpu-${index}`, subnetwork: `gpu-${index}`, mtu: 8244 }));

// Two pools of the same GPUs, and a flavor for each, the cheaper one first. Machines of the second one come when a job has its quota.
const pool = (name: string, capacity: Capacity) => new GpuNodePool(chart, name, {
  name,
  cluster,
  accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g'),
  size: NodeCount.total(0, 4),
  capacity: [capacity],
  zones: ['us-central1-a'],
  network: { gvnic: true, additionalNetworks },
});
const pools = [pool('h100-spot', Capacity.SPOT), pool('h100-queued', Capacity.QUEUED)];
const [spot, queued] = new GpuResourceFlavors(chart, 'Flavors', { pools, topology: new GpuTopology(chart, 'Topology', { name: 'gke' }) }).flavors;
const machines = new QueuedProvisioningCheck(chart, 'Machines', {
  name: 'machines', maxRunDuration: Duration.days(3), retries: { limit: 5, firstPause: Duration.minutes(5) },
});

// Research and production lend to each other within the lab. Production takes back what is its own, and shares are two to one.
const lab = new Cohort(chart, 'Lab', { name: 'lab' });
const queue = (name: string, gpus: number, fairSharingWeight: number, reclaimWithinCohort: ReclaimWithinCohort) => new ClusterQueue(chart, name, {
  name,
  cohort: lab,
  fairSharingWeight,
  preemption: { withinClusterQueue: PreemptionWithinQueue.LOWER_PRIORITY, reclaimWithinCohort },
  // Machines that are there are better than machines that have to come.
  flavorFungibility: { whenCanBorrow: FlavorSearch.MAY_STOP },
  admissionChecks: [{ check: machines, onFlavors: [queued] }],
  resourceGroups: [{ flavors: [spot, queued].map((flavor) => ({ flavor, quotas: [Quota.gpu(Gpu.nvidia(gpus), { lendingLimit: gpus })] })) }],
  uncountedResources: ['cpu', 'memory'],
});
const research = queue('research', 8, 1, ReclaimWithinCohort.NEVER);
const production = queue('production', 24, 2, ReclaimWithinCohort.ANY);
new LocalQueue(chart, 'Vision', { metadata: { name: 'vision', namespace: 'vision' }, clusterQueue: research });
new LocalQueue(chart, 'Serving', { metadata: { name: 'models', namespace: 'models' }, clusterQueue: production });
new WorkloadPriorityClass(chart, 'Deadline', { name: 'deadline', value: 1000, description: 'Work that somebody waits for.' });

// What runs anywhere runs in whichever of two clusters has room first.
const clusters = ['east', 'west'].map((name) => new MultiKueueCluster(chart, name, { name, source: MultiKueueSource.kubeConfigSecret(`${name}-kubeconfig`) }));
const anywhere = new ClusterQueue(chart, 'Anywhere', {
  name: 'anywhere',
  admissionChecks: [{ check: new MultiKueue(chart, 'Clusters', { name: 'clusters', clusters }) }],
  resourceGroups: [{ flavors: [{ flavor: new ResourceFlavor(chart, 'Any', { name: 'any' }), quotas: [Quota.gpu(Gpu.nvidia(256))] }] }],
});
new LocalQueue(chart, 'VisionAnywhere', { metadata: { name: 'anywhere', namespace: 'vision' }, clusterQueue: anywhere });

const checkpoints = new PersistentVolumeClaim(chart, 'Checkpoints', {
  metadata: { name: 'checkpoints', namespace: 'vision' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(1000),
});

// 32 GPUs: eight are research's own, and production lends the others while it does not need them.
new TrainingJob(chart, 'Train', {
  metadata: { name: 'train', namespace: 'vision' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 4,
  resources: { gpu: Gpu.nvidia(8) },
  scheduling: { queueName: 'vision', queuePriorityClassName: 'deadline', topology: { key: 'cloud.google.com/gce-topology-block' } },
  checkpoint: Checkpoint.onClaim(checkpoints, { gracePeriod: Duration.minutes(2) }),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

app.synth();
