import { ApiObject, App, Chart, Duration, Size } from 'cdk8s';
import { ConfigMap, Cpu, EnvValue, PersistentVolumeClaim, Secret, Volume } from 'cdk8s-plus-28';
import { Checkpoint, CleanPodPolicy, Framework, Gpu, ProcessesPerNode, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'migrate');

new ApiObject(chart, 'ResnetSettingsConfigMap', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'resnet-settings', namespace: 'vision' },
  data: {
    'train.yaml': `epochs: 90
batchSize: 256
`,
  },
});

const imagenetClaim = PersistentVolumeClaim.fromClaimName(chart, 'ImagenetClaim', 'imagenet');
const data = Volume.fromPersistentVolumeClaim(chart, 'Data', imagenetClaim, { name: 'data' });
const resnetSettings = ConfigMap.fromConfigMapName(chart, 'ResnetSettings', 'resnet-settings');
const settings = Volume.fromConfigMap(chart, 'Settings', resnetSettings, { name: 'settings' });
const wandb = Secret.fromSecretName(chart, 'Wandb', 'wandb');

new TrainingJob(chart, 'Resnet', {
  metadata: { name: 'resnet', namespace: 'vision', labels: { team: 'vision' } },
  framework: Framework.pytorch({ nprocPerNode: ProcessesPerNode.of(8) }),
  image: 'registry.example/resnet:7',
  replicas: 4,
  command: ['torchrun', '--master_addr=$(MASTER_ADDR)', '--master_port=23456', 'train.py'],
  env: { NCCL_DEBUG: EnvValue.fromValue('INFO'), WANDB_API_KEY: wandb.envValue('api-key') },
  resources: { gpu: Gpu.nvidia(8), cpu: Cpu.units(96), memory: Size.gibibytes(900), sharedMemory: Size.gibibytes(64) },
  checkpoint: Checkpoint.at('/data/checkpoints'),
  port: 23456,
  volumeMounts: [{ path: '/data', volume: data }, { path: '/etc/train', volume: settings }],
  podTemplate: {
    spec: {
      initContainers: [
        { name: 'fetch', image: 'registry.example/fetch:2', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      ],
    },
  },
  runPolicy: {
    restartPolicy: RestartPolicy.EXIT_CODE,
    backoffLimit: 3,
    ttlAfterFinished: Duration.days(1),
    cleanPodPolicy: CleanPodPolicy.NONE,
  },
  scheduling: { queueName: 'gpus', nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } },
});

app.synth();
