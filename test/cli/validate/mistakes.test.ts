/** Mistakes that people make, each with the place, the value, the rule and the fix that it is told with. */
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { WIDGET_CRD, widget } from './widget-crd';
import { Definitions } from '../../../src/cli/crd/definitions';
import type { Diagnostic, RuleId } from '../../../src/cli/validate/diagnostic';
import { readSources } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { HUGGING_FACE_TOKEN, WANDB_KEY } from '../../model/secrets/sample-tokens';

const root = temporaryFolder();
const crds = path.join(root, 'crds.json');

beforeAll(() => fs.writeFileSync(crds, JSON.stringify(WIDGET_CRD)));

function diagnose(text: string): readonly Diagnostic[] {
  return validateSources(readSources(['-'], () => text), { engine: OPERATOR_ENGINE, definitions: Definitions.read([crds]) }).diagnostics;
}

/** What is wrong, the manifest, the field, its value, and words of the message: the rule and the fix. */
type Mistake = readonly [what: string, manifest: object | string, path: string | undefined, value: unknown, ...words: string[]];

const job = (spec: object, metadata: object = {}) => ({
  apiVersion: 'ml.collabnix.io/v1alpha1',
  kind: 'MLTrainingJob',
  metadata: { name: 'train', ...metadata },
  spec: { framework: 'pytorch', image: 'image:1', replicas: 2, ...spec },
});
const roles = (framework: string, ...list: object[]) => job({ framework, replicas: undefined, roles: list });
const pod = (spec: object) => job({ template: { spec } });
const ACCELERATOR = "spec.scheduling.nodeSelector['cloud.google.com/gke-accelerator']";
const slice = (topology: string) => ({ 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': topology });
const select = (nodeSelector: object, resources: object = { gpu: 1 }) => job({ framework: 'jax', resources, scheduling: { nodeSelector } });
const QUEUED_VOLUME = { tolerations: [{ key: 'cloud.google.com/gke-queued', operator: 'Exists' }], volumes: [{ name: 'scratch', ephemeral: {} }] };
const plainJob = (nodeSelector: object, limits: object, spec: object = {}, pod: object = {}) => ({
  apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'train' }, spec: { ...spec, template: { spec: { ...pod, nodeSelector, restartPolicy: 'Never', containers: [{ name: 'train', image: 'i', resources: { limits } }] } } },
});
const deployment = (container: object, annotations: object = {}) => ({
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'serve', annotations }, spec: { selector: {}, template: { spec: { containers: [{ name: 'c', image: 'i', ...container }] } } },
});
const configMap = (metadata: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });
const storageClass = (provisioner: string, parameters: object) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'shared' }, provisioner, parameters });
const FILESTORE = 'filestore.csi.storage.gke.io';
const LUSTRE = 'lustre.csi.storage.gke.io';
const BUCKET = { name: 'b', csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeAttributes: { bucketName: 'b' } } };
const claim = (storage: string, more: object = { storageClassName: 'shared' }) => ({
  apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'runs' }, spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage } }, ...more },
});
const together = (...objects: object[]) => objects.map((object) => stringify(object)).join('---\n');
const bucketPod = (spec: object = {}, annotations: object = {}) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations }, spec: { ...spec, volumes: [BUCKET], containers: [{ name: 'c', image: 'i' }] },
});
const FUSE = { 'gke-gcsfuse/volumes': 'true' };
const bucketVolume = {
  apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'bucket' },
  spec: { accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' }, csi: { driver: 'gcsfuse.csi.storage.gke.io', volumeHandle: 'b' } },
};
const search = (fields: object) => job({ autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } }, ...fields } });

