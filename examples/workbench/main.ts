import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, EnvValue, PersistentVolumeClaim, Secret, Volume } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, TrainingJob } from 'trainyard';
import { Notebook, NotebookServer, PodDefault, TensorBoard, TensorBoardLogs, Workspace, WorkspaceServer } from 'trainyard/workbench';

const app = new App();
const chart = new Chart(app, 'workbench', { namespace: 'team-a' });

const home = Volume.fromPersistentVolumeClaim(chart, 'Home', PersistentVolumeClaim.fromClaimName(chart, 'HomeClaim', 'home-ada'), { name: 'home' });

const job = new TrainingJob(chart, 'Vision', {
  metadata: { name: 'vision' },
  framework: Framework.pytorch(),
  image: 'registry.example/vision:1',
  command: ['torchrun', 'train.py'],
  replicas: 4,
  resources: { gpu: Gpu.nvidia(8) },
  scheduling: { queueName: 'research' },
  checkpoint: Checkpoint.at('gs://runs/vision'),
});

// One replica of the job to look into what its script does, with one GPU instead of eight. It waits in the same queue, and stops an hour after the
// last connection.
Workspace.of(job, {
  jobName: 'vision-ada',
  server: WorkspaceServer.ssh({ authorizedKeys: Secret.fromSecretName(chart, 'Keys', 'keys-ada') }),
  idleTimeout: Duration.hours(1),
  resources: { gpu: Gpu.nvidia(1) },
  volumeMounts: [{ path: '/home/ada', volume: home }],
});

// What any notebook of the team can choose in the dashboard, and this one has.
const mirror = new PodDefault(chart, 'Mirror', {
  metadata: { name: 'pip-mirror' },
  description: 'Python packages from the mirror',
  env: { PIP_INDEX_URL: EnvValue.fromValue('https://mirror.example/simple') },
});

new Notebook(chart, 'Lab', {
  metadata: { name: 'ada' },
  server: NotebookServer.jupyter('registry.example/jupyter-pytorch-full:v1.10.0'),
  resources: { cpu: Cpu.units(4), memory: Size.gibibytes(16) },
  volumeMounts: [{ path: '/home/jovyan', volume: home }],
  podDefaults: [mirror],
});

new TensorBoard(chart, 'Board', { metadata: { name: 'vision' }, logs: TensorBoardLogs.ofJob(job, 'logs') });

app.synth();
