import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from './support/refusals';
import { engines } from '../../../src/manifests/engines/registry';
import { trainingOperatorV1Engine } from '../../../src/manifests/engines/training-operator-v1';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../src/model/training-job/fields/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../src/model/training-job/spec';

const ENGINE = trainingOperatorV1Engine();

const MPI = { framework: 'mpi', replicas: 2 } as const;
const PLAIN_PAUSE = 'training-operator v1 does not pause between restarts itself: the kubelet waits 10 seconds, and twice as long each time up to 5 minutes';
const NO_HOOKS = 'training-operator v1 creates only the replica types of its frameworks, and starts none of them when another one has ended. Remove it.';
const EXIT_CODES = 'training-operator v1 distinguishes exit codes only with the restart policy ExitCode, which retries those from 128';

const FRAMEWORKS: { readonly [framework in FrameworkName]?: string } = {
  mxnet: 'spec.framework: "mxnet": training-operator v1 has no MXJob since release 1.9. Choose another framework.',
  plain: 'spec.framework: "plain": training-operator v1 has a kind for each of its frameworks, and none for plain containers. Choose another framework.',
};

const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  'roles[].restartPolicy': {
    spec: { ...MPI, replicas: undefined, roles: [{ name: 'launcher', restartPolicy: 'ExitCode' }, { name: 'worker' }] },
    says: 'spec.roles[0].restartPolicy: "ExitCode": training-operator v1 never restarts the launcher of an MPIJob, so ExitCode has no effect. Remove it.',
  },
  'runPolicy.restartPolicy': {
    spec: { ...MPI, runPolicy: { restartPolicy: 'ExitCode' } },
    says: 'spec.runPolicy.restartPolicy: "ExitCode": training-operator v1 never restarts the launcher of an MPIJob, so ExitCode has no effect. Remove it.',
  },
  'runPolicy.backoffLimit': {
    spec: { runPolicy: { restartPolicy: 'ExitCode', backoffLimit: 2 } },
    says: 'spec.runPolicy.backoffLimit: 2: training-operator v1 does not count restarts of pods with the restart policy ExitCode, and retries them forever. Remove it.',
  },
  'runPolicy.backoff.initialSeconds': {
    spec: { runPolicy: { backoff: { initialSeconds: 5 } } }, says: `spec.runPolicy.backoff.initialSeconds: 5: ${PLAIN_PAUSE}. Remove it.`,
  },
  'runPolicy.backoff.maxSeconds': {
    spec: { runPolicy: { backoff: { maxSeconds: 60 } } }, says: `spec.runPolicy.backoff.maxSeconds: 60: ${PLAIN_PAUSE}. Remove it.`,
  },
  'runPolicy.backoff.resetAfterSeconds': {
    spec: { runPolicy: { backoff: { resetAfterSeconds: 60 } } }, says: `spec.runPolicy.backoff.resetAfterSeconds: 60: ${PLAIN_PAUSE}. Remove it.`,
  },
  'runPolicy.exitCodes.recover': {
    spec: { runPolicy: { exitCodes: { recover: [3] } } }, says: `spec.runPolicy.exitCodes.recover: [3]: ${EXIT_CODES}. Remove it.`,
  },
  'runPolicy.exitCodes.retry': {
    spec: { runPolicy: { exitCodes: { retry: [3] } } }, says: `spec.runPolicy.exitCodes.retry: [3]: ${EXIT_CODES}. Remove it.`,
  },
  'runPolicy.exitCodes.fail': {
    spec: { runPolicy: { exitCodes: { fail: [3] } } }, says: `spec.runPolicy.exitCodes.fail: [3]: ${EXIT_CODES}. Remove it.`,
  },
  'runPolicy.restartInPlace': {
    spec: { runPolicy: { restartPolicy: 'OnFailure', restartInPlace: false } },
    says: 'spec.runPolicy.restartInPlace: false: training-operator v1 leaves OnFailure and Always to the kubelet, which starts the container again in its pod. Remove it.',
  },
  'runPolicy.preRunningDeadlineSeconds': {
    spec: { runPolicy: { preRunningDeadlineSeconds: 60 } },
    says: 'spec.runPolicy.preRunningDeadlineSeconds: 60: training-operator v1 lets a job wait for its pods without limit. Remove it.',
  },
  'runPolicy.startTimeoutSeconds': {
    spec: { runPolicy: { startTimeoutSeconds: 60 } },
    says: 'spec.runPolicy.startTimeoutSeconds: 60: training-operator v1 lets a pod wait for its image without limit. Remove it.',
  },
  'runPolicy.nodeLoss.graceSeconds': {
    spec: { runPolicy: { nodeLoss: { graceSeconds: 10 } } },
    says: 'spec.runPolicy.nodeLoss.graceSeconds: 10: training-operator v1 leaves pods on lost nodes to Kubernetes. Remove it.',
  },
  'runPolicy.nodeLoss.leaseGraceSeconds': {
    spec: { runPolicy: { nodeLoss: { leaseGraceSeconds: 30 } } },
    says: 'spec.runPolicy.nodeLoss.leaseGraceSeconds: 30: training-operator v1 leaves pods on lost nodes to Kubernetes. Remove it.',
  },
  'runPolicy.nodeLoss.stuckPods': {
    spec: { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } },
    says: 'spec.runPolicy.nodeLoss.stuckPods: "Wait": training-operator v1 leaves pods on lost nodes to Kubernetes. Remove it.',
  },
  'runPolicy.nodeLoss.forceDeleteAfterSeconds': {
    spec: { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 10 } } },
    says: 'spec.runPolicy.nodeLoss.forceDeleteAfterSeconds: 10: training-operator v1 leaves pods on lost nodes to Kubernetes. Remove it.',
  },
  'runPolicy.nodeAvoidance.afterFailures': {
    spec: { runPolicy: { nodeAvoidance: { afterFailures: 1 } } },
    says: 'spec.runPolicy.nodeAvoidance.afterFailures: 1: training-operator v1 does not keep pods away from nodes. Remove it.',
  },
  'runPolicy.nodeAvoidance.forSeconds': {
    spec: { runPolicy: { nodeAvoidance: { forSeconds: 60 } } },
    says: 'spec.runPolicy.nodeAvoidance.forSeconds: 60: training-operator v1 does not keep pods away from nodes. Remove it.',
  },
  'runPolicy.disruptionLimit': {
    spec: { runPolicy: { disruptionLimit: 3 } },
    says: 'spec.runPolicy.disruptionLimit: 3: training-operator v1 does not distinguish disruptions from failures. Remove it.',
  },
  'runPolicy.successPolicy': {
    spec: { runPolicy: { successPolicy: 'AllReplicas' } },
    says: 'spec.runPolicy.successPolicy: "AllReplicas": training-operator v1 has one success policy for such a job, Coordinator. Remove it.',
  },
  'runPolicy.stall.timeoutSeconds': {
    spec: { runPolicy: { stall: { timeoutSeconds: 60 } } },
    says: 'spec.runPolicy.stall.timeoutSeconds: 60: training-operator v1 does not see whether a job makes progress. Remove it.',
  },
  'runPolicy.stall.action': {
    spec: { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } },
    says: 'spec.runPolicy.stall.action: "Fail": training-operator v1 does not see whether a job makes progress. Remove it.',
  },
  'scheduling.queueName': {
    spec: { ...MPI, scheduling: { queueName: 'research' } },
    says: 'spec.scheduling.queueName: "research": training-operator v1 creates MPIJobs of kubeflow.org/v1, which Kueue does not queue: they would start immediately, '
      + 'outside all quotas. Remove it.',
  },
  'scheduling.queuePriorityClassName': {
    spec: { framework: 'horovod', replicas: 2, scheduling: { queueName: 'research', queuePriorityClassName: 'urgent' } },
    says: 'spec.scheduling.queuePriorityClassName: "urgent": training-operator v1 creates MPIJobs of kubeflow.org/v1, which Kueue does not queue: they would start '
      + 'immediately, outside all quotas. Remove it.',
  },
  'scheduling.queueMode': {
    spec: { scheduling: { queueName: 'research', queueMode: 'PodGroup' } },
    says: 'spec.scheduling.queueMode: "PodGroup": training-operator v1 is queued by Kueue by its own kinds, not as plain pods. Remove it.',
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Volcano' } } },
    says: 'spec.scheduling.gang.scheduler: "Volcano": training-operator v1 creates gangs only if it was started with --gang-scheduler-name; if yours was, '
      + 'set gangScheduler in the engine\'s options. Remove it.',
  },
  'scheduling.gang.scheduleTimeoutSeconds': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 30 } } },
    says: 'spec.scheduling.gang.scheduleTimeoutSeconds: 30: training-operator v1 sets no time limit on gangs of Volcano. Remove it.',
  },
  'autoTuning': {
    spec: { autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } },
    says: 'training-operator v1 runs one job and has no hyperparameter search; use Katib. Remove it.',
  },
  'preflight': {
    spec: { preflight: {} },
    says: 'spec.preflight: {}: training-operator v1 has no checks before training that blame the node instead of the job. Remove it.',
  },
  'security.restricted': {
    spec: { security: { restricted: true } },
    says: 'spec.security.restricted: true: training-operator v1 adds the init container init-pytorch to workers if there is a master, which does not comply with the restrictions. Remove it.',
  },
  'security.networkPolicy.egress': {
    spec: { ...MPI, security: { networkPolicy: { egress: 'Limited' } } },
    says: 'spec.security.networkPolicy.egress: "Limited": training-operator v1 has the launcher reach its workers through the API server, whose address a '
      + 'policy cannot know. Remove it.',
  },
  'array': {
    spec: { array: { count: 4 } },
    says: 'spec.array: {"count":4}: training-operator v1 runs one job and no arrays: it cannot count copies or start them one after the other. Remove it.',
  },
  'hooks.before': { spec: { hooks: { before: { command: ['x'] } } }, says: NO_HOOKS },
  'hooks.after': { spec: { hooks: { after: { command: ['x'] } } }, says: NO_HOOKS },
  'hooks.onExit': { spec: { hooks: { onExit: { command: ['x'] } } }, says: NO_HOOKS },
  'helpers': {
    spec: { helpers: [{ name: 'evaluator', image: 'other' }] },
    says: 'training-operator v1 supports only the replica types of its frameworks. Remove it.',
  },
  'idle': {
    spec: { idle: { belowPercent: 5, forSeconds: 600 } }, says: 'training-operator v1 does not monitor the utilization of devices. Remove it.',
  },
  'suspend': {
    spec: { suspend: true, scheduling: { queueName: 'research' } },
    says: 'spec.suspend: true: training-operator v1 leaves a queued job to Kueue, which would resume it when it is admitted. Remove it.',
  },
  'managedBy': {
    spec: { managedBy: 'acme.io/controller' },
    says: 'spec.managedBy: "acme.io/controller": training-operator v1 is managed by itself or by kueue.x-k8s.io/multikueue. Remove it.',
  },
};

