import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from './support/refusals';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { engines } from '../../../src/manifests/engines/registry';
import { trainerEngine } from '../../../src/manifests/engines/trainer';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../src/model/training-job/fields/field-paths';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const ENGINE = trainerEngine();
const IN_RUNTIME = trainerEngine({ runtime: 'torch-distributed' });
const FLUX = trainerEngine({ flux: true });

const ELASTIC: Partial<TrainingJobSpec> = { elastic: { minReplicas: 2, maxReplicas: 4, maxRestarts: 5 } };
const refused = (path: string, value: string, reason: string) => `spec.${path}: ${value}: Kubeflow Trainer ${reason}. Remove it.`;
const AT_ONCE = 'restarts immediately, without a pause';
const ONE_SIZE = 'has no elastic jobs yet (kubeflow/trainer issue 2903)';

/** Fields that are refused for some values; those that no value goes beyond are in {@link WITH_LESS}. */
const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  'roles[].restartPolicy': {
    spec: { framework: 'tensorflow', roles: [{ name: 'chief' }, { name: 'ps', restartPolicy: 'Always' }] },
    says: refused('roles[1].restartPolicy', '"Always"', 'never restarts successful replicas'),
  },
  'runPolicy.restartPolicy': {
    spec: { framework: 'tensorflow', roles: [{ name: 'chief', restartPolicy: 'Never' }, { name: 'ps' }], runPolicy: { restartPolicy: 'Always' } },
    says: refused('runPolicy.restartPolicy', '"Always"', 'never restarts successful replicas'),
  },
  'runPolicy.backoff.initialSeconds': {
    spec: { runPolicy: { backoff: { initialSeconds: 5 } } }, says: refused('runPolicy.backoff.initialSeconds', '5', AT_ONCE),
  },
  'runPolicy.backoff.maxSeconds': {
    spec: { runPolicy: { backoff: { maxSeconds: 60 } } }, says: refused('runPolicy.backoff.maxSeconds', '60', AT_ONCE),
  },
  'runPolicy.backoff.resetAfterSeconds': {
    spec: { runPolicy: { backoff: { resetAfterSeconds: 60 } } }, says: refused('runPolicy.backoff.resetAfterSeconds', '60', AT_ONCE),
  },
  'runPolicy.restartInPlace': {
    spec: { framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', restartInPlace: true } },
    says: refused('runPolicy.restartInPlace', 'true', 'starts new pods and never restarts a container in place'),
  },
  'runPolicy.preRunningDeadlineSeconds': {
    spec: { runPolicy: { preRunningDeadlineSeconds: 60 } },
    says: refused('runPolicy.preRunningDeadlineSeconds', '60', 'waits without limit for its pods to run'),
  },
  'runPolicy.startTimeoutSeconds': {
    spec: { runPolicy: { startTimeoutSeconds: 60 } }, says: refused('runPolicy.startTimeoutSeconds', '60', 'waits forever for a pod that cannot start'),
  },
  'runPolicy.nodeLoss.graceSeconds': {
    spec: { runPolicy: { nodeLoss: { graceSeconds: 10 } } },
    says: refused('runPolicy.nodeLoss.graceSeconds', '10', 'leaves pods on lost nodes to Kubernetes'),
  },
  'runPolicy.nodeLoss.leaseGraceSeconds': {
    spec: { runPolicy: { nodeLoss: { leaseGraceSeconds: 30 } } },
    says: refused('runPolicy.nodeLoss.leaseGraceSeconds', '30', 'leaves pods on lost nodes to Kubernetes'),
  },
  'runPolicy.nodeLoss.stuckPods': {
    spec: { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } },
    says: refused('runPolicy.nodeLoss.stuckPods', '"Wait"', 'leaves pods on lost nodes to Kubernetes'),
  },
  'runPolicy.nodeLoss.forceDeleteAfterSeconds': {
    spec: { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 10 } } },
    says: refused('runPolicy.nodeLoss.forceDeleteAfterSeconds', '10', 'leaves pods on lost nodes to Kubernetes'),
  },
  'runPolicy.nodeAvoidance.afterFailures': {
    spec: { runPolicy: { nodeAvoidance: { afterFailures: 1 } } },
    says: refused('runPolicy.nodeAvoidance.afterFailures', '1', 'does not remember on which nodes a job has failed'),
  },
  'runPolicy.nodeAvoidance.forSeconds': {
    spec: { runPolicy: { nodeAvoidance: { forSeconds: 60 } } },
    says: refused('runPolicy.nodeAvoidance.forSeconds', '60', 'does not remember on which nodes a job has failed'),
  },
  'runPolicy.disruptionLimit': {
    spec: { runPolicy: { disruptionLimit: 3 } },
    says: refused('runPolicy.disruptionLimit', '3', 'does not count disruptions: it allows them all, or with 0 none'),
  },
  'runPolicy.ttlSecondsAfterFinished': {
    spec: { runPolicy: { ttlSecondsAfterFinished: 60 } },
    says: refused('runPolicy.ttlSecondsAfterFinished', '60', 'would restart a failed job after its TTL: it recreates the JobSet that is '
      + 'deleted then'),
  },
  'runPolicy.cleanPodPolicy': {
    spec: { runPolicy: { cleanPodPolicy: 'All' } }, says: refused('runPolicy.cleanPodPolicy', '"All"', 'only removes pods that are still running'),
  },
  'runPolicy.stall.timeoutSeconds': {
    spec: { runPolicy: { stall: { timeoutSeconds: 60 } } }, says: refused('runPolicy.stall.timeoutSeconds', '60', 'does not track the progress of a job'),
  },
  'runPolicy.stall.action': {
    spec: { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } },
    says: refused('runPolicy.stall.action', '"Fail"', 'does not track the progress of a job'),
  },
  'scheduling.queueMode': {
    spec: { scheduling: { queueName: 'research', queueMode: 'PodGroup' } },
    says: refused('scheduling.queueMode', '"PodGroup"', 'is queued as a whole and not as a group of pods'),
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Kai' } } },
    says: refused('scheduling.gang.scheduler', '"Kai"', 'supports gangs only with Coscheduling and Volcano'),
  },
  'scheduling.gang.minAvailable': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 2 } } },
    says: refused('scheduling.gang.minAvailable', '2', 'creates gangs of all pods of a job'),
  },
  'scheduling.gang.scheduleTimeoutSeconds': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 30 } } },
    says: refused('scheduling.gang.scheduleTimeoutSeconds', '30', 'never releases a partially placed gang'),
  },
  'elastic.minReplicas': { spec: ELASTIC, says: refused('elastic.minReplicas', '2', ONE_SIZE) },
  'elastic.maxReplicas': { spec: ELASTIC, says: refused('elastic.maxReplicas', '4', ONE_SIZE) },
  'elastic.maxRestarts': { spec: ELASTIC, says: refused('elastic.maxRestarts', '5', ONE_SIZE) },
  'autoTuning': {
    spec: { autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } },
    says: 'Kubeflow Trainer runs one job and has no hyperparameter search. Remove it.',
  },
  'array': {
    spec: { array: { count: 4 } }, says: 'Kubeflow Trainer runs one job and no arrays: it cannot count copies or start them one after the other. Remove it.',
  },
  'hooks.before': {
    spec: { framework: 'mpi', hooks: { before: { command: ['x'] } } }, says: 'Kubeflow Trainer supports only a launcher and nodes in its MPI jobs. Remove it.',
  },
  'hooks.after': {
    spec: { hooks: { after: { command: ['x'] } } },
    says: 'Kubeflow Trainer does not stop the other replicas when those that decide have succeeded (runPolicy.successPolicy), so the hook would run at the same time; '
      + 'with successPolicy AllWorkers it waits for all. Remove it.',
  },
  'hooks.onExit': { spec: { hooks: { onExit: { command: ['x'] } } }, says: 'Kubeflow Trainer creates no more pods when it has failed or succeeded. Remove it.' },
  'helpers': {
    spec: { helpers: [{ name: 'evaluator', image: 'other', onFailure: 'Ignore' }] },
    says: 'Kubeflow Trainer cannot continue after a helper fails (onFailure: Ignore). Remove it.',
  },
  'idle': {
    spec: { idle: { belowPercent: 5, forSeconds: 600 } }, says: 'Kubeflow Trainer does not monitor the utilization of accelerators. Remove it.',
  },
  'suspend': {
    spec: { suspend: true, scheduling: { queueName: 'research' } },
    says: refused('suspend', 'true', 'is suspended and resumed by Kueue while it is in a queue'),
  },
  'managedBy': {
    spec: { managedBy: 'acme.io/controller' },
    says: refused('managedBy', '"acme.io/controller"', 'is managed by itself or by kueue.x-k8s.io/multikueue'),
  },
};

