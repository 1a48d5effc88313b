import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge, jobManifest, jobsPath } from '../support/submit';

/** A bad manifest: what is wrong, its spec, the field that the answer names, and words of the answer. */
type Bad = readonly [what: string, spec: object, field: string, words: string];

const job = (fields: object) => ({ framework: 'pytorch', image: 'image', replicas: 2, ...fields });
const roles = (framework: string, ...list: object[]) => ({ framework, image: 'image', roles: list });
const tuning = (fields: object) => job({ autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1, ...fields } } } });

const SEARCH = { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } };

const WORKER = { name: 'worker', replicas: 2 };

const SHAPE: readonly Bad[] = [
  ['no framework', { image: 'image', replicas: 1 }, 'spec.framework', 'Required value'],
  ['a framework that nobody knows', job({ framework: 'keras' }), 'spec.framework', 'supported values: "pytorch"'],
  ['no image', { framework: 'pytorch', replicas: 1 }, 'spec.image', 'Required value'],
  ['an empty image', job({ image: '' }), 'spec.image', 'should be at least 1 chars long'],
  ['an image with a space', job({ image: 'my image' }), 'spec.image', 'should match'],
  ['neither replicas nor roles', { framework: 'pytorch', image: 'image' }, 'spec.replicas', 'set replicas (short form) or roles'],
  ['replicas and roles', job({ roles: [WORKER] }), 'spec.replicas', 'cannot be combined with roles'],
  ['no replicas at all', job({ replicas: 0 }), 'spec.replicas', 'greater than or equal to 1'],
  ['more replicas than 10000', job({ replicas: 10_001 }), 'spec.replicas', 'less than or equal to 10000'],
  ['replicas as text', job({ replicas: '4' }), 'spec.replicas', 'must be of type integer'],
  ['a port that is none', job({ port: 70_000 }), 'spec.port', 'less than or equal to 65535'],
  ['processes that are no number and no word', job({ nprocPerNode: 'many' }), 'spec.nprocPerNode', 'from 1 to 9999, or auto, cpu or gpu'],
  ['no processes', job({ nprocPerNode: 0 }), 'spec.nprocPerNode', 'from 1 to 9999, or auto, cpu or gpu'],
  ['a hyperparameter that is a number', job({ hyperparameters: { EPOCHS: 3 } }), 'spec.hyperparameters.EPOCHS', 'must be of type string'],
  ['a hyperparameter that no variable can be named', job({ hyperparameters: { 'A=B': '1' } }), 'spec.hyperparameters', 'printable ASCII without \'=\''],
  ['a variable with two values', job({ env: [{ name: 'A', value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    'spec.env[0].valueFrom', 'cannot be combined with value'],
  ['a variable twice', job({ env: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }] }), 'spec.env[1]', 'Duplicate value'],
  ['a variable without a name', job({ env: [{ value: '1' }] }), 'spec.env[0].name', 'Required value'],
];

const RESOURCES: readonly Bad[] = [
  ['fewer GPUs than none', job({ resources: { gpu: -1 } }), 'spec.resources.gpu', 'greater than or equal to 0'],
  ['half a GPU', job({ resources: { gpu: 0.5 } }), 'spec.resources.gpu', 'must be of type integer'],
  ['GPUs and TPUs', job({ resources: { gpu: 1, tpu: 4 } }), 'spec.resources.tpu', 'cannot be combined with gpu'],
  ['memory with a unit that is none', job({ resources: { memory: '16GB' } }), 'spec.resources.memory', 'should match'],
  ['cpu as a number', job({ resources: { cpu: 4 } }), 'spec.resources.cpu', 'must be of type string'],
  ['more shared memory than memory', job({ resources: { memory: '1Gi', sharedMemory: '2000Mi' } }), 'spec.resources.sharedMemory', 'cannot be more'],
  ['a GPU resource without a domain', job({ resources: { gpu: 1, gpuResourceName: 'gpu' } }), 'spec.resources.gpuResourceName', 'should match'],
  ['an extended resource that is Kubernetes\' own', job({ resources: { extended: { 'kubernetes.io/batch': '1' } } }),
    'spec.resources.extended', 'DOMAIN/NAME such as rdma/hca'],
  ['cpu as an extended resource', job({ resources: { extended: { cpu: '1' } } }), 'spec.resources.extended', 'have their own fields'],
  ['TPUs as an extended resource', job({ resources: { extended: { 'google.com/tpu': '4' } } }), 'spec.resources.extended', 'set tpu'],
  ['a share of an extended resource', job({ resources: { extended: { 'rdma/hca': '0.5' } } }), 'spec.resources.extended.rdma/hca', 'should match'],
  ['GPUs and TPUs of one role', roles('jax', { ...WORKER, resources: { gpu: 1, tpu: 1 } }), 'spec.roles[0].resources.tpu', 'cannot be combined with gpu'],
];

const ROLES: readonly Bad[] = [
  ['no role', roles('pytorch'), 'spec.roles', 'should have at least 1 items'],
  ['a role twice', roles('jax', WORKER, WORKER), 'spec.roles[1]', 'Duplicate value'],
  ['a role that PyTorch does not know', roles('pytorch', { name: 'ps' }, WORKER), 'spec.roles', 'it supports master, worker'],
  ['two masters', roles('pytorch', { name: 'master', replicas: 2 }, WORKER), 'spec.roles', 'replicas of master must be 1'],
  ['MPI without a launcher', roles('mpi', WORKER), 'spec.roles', 'needs the roles launcher and worker'],
  ['XGBoost without a master', roles('xgboost', WORKER), 'spec.roles', 'needs the role master'],
  ['two chiefs under two names', roles('tensorflow', { name: 'chief' }, { name: 'master' }, WORKER), 'spec.roles', 'the same task in TensorFlow'],
  ['MXNet without a server', roles('mxnet', { name: 'scheduler' }, WORKER), 'spec.roles', 'needs scheduler, server and worker'],
  ['an MXNet master with a second server', roles('mxnet', { name: 'master' }, { name: 'server' }), 'spec.roles', 'runs the scheduler and server'],
  ['a role whose name is no label', roles('plain', { name: 'Big_Worker' }), 'spec.roles[0].name', 'should match'],
  ['more than 10000 replicas together', roles('plain', { name: 'a', replicas: 6000 }, { name: 'b', replicas: 6000 }), 'spec.roles', 'at most 10000 replicas together'],
  ['a restart policy that is none', roles('jax', { ...WORKER, restartPolicy: 'Sometimes' }), 'spec.roles[0].restartPolicy', 'supported values: "Never"'],
];

const POLICIES: readonly Bad[] = [
  ['fewer restarts than none', job({ runPolicy: { backoffLimit: -1 } }), 'spec.runPolicy.backoffLimit', 'greater than or equal to 0'],
  ['a longest wait below the first', job({ runPolicy: { backoff: { initialSeconds: 60, maxSeconds: 10 } } }),
    'spec.runPolicy.backoff.maxSeconds', 'at least initialSeconds'],
  ['no time to start', job({ runPolicy: { startTimeoutSeconds: 0 } }), 'spec.runPolicy.startTimeoutSeconds', 'greater than or equal to 1'],
  ['another fate of pods on lost nodes', job({ runPolicy: { nodeLoss: { stuckPods: 'Ignore' } } }), 'spec.runPolicy.nodeLoss.stuckPods', 'supported values: "ForceDelete"'],
  ['a negative grace for nodes', job({ runPolicy: { nodeLoss: { graceSeconds: -1 } } }), 'spec.runPolicy.nodeLoss.graceSeconds', 'greater than or equal to 0'],
  ['nodes that are avoided for no time', job({ runPolicy: { nodeAvoidance: { forSeconds: 0 } } }), 'spec.runPolicy.nodeAvoidance.forSeconds', 'greater than or equal to 1'],
  ['an exit code above 255', job({ runPolicy: { exitCodes: { retry: [256] } } }), 'spec.runPolicy.exitCodes.retry[0]', 'less than or equal to 255'],
  ['success as an exit code of a failure', job({ runPolicy: { exitCodes: { fail: [0] } } }), 'spec.runPolicy.exitCodes.fail[0]', 'greater than or equal to 1'],
  ['an exit code with two meanings', job({ runPolicy: { exitCodes: { retry: [3], fail: [4, 3] } } }), 'spec.runPolicy.exitCodes.fail', 'is also in retry'],
  ['a deadline of no time', job({ runPolicy: { activeDeadlineSeconds: 0 } }), 'spec.runPolicy.activeDeadlineSeconds', 'greater than or equal to 1'],
  ['a clean-up that is none', job({ runPolicy: { cleanPodPolicy: 'Some' } }), 'spec.runPolicy.cleanPodPolicy', 'supported values: "None", "Running", "All"'],
  ['a claim without a path', job({ checkpoint: { claimName: 'data' } }), 'spec.checkpointPath', 'must be an absolute path'],
  ['a claim under a URL', job({ checkpointPath: 's3://bucket', checkpoint: { claimName: 'data' } }), 'spec.checkpointPath', 'must be an absolute path'],
  ['no checkpoint to keep', job({ checkpointPath: '/c', checkpoint: { keepLast: 0 } }), 'spec.checkpoint.keepLast', 'greater than or equal to 1'],
  ['checkpoints to keep nowhere', job({ checkpoint: { keepLast: 3 } }), 'spec.checkpoint.keepLast', 'Set checkpointPath'],
  ['a folder without a claim', job({ checkpoint: { subPath: 'a' } }), 'spec.checkpoint.subPath', 'Set claimName'],
  ['a folder outside the claim', job({ checkpointPath: '/c', checkpoint: { claimName: 'data', subPath: 'a/../..' } }),
    'spec.checkpoint.subPath', 'relative path without \'..\''],
  ['hooks of an array', job({ array: { count: 2, parallelism: 1 }, hooks: { before: { command: ['a'] } } }), 'spec.hooks', 'cannot be combined with array'],
  ['a queue of a gang scheduler that has none', job({ scheduling: { gang: { scheduler: 'Native', queue: 'q' } } }), 'spec.scheduling.gang.queue', 'have no queues'],
  ['a way to queue that Kueue does not have', job({ scheduling: { queueName: 'q', queueMode: 'Job' } }), 'spec.scheduling.queueMode', 'supported values: "Workload"'],
  ['a priority in no queue', job({ scheduling: { queuePriorityClassName: 'high' } }), 'spec.scheduling.queuePriorityClassName', 'Set queueName'],
  ['a mode of no queue', job({ scheduling: { queueMode: 'PodGroup' } }), 'spec.scheduling.queueMode', 'Set queueName'],
  ['a gang of a scheduler that nobody knows', job({ scheduling: { gang: { scheduler: 'Magic' } } }), 'spec.scheduling.gang.scheduler', 'supported values: "Coscheduling"'],
  ['an elastic range upside down', job({ elastic: { minReplicas: 4, maxReplicas: 2 } }), 'spec.elastic.maxReplicas', 'at least minReplicas'],
  ['replicas outside the elastic range', job({ replicas: 8, elastic: { minReplicas: 1, maxReplicas: 4 } }), 'spec.replicas', 'within elastic.minReplicas'],
  ['an elastic job in the long form', job({ replicas: undefined, roles: [{ name: 'master' }], elastic: { minReplicas: 1, maxReplicas: 4 } }), 'spec.replicas',
    'kubectl scale and autoscalers change'],
  ['an elastic job of a framework that cannot', job({ framework: 'jax', elastic: { minReplicas: 1, maxReplicas: 4 } }), 'spec.elastic', 'PyTorch and Horovod'],
  ['an array without a count', job({ array: {} }), 'spec.array.count', 'Required value'],
  ['an array of too many', job({ array: { count: 10_001 } }), 'spec.array.count', 'less than or equal to 10000'],
  ['an array of searches', job({ array: { count: 2 }, autoTuning: { objective: 'loss', parameters: { lr: { type: 'int', values: [1] } } } }), 'spec.array', 'Remove one of the two'],
  ['an elastic array', job({ array: { count: 2 }, elastic: { minReplicas: 1, maxReplicas: 4 } }), 'spec.array', 'cannot be combined with elastic'],
  ['a helper without a program', job({ helpers: [{ name: 'actor' }] }), 'spec.helpers[0].command', 'is required with the job\'s image'],
  ['a helper with the name of all that train', job({ helpers: [{ name: 'primary', image: 'x' }] }), 'spec.helpers[0].name', 'TRAINYARD_PRIMARY_HOSTS'],
  ['helpers of an elastic job', job({ helpers: [{ name: 'actor', image: 'x' }], elastic: { minReplicas: 1, maxReplicas: 4 } }), 'spec.helpers', 'cannot be combined with elastic'],
  ['a helper with the name of a role', job({ framework: 'plain', replicas: undefined, roles: [{ name: 'actor' }], helpers: [{ name: 'actor', image: 'x' }] }), 'spec.helpers',
    'has helpers with the name of a training role'],
  ['too many roles with helpers', job({ helpers: Array.from({ length: 15 }, (_, index) => ({ name: `h${index}`, image: 'x' })) }), 'spec.helpers', 'has too many roles: a job has at most 16'],
  ['an init without a command', job({ init: true }), 'spec.command', 'is required with init'],
  ['an init and a role without a command', { ...roles('mpi', { name: 'launcher' }, WORKER), init: true }, 'spec.command', 'is required with init'],
  ['root in a restricted job', job({ security: { restricted: true, runAsUser: 0 } }), 'spec.security.runAsUser', 'is root'],
  ['addresses where all may be reached', job({ security: { networkPolicy: { toCidrs: ['10.8.0.0/16'] } } }), 'spec.security.networkPolicy.toCidrs', 'Set egress: Limited'],
  ['a search without an objective', job({ autoTuning: { parameters: { lr: { type: 'int', values: [1] } } } }), 'spec.autoTuning.objective', 'Required value'],
  ['an objective of blanks', job({ autoTuning: { ...SEARCH, objective: ' ' } }), 'spec.autoTuning.objective', 'should match'],
  ['an objective with a sign that assigns', job({ autoTuning: { ...SEARCH, objective: 'a=b' } }), 'spec.autoTuning.objective', 'should match'],
  ['an objective that ends the line', job({ autoTuning: { ...SEARCH, objective: 'a\nb' } }), 'spec.autoTuning.objective', 'should match'],
  ['a search without a space', job({ autoTuning: { objective: 'loss', parameters: {} } }), 'spec.autoTuning.parameters', 'should have at least 1 properties'],
  ['a range upside down', tuning({ min: 2 }), 'spec.autoTuning.parameters[lr].max', 'min below max'],
  ['half a range', tuning({ max: undefined }), 'spec.autoTuning.parameters[lr].max', 'min and max together'],
  ['a range of categories', tuning({ type: 'categorical' }), 'spec.autoTuning.parameters[lr].type', 'takes values, not a range'],
  ['a log scale from zero', tuning({ min: 0, scale: 'log' }), 'spec.autoTuning.parameters[lr].scale', 'needs a range above 0'],
  ['steps on a log scale', tuning({ scale: 'log', step: 0.1 }), 'spec.autoTuning.parameters[lr].step', 'which has no steps of one size'],
  ['too many trials at a time', job({ autoTuning: { ...SEARCH, parallelTrials: 65 } }), 'spec.autoTuning.parallelTrials', 'less than or equal to 64'],
  ['hyperband without a budget', job({ autoTuning: { ...SEARCH, algorithm: 'hyperband' } }), 'spec.autoTuning.budget', 'is required for hyperband'],
  ['a budget without hyperband', job({ autoTuning: { ...SEARCH, budget: { max: 9 } } }), 'spec.autoTuning.budget', 'not allowed with other algorithms'],
  ['a budget with nothing to divide', job({ autoTuning: { ...SEARCH, algorithm: 'hyperband', budget: { max: 2 } } }), 'spec.autoTuning.budget.max',
    'at least reductionFactor times min'],
  ['hyperband with early stopping', job({ autoTuning: { ...SEARCH, algorithm: 'hyperband', budget: { max: 9 }, earlyStopping: {} } }),
    'spec.autoTuning.earlyStopping', 'cannot be combined with hyperband'],
  ['values that are lists', tuning({ min: undefined, max: undefined, values: [[1]] }), 'spec.autoTuning.parameters.lr.values[0]', 'at most 0 items'],
];

const TEMPLATES: readonly Bad[] = [
  ['a pod that restarts itself', job({ template: { spec: { restartPolicy: 'OnFailure' } } }), 'spec.template.spec.restartPolicy', 'supported values: "Never"'],
  ['a host name', job({ template: { spec: { hostname: 'me' } } }), 'spec.template.spec.hostname', 'is set by the operator'],
  ['a label of the operator\'s', job({ template: { metadata: { labels: { role: 'boss' } } } }), 'spec.template.metadata.labels', 'must not contain job, role'],
  ['a volume of the operator\'s', job({ template: { spec: { volumes: [{ name: 'trainyard-checkpoints', emptyDir: {} }] } } }),
    'spec.template.spec.volumes[0].name', 'must not start with \'trainyard-\''],
  ['containers that are no list', job({ template: { spec: { containers: 'training' } } }), 'spec.template.spec.containers', 'must be of type array'],
  ['a container without a name', roles('jax', { ...WORKER, template: { spec: { containers: [{ image: 'x' }] } } }),
    'spec.roles[0].template.spec.containers[0].name', 'Required value'],
];

let namespace: string;
let jobs: string;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('crd');
  jobs = jobsPath(namespace);
});

