/**
 * Programs that are valid and go wrong when they run: each is found at synth, and in YAML by `trainyard validate`, is shown once, and can be
 * acknowledged. Nothing is said of programs that are right.
 */
import { ApiObject, App, Chart, Duration, Size } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { stringify } from 'yaml';
import {
  Accelerator, Checkpoint, Engine, Framework, Gang, Gpu, GpuSharing, ProcessesPerNode, RestartPolicy, Tpu, TrainingJob, Warnings,
  type TrainingJobProps,
} from '../../../src';
import { PodSecurityLevel, Team } from '../../../src/constructs/platform';
import { ClusterQueue, LocalQueue } from '../../../src/constructs/queues';
import { Definitions } from '../../../src/cli/crd/definitions';
import { readManifestText } from '../../../src/cli/read-manifests';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { ProgramChecks, type ProgramFinding } from '../../../src/constructs/checks/program-checks';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { ACKNOWLEDGED_ANNOTATION } from '../../../src/model/labels';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';

type Program = (chart: Chart) => unknown;

const LEAST = {
  framework: Framework.pytorch(), image: 'registry.example/x:1', command: ['torchrun', 'train.py'], replicas: 2,
  resources: { cpu: kplus.Cpu.units(4), memory: Size.gibibytes(16) },
};
const TOKEN = HUGGING_FACE_TOKEN;
const H100 = 'cloud.google.com/gke-accelerator';
const INSTANCE = 'node.kubernetes.io/instance-type';
const SPOT = { nodeSelector: { 'cloud.google.com/gke-spot': 'true' }, tolerations: [{ key: 'cloud.google.com/gke-spot', value: 'true' }] };

const job = (chart: Chart, props: Partial<TrainingJobProps> = {}, id = 'Job') => new TrainingJob(chart, id, { ...LEAST, ...props } as TrainingJobProps);
const jobWith = (props: Partial<TrainingJobProps>): Program => (chart) => job(chart, props);
const gpus = (count: number, more: object = {}) => ({
  resources: { gpu: Gpu.nvidia(count), cpu: kplus.Cpu.units(count * 4), memory: Size.gibibytes(count * 32), ...more },
});
const api = (chart: Chart, apiVersion: string, kind: string, name: string, rest: object, namespace?: string) => (
  new ApiObject(chart, `${kind}-${name}-${namespace ?? ''}`, { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) }, ...rest }));
const pod = (spec: object, container: object = {}) => ({ spec: { containers: [{ name: 'main', image: 'registry.example/web:1', ...container }], ...spec } });
const deployment = (chart: Chart, spec: object, container: object = {}, replicas = 1) => api(chart, 'apps/v1', 'Deployment', 'web', {
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, ...pod(spec, container) } },
});
const claim = (chart: Chart, name: string, mode: kplus.PersistentVolumeAccessMode) => new kplus.PersistentVolumeClaim(chart, `Claim-${name}`, {
  metadata: { name }, accessModes: [mode], storage: Size.gibibytes(10),
});
const { READ_WRITE_ONCE, READ_WRITE_MANY } = kplus.PersistentVolumeAccessMode;
const secret = (chart: Chart, name: string, props: kplus.SecretProps = {}) => (
  new kplus.Secret(chart, `Secret-${name}`, { ...props, metadata: { name, ...props.metadata } }));