describe('training-operator v1 refuses', () => {
  test('exactly the frameworks and fields of these tables, and supports all others without a word', () => {
    expect(Object.keys(FRAMEWORKS).sort()).toEqual(limitedFrameworks(ENGINE).sort());
    expect(Object.keys(FIELDS).sort()).toEqual(limitedFields(ENGINE).sort());
  });

  test.each(Object.entries(FRAMEWORKS))('jobs of %s', (framework, says) => {
    expect(refusals(ENGINE, { framework: framework as FrameworkName })).toEqual([says]);
  });

  test.each(Object.entries(FIELDS))('%s beyond its limits', (_field, { spec, says }) => {
    const said = refusals(ENGINE, spec);
    expect(said.some((text) => text.endsWith(says) || text === says) ? says : said).toBe(says);
  });

  test('queues and MultiKueue for every framework of MPI, with the engines whose jobs Kueue does queue', () => {
    for (const framework of ['mpi', 'horovod', 'deepspeed'] as const) {
      const spec = { framework, replicas: 2, scheduling: { queueName: 'research' }, managedBy: 'kueue.x-k8s.io/multikueue' };
      const messages = validateForEngine(ENGINE, 'net', jobWith(spec), engines());
      expect(messages.map(({ path }) => path)).toEqual(['spec.scheduling.queueName', 'spec.managedBy']);
      for (const { message } of messages) {
        expect(message).toContain('Kueue does not queue');
      }
      expect(messages[0].message).toMatch(/choose the Trainyard operator.*Trainer/);
      // MultiKueue does not run MLTrainingJobs.
      expect(messages[1].message).toContain('choose Kubeflow Trainer');
    }
  });

  test('a field with the engines that have it', () => {
    const [{ message }] = validateForEngine(ENGINE, 'net', jobWith({ runPolicy: { disruptionLimit: 3 } }), engines());
    expect(message).toContain('Remove it, or choose the Trainyard operator');
  });
});