afterAll(async () => deleteNamespace(namespace));

describe.each([
  ['shape', SHAPE], ['resources', RESOURCES], ['roles', ROLES], ['policies and features', POLICIES], ['templates', TEMPLATES],
])('refused for its %s:', (_topic, table) => {
  test.each(table)('%s', async (_what, spec, field, words) => {
    const verdict = await judge(jobs, jobManifest('net', spec));
    expect(verdict.status).toBe(422);
    expect(verdict.complaints).toContainEqual({ field, message: expect.stringContaining(words) });
    expect(verdict.message).toContain(field);
  });

  // Whoever checks a job before it is applied has to come to the same end.
  test.each(table)('%s, by the model too', (_what, spec) => {
    expect(validateTrainingJob('net', spec as TrainingJobSpec)).not.toEqual([]);
  });
});

describe('refused for a field that nobody knows:', () => {
  test.each([
    ['in the spec', job({ replica: 3 }), 'spec.replica'],
    ['in resources', job({ resources: { gpus: 3 } }), 'spec.resources.gpus'],
    ['in a role', roles('jax', { ...WORKER, count: 3 }), 'spec.roles[0].count'],
  ])('%s', async (_where, spec, field) => {
    const verdict = await judge(jobs, jobManifest('net', spec));
    expect(verdict.status).toBe(400);
    expect(verdict.message).toContain(`unknown field "${field}"`);
  });
});

describe('refused for its name:', () => {
  test('one that leaves no room for the service', async () => {
    const longest = 'n'.repeat(56);
    expect((await judge(jobs, jobManifest(longest, job({})))).status).toBe(201);
    const verdict = await judge(jobs, jobManifest(`${longest}n`, job({})));
    expect(verdict.complaints).toContainEqual({ field: 'metadata.name', message: expect.stringContaining('at most 56 characters') });
  });

  test.each(['7b-model', 'model.v2'])('%s, which no service can have', async (name) => {
    const verdict = await judge(jobs, jobManifest(name, job({})));
    expect(verdict.complaints).toContainEqual({ field: 'metadata.name', message: expect.stringContaining('must be a DNS-1035 label') });
  });
});