/** Fields that work with less than under the operator, whatever their value. */
const WITH_LESS: readonly FieldPath[] = ['preflight', 'debug'];

/** What a runtime that exists says, beside {@link FIELDS}. */
const OF_RUNTIME: { readonly [field in FieldPath]?: Partial<TrainingJobSpec> } = {
  'roles[].restartPolicy': { roles: [{ name: 'worker', restartPolicy: 'OnFailure' }] },
  'code': { code: { digest: `sha256:${'0'.repeat(64)}`, configMap: 'files' } },
  'workingDir': { workingDir: '/work' },
  'runPolicy.restartPolicy': { runPolicy: { restartPolicy: 'OnFailure' } },
  'runPolicy.backoffLimit': { runPolicy: { backoffLimit: 3 } },
  'runPolicy.exitCodes.recover': { runPolicy: { exitCodes: { recover: [3] } } },
  'runPolicy.exitCodes.retry': { runPolicy: { exitCodes: { retry: [3] } } },
  'runPolicy.exitCodes.fail': { runPolicy: { exitCodes: { fail: [3] } } },
  'runPolicy.disruptionLimit': { runPolicy: { disruptionLimit: 0 } },
  'runPolicy.successPolicy': { runPolicy: { successPolicy: 'AllWorkers' } },
  'scheduling.priorityClassName': { scheduling: { priorityClassName: 'high' } },
  'scheduling.schedulerName': { scheduling: { schedulerName: 'mine' } },
  'scheduling.gang.scheduler': { scheduling: { gang: { scheduler: 'Volcano' } } },
  'scheduling.gang.queue': { scheduling: { gang: { scheduler: 'Volcano', queue: 'gpu' } } },
  'scheduling.gang.minAvailable': { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 3 } } },
  'scheduling.gang.scheduleTimeoutSeconds': { scheduling: { gang: { scheduler: 'Coscheduling', scheduleTimeoutSeconds: 30 } } },
  'preflight': { preflight: {} },
  'debug': { debug: {} },
};