const queues = (chart: Chart) => {
  api(chart, 'kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'all', { spec: { namespaceSelector: {} } });
  return new LocalQueue(chart, 'gpus', { metadata: { name: 'gpus' }, clusterQueue: ClusterQueue.fromClusterQueueName('all') });
};
const TORCHRUN = { command: ['torchrun', 'train.py'], resources: { limits: { 'nvidia.com/gpu': '1', 'memory': '64Gi', 'cpu': '8' } } };
const inMemory = (limits: object) => ({ volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', ...limits } }] });
const tpuPod = (spec: object) => pod({
  ...spec, nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' },
}, { resources: { limits: { 'google.com/tpu': '4' } } });
const template = (container: object, spec: object = {}): Partial<TrainingJobProps> => ({ podTemplate: { spec: { containers: [{ name: 'training', ...container }], ...spec } } });

const experiment = (spec: object) => ({
  spec: {
    objective: { type: 'minimize', objectiveMetricName: 'loss' }, algorithm: { algorithmName: 'random' }, maxTrialCount: 12,
    parameters: [{ name: 'lr', parameterType: 'double', feasibleSpace: { min: '0.01', max: '0.1' } }],
    trialTemplate: {
      primaryContainerName: 'main', trialParameters: [{ name: 'lr', reference: 'lr' }],
      trialSpec: {
        apiVersion: 'batch/v1', kind: 'Job', spec: { template: pod({ restartPolicy: 'Never' }, { command: ['python3', 'train.py', '--lr=${trialParameters.lr}'] }) },
      },
    },
    ...spec,
  },
});

const MISTAKES: readonly (readonly [what: string, rule: string, severity: 'error' | 'warning', program: Program])[] = [
  // Objects that name each other
  ['a Secret of another namespace in a variable', 'reference-namespace', 'error', (chart) => job(chart, {
    env: { T: kplus.EnvValue.fromSecretValue({ secret: secret(chart, 'tok', { stringData: { token: 'x' }, metadata: { name: 'tok', namespace: 'other' } }), key: 'token' }) },
  })],
  ['a pull secret of another namespace', 'reference-namespace', 'error', (chart) => job(chart, {
    imagePullSecrets: [secret(chart, 'pull', { type: 'kubernetes.io/dockerconfigjson', metadata: { name: 'pull', namespace: 'other' } })],
  })],
  ['a service account of another namespace', 'reference-namespace', 'error', (chart) => job(chart, {
    serviceAccount: new kplus.ServiceAccount(chart, 'Account', { metadata: { name: 'trainer', namespace: 'other' } }),
  })],
  ['a claim of another namespace', 'reference-namespace', 'error', (chart) => job(chart, {
    checkpoint: Checkpoint.onClaim(new kplus.PersistentVolumeClaim(chart, 'Claim', { metadata: { name: 'runs', namespace: 'other' }, accessModes: [READ_WRITE_MANY], storage: Size.gibibytes(1) })),
  })],
  ['a ConfigMap of another namespace in a Deployment', 'reference-namespace', 'error', (chart) => {
    api(chart, 'v1', 'ConfigMap', 'settings', { data: { a: 'b' } }, 'other');
    deployment(chart, {}, { envFrom: [{ configMapRef: { name: 'settings' } }] });
  }],
  ['a key that the Secret lacks', 'reference-key', 'error', (chart) => job(chart, {
    env: { T: kplus.EnvValue.fromSecretValue({ secret: secret(chart, 'tok', { stringData: { token: 'x' } }), key: 'tokne' }) },
  })],
  ['a key that the ConfigMap lacks', 'reference-key', 'error', (chart) => job(chart, {
    env: { T: kplus.EnvValue.fromConfigMap(new kplus.ConfigMap(chart, 'Settings', { metadata: { name: 'settings' }, data: { epochs: '3' } }), 'epoch') },
  })],
  ['an item of a volume that the Secret lacks', 'reference-key', 'error', (chart) => {
    secret(chart, 'tls', { stringData: { 'tls.crt': 'x', 'tls.key': 'y' } });
    deployment(chart, { volumes: [{ name: 'v', secret: { secretName: 'tls', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }] }, { volumeMounts: [{ name: 'v', mountPath: '/tls' }] });
  }],
  ['a claim for one node under four replicas', 'claim-access-mode', 'error', (chart) => job(chart, { replicas: 4, checkpoint: Checkpoint.onClaim(claim(chart, 'runs', READ_WRITE_ONCE)) })],
  ['the same on JobSet', 'claim-access-mode', 'error', (chart) => job(chart, {
    engine: Engine.jobSet(), replicas: 4, checkpoint: Checkpoint.onClaim(claim(chart, 'runs', READ_WRITE_ONCE)),
  })],
  ['the same under a Deployment', 'claim-access-mode', 'error', (chart) => {
    claim(chart, 'runs', READ_WRITE_ONCE);
    deployment(chart, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'runs' } }] }, { volumeMounts: [{ name: 'v', mountPath: '/data' }] }, 3);
  }],
  ['a pull secret of another type', 'pull-secret-type', 'error', (chart) => job(chart, { imagePullSecrets: [secret(chart, 'pull', { type: 'Opaque', stringData: { a: 'b' } })] })],
  ['a queue that is spelt otherwise', 'reference-missing', 'error', (chart) => {
    queues(chart);
    job(chart, { scheduling: { queueName: 'gpu' } });
  }],
  ['a queue where there is a ClusterQueue and no LocalQueue', 'reference-missing', 'error', (chart) => {
    api(chart, 'kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'all', { spec: { namespaceSelector: {} } });
    job(chart, { scheduling: { queueName: 'gpu' } });
  }],
  ['a LocalQueue of a ClusterQueue that is not there', 'reference-missing', 'warning', (chart) => {
    api(chart, 'kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'all', { spec: { namespaceSelector: {} } });
    api(chart, 'kueue.x-k8s.io/v1beta2', 'LocalQueue', 'gpus', { spec: { clusterQueue: 'every' } });
  }],
  ['a ClusterQueue without a selector, which selects no namespace', 'foreign-object', 'error', (chart) => api(chart, 'kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'all', { spec: {} })],
  ['two cohorts above each other', 'foreign-object', 'error', (chart) => [['a', 'b'], ['b', 'a']].forEach(([name, parentName]) => api(chart, 'kueue.x-k8s.io/v1beta2', 'Cohort', name, { spec: { parentName } }))],
  ['a flavor with a topology and no label', 'foreign-object', 'error', (chart) => api(chart, 'kueue.x-k8s.io/v1beta2', 'ResourceFlavor', 'h100', { spec: { topologyName: 'gke' } })],
  ['a graph without a root', 'foreign-object', 'error', (chart) => api(chart, 'serving.kserve.io/v1alpha1', 'InferenceGraph', 'pets', {
    spec: { nodes: { rot: { routerType: 'Sequence', steps: [{ serviceName: 'a' }] } } },
  })],
  ['a language model with too few GPUs', 'foreign-object', 'error', (chart) => api(chart, 'serving.kserve.io/v1alpha2', 'LLMInferenceService', 'qwen', {
    spec: {
      model: { uri: 'hf://Qwen/Qwen3-8B' }, parallelism: { tensor: 8 },
      template: { containers: [{ name: 'main', image: 'vllm/vllm-openai:v0.11.0', resources: { limits: { 'nvidia.com/gpu': '4' } } }] },
    },
  })],
  ['a placeholder of a runtime with a slip', 'foreign-object', 'error', (chart) => api(chart, 'serving.kserve.io/v1alpha1', 'ClusterServingRuntime', 'mine', {
    spec: { supportedModelFormats: [{ name: 'onnx' }], containers: [{ name: 'kserve-container', image: 'server:1', args: ['--model={{.Nmae}}'] }] },
  })],
  ['a search with more failures than trials', 'foreign-object', 'error', (chart) => api(chart, 'kubeflow.org/v1beta1', 'Experiment', 'tuned', experiment({ maxFailedTrialCount: 13 }))],
  ['a setting of another algorithm', 'foreign-object', 'error', (chart) => api(chart, 'kubeflow.org/v1beta1', 'Experiment', 'tuned', experiment({
    algorithm: { algorithmName: 'tpe', algorithmSettings: [{ name: 'acq_func', value: 'EI' }] },
  }))],
  ['a LocalQueue in a namespace that its queue does not accept', 'foreign-object', 'error', (chart) => {
    api(chart, 'kueue.x-k8s.io/v1beta2', 'ClusterQueue', 'all', { spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'vision' } } } });
    api(chart, 'kueue.x-k8s.io/v1beta2', 'LocalQueue', 'gpus', { spec: { clusterQueue: 'all' } }, 'speech');
  }],
  ['queued machines for a minute', 'foreign-object', 'error', (chart) => api(chart, 'kueue.x-k8s.io/v1beta2', 'ProvisioningRequestConfig', 'gpus', {
    spec: { provisioningClassName: 'queued-provisioning.gke.io', parameters: { maxRunDurationSeconds: '60' } },
  })],
  ['a feature that is spelt otherwise', 'foreign-object', 'error', (chart) => api(chart, 'nfd.k8s-sigs.io/v1alpha1', 'NodeFeatureRule', 'gpus', {
    spec: { rules: [{ name: 'gpus', labels: { 'example.com/gpu': 'present' }, matchFeatures: [{ feature: 'pci.devices', matchExpressions: { vendor: { op: 'In', value: ['10de'] } } }] }] },
  })],
  ['a notebook with a long name', 'foreign-object', 'error', (chart) => api(chart, 'kubeflow.org/v1', 'Notebook', 'n'.repeat(53), { spec: { template: pod({}) } })],
  ['a notebook and a PodDefault that differ', 'foreign-object', 'error', (chart) => {
    api(chart, 'kubeflow.org/v1alpha1', 'PodDefault', 'hub', { spec: { desc: 'hub', selector: { matchLabels: {} }, env: [{ name: 'A', value: '2' }] } });
    api(chart, 'kubeflow.org/v1', 'Notebook', 'lab', { spec: { template: pod({}, { env: [{ name: 'A', value: '1' }] }) } });
  }],
  ['a TensorBoard of logs in another store', 'foreign-object', 'error', (chart) => api(chart, 'tensorboard.kubeflow.org/v1alpha1', 'Tensorboard', 'board', { spec: { logspath: 'azure://runs/a' } })],
  ['a ComputeClass with fewer GPUs than its machine has', 'foreign-object', 'error', (chart) => api(chart, 'cloud.google.com/v1', 'ComputeClass', 'gpus', {
    spec: { priorities: [{ machineType: 'a3-highgpu-8g', gpu: { type: 'nvidia-h100-80gb', count: 2 } }] },
  })],
  ['a cache of a claim', 'foreign-object', 'error', (chart) => api(chart, 'serving.kserve.io/v1alpha1', 'LocalModelCache', 'qwen', {
    spec: { sourceModelUri: 'pvc://models/qwen', modelSize: '10Gi', nodeGroups: ['ssd'] },
  })],
  ['a priority class that is spelt otherwise', 'reference-priority-class', 'warning', jobWith({ scheduling: { priorityClassName: 'hgih' } })],
  ['a ConfigMap that is spelt otherwise', 'reference-spelling', 'warning', (chart) => {
    api(chart, 'v1', 'ConfigMap', 'settings', { data: { a: 'b' } });
    deployment(chart, {}, { envFrom: [{ configMapRef: { name: 'setings' } }] });
  }],
  ['a namespace that is spelt otherwise', 'reference-spelling', 'warning', (chart) => {
    api(chart, 'v1', 'Namespace', 'vision', {});
    api(chart, 'v1', 'ConfigMap', 'settings', { data: { a: 'b' } }, 'vison');
  }],
  ['a Service of a port that no pod has', 'service-port', 'error', (chart) => {
    deployment(chart, {}, { ports: [{ name: 'http', containerPort: 80 }] });
    api(chart, 'v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'htp' }] } });
  }],
  ['two jobs on one folder of a claim', 'checkpoint-shared', 'error', (chart) => {
    const runs = claim(chart, 'runs', READ_WRITE_MANY);
    ['A', 'B'].forEach((id) => job(chart, { checkpoint: Checkpoint.onClaim(runs, { folder: '' }) }, id));
  }],
  ['two jobs at one URL', 'checkpoint-shared', 'error', (chart) => ['A', 'B'].forEach((id) => job(chart, { checkpoint: Checkpoint.at('gs://bucket/run') }, id))],

  // Commands
  ['a command of one text', 'command-text', 'warning', jobWith({ command: ['torchrun train.py --epochs 3'] })],
  ['a command of one text in a Deployment', 'command-text', 'warning', (chart) => deployment(chart, {}, { command: ['serve --port 80'] })],
  ['a variable of a shell', 'command-variable', 'warning', jobWith({ command: ['torchrun', 'train.py', '--out=$CHECKPOINT_PATH'], checkpoint: Checkpoint.at('gs://b/x') })],
  ['a variable of a shell in braces, in args', 'command-variable', 'warning', jobWith({ args: ['--rank', '${RANK}'] })],
  ['two commands', 'command-shell', 'warning', jobWith({ command: ['torchrun', 'a.py', '&&', 'torchrun', 'b.py'] })],
  ['a pipe', 'command-shell', 'warning', jobWith({ command: ['torchrun', 'a.py', '|', 'tee', 'log'] })],
  ['a redirection', 'command-shell', 'warning', jobWith({ command: ['torchrun', 'a.py', '>', 'log'] })],
  ['a home folder', 'command-shell', 'warning', jobWith({ command: ['torchrun', '~/a.py'] })],
  ['a variable of a shell in a hook', 'command-variable', 'warning', jobWith({ hooks: { onExit: { command: ['rm', '-r', '${SCRATCH}'] } } })],
  ['torchrun for other nodes', 'torchrun-nodes', 'error', jobWith({ command: ['torchrun', '--nnodes=3', 'train.py'] })],
  ['torchrun for other nodes, by a shell', 'torchrun-nodes', 'error', jobWith({ command: ['bash', '-c', 'torchrun --nnodes 3 train.py'] })],
  ['torchrun with idle GPUs', 'torchrun-processes', 'warning', jobWith({ ...gpus(8), command: ['torchrun', '--nproc_per_node=4', 'train.py'] })],
  ['torchrun with more processes than GPUs', 'torchrun-processes', 'error', jobWith({ ...gpus(4), command: ['python3', '-m', 'torch.distributed.run', '--nproc-per-node', '8', 'train.py'] })],
  ['more processes than GPUs by the property', 'torchrun-processes', 'error', jobWith({ ...gpus(8), framework: Framework.pytorch({ nprocPerNode: ProcessesPerNode.of(16) }) })],
  ['a program of one process on 8 GPUs', 'launcher-missing', 'warning', jobWith({ ...gpus(8), command: ['python3', 'train.py'] })],

  // Images, folders, volumes, ports
  ['an image without a tag', 'image-tag', 'warning', jobWith({ image: 'pytorch/pytorch' })],
  ['an image of the tag latest', 'image-tag', 'warning', jobWith({ image: 'registry.example:5000/x:latest' })],
  ['an image in capitals', 'image-name', 'error', jobWith({ image: 'gcr.io/Project/Image:1' })],
  ['an image in capitals in a CronJob', 'image-name', 'error', (chart) => api(chart, 'batch/v1', 'CronJob', 'nightly', {
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: pod({ restartPolicy: 'Never' }, { image: 'registry.example/Web:1' }) } } },
  })],
  ['a relative working directory', 'working-dir', 'error', jobWith({ workingDir: 'relative/dir' })],
  ['a mount of a volume that is not there', 'volume-missing', 'error', jobWith(template({ volumeMounts: [{ name: 'nope', mountPath: '/x' }] }))],
  ['a mount of a volume that is not there in a Job', 'volume-missing', 'error', (chart) => api(chart, 'batch/v1', 'Job', 'once', {
    spec: { template: pod({ restartPolicy: 'Never' }, { volumeMounts: [{ name: 'nope', mountPath: '/x' }] }) },
  })],
  ['a path that is mounted twice', 'mount-path', 'error', (chart) => deployment(chart, { volumes: [{ name: 'a', emptyDir: {} }, { name: 'b', emptyDir: {} }] }, {
    volumeMounts: [{ name: 'a', mountPath: '/x' }, { name: 'b', mountPath: '/x' }],
  })],
  ['a port that is given twice', 'port-duplicate', 'error', jobWith(template({ ports: [{ containerPort: 6006 }, { containerPort: 6006 }] }))],
  ['a probe of a port that is not there', 'probe-port', 'error', jobWith(template({ ports: [{ name: 'http', containerPort: 80 }], livenessProbe: { httpGet: { port: 'htp', path: '/' } } }))],
  ['a probe of a port that is not there in a Deployment', 'probe-port', 'error', (chart) => deployment(chart, {}, { readinessProbe: { tcpSocket: { port: 'web' } } })],
  ['a variable that is given twice', 'env-duplicate', 'warning', (chart) => deployment(chart, {}, { env: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }] })],
  ['a Job whose pods never end', 'pod-restart-policy', 'error', (chart) => api(chart, 'batch/v1', 'Job', 'once', { spec: { template: pod({ restartPolicy: 'Always' }) } })],
  ['a Job without a restart policy', 'pod-restart-policy', 'error', (chart) => api(chart, 'batch/v1', 'Job', 'once', { spec: { template: pod({}) } })],
  ['a number in a ConfigMap', 'text-value', 'error', (chart) => api(chart, 'v1', 'ConfigMap', 'settings', { data: { epochs: 3 } })],
  ['a range upside down', 'replica-range', 'error', (chart) => api(chart, 'serving.kserve.io/v1beta1', 'InferenceService', 'iris', {
    spec: { predictor: { minReplicas: 5, maxReplicas: 2, model: { modelFormat: { name: 'sklearn' }, storageUri: 'gs://models/iris' } } },
  })],
  ['an autoscaler upside down', 'replica-range', 'error', (chart) => api(chart, 'autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
    spec: { minReplicas: 4, maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  })],

  // Resources and machines
  ['a request above its limit', 'request-over-limit', 'error', (chart) => deployment(chart, {}, { resources: { requests: { cpu: '4' }, limits: { cpu: '2' } } })],
  ['more cpu than a machine has', 'machine-room', 'error', jobWith({ ...gpus(1, { cpu: kplus.Cpu.units(200) }), scheduling: { nodeSelector: { [H100]: 'nvidia-l4' } } })],
  ['more memory than a machine has', 'machine-room', 'error', jobWith({
    resources: { memory: Size.gibibytes(960), cpu: kplus.Cpu.units(8) }, accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24').count(2),
  })],
  ['a whole machine', 'machine-room', 'warning', jobWith({
    resources: { cpu: kplus.Cpu.units(208), memory: Size.gibibytes(1872) }, accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g').count(8),
  })],
  ['a whole machine in a Deployment', 'machine-room', 'warning', (chart) => deployment(chart, { nodeSelector: { [INSTANCE]: 'g2-standard-24', [H100]: 'nvidia-l4' } }, {
    resources: { requests: { cpu: '24', memory: '96Gi' }, limits: { 'nvidia.com/gpu': '2' } },
  })],
  ['MiB instead of GiB', 'gpu-memory', 'warning', jobWith(gpus(8, { memory: Size.mebibytes(8) }))],
  ['thousandths of a core', 'gpu-memory', 'warning', jobWith(gpus(8, { cpu: kplus.Cpu.millis(8) }))],
  ['no resources at all', 'resources-missing', 'warning', jobWith({ resources: undefined })],
  ['TPU chips without a type and a topology', 'tpu-selectors', 'warning', jobWith({ framework: Framework.jax(), resources: { tpu: Tpu.chips(4) } })],
  ['an incomplete slice in a Job', 'tpu-hosts', 'error', (chart) => api(chart, 'batch/v1', 'Job', 'once', { spec: { backoffLimit: 0, template: tpuPod({ restartPolicy: 'Never' }) } })],
  ['an incomplete slice in a JAXJob', 'tpu-hosts', 'error', (chart) => api(chart, 'kubeflow.org/v1', 'JAXJob', 'train', {
    spec: { jaxReplicaSpecs: { Worker: { replicas: 3, template: tpuPod({}) } } },
  })],
  ['an incomplete slice in a RayCluster', 'tpu-hosts', 'error', (chart) => api(chart, 'ray.io/v1', 'RayCluster', 'serve', {
    spec: { headGroupSpec: { rayStartParams: {}, template: pod({}) }, workerGroupSpecs: [{ groupName: 'tpu', replicas: 1, rayStartParams: {}, template: tpuPod({}) }] },
  })],

  // Memory
  ['a partition of a GPU without shared memory', 'shared-memory', 'warning', jobWith({ resources: { ...LEAST.resources, gpu: Gpu.mig('1g.10gb', 1) } })],
  ['a share of a GPU without shared memory', 'shared-memory', 'warning', jobWith({ accelerator: Accelerator.NVIDIA_L4.shared(GpuSharing.timeSharing(4)).count(1) })],
  ['shared memory without memory', 'shared-memory', 'warning', jobWith({ resources: { gpu: Gpu.nvidia(1), sharedMemory: Size.gibibytes(8) } })],
  ['PyTorch on GPUs in a Job without shared memory', 'shared-memory', 'warning', (chart) => api(chart, 'batch/v1', 'Job', 'once', { spec: { template: pod({ restartPolicy: 'Never' }, TORCHRUN) } })],
  ['PyTorch on a partition by a shell', 'shared-memory', 'warning', (chart) => deployment(chart, {}, {
    command: ['bash', '-c', 'exec torchrun train.py'], resources: { limits: { 'nvidia.com/mig-1g.10gb': '1' } },
  })],
  ['a PyTorchJob on GPUs without shared memory', 'shared-memory', 'warning', (chart) => api(chart, 'kubeflow.org/v1', 'PyTorchJob', 'train', {
    spec: { pytorchReplicaSpecs: { Master: { replicas: 1, template: pod({}, { ...TORCHRUN, command: ['python3', 'train.py'] }) } } },
  })],
  ['a volume in memory above the memory of its container', 'shared-memory', 'warning', (chart) => deployment(chart, inMemory({ sizeLimit: '16Gi' }), {
    volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }], resources: { limits: { memory: '8Gi' } },
  })],
  ['a volume in memory without any limit', 'shared-memory', 'warning', (chart) => deployment(chart, inMemory({}), { volumeMounts: [{ name: 'shm', mountPath: '/cache' }] })],
  ['an object that kubectl cannot keep in its annotation', 'object-size', 'error', (chart) => api(chart, 'v1', 'ConfigMap', 'large', { data: { text: 'x'.repeat(263_000) } })],
  ['the same in letters of several bytes', 'object-size', 'error', (chart) => api(chart, 'v1', 'ConfigMap', 'large', { data: { text: '\u00e9'.repeat(132_000) } })],
  ['annotations that leave no room for the object', 'object-size', 'error', (chart) => new ApiObject(chart, 'Large', {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', annotations: { note: 'x'.repeat(100_000) } }, data: { text: 'x'.repeat(100_000) },
  })],

  // Tokens
  ['a token in a Secret that would be committed', 'token-in-secret', 'warning', (chart) => secret(chart, 'hub', { stringData: { token: TOKEN } })],
  ['the same in base64', 'token-in-secret', 'warning', (chart) => api(chart, 'v1', 'Secret', 'hub', { data: { token: Buffer.from(TOKEN).toString('base64') } })],
  ['a token in a variable of a Deployment', 'token-in-manifest', 'error', (chart) => deployment(chart, {}, { env: [{ name: 'HF_TOKEN', value: TOKEN }] })],
  ['a token in a ConfigMap', 'token-in-manifest', 'error', (chart) => api(chart, 'v1', 'ConfigMap', 'settings', { data: { 'login.sh': `login ${TOKEN}` } })],
  ['a token in an annotation of a queue', 'token-in-manifest', 'error', (chart) => (
    new LocalQueue(chart, 'Queue', { metadata: { name: 'gpus', annotations: { note: TOKEN } }, clusterQueue: ClusterQueue.fromClusterQueueName('all') }))],

  // Checkpoints and times
  ['checkpoints in the container', 'checkpoint-volume', 'warning', jobWith({ checkpoint: Checkpoint.at('/checkpoints') })],
  ...[Engine.trainer(), Engine.trainingOperatorV1(), Engine.jobSet(), Engine.job(), Engine.volcano(), Engine.ray(), Engine.spark()].map((engine) => (
    [`checkpoints in the container, on ${engine.name}`, 'checkpoint-volume', 'warning', jobWith({ engine, checkpoint: Checkpoint.at('/checkpoints') })] as const)),
  ['checkpoints in a volume that ends with the pod', 'checkpoint-volume', 'warning', (chart) => job(chart, {
    checkpoint: Checkpoint.at('/checkpoints'), volumeMounts: [{ path: '/checkpoints', volume: kplus.Volume.fromEmptyDir(chart, 'Scratch', 'scratch') }],
  })],
  ['a relative place', 'checkpoint-path', 'error', jobWith({ checkpoint: Checkpoint.at('checkpoints') })],
  ['a URL with one slash', 'checkpoint-path', 'error', jobWith({ checkpoint: Checkpoint.at('gs:/bucket/x') })],
  ['spot nodes without checkpoints', 'spot-checkpoint', 'warning', jobWith({ scheduling: SPOT, runPolicy: { restartPolicy: RestartPolicy.NEVER } })],
  ['a grace period beyond the deadline', 'time-limits', 'warning', jobWith({
    checkpoint: Checkpoint.at('gs://b/x', { gracePeriod: Duration.minutes(10) }), runPolicy: { activeDeadline: Duration.minutes(5) },
  })],
  ['a time to start beyond the deadline', 'time-limits', 'warning', jobWith({ runPolicy: { activeDeadline: Duration.seconds(1), startTimeout: Duration.hours(1) } })],
  ['a stall beyond the deadline', 'time-limits', 'warning', jobWith({ runPolicy: { activeDeadline: Duration.minutes(10), stall: { timeout: Duration.hours(2) } } })],
  ['a job that is deleted at once', 'ttl-short', 'warning', jobWith({ runPolicy: { ttlAfterFinished: Duration.seconds(1) } })],
  ['a job in a namespace that takes restricted pods only', 'pod-security', 'error', (chart) => {
    new Team(chart, 'Team', { name: 'strict', members: { users: ['ada'] }, podSecurity: PodSecurityLevel.RESTRICTED });
    job(chart, { metadata: { namespace: 'strict' } });
  }],
  ['a large job without a gang', 'gang-missing', 'warning', jobWith({ ...gpus(8), replicas: 64 })],
];