describe('training-operator v1 lets pass', () => {
  test.each<[string, Partial<TrainingJobSpec>]>([
    ['the kind\'s own success policy', { runPolicy: { successPolicy: 'Coordinator' } }],
    ['all workers of TensorFlow without a chief', { framework: 'tensorflow', roles: [{ name: 'worker', replicas: 2 }], runPolicy: { successPolicy: 'AllWorkers' } }],
    ['restrictions where it adds no container', { framework: 'jax', security: { restricted: true } }],
    ['restrictions of one PyTorch replica', { replicas: 1, security: { restricted: true } }],
    ['containers that start again in their pods', { framework: 'tensorflow', runPolicy: { restartPolicy: 'OnFailure', restartInPlace: true } }],
    ['the manager that a job has by default', { managedBy: 'ml.collabnix.io/trainyard-operator' }],
  ])('%s', (_what, spec) => expect(refusals(ENGINE, spec)).toEqual([]));

  test('gangs of the scheduler that it was started for, and no others', () => {
    const volcano = trainingOperatorV1Engine({ gangScheduler: 'volcano' });
    expect(refusals(volcano, { scheduling: { gang: { scheduler: 'Volcano' } } })).toEqual([]);
    expect(refusals(volcano, { scheduling: { gang: { scheduler: 'Coscheduling' } } })).toEqual([
      'spec.scheduling.gang.scheduler: "Coscheduling": training-operator v1 was started with --gang-scheduler-name=volcano, so it creates gangs for Volcano. Remove it.',
    ]);
    expect(refusals(volcano, { scheduling: { gang: { scheduler: 'Kai' } } })[0]).toContain('creates gangs only for Volcano and Coscheduling, not for Kai');
    expect(refusals(trainingOperatorV1Engine({ gangScheduler: 'other' }), { scheduling: { gang: { scheduler: 'Coscheduling' } } })).toEqual([]);
  });
});