describe('Kubeflow Trainer refuses', () => {
  test('exactly the fields of these tables, and no framework', () => {
    expect(limitedFrameworks(ENGINE)).toEqual([]);
    expect([...Object.keys(FIELDS), ...WITH_LESS].sort()).toEqual(limitedFields(ENGINE).sort());
  });

  test.each(Object.entries(FIELDS))('%s beyond its limits', (_field, { spec, says }) => {
    const said = refusals(ENGINE, spec);
    expect(said.some((text) => text === says || text.endsWith(says)) ? says : said).toBe(says);
  });

  test('hooks where it has no runtime of its own, and in a queue', () => {
    const hooks = { before: { command: ['x'] } };
    const said = (engine: EngineDefinition, spec: Partial<TrainingJobSpec> = {}) => refusals(engine, { framework: 'plain', command: ['x'], hooks, ...spec }).join();
    expect(said(ENGINE)).toBe('');
    expect(said(trainerEngine({ runtime: 'plain' }))).toContain('Kubeflow Trainer takes the roles from the runtime plain. Remove it.');
    expect(said(FLUX)).toContain('Kubeflow Trainer runs all replicas in one Flux cluster. Remove it.');
    expect(said(ENGINE, { scheduling: { queueName: 'team' } })).toContain('the quota of the replicas would be reserved while a hook runs. Remove it.');
  });

  test('a field with the engines that have it', () => {
    const [{ message }] = validateForEngine(ENGINE, 'net', jobWith(ELASTIC), engines());
    expect(message).toContain('Remove it, or choose the Trainyard operator or training-operator v1');
  });
});