const MISTAKES: { readonly [rule in Exclude<RuleId, 'synth' | 'mistake' | 'reference'>]: readonly Mistake[] } = {
  'yaml': [
    ['a tab in front of a field', 'kind: Pod\nmetadata:\n\tname: x\n', undefined, undefined, 'line 3 is not valid YAML', 'Tabs'],
    ['a field twice', 'kind: Pod\nkind: Job\n', undefined, undefined, 'line 2 is not valid YAML', 'Map keys must be unique'],
    ['a manifest that was copied without its indentation', 'apiVersion: v1\nkind: Pod\nmetadata:\nname: x\nspec:\ncontainers:\n- name: y\n', undefined, undefined, 'indentation', 'Indent'],
    ['the same with a field twice', 'apiVersion: v1\nkind: Pod\nmetadata:\nname: x\nspec:\nname: y\n', undefined, undefined, 'indentation', 'Indent'],
    ['a bracket that is not closed', 'metadata: { name: x\n', undefined, undefined, 'is not valid YAML'],
    ['a text and no object', 'just a text\n', undefined, undefined, 'the string "just a text"', 'apiVersion, kind and metadata'],
    ['a list of objects without a List', '- kind: Pod\n', undefined, undefined, 'this is a list', 'apiVersion, kind and metadata'],
  ],
  'kind': [
    ['no kind', { apiVersion: 'v1', metadata: { name: 'x' } }, 'kind', undefined, 'is required', 'such as MLTrainingJob'],
    ['no apiVersion', { kind: 'Deployment', metadata: { name: 'x' } }, 'apiVersion', undefined, 'is required', 'Deployment is of apps/v1: add it'],
    ['a slip in a kind of Kubernetes', { apiVersion: 'v1', kind: 'ConfigMpa', metadata: { name: 'x' } }, 'kind', 'ConfigMpa', 'is not a kind of v1', "Did you mean 'ConfigMap'?"],
    ['a slip in our kind', { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTraningJob', metadata: { name: 'x' } }, 'kind', 'MLTraningJob',
      'is not a kind of ml.collabnix.io/v1alpha1', "Did you mean 'MLTrainingJob'?"],
    ['a slip in a kind that a definition has', { apiVersion: 'test.trainyard.dev/v1', kind: 'Wigdet', metadata: { name: 'x' } }, 'kind', 'Wigdet', "Did you mean 'Widget'?"],
    ['a slip in our group', { apiVersion: 'ml.colabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'x' } }, 'apiVersion', 'ml.colabnix.io/v1alpha1',
      'does not contain MLTrainingJob; did you mean ml.collabnix.io/v1alpha1'],
    ['another version of our group', { apiVersion: 'ml.collabnix.io/v1', kind: 'MLTrainingJob', metadata: { name: 'x' } }, 'apiVersion', 'ml.collabnix.io/v1',
      'did you mean ml.collabnix.io/v1alpha1?'],
    ['a group that was left out', { apiVersion: 'v1', kind: 'Deployment', metadata: { name: 'x' } }, 'apiVersion', 'v1', 'does not contain Deployment; did you mean apps/v1'],
    ['a slip in a kind of another system', { apiVersion: 'serving.kserve.io/v1beta1', kind: 'InferenceServices', metadata: { name: 'x' } }, 'kind', 'InferenceServices',
      'is not a kind of serving.kserve.io/v1beta1', "Did you mean 'InferenceService'?"],
    ['a version that another system does not have', { apiVersion: 'kubeflow.org/v11', kind: 'Notebook', metadata: { name: 'x' } }, 'apiVersion', 'kubeflow.org/v11',
      'does not contain Notebook in kubeflow-manifests', 'did you mean kubeflow.org/v1 or', '(--crds)'],
    ['a slip in a group of another system', { apiVersion: 'servng.kserve.io/v1beta1', kind: 'InferenceService', metadata: { name: 'x' } }, 'apiVersion', 'servng.kserve.io/v1beta1',
      'did you mean serving.kserve.io/v1beta1?'],
    ['a version that is gone', { apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { name: 'x' } }, 'apiVersion', 'batch/v1beta1', 'did you mean batch/v1'],
    ['a version that a definition does not serve', { apiVersion: 'test.trainyard.dev/v1alpha1', kind: 'Widget', metadata: { name: 'x' } }, 'apiVersion',
      'test.trainyard.dev/v1alpha1', 'is not a version of Widget', 'Use test.trainyard.dev/v1'],
  ],
  'metadata': [
    ['no metadata', { apiVersion: 'v1', kind: 'ConfigMap' }, 'metadata', undefined, 'is required', 'metadata: { name: my-job }'],
    ['no name', configMap({}), 'metadata.name', undefined, 'is required', 'Add a name'],
    ['a name with capitals', configMap({ name: 'MyMap' }), 'metadata.name', 'MyMap', 'lower-case letters', 'Rename it'],
    ['a name that is a number', configMap({ name: 12 }), 'metadata.name', 12, 'must be a string', 'Put it in quotes: "12"'],
    ['a slip in a field', configMap({ name: 'x', lables: { a: 'b' } }), 'metadata.lables', { a: 'b' }, 'is not a field of metadata', "Did you mean 'labels'?"],
    ['a namespace with dots', configMap({ name: 'x', namespace: 'a.b' }), 'metadata.namespace', 'a.b', 'at most 63 lower-case letters'],
    ['a label that is a sentence', configMap({ name: 'x', labels: { note: 'two words' } }), 'metadata.labels.note', 'two words', 'at most 63 letters', 'Move longer texts to an annotation'],
    ['a label that is true', configMap({ name: 'x', labels: { spot: true } }), 'metadata.labels.spot', true, 'must be a string', 'Put it in quotes: "true"'],
    ['a label whose key has two slashes', configMap({ name: 'x', labels: { 'a/b/c': 'd' } }), "metadata.labels['a/b/c']", 'd', 'has a key that is not valid', 'Rename it'],
    ['an annotation that is a number', configMap({ name: 'x', annotations: { cost: 3 } }), 'metadata.annotations.cost', 3, 'Put it in quotes: "3"'],
  ],
  'duplicate': [
    ['an object twice', [configMap({ name: 'x' }), configMap({ name: 'x' })].map((object) => stringify(object)).join('---\n'), 'metadata.name', 'x',
      'ConfigMap x is already in -, line 4', 'the last one applied would win', 'Rename or remove one'],
  ],
  'training-job': [
    ['no spec', { ...job({}), spec: undefined }, 'spec', undefined, 'is required', 'framework, image and replicas'],
    ['a name that leaves no room for services', job({}, { name: 'n'.repeat(60) }), 'metadata.name', 'n'.repeat(60), 'Use at most 56 characters'],
    ['no framework', job({ framework: undefined }), 'spec.framework', undefined, 'is required', 'one of pytorch'],
    ['a slip in the framework', job({ framework: 'pytroch' }), 'spec.framework', 'pytroch', 'must be one of', "Did you mean 'pytorch'?"],
    ['no image', job({ image: undefined }), 'spec.image', undefined, 'is required', 'the image of the training container'],
    ['an image with a space', job({ image: 'my image' }), 'spec.image', 'my image', 'without spaces'],
    ['neither replicas nor roles', job({ replicas: undefined }), 'spec.replicas', undefined, 'is required', "set 'replicas' (short form) or 'roles'"],
    ['replicas and roles', job({ roles: [{ name: 'worker' }] }), 'spec.replicas', 2, "cannot be combined with 'roles'", 'Remove one of the two'],
    ['replicas as text', job({ replicas: '4' }), 'spec.replicas', '4', 'must be a whole number from 1 to 10000'],
    ['no replicas at all', job({ replicas: 0 }), 'spec.replicas', 0, 'must be a whole number from 1 to 10000'],
    ['a command that is one text', job({ command: 'python3 train.py' }), 'spec.command', 'python3 train.py', 'must be a list'],
    ['a slip in a field', job({ resource: { gpu: 1 } }), 'spec.resource', { gpu: 1 }, 'is not a field of a training job', "Did you mean 'resources'?"],
    ['a field that is empty', job({ args: null }), 'spec.args', null, 'must be a list', 'remove the field or give it a value'],
    ['half a GPU', job({ resources: { gpu: 0.5 } }), 'spec.resources.gpu', 0.5, 'whole number of devices', 'gpuResourceName (MIG)'],
    ['GPUs and TPUs', job({ resources: { gpu: 1, tpu: 4 } }), 'spec.resources.tpu', 4, 'no node has both', 'Remove one of the two'],
    ['memory with a unit that is none', job({ resources: { memory: '16GB' } }), 'spec.resources.memory', '16GB', 'must be a quantity such as "16Gi"'],
    ['memory in thousandths of a byte', job({ resources: { memory: '100m' } }), 'spec.resources.memory', '100m', 'thousandths of a byte', "Did you mean 'M' or 'Mi'?"],
    ['more shared memory than memory', job({ resources: { memory: '1Gi', sharedMemory: '2Gi' } }), 'spec.resources.sharedMemory', '2Gi', 'cannot be more', 'Raise memory or lower it'],
    ['cpu as a number', job({ resources: { cpu: 4 } }), 'spec.resources.cpu', 4, 'must be a quantity such as "4" or "500m"'],
    ['cpu as an extended resource', job({ resources: { extended: { cpu: '1' } } }), 'spec.resources.extended.cpu', '1', 'has a field of its own', 'Set spec.resources.cpu'],
    ['a role that PyTorch does not know', roles('pytorch', { name: 'wroker' }), 'spec.roles[0].name', 'wroker', 'is not a role of PyTorch', "Did you mean 'worker'?"],
    ['a role twice', roles('jax', { name: 'worker' }, { name: 'worker' }), 'spec.roles[1].name', 'worker', 'is listed twice', 'Merge the two'],
    ['two masters', roles('pytorch', { name: 'master', replicas: 2 }, { name: 'worker' }), 'spec.roles[0].replicas', 2, 'must be 1', 'exactly one master'],
    ['MPI without a launcher', roles('mpi', { name: 'worker' }), 'spec.roles', ['worker'], 'is missing the role launcher', 'Add it'],
    ['a role that is always restarted and has to end', job({ runPolicy: { restartPolicy: 'Always' } }), 'spec.runPolicy.restartPolicy', 'Always', 'could never end', 'Use OnFailure'],
    ['a variable of the contract', job({ env: [{ name: 'MASTER_PORT', value: '1' }] }), "spec.env['MASTER_PORT']", '1', 'is set by the PyTorch contract', 'Set spec.port'],
    ['a variable twice', job({ env: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }] }), "spec.env['A']", '2', 'is listed twice', 'Remove one of the two'],
    ['a variable that is a number', job({ env: [{ name: 'EPOCHS', value: 3 }] }), 'spec.env[0].value', 3, 'must be a string', 'Put it in quotes: "3"'],
    ['a variable that is yes', `${stringify(job({})).trimEnd()}\n  env: [{ name: DEBUG, value: yes }]\n`, 'spec.env[0].value', true, 'Put it in quotes: "yes"', 'kubectl reads yes as true'],
    ['a hyperparameter that would overwrite a variable', job({ hyperparameters: { WORLD_SIZE: '3' } }), 'spec.hyperparameters.WORLD_SIZE', '3', 'would overwrite', 'Rename the hyperparameter'],
    ['a hyperparameter written as an octal number', `${stringify(job({})).trimEnd()}\n  hyperparameters: { MODE: 010 }\n`, 'spec.hyperparameters.MODE', 8, 'Put it in quotes: "010"', 'reads 010 as 8'],
    ['a policy that is none', job({ runPolicy: { cleanPodPolicy: 'Al' } }), 'spec.runPolicy.cleanPodPolicy', 'Al', 'must be one of None, Running, All', "Did you mean 'All'?"],
    ['a longest wait below the first', job({ runPolicy: { backoff: { initialSeconds: 60, maxSeconds: 10 } } }), 'spec.runPolicy.backoff.maxSeconds', 10,
      'at least initialSeconds (60)', 'Raise one or lower the other'],
    ['an exit code with two meanings', job({ runPolicy: { exitCodes: { retry: [3], fail: [3] } } }), 'spec.runPolicy.exitCodes.fail', 3, 'a code has one meaning', 'Remove it from one list'],
    ['success as a failure', job({ runPolicy: { exitCodes: { fail: [0] } } }), 'spec.runPolicy.exitCodes.fail[0]', 0, 'from 1 to 255', '0 is success'],
    ['a queue that no field may have', job({ scheduling: { queueName: 'Team A' } }), 'spec.scheduling.queueName', 'Team A', 'must be an object'],
    ['a priority in no queue', job({ scheduling: { queuePriorityClassName: 'high' } }), 'spec.scheduling.queuePriorityClassName', 'high', 'is for jobs in a queue', 'Set spec.scheduling.queueName'],
    ['a gang larger than the job', job({ scheduling: { gang: { scheduler: 'Volcano', minAvailable: 3 } } }), 'spec.scheduling.gang.minAvailable', 3, 'at most the number of replicas', 'Lower it'],
    ['a slip in the gang scheduler', job({ scheduling: { gang: { scheduler: 'Volcno' } } }), 'spec.scheduling.gang.scheduler', 'Volcno', "Did you mean 'Volcano'?"],
    ['an elastic range upside down', job({ elastic: { minReplicas: 4, maxReplicas: 2 } }), 'spec.elastic.maxReplicas', 2, 'at least minReplicas (4)', 'Raise it or lower minReplicas'],
    ['an elastic job of a framework that cannot', job({ framework: 'jax', elastic: { minReplicas: 1, maxReplicas: 2 } }), 'spec.elastic',
      { minReplicas: 1, maxReplicas: 2 }, 'is not possible with JAX', 'it is supported by PyTorch and Horovod', 'Remove it'],
    ['a claim without a path', job({ checkpoint: { claimName: 'data' } }), 'spec.checkpointPath', undefined, 'must be an absolute path'],
    ['root in a restricted job', job({ security: { restricted: true, runAsUser: 0 } }), 'spec.security.runAsUser', 0, 'is root', 'Use the number of another user'],
    ['addresses that are none', job({ security: { networkPolicy: { egress: 'Limited', toCidrs: ['10.8'] } } }), 'spec.security.networkPolicy.toCidrs[0]', '10.8', 'is not an address range', 'such as 10.8.0.0/16'],
    ['a search without a space', job({ autoTuning: { objective: 'loss' } }), 'spec.autoTuning.parameters', undefined, 'is required', 'the search space'],
    ['a grid without steps', search({ algorithm: 'grid' }), 'spec.autoTuning.parameters.lr', { type: 'float', min: 0.1, max: 1 }, 'too many values for a grid', 'Set a step, or list the values'],
    ['hyperband without a budget', search({ algorithm: 'hyperband' }), 'spec.autoTuning.budget', undefined, 'is required for hyperband', 'set budget.max'],
    ['a pod that restarts itself', pod({ restartPolicy: 'OnFailure' }), 'spec.template.spec.restartPolicy', 'OnFailure', 'must be Never', 'Set spec.runPolicy.restartPolicy'],
    ['a second image of the training container', pod({ containers: [{ name: 'training', image: 'x' }] }), 'spec.template.spec.containers[0].image', 'x', 'is set elsewhere', 'Set spec.image'],
    ['a sidecar without an image', pod({ containers: [{ name: 'logs' }] }), 'spec.template.spec.containers[0].image', undefined, 'is required', 'Set it, or write training'],
    ['a volume with a name of the operator\'s', pod({ volumes: [{ name: 'trainyard-x' }] }), 'spec.template.spec.volumes[0].name', 'trainyard-x', "starts with 'trainyard-'", 'Rename it'],
  ],
  'accelerator': [
    ['a slip in the name of a GPU', select({ 'cloud.google.com/gke-accelerator': 'nvidia-h100-80g' }, { gpu: 8 }), ACCELERATOR, 'nvidia-h100-80g',
      'is not a GPU type on GKE', "Did you mean 'nvidia-h100-80gb'?"],
    ['a TPU as a GPU', select({ 'cloud.google.com/gke-accelerator': 'tpu-v6e-slice' }), ACCELERATOR, 'tpu-v6e-slice', 'which nodes show in the label cloud.google.com/gke-tpu-accelerator'],
    ['a slip in a label', select({ 'cloud.google.com/gke-acelerator': 'nvidia-l4' }), "spec.scheduling.nodeSelector['cloud.google.com/gke-acelerator']", 'nvidia-l4',
      'no node has', "Did you mean 'cloud.google.com/gke-accelerator'?"],
    ['a label without its domain', select({ 'gke-accelerator': 'nvidia-l4' }), "spec.scheduling.nodeSelector['gke-accelerator']", 'nvidia-l4', "Did you mean 'cloud.google.com/gke-accelerator'?"],
    ['a label with a value that no node has', select({ 'cloud.google.com/gke-spot': 'True' }), "spec.scheduling.nodeSelector['cloud.google.com/gke-spot']", 'True', "Did you mean 'true'?"],
    ['more GPUs than a machine has', select({ 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' }, { gpu: 16 }), 'spec.resources.gpu', 16, 'no node has room', 'Use 8 and more replicas'],
    ['more GPUs than the machine has', select({ 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'node.kubernetes.io/instance-type': 'g2-standard-8' }, { gpu: 2 }), 'spec.resources.gpu', 2,
      'g2-standard-8 has 1 nvidia-l4'],
    ['a machine type with another GPU', select({ 'cloud.google.com/gke-accelerator': 'nvidia-tesla-a100', 'node.kubernetes.io/instance-type': 'a2-ultragpu-8g' }, { gpu: 8 }),
      "spec.scheduling.nodeSelector['node.kubernetes.io/instance-type']", 'a2-ultragpu-8g', 'has nvidia-a100-80gb'],
    ['two shares of a GPU', select({ 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing' }, { gpu: 2 }), 'spec.resources.gpu', 2,
      'time-sharing never gives', 'Use 1'],
    ['a strategy as the API of node pools writes it', select({ 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'cloud.google.com/gke-gpu-sharing-strategy': 'TIME_SHARING' }, { gpu: 1 }),
      "spec.scheduling.nodeSelector['cloud.google.com/gke-gpu-sharing-strategy']", 'TIME_SHARING', "Did you mean 'time-sharing'?"],
    ['a partition that the GPU has not', select({ 'cloud.google.com/gke-accelerator': 'nvidia-tesla-a100', 'cloud.google.com/gke-gpu-partition-size': '1g.10gb' }, { gpu: 1 }),
      "spec.scheduling.nodeSelector['cloud.google.com/gke-gpu-partition-size']", '1g.10gb', 'is not a partition of nvidia-tesla-a100'],
    ['a partition by the name of another plugin', select({ 'cloud.google.com/gke-accelerator': 'nvidia-tesla-a100' }, { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' }), 'spec.resources.gpu', 1,
      'Ask for nvidia.com/gpu: 1', 'gke-gpu-partition-size: 1g.5gb'],
    ['TPUs on nodes with GPUs', select({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' }, { tpu: 4 }), 'spec.resources.tpu', 4, 'nodes with GPUs, which have none'],
    ['GPUs on nodes with TPUs', select(slice('4x4'), { gpu: 4 }), 'spec.resources.gpu', 4, 'nodes with TPUs, which have none'],
    ['a slice that there is not', select(slice('4x5'), { tpu: 4 }), "spec.scheduling.nodeSelector['cloud.google.com/gke-tpu-topology']", '4x5', 'Use 4x4 (16 chips)'],
    ['chips that no host has', select(slice('4x4'), { tpu: 16 }), 'spec.resources.tpu', 16, 'hosts have 1, 4 or 8 chips'],
    ['chips that no host of the slice has', select(slice('4x4'), { tpu: 8 }), 'spec.resources.tpu', 8, 'is not a host of tpu-v6e-slice 4x4', 'Use 4'],
    ['too few replicas for a slice', select(slice('4x4'), { tpu: 4 }), 'spec.replicas', 2, '16 chips on 4 hosts of 4', 'Use 4 for one slice'],
    ['queued nodes without a toleration', select({ 'cloud.google.com/gke-queued': 'true' }), "spec.scheduling.nodeSelector['cloud.google.com/gke-queued']", 'true', 'Add a toleration'],
    ['a volume of each pod on queued nodes', plainJob({ 'cloud.google.com/gke-queued': 'true' }, {}, {}, QUEUED_VOLUME), 'spec.template.spec.volumes[0]', 'scratch', 'Use a separate claim'],
    ['too many GPUs in a pod of another kind', plainJob({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' }, { 'nvidia.com/gpu': 16 }),
      "spec.template.spec.containers[0].resources.limits['nvidia.com/gpu']", 16, 'no node has room'],
    ['an incomplete slice in a Job', plainJob(slice('4x4'), { 'google.com/tpu': 4 }, { parallelism: 3, completions: 3 }), 'spec.parallelism', 3, 'Use 4 for one slice'],
  ],
  'storage': [
    ['a tier of Filestore that is none', storageClass(FILESTORE, { tier: 'enterprize' }), 'parameters.tier', 'enterprize', 'is not a tier', "Did you mean 'enterprise'?"],
    ['NFS 4.1 of a basic tier', storageClass(FILESTORE, { tier: 'standard', protocol: 'NFS_V4_1' }), 'parameters.protocol', 'NFS_V4_1', 'is not available in the tier', 'Use NFS_V3'],
    ['shares of a size that there is not', storageClass(FILESTORE, { 'tier': 'enterprise', 'multishare': 'true', 'max-volume-size': '100Gi' }), "parameters['max-volume-size']", '100Gi', '128, 256, 512 or 1024'],
    ['Lustre without throughput', storageClass(LUSTRE, {}), 'parameters.perUnitStorageThroughput', undefined, 'is required: 125, 250, 500 or 1000'],
    ['a small claim on Filestore', together(storageClass(FILESTORE, { tier: 'zonal' }), claim('100Gi')), 'spec.resources.requests.storage', '100Gi', '1024 GiB are created and billed'],
    ['a small claim on Lustre', together(storageClass(LUSTRE, { perUnitStorageThroughput: '125' }), claim('1Ti')), 'spec.resources.requests.storage', '1Ti', '9000 GiB'],
    ['a bucket without the annotation', bucketPod(), "metadata.annotations['gke-gcsfuse/volumes']", undefined, "must be 'true'"],
    ['a bucket on the network of the host', bucketPod({ hostNetwork: true }, FUSE), 'spec.hostNetwork', true, 'hostNetworkPodKSA'],
    ['a bucket for a user who is not root', bucketPod({ securityContext: { runAsUser: 1000 } }, FUSE), 'spec.securityContext.runAsUser', 1000, 'user 1000 cannot write them', 'Set fsGroup'],
    ['a bucket in a template of a training job', job({ template: { spec: { volumes: [BUCKET] } } }), "spec.template.metadata.annotations['gke-gcsfuse/volumes']", undefined, "must be 'true'"],
    ['checkpoints on a bucket behind a claim', together(bucketVolume, claim('1Gi', { storageClassName: '', volumeName: 'bucket' }), job({ checkpointPath: '/c', checkpoint: { claimName: 'runs' } })),
      "spec.template.metadata.annotations['gke-gcsfuse/volumes']", undefined, "must be 'true'"],
  ],
  'secret': [
    ['a token in a variable of a job', job({ env: [{ name: 'HF_TOKEN', value: HUGGING_FACE_TOKEN }] }), "spec.env['HF_TOKEN']", 'hf_... (37 characters)',
      'looks like a Hugging Face token', 'Keep it in a Secret and refer to it', 'ml.collabnix.io/not-secret: HF_TOKEN'],
    ['a key that is known by its name', job({ env: [{ name: 'WANDB_API_KEY', value: WANDB_KEY }] }), "spec.env['WANDB_API_KEY']", '... (40 characters)', 'a secret of Weights & Biases, judging by its name'],
    ['a token in an argument of a pod', deployment({ args: ['--token', HUGGING_FACE_TOKEN] }), 'spec.template.spec.containers[0].args[1]', 'hf_... (37 characters)', 'not-secret: --token'],
    ['a token in a script', deployment({ command: ['sh', '-c', `login ${HUGGING_FACE_TOKEN}`] }), 'spec.template.spec.containers[0].command[2]', 'hf_... (37 characters)', 'looks like a Hugging Face token'],
    ['a token in an annotation', deployment({}, { note: HUGGING_FACE_TOKEN }), 'metadata.annotations.note', 'hf_... (37 characters)', 'looks like a Hugging Face token'],
    ['a token in a ConfigMap', configMap({ name: 'x' }, { data: { 'login.sh': `export HF_TOKEN=${HUGGING_FACE_TOKEN}` } }), "data['login.sh']", 'hf_... (37 characters)', 'looks like a Hugging Face token'],
    ['a password in a URL', configMap({ name: 'x' }, { data: { STORE: 'postgresql://train:hunter2@db/runs' } }), 'data.STORE', '... (27 characters)', 'looks like a password in a URL'],
  ],
  'unknown-field': [
    ['a field beside spec', { ...job({}), replicas: 2 }, 'replicas', 2, 'is not a field of an MLTrainingJob', 'Move it below spec'],
    ['a slip beside spec', { ...job({}), specs: {} }, 'specs', {}, "Did you mean 'spec'?"],
    ['a field next to the spec of another system\'s kind', { apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob', metadata: { name: 'x' }, spec: { runtimeRef: { name: 'torch' } }, runtimeRef: { name: 'torch' } }, 'runtimeRef', { name: 'torch' },
      'is not a field of a TrainJob', 'Move it below spec'],
    ['a slip in a definition\'s field', widget({ colur: 'red' }), 'spec.colur', 'red', 'is not a field of spec', "Did you mean 'colour'?"],
    ['a field that nobody meant', widget({ parts: [{ name: 'a', banana: 1 }] }), 'spec.parts[0].banana', 1, 'is not a field of spec.parts[0]', 'Known fields: name, count'],
    ['a field at the root of a definition', { ...widget({}), specification: {} }, 'specification', {}, 'is not a field of a Widget', 'Known fields: apiVersion, kind, metadata, spec'],
  ],
  'schema': [
    ['a required field that is missing', { ...widget({}), spec: {} }, 'spec.size', undefined, 'is required: How large the widget is', 'Add it'],
    ['text for a number', widget({ size: '5' }), 'spec.size', '5', 'must be a whole number', 'Write it without quotes: 5'],
    ['a number for text', widget({ title: 5 }), 'spec.title', 5, 'must be a string', 'Put it in quotes: "5"'],
    ['text for true', widget({ enabled: 'true' }), 'spec.enabled', 'true', 'must be true or false', 'Write it without quotes: true'],
    ['an entry for a list', widget({ tags: 'a' }), 'spec.tags', 'a', 'must be a list', "Begin each entry with '- '"],
    ['a list for an object', widget({ limits: [1] }), 'spec.limits', [1], 'must be an object', 'It is a list'],
    ['too small a number', widget({ size: 0 }), 'spec.size', 0, 'must be 1 or more'],
    ['too large a number', widget({ size: 101 }), 'spec.size', 101, 'must be 100 or less'],
    ['a number at an open end', widget({ ratio: 0 }), 'spec.ratio', 0, 'must be more than 0'],
    ['a number at the other open end', widget({ ratio: 1 }), 'spec.ratio', 1, 'must be less than 1'],
    ['a number between two steps', widget({ step: 7 }), 'spec.step', 7, 'must be a multiple of 5'],
    ['a word that is none', widget({ colour: 'gren' }), 'spec.colour', 'gren', 'must be one of red, green, blue', "Did you mean 'green'?"],
    ['a text that a pattern refuses', widget({ code: 'ab1' }), 'spec.code', 'ab1', 'must match (?i)^[[:alpha:]]{3}$'],
    ['an empty text', widget({ title: '' }), 'spec.title', '', 'must not be empty', 'Remove the field or give it a value'],
    ['a long text', widget({ title: 'a long title' }), 'spec.title', 'a long title', 'at most 10 characters, and has 12', 'Shorten it'],
    ['a part of a number where a text may be', widget({ port: 1.5 }), 'spec.port', 1.5, 'must be a whole number or a string'],
    ['a duration without a unit', widget({ every: '90' }), 'spec.every', '90', 'must be a duration such as 90s'],
    ['a time that is a date', widget({ since: '2026-01-31' }), 'spec.since', '2026-01-31', 'must be a time such as'],
    ['an entry twice in a set', widget({ tags: ['a', 'a'] }), 'spec.tags[1]', 'a', 'spec.tags[0] is the same', 'Remove one of the two'],
    ['two entries with one key', widget({ parts: [{ name: 'a' }, { name: 'a' }] }), 'spec.parts[1]', { name: 'a', count: 1 }, 'has the same name', 'Remove one of the two'],
    ['too many entries', widget({ tags: ['a', 'b', 'c', 'd'] }), 'spec.tags', ['a', 'b', 'c', 'd'], 'at most 3 entries, and has 4', 'Remove some'],
    ['too few entries', widget({ parts: [] }), 'spec.parts', [], 'must have at least 1 entry'],
    ['too many fields', widget({ limits: { a: 1, b: 2, c: 3 } }), 'spec.limits', { a: 1, b: 2, c: 3 }, 'at most 2 fields, and has 3', 'Remove some'],
    ['none of two', widget({ source: {} }), 'spec.source', {}, 'must match one of these', 'spec.source.file is required'],
    ['both of two', widget({ source: { file: 'a', url: 'b' } }), 'spec.source', { file: 'a', url: 'b' }, 'only one of these: with file; with url', 'Remove the others'],
    ['nothing where something has to be', widget({ tags: [null] }), 'spec.tags[0]', null, 'must be a string', 'remove the field or give it a value'],
  ],
  'cel': [
    ['fields that contradict each other', widget({ low: 3, high: 2 }), 'spec.low', 3, 'must not be above high', 'Lower it'],
    ['a rule whose message has the value', widget({ size: 13 }), 'spec.size', 13, 'cannot be 13', 'Take another size'],
    ['a rule at a field, with a function of Kubernetes', widget({ memory: '2Gi' }), 'spec.memory', '2Gi', 'must be less than 1Gi', 'Ask for less'],
  ],
};

test('the table has at least 60 mistakes', () => {
  expect(Object.values(MISTAKES).flat().length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(MISTAKES))('found by the rule %s:', (rule, table) => {
  test.each(table)('%s', (_what, manifest, field, value, ...words) => {
    const found = diagnose(typeof manifest === 'string' ? manifest : stringify(manifest));
    expect(found).toHaveLength(1);
    const [diagnostic] = found;
    expect(diagnostic).toMatchObject({ rule, file: '-', position: { line: expect.any(Number), column: expect.any(Number) } });
    expect(diagnostic.path).toBe(field);
    expect(diagnostic.value).toEqual(value);
    for (const part of words) {
      expect(diagnostic.message).toContain(part);
    }
  });
});
