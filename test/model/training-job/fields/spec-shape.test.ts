import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import { job, jobWithRoles, testMistakes } from '../mistakes';

describe('a field of the wrong type, range or word is named with its rule', () => {
  testMistakes([
    ['a framework with a slip', job({ framework: 'pytorhc' }), 'spec.framework', 'pytorhc', ['must be one of pytorch, tensorflow', "Did you mean 'pytorch'?"]],
    ['a framework in capitals', job({ framework: 'JAX' }), 'spec.framework', 'JAX', ["Did you mean 'jax'?"]],
    ['a framework that nobody knows', job({ framework: 'caffe' }), 'spec.framework', 'caffe', ['must be one of']],
    ['a framework that is a name from JavaScript', job({ framework: 'constructor' }), 'spec.framework', 'constructor', ['must be one of']],
    ['no framework', job({ framework: undefined }), 'spec.framework', undefined, ['is required', 'pytorch']],
    ['a framework left empty', job({ framework: null }), 'spec.framework', null, ['must be one of', 'empty (null)']],
    ['no image', job({ image: undefined }), 'spec.image', undefined, ['is required', 'training container']],
    ['an image without a name', job({ image: '' }), 'spec.image', '', ['must be an image']],
    ['an image with a space', job({ image: 'my image' }), 'spec.image', 'my image', ['without spaces']],
    ['no replicas', job({ replicas: 0 }), 'spec.replicas', 0, ['whole number from 1 to 10000']],
    ['fewer than no replicas', job({ replicas: -3 }), 'spec.replicas', -3, ['from 1 to 10000']],
    ['half a replica', job({ replicas: 1.5 }), 'spec.replicas', 1.5, ['whole number']],
    ['more replicas than any job has', job({ replicas: 10_001 }), 'spec.replicas', 10_001, ['10000']],
    ['replicas as text', job({ replicas: '2' }), 'spec.replicas', '2', ['whole number']],
    ['roles that are none', jobWithRoles([]), 'spec.roles', [], ['at least 1 entry']],
    ['roles as an object', jobWithRoles({ worker: 2 }), 'spec.roles', { worker: 2 }, ['must be a list']],
    ['a role without a name', jobWithRoles([{ replicas: 1 }]), 'spec.roles[0].name', undefined, ['is required', 'worker']],
    ['a role that is only a word', jobWithRoles(['worker']), 'spec.roles[0]', 'worker', ['must be an object']],
    ['replicas of a role as text', jobWithRoles([{ name: 'worker', replicas: 'two' }]), 'spec.roles[0].replicas', 'two', ['whole number']],
    ['a command as one string', job({ command: 'python train.py' }), 'spec.command', 'python train.py', ['must be a list']],
    ['a number among the arguments', job({ args: ['--epochs', 3] }), 'spec.args[1]', 3, ['must be a string', 'Put it in quotes: "3"']],
    ['env as an object', job({ env: { A: '1' } }), 'spec.env', { A: '1' }, ['must be a list']],
    ['env without a name', job({ env: [{ value: '1' }] }), 'spec.env[0].name', undefined, ['is required']],
    ['env with a number', job({ env: [{ name: 'A', value: 1 }] }), 'spec.env[0].value', 1, ['Put it in quotes: "1"']],
    ['a hyperparameter that is a number', job({ hyperparameters: { LR: 0.1 } }), 'spec.hyperparameters.LR', 0.1, ['Put it in quotes: "0.1"']],
    ['a hyperparameter that is a switch', job({ hyperparameters: { AMP: true } }), 'spec.hyperparameters.AMP', true, ['Put it in quotes: "true"']],
    ['hyperparameters as a list', job({ hyperparameters: ['LR=1'] }), 'spec.hyperparameters', ['LR=1'], ['a map of names to values']],
    ['GPUs as text', job({ resources: { gpu: '1' } }), 'spec.resources.gpu', '1', ['whole number of devices']],
    ['a share of a GPU', job({ resources: { gpu: 0.5 } }), 'spec.resources.gpu', 0.5, ['whole number of devices', 'gpuResourceName (MIG)']],
    ['fewer than no GPUs', job({ resources: { gpu: -1 } }), 'spec.resources.gpu', -1, ['0 or more']],
    ['a share of a TPU', job({ resources: { tpu: 1.5 } }), 'spec.resources.tpu', 1.5, ['whole number of devices']],
    ['cpu as a number', job({ resources: { cpu: 4 } }), 'spec.resources.cpu', 4, ['quantity such as "4" or "500m"']],
    ['memory in another spelling', job({ resources: { memory: '16GB' } }), 'spec.resources.memory', '16GB', ['quantity such as "16Gi"']],
    ['disk below nothing', job({ resources: { ephemeralStorage: '-1Gi' } }), 'spec.resources.ephemeralStorage', '-1Gi', ['"16Gi"']],
    ['shared memory that is not a size', job({ resources: { sharedMemory: 'lots' } }), 'spec.resources.sharedMemory', 'lots', ['"16Gi"']],
    ['resources of a role that are wrong', jobWithRoles([{ name: 'worker', resources: { cpu: 4 } }]), 'spec.roles[0].resources.cpu', 4, ['quantity']],
    ['resources left empty', job({ resources: null }), 'spec.resources', null, ['must be an object', 'empty (null)']],
    ['a port that is none', job({ port: 0 }), 'spec.port', 0, ['port from 1 to 65535']],
    ['a port that is too large', job({ port: 65_536 }), 'spec.port', 65_536, ['port from 1 to 65535']],
    ['no processes', job({ nprocPerNode: 0 }), 'spec.nprocPerNode', 0, ['from 1 to 9999', 'auto, cpu or gpu']],
    ['processes in words', job({ nprocPerNode: 'all' }), 'spec.nprocPerNode', 'all', ['auto, cpu or gpu']],
    ['processes as a list', job({ nprocPerNode: ['4'] }), 'spec.nprocPerNode', ['4'], ['from 1 to 9999']],
    ['a restart policy of pods', job({ runPolicy: { restartPolicy: 'onFailure' } }), 'spec.runPolicy.restartPolicy', 'onFailure', ["Did you mean 'OnFailure'?"]],
    ['a clean-up policy with a slip', job({ runPolicy: { cleanPodPolicy: 'Runing' } }), 'spec.runPolicy.cleanPodPolicy', 'Runing', ["Did you mean 'Running'?"]],
    ['a success policy of training-operator v1', job({ runPolicy: { successPolicy: 'Workers' } }), 'spec.runPolicy.successPolicy', 'Workers', ['Coordinator, AllWorkers, AllReplicas']],
    ['a backoff limit below nothing', job({ runPolicy: { backoffLimit: -1 } }), 'spec.runPolicy.backoffLimit', -1, ['whole number of restarts, 0 or more']],
    ['a deadline of no time', job({ runPolicy: { activeDeadlineSeconds: 0 } }), 'spec.runPolicy.activeDeadlineSeconds', 0, ['1 or more']],
    ['a deadline with a unit', job({ runPolicy: { activeDeadlineSeconds: '1h' } }), 'spec.runPolicy.activeDeadlineSeconds', '1h', ['whole number']],
    ['a time to live below nothing', job({ runPolicy: { ttlSecondsAfterFinished: -1 } }), 'spec.runPolicy.ttlSecondsAfterFinished', -1, ['0 or more']],
    ['a disruption limit below nothing', job({ runPolicy: { disruptionLimit: -1 } }), 'spec.runPolicy.disruptionLimit', -1, ['0 or more']],
    ['success as an exit code', job({ runPolicy: { exitCodes: { retry: [0] } } }), 'spec.runPolicy.exitCodes.retry[0]', 0, ['from 1 to 255', '0 is success']],
    ['an exit code that no process has', job({ runPolicy: { exitCodes: { fail: [1, 256] } } }), 'spec.runPolicy.exitCodes.fail[1]', 256, ['from 1 to 255']],
    ['one exit code without a list', job({ runPolicy: { exitCodes: { fail: 1 } } }), 'spec.runPolicy.exitCodes.fail', 1, ['must be a list']],
    ['a grace period below nothing', job({ checkpoint: { gracePeriodSeconds: -1 } }), 'spec.checkpoint.gracePeriodSeconds', -1, ['0 or more']],
    ['a checkpoint path that is a number', job({ checkpointPath: 7 }), 'spec.checkpointPath', 7, ['must be a string']],
    ['tolerations as an object', job({ scheduling: { tolerations: {} } }), 'spec.scheduling.tolerations', {}, ['must be a list']],
    ['a node selector with a switch', job({ scheduling: { nodeSelector: { spot: true } } }), 'spec.scheduling.nodeSelector.spot', true, ['Put it in quotes: "true"']],
    ['suspend in words', job({ suspend: 'yes' }), 'spec.suspend', 'yes', ['true or false']],
    ['a template that is a list', job({ template: [] }), 'spec.template', [], ['must be an object']],
    ['a container of a template without a name', job({ template: { spec: { containers: [{ image: 'x' }] } } }), 'spec.template.spec.containers[0].name', undefined, ['is required']],
    ['a label that is a number', job({ template: { metadata: { labels: { build: 7 } } } }), 'spec.template.metadata.labels.build', 7, ['must be a string']],
  ]);
});