/** What is right, or cannot be known to be wrong. */
const RIGHT: readonly (readonly [what: string, program: Program])[] = [
  ['a restricted job in a namespace that takes no others', (chart) => {
    const { namespaceName: namespace } = new Team(chart, 'Team', { name: 'strict', members: { users: ['ada'] }, podSecurity: PodSecurityLevel.RESTRICTED });
    job(chart, { metadata: { namespace }, security: { restricted: true, runAsUser: 1000 } });
  }],
  ['a job in a namespace that only warns', (chart) => job(chart, { metadata: { namespace: new Team(chart, 'Team', { name: 'easy', members: { users: ['ada'] } }).namespaceName } })],
  ['a job', jobWith({})],
  ['a Secret of its namespace', (chart) => job(chart, { env: { T: kplus.EnvValue.fromSecretValue({ secret: secret(chart, 'tok', { stringData: { token: 'x' } }), key: 'token' }) } })],
  ['a Secret that somebody else fills', (chart) => job(chart, { env: { T: kplus.EnvValue.fromSecretValue({ secret: secret(chart, 'tok'), key: 'token' }) } })],
  ['a Secret of the cluster', (chart) => job(chart, {
    env: { T: kplus.EnvValue.fromSecretValue({ secret: kplus.Secret.fromSecretName(chart, 'S', 'does-not-exist'), key: 'x' }) },
  })],
  ['a Secret with no token that is known', (chart) => secret(chart, 'tok', { stringData: { token: 'example' } })],
  ['a text that is declared to be no token', (chart) => new ApiObject(chart, 'Settings', {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', annotations: { 'ml.collabnix.io/not-secret': 'revision' } }, data: { revision: TOKEN },
  })],
  ['a service account of the cluster', (chart) => job(chart, { serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'SA', 'nobody') })],
  ['a claim for one node under one replica', (chart) => job(chart, { replicas: 1, checkpoint: Checkpoint.onClaim(claim(chart, 'runs', READ_WRITE_ONCE)) })],
  ['a shared claim under many', (chart) => job(chart, { replicas: 4, checkpoint: Checkpoint.onClaim(claim(chart, 'runs', READ_WRITE_MANY)) })],
  ['two jobs on one claim', (chart) => {
    const runs = claim(chart, 'runs', READ_WRITE_MANY);
    ['A', 'B'].forEach((id) => job(chart, { checkpoint: Checkpoint.onClaim(runs) }, id));
  }],
  ['two jobs in one bucket', (chart) => ['a', 'b'].forEach((id) => job(chart, { checkpoint: Checkpoint.at(`gs://bucket/${id}`) }, id))],
  ['a pull secret', (chart) => job(chart, { imagePullSecrets: [secret(chart, 'pull', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } })] })],
  ['a queue of the program', (chart) => {
    queues(chart);
    job(chart, { scheduling: { queueName: 'gpus' } });
  }],
  ['a queue of the cluster', jobWith({ scheduling: { queueName: 'gpus' } })],
  ['a priority class of the program', (chart) => {
    api(chart, 'scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 5 });
    job(chart, { scheduling: { priorityClassName: 'high' } });
  }],
  ['a shell', jobWith({ command: ['sh', '-c', 'torchrun train.py --out=$CHECKPOINT_PATH && echo ${RANK} > ~/log'] })],
  ['a variable of Kubernetes', jobWith({ command: ['torchrun', 'train.py', '--out=$(CHECKPOINT_PATH)', '--price=$$5', '--cost=5$'], checkpoint: Checkpoint.at('gs://b/x') })],
  ['arguments with spaces', jobWith({ command: ['torchrun', 'train.py', '--name', 'my first run'] })],
  ['torchrun with its flags', jobWith({ ...gpus(8), command: ['torchrun', '--nnodes=2', '--nproc_per_node=8', 'train.py'] })],
  ['another launcher', jobWith({ ...gpus(8), command: ['accelerate', 'launch', 'train.py'] })],
  ['another launcher, as a module', jobWith({ ...gpus(8), command: ['python3', '-m', 'accelerate.commands.launch', 'train.py'] })],
  ['an image by its digest', jobWith({ image: `registry.example:5000/team/x@sha256:${'a'.repeat(64)}` })],
  ['an image of a host with capitals', jobWith({ image: 'Registry.Example/team/x_y.z:V1-a' })],
  ['checkpoints on a volume of the program', (chart) => job(chart, {
    checkpoint: Checkpoint.at('/data/run-1'), volumeMounts: [{ path: '/data', volume: kplus.Volume.fromPersistentVolumeClaim(chart, 'Data', claim(chart, 'data', READ_WRITE_MANY)) }],
  })],
  ['spot nodes with checkpoints', jobWith({ scheduling: SPOT, checkpoint: Checkpoint.at('gs://b/x') })],
  ['part of a machine', jobWith({ resources: { cpu: kplus.Cpu.units(20), memory: Size.gibibytes(80) }, accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24').count(2) })],
  ['times in order', jobWith({ runPolicy: { activeDeadline: Duration.hours(10), startTimeout: Duration.minutes(10), stall: { timeout: Duration.hours(1) }, ttlAfterFinished: Duration.hours(1) } })],
  ['a large job with a gang', jobWith({ ...gpus(8), replicas: 64, scheduling: { gang: Gang.volcano() } })],
  ['a partition with shared memory', jobWith({ resources: { ...LEAST.resources, gpu: Gpu.mig('1g.10gb', 1), sharedMemory: Size.gibibytes(4) } })],
  ['a partition that needs none', jobWith({ resources: { ...LEAST.resources, gpu: Gpu.mig('1g.10gb', 1), sharedMemory: Size.kibibytes(0) } })],
  ['a partition for JAX', jobWith({ framework: Framework.jax(), command: ['python3', 'train.py'], resources: { ...LEAST.resources, gpu: Gpu.mig('1g.10gb', 1) } })],
  ['a GPU, with which shared memory comes', jobWith(gpus(1))],
  ['the same on JobSet', jobWith({ ...gpus(1), engine: Engine.jobSet() })],
  ['PyTorch on GPUs in a Job with shared memory', (chart) => api(chart, 'batch/v1', 'Job', 'once', {
    spec: { template: pod({ restartPolicy: 'Never', ...inMemory({ sizeLimit: '8Gi' }) }, { ...TORCHRUN, volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] }) },
  })],
  ['PyTorch on GPUs with the shared memory of the node', (chart) => api(chart, 'batch/v1', 'Job', 'once', { spec: { template: pod({ restartPolicy: 'Never', hostIPC: true }, TORCHRUN) } })],
  ['another program on a GPU', (chart) => deployment(chart, {}, { command: ['serve'], resources: { limits: { 'nvidia.com/gpu': '1' } } })],
  ['a volume in memory that only an init container fills', (chart) => deployment(chart, inMemory({ sizeLimit: '1Mi' }))],
  ['a large object that can be applied', (chart) => api(chart, 'v1', 'ConfigMap', 'large', { data: { text: 'x'.repeat(261_000) } })],
  ['an object that Argo CD applies on the server', (chart) => new ApiObject(chart, 'Large', {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', annotations: { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' } }, data: { text: 'x'.repeat(300_000) },
  })],
  ['an object that was applied before, as the cluster gives it', (chart) => new ApiObject(chart, 'Large', {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(100_000) } }, data: { text: 'x'.repeat(100_000) },
  })],
  ['complete slices in a JAXJob and in a RayCluster', (chart) => {
    api(chart, 'kubeflow.org/v1', 'JAXJob', 'train', { spec: { jaxReplicaSpecs: { Worker: { replicas: 8, template: tpuPod({}) } } } });
    api(chart, 'ray.io/v1', 'RayCluster', 'serve', { spec: {
      headGroupSpec: { rayStartParams: {}, template: pod({}) }, workerGroupSpecs: [{ groupName: 'tpu', replicas: 2, numOfHosts: 4, rayStartParams: {}, template: tpuPod({}) }],
    } });
  }],
  ['a search by Katib, whose placeholders are no variables of a shell', (chart) => api(chart, 'kubeflow.org/v1beta1', 'Experiment', 'tuned', experiment({}))],
  ['a StatefulSet with volumes of its own', (chart) => api(chart, 'apps/v1', 'StatefulSet', 'db', {
    spec: {
      serviceName: 'db', selector: { matchLabels: { app: 'db' } }, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }],
      template: { metadata: { labels: { app: 'db' } }, ...pod({}, { volumeMounts: [{ name: 'data', mountPath: '/data' }] }) },
    },
  })],
  ['a Service of a port by its number', (chart) => {
    deployment(chart, {}, { ports: [{ name: 'http', containerPort: 80 }] });
    api(chart, 'v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }, { port: 81, targetPort: 8080 }] } });
  }],
];

