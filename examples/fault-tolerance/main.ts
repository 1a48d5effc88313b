import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, RestartPolicy, StuckPodPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'fault-tolerance');

// Spot machines: disruptions cost nothing but time, programs that fail again and again end the job.
new TrainingJob(chart, 'Spot', {
  metadata: { name: 'spot' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 4,
  resources: { gpu: Gpu.nvidia(8) },
  checkpoint: Checkpoint.at('gs://runs/spot', { gracePeriod: Duration.seconds(25) }),
  scheduling: {
    nodeSelector: { 'cloud.google.com/gke-spot': 'true' },
    tolerations: [{ key: 'cloud.google.com/gke-spot' }],
  },
  runPolicy: {
    restartPolicy: RestartPolicy.ON_FAILURE,
    backoffLimit: 3,
    backoff: { initial: Duration.seconds(5), max: Duration.minutes(2), resetAfter: Duration.minutes(30) },
    exitCodes: { recover: [75], fail: [2] },
    disruptionLimit: 50,
    preRunningDeadline: Duration.hours(12),
    activeDeadline: Duration.days(2),
    ttlAfterFinished: Duration.days(7),
    startTimeout: Duration.minutes(10),
    nodeLoss: { grace: Duration.seconds(20), forceDeleteAfter: Duration.seconds(10) },
    nodeAvoidance: { afterFailures: 2, avoidFor: Duration.hours(1) },
  },
});

// Independent workers: the kubelet restarts what fails, in place. No result must be written twice, so the job waits for nodes that are cut off. It
// starts when somebody says so: kubectl patch mltj sweep --type merge --patch '{"spec":{"suspend":false}}'
new TrainingJob(chart, 'Sweep', {
  metadata: { name: 'sweep' },
  framework: Framework.plain(),
  image: 'registry.example/sweep:1',
  command: ['python3', 'worker.py'],
  replicas: 16,
  resources: { cpu: Cpu.units(2), memory: Size.gibibytes(4) },
  suspend: true,
  runPolicy: {
    restartPolicy: RestartPolicy.ON_FAILURE,
    backoffLimit: 100,
    restartInPlace: true,
    nodeLoss: { stuckPods: StuckPodPolicy.WAIT },
  },
});

app.synth();