describe('a runtime that exists', () => {
  test('says exactly what a TrainJob cannot', () => {
    const more = limitedFields(IN_RUNTIME).filter((field) => !limitedFields(ENGINE).includes(field) && field !== 'port');
    expect(Object.keys(OF_RUNTIME)).toEqual(expect.arrayContaining(more));
  });

  test.each(Object.entries(OF_RUNTIME))('says %s', (field, spec) => {
    const says = 'Kubeflow Trainer uses the setting of the runtime torch-distributed. Remove it.';
    const path = `spec.${field.replace('roles[]', 'roles[0]')}: `;
    expect(refusals(IN_RUNTIME, spec).find((text) => text.startsWith(path))).toContain(says);
  });

  test.each(['tensorflow', 'mxnet', 'lightgbm', 'paddle'] as const)('serves no jobs of %s', (framework) => {
    expect(refusals(IN_RUNTIME, { framework }).join()).toContain('has no runtimes for');
    expect(limitedFrameworks(IN_RUNTIME)).toContain(framework);
  });

  test.each(['mpi', 'horovod', 'deepspeed'] as const)('of %s is another thing, because its launcher trains', (framework) => {
    expect(refusals(IN_RUNTIME, { framework })).toEqual([
      `spec.framework: "${framework}": Kubeflow Trainer runs training on the launcher in the MPI runtimes that it ships; leave runtime out of the engine's options to give the `
      + 'job its own runtime. Choose another framework.',
    ]);
  });

  const BEYOND = 'cannot be set by runtimePatches, and the runtime torch-distributed sets it. Remove it, or leave runtime out of the engine\'s options to give the job '
    + 'its own runtime.';

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['sidecars', { template: { spec: { containers: [{ name: 'logs', image: 'x' }] } } }, `spec.template.spec.containers['logs']: "logs": ${BEYOND}`],
    ['init containers', { template: { spec: { initContainers: [{ name: 'fetch', image: 'x' }] } } }, `spec.template.spec.initContainers['fetch']: "fetch": ${BEYOND}`],
    ['fields of the pod', { template: { spec: { hostNetwork: true } } }, `spec.template.spec.hostNetwork: true: ${BEYOND}`],
    ['fields of the container', { template: { spec: { containers: [{ name: 'training', envFrom: [{ secretRef: { name: 's' } }] }] } } },
      `spec.template.spec.containers['training'].envFrom: [{"secretRef":{"name":"s"}}]: ${BEYOND}`],
    ['roles that differ', { roles: [{ name: 'master', image: 'other' }, { name: 'worker' }] },
      'spec.roles: ["master","worker"]: cannot differ in the runtime torch-distributed, which has one template for all nodes, but role worker differs from master. '
      + 'Make them the same, or leave runtime out of the engine\'s options to give the job its own runtime.'],
    ['another port', { port: 1234 },
      'spec.port: 1234: Kubeflow Trainer uses port 29500 for the rendezvous if a plugin configures it. Remove it.'],
    ['processes that the plugin would count otherwise', { nprocPerNode: 'cpu' },
      'spec.nprocPerNode: "cpu": is counted by the runtime\'s plugin if it is not a number: GPUs by a resource with gpu in its name, else CPUs. Set a number, or '
      + 'leave runtime out of the engine\'s options to give the job its own runtime.'],
    ['slices of GPUs that its plugin would not see', { framework: 'xgboost', resources: { gpu: 2, gpuResourceName: 'nvidia.com/mig-1g.5gb' } },
      'spec.resources.gpuResourceName: "nvidia.com/mig-1g.5gb": is not a GPU for the runtime\'s plugin, which counts one worker for each resource with gpu in its name. '
      + 'Choose another one, or leave runtime out of the engine\'s options to give the job its own runtime.'],
    ['more variables than a TrainJob takes', { hyperparameters: Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`P${index}`, '1'])) },
      'spec.env: 138: is too much for a TrainJob, which accepts 128 variables, those of the job\'s contract included. Use less, or leave runtime out of the engine\'s '
      + 'options to give the job its own runtime.'],
    ['more words than a TrainJob takes', { command: ['run'], args: Array.from({ length: 129 }, () => 'a') },
      'spec.args: 129: is too much for a TrainJob, which accepts 128 words. Use less, or leave runtime out of the engine\'s options to give the job its '
      + 'own runtime.'],
    ['a longer image than a TrainJob takes', { image: 'a'.repeat(501) },
      'spec.image: 501: is too much for a TrainJob, which accepts 500 characters. Use less, or leave runtime out of the engine\'s options to give the job '
      + 'its own runtime.'],
  ])('cannot be told %s', (_what, spec, says) => expect(refusals(IN_RUNTIME, spec)).toEqual([says]));
});