/** A program with our own constructs in it, so that it is checked. */
function programOf(program: Program): { readonly app: App; readonly findings: readonly ProgramFinding[] } {
  const app = new App();
  program(new Chart(app, 'c', { namespace: 'ml' }));
  return { app, findings: ProgramChecks.of(app).findings() };
}

/** What `trainyard validate` finds in manifests, by its ids. */
function idsInYaml(objects: readonly object[]): string[] {
  const { objects: located } = readManifestText(objects.map((object) => stringify(object)).join('---\n'), 'all.yaml');
  const sources = { objects: located.map((one) => ({ located: one, file: 'all.yaml', place: 'all.yaml', hasText: true })), diagnostics: [], warnings: [] };
  const { diagnostics, warnings } = validateSources(sources, { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED });
  return [...diagnostics, ...warnings].flatMap(({ id }) => (id === undefined ? [] : [id]));
}

function manifests(app: App, acknowledged: boolean): object[] {
  return app.charts.flatMap((chart) => chart.toJson() as { metadata: { annotations?: { [name: string]: string } } }[]).map((object) => {
    const copy = structuredClone(object);
    if (!acknowledged && copy.metadata.annotations !== undefined) {
      delete copy.metadata.annotations[ACKNOWLEDGED_ANNOTATION];
    }
    return copy;
  });
}