describe('training-operator v1 has rules of its own on', () => {
  const withTraining = (training: object) => ({ template: { spec: { containers: [{ name: 'training', ...training }] } } });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a sidecar with the name of its container', { template: { spec: { containers: [{ name: 'pytorch', image: 'x' }] } } },
      'spec.template.spec.containers[0].name: "pytorch": is training-operator v1\'s name for the container training of PyTorchJobs. Rename it.'],
    ['the name of its port', withTraining({ ports: [{ name: 'pytorchjob-port', containerPort: 1 }] }),
      'spec.template.spec.containers[0].ports[0].name: "pytorchjob-port": is the port that training-operator v1 creates from spec.port. Set that, or rename the port.'],
    ['the port that replicas meet on', withTraining({ ports: [{ name: 'mine', containerPort: 29500 }] }),
      'spec.template.spec.containers[0].ports[0].containerPort: 29500: is the rendezvous port, which training-operator v1 finds by the name '
      + 'pytorchjob-port. Remove it.'],
    ['init containers that it adds', { template: { spec: { initContainers: [{ name: 'init-pytorch', image: 'x' }] } } },
      'spec.template.spec.initContainers[\'init-pytorch\']: "init-pytorch": is an init container that training-operator v1 adds to PyTorchJobs. Rename yours.'],
    ['volumes that it adds', { ...MPI, template: { spec: { volumes: [{ name: 'mpi-job-config', emptyDir: {} }] } } },
      'spec.template.spec.volumes[\'mpi-job-config\']: "mpi-job-config": is a volume that training-operator v1 adds to MPIJobs. Rename yours.'],
    ['variables that it sets after all others', { env: [{ name: 'PYTHONUNBUFFERED', value: '0' }] },
      'spec.env[\'PYTHONUNBUFFERED\']: "0": would have no effect: training-operator v1 sets PYTHONUNBUFFERED itself, after all others. Remove it.'],
    ['such variables in templates', withTraining({ env: [{ name: 'PYTHONUNBUFFERED', value: '0' }] }),
      'spec.template.spec.containers[\'training\'].env[\'PYTHONUNBUFFERED\']: "0": would have no effect: training-operator v1 sets PYTHONUNBUFFERED itself, '
      + 'after all others. Remove it.'],
    ['such variables as hyperparameters', { ...MPI, hyperparameters: { I_MPI_HYDRA_BOOTSTRAP: 'ssh' } },
      'spec.hyperparameters[\'I_MPI_HYDRA_BOOTSTRAP\']: "ssh": would have no effect: training-operator v1 sets I_MPI_HYDRA_BOOTSTRAP itself, after all others. '
      + 'Remove it.'],
    ['launchers with GPUs', { framework: 'mpi', replicas: undefined, roles: [{ name: 'launcher', resources: { gpu: 1 } }, { name: 'worker' }] },
      'spec.roles[0].resources.gpu: 1: would make the launcher train: training-operator v1 lists a launcher with GPUs among the workers. Remove it.'],
    ['DeepSpeed\'s way to its workers', { framework: 'deepspeed', replicas: 2, command: ['/usr/bin/deepspeed'], args: ['train.py'] },
      'spec.command: ["/usr/bin/deepspeed"]: starts DeepSpeed with pdsh, which needs ssh, but training-operator v1 reaches workers with kubectl exec. '
      + 'Add --launcher openmpi.'],
  ])('%s', (_what, spec, says) => expect(refusals(ENGINE, spec)).toEqual([says]));

  test('the length of names, with its own longest name', () => {
    const name = 'a'.repeat(57);
    expect(refusals(ENGINE, { replicas: 2 }, 'a'.repeat(54))).toEqual([]);
    expect(refusals(ENGINE, { framework: 'jax', replicas: 2 }, name).join()).toContain('too long');
    expect(refusals(ENGINE, { framework: 'mpi', replicas: 2 }, 'a'.repeat(54))).toEqual([]);
    expect(refusals(ENGINE, { replicas: 1 }, 'a'.repeat(55))).toEqual([
      `metadata.name: "${'a'.repeat(55)}": is too long for training-operator v1, whose pods and services have names like '${'a'.repeat(55)}-master-0' of at most `
      + '63 characters. Use at most 54 characters.',
    ]);
  });
});