describe('a field that nobody knows is named with the one that was meant', () => {
  testMistakes([
    ['in the spec', job({ hyperparamters: {} }), 'spec.hyperparamters', {}, ['is not a field of a training job', "Did you mean 'hyperparameters'?"]],
    ['in the spec, in another case', job({ checkpointpath: '/c' }), 'spec.checkpointpath', '/c', ["Did you mean 'checkpointPath'?"]],
    ['in the resources', job({ resources: { gpus: 1 } }), 'spec.resources.gpus', 1, ['is not a field of resources', "Did you mean 'gpu'?"]],
    ['of a container, as text', job({ template: { spec: { containers: [{ name: 'a', resources: { limits: 'cpu' as never } }] } } }), 'spec.template.spec.containers[0].resources.limits', 'cpu', ['must be a map of resources']],
    ['of a container, as a list', job({ template: { spec: { initContainers: [{ name: 'a', resources: ['cpu'] as never }] } } }), 'spec.template.spec.initContainers[0].resources', ['cpu'], ['must be an object']],
    ['in the resources, as Kubernetes writes them', job({ resources: { limits: {} } }), 'spec.resources.limits', {}, ['Its fields: gpu, gpuResourceName']],
    ['in the resources, as a vendor writes them', job({ resources: { 'nvidia.com/gpu': 1 } }), "spec.resources['nvidia.com/gpu']", 1, ['is not a field of resources']],
    ['in a role', jobWithRoles([{ name: 'worker', replica: 2 }]), 'spec.roles[0].replica', 2, ["Did you mean 'replicas'?"]],
    ['in the run policy', job({ runPolicy: { backOffLimit: 3 } }), 'spec.runPolicy.backOffLimit', 3, ["Did you mean 'backoffLimit'?"]],
    ['in the exit codes', job({ runPolicy: { exitCodes: { retrys: [1] } } }), 'spec.runPolicy.exitCodes.retrys', [1], ["Did you mean 'retry'?"]],
    ['in a variable', job({ env: [{ name: 'A', vaule: '1' }] }), 'spec.env[0].vaule', '1', ["Did you mean 'value'?"]],
    ['in the scheduling', job({ scheduling: { nodeselector: {} } }), 'spec.scheduling.nodeselector', {}, ["Did you mean 'nodeSelector'?"]],
    ['in a template', job({ template: { containers: [] } }), 'spec.template.containers', [], ['Its fields: metadata, spec.']],
  ]);
});

test('all mistakes of a spec are reported at once', () => {
  const spec = job({ framework: 'torch', image: undefined, replicas: 0, resources: { cpu: 4 }, command: 'x', extra: 1 });
  expect(validateTrainingJob('net', spec).map((violation) => violation.path)).toEqual([
    'spec.image', 'spec.framework', 'spec.replicas', 'spec.resources.cpu', 'spec.command', 'spec.extra',
  ]);
});

test('a name that is no text is reported beside the spec', () => {
  expect(validateTrainingJob(undefined as unknown as string, job({ port: 0 })).map(({ path, message }) => `${path} ${message}`)).toEqual([
    'metadata.name must be a string.', 'spec.port must be a port from 1 to 65535.',
  ]);
});

test.each([null, undefined, [], 'pytorch', 4])('a spec that is %j is reported as no object', (spec) => {
  expect(validateTrainingJob('net', spec as never)).toEqual([{ path: 'spec', value: spec, message: expect.stringContaining('must be an object.') }]);
});