test('there are 60 mistakes and 20 programs that are right, or more', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
  expect(RIGHT.length).toBeGreaterThanOrEqual(20);
});

describe('is found at synth and in YAML, and can be acknowledged:', () => {
  test.each(MISTAKES)('%s', (_what, rule, severity, program) => {
    const { app, findings } = programOf(program);
    const found = findings.filter(({ finding }) => finding.rule === rule);
    expect(found.map(({ finding }) => finding.severity)).toContain(severity);
    expect(new Set(found.map(({ construct, finding }) => `${construct.node.path} ${finding.path} ${finding.message}`)).size).toBe(found.length);
    if (severity === 'error') {
      expect(() => app.synthYaml()).toThrow(`[${rule}]`);
    } else {
      expect(Warnings.of(app).list.join('\n')).toContain(`[${rule}]`);
    }
    // Of other mistakes in the same program nothing is said here.
    [rule, ...findings.filter(({ finding }) => finding.severity === 'error').map(({ finding }) => finding.rule)].forEach((id) => Warnings.of(app).acknowledge(id));
    expect(Warnings.of(app).list.join('\n')).not.toContain(`[${rule}]`);
    // Of an engine's own job, `validate` knows what its pods are, and not which job they are of.
    const isOperators = manifests(app, true).every(({ kind }: { kind?: string }) => !['TrainJob', 'PyTorchJob', 'JobSet', 'RayJob', 'SparkApplication'].includes(kind!));
    if (isOperators && !(rule === 'checkpoint-volume' && manifests(app, true).every(({ kind }: { kind?: string }) => kind !== 'MLTrainingJob'))) {
      expect(idsInYaml(manifests(app, false))).toContain(rule);
    }
    expect(idsInYaml(manifests(app, true))).not.toContain(rule);
  });
});

describe('nothing is said of', () => {
  test.each(RIGHT)('%s', (_what, program) => {
    const { app, findings } = programOf(program);
    expect(findings.map(({ finding }) => `${finding.rule}: ${finding.path}: ${finding.message}`)).toEqual([]);
    // cdk8s gives every object the chart's namespace, also those of the cluster.
    expect(idsInYaml(manifests(app, true)).filter((id) => id !== 'cluster-scope')).toEqual([]);
  });
});