describe('Flux', () => {
  const FLUX_JOB = { framework: 'mpi', replicas: 2, command: ['lmp'] } as const;

  test('starts MPI programs and plain commands, and nothing else', () => {
    expect(limitedFrameworks(FLUX).sort()).toEqual(['deepspeed', 'horovod', 'jax', 'lightgbm', 'mxnet', 'paddle', 'pytorch', 'tensorflow', 'xgboost']);
    expect(refusals(FLUX, { framework: 'pytorch' })).toEqual([
      'spec.framework: "pytorch": Kubeflow Trainer supports MPI programs and plain commands under Flux, but not PyTorch. Choose another framework.',
    ]);
  });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a command', { framework: 'plain' },
      'spec.command: is required with Flux, which otherwise waits for commands. Set it even if the image has one.'],
    ['the program without mpirun', { ...FLUX_JOB, command: ['/usr/bin/mpirun', 'lmp'] },
      'spec.command: ["/usr/bin/mpirun","lmp"]: starts an MPI program with /usr/bin/mpirun, but Flux does that itself. Use only the program and its arguments.'],
    ['words that a shell leaves as they are', { ...FLUX_JOB, args: ['a b'] },
      'spec.args: "a b": would be split or expanded: Trainer passes the command to a shell as one string under Flux. Put it into a script in the image.'],
    ['one process for the GPUs of a node', { ...FLUX_JOB, resources: { gpu: 4 } },
      'spec.nprocPerNode: must be 1 with GPUs: Trainer requests all 4 GPUs of a node from Flux for each process. Set it to 1.'],
    ['a number of processes', { ...FLUX_JOB, framework: 'plain', nprocPerNode: 'auto' },
      'spec.nprocPerNode: "auto": must be a number: Flux needs the number of processes. Set it, or omit it for 1.'],
    ['its own /dev/shm', { ...FLUX_JOB, resources: { sharedMemory: '1Gi' } },
      'spec.resources.sharedMemory: "1Gi": cannot be set under Flux, whose plugin mounts /dev/shm itself. Remove it.'],
    ['no launcher', { ...FLUX_JOB, replicas: undefined, roles: [{ name: 'launcher', image: 'other' }, { name: 'worker' }] },
      'spec.roles[0].image: "other": is for a launcher, but under Flux there is none: the first node submits the command. Set it for all roles, or remove it.'],
    ['one role', { framework: 'plain', command: ['run'], roles: [{ name: 'actor' }, { name: 'learner' }] },
      'spec.roles: ["actor","learner"]: are several, but under Flux all nodes run the same. Keep one of them.'],
    ['its own volumes', { ...FLUX_JOB, template: { spec: { volumes: [{ name: 'flux-curve', emptyDir: {} }] } } },
      'spec.template.spec.volumes[\'flux-curve\']: "flux-curve": is a volume that Kubeflow Trainer adds itself. Rename yours.'],
    ['an init around a command that Flux is given as one text', { ...FLUX_JOB, init: true },
      'spec.init: true: Kubeflow Trainer passes the command to a shell as one string under Flux. Remove it.'],
    ['its own init container', { ...FLUX_JOB, template: { spec: { initContainers: [{ name: 'flux-installer', image: 'x' }] } } },
      'spec.template.spec.initContainers[\'flux-installer\']: "flux-installer": is an init container that Kubeflow Trainer adds itself. Rename yours.'],
    ['no restrictions', { ...FLUX_JOB, security: { restricted: true } },
      'spec.security.restricted: true: Kubeflow Trainer adds the init container flux-installer, which does not comply with the restrictions. Remove it.'],
  ])('wants %s', (_what, spec, says) => expect(refusals(FLUX, spec)).toEqual([says]));
});

describe('Kubeflow Trainer has rules of its own on', () => {
  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['sidecars with the name of its container', { template: { spec: { containers: [{ name: 'node', image: 'x' }] } } },
      'spec.template.spec.containers[0].name: "node": is Kubeflow Trainer\'s name for the container training. Rename it.'],
    ['such sidecars of jobs without a plugin', { framework: 'tensorflow', template: { spec: { containers: [{ name: 'node', image: 'x' }] } } },
      'spec.template.spec.containers[0].name: "node": is Kubeflow Trainer\'s name for the container training. Rename it.'],
    ['ports without a name', { template: { spec: { containers: [{ name: 'training', ports: [{ containerPort: 80 }] }] } } },
      'spec.template.spec.containers[0].ports[0].name: is required: Kubeflow Trainer replaces an unnamed port with its own unnamed port.'],
    ['volumes that it adds', { framework: 'mpi', template: { spec: { volumes: [{ name: 'mpi-hostfile', emptyDir: {} }] } } },
      'spec.template.spec.volumes[\'mpi-hostfile\']: "mpi-hostfile": is a volume that Kubeflow Trainer adds itself. Rename yours.'],
  ])('%s', (_what, spec, says) => expect(refusals(ENGINE, spec)).toEqual([says]));

  test('the length of names, with the suffix of pods', () => {
    expect(refusals(ENGINE, { replicas: 10 }, 'a'.repeat(48))).toEqual([]);
    expect(refusals(ENGINE, { replicas: 10 }, 'a'.repeat(49))).toEqual([
      `metadata.name: "${'a'.repeat(49)}": is too long for Kubeflow Trainer: its longest pod would be '${'a'.repeat(49)}-node-0-9-abcde' with 64 characters, and `
      + 'JobSet allows 63. Use at most 48 characters.',
    ]);
    expect(refusals(ENGINE, { framework: 'tensorflow', replicas: 10 }, 'a'.repeat(47)).join()).toContain('too long for JobSet');
  });
});
