import { rayEngine, type RayEngineSettings } from '../../../../src/manifests/engines/ray';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../../src/model/training-job/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { jobWith, limitedFields, limitedFrameworks, refusals, type Refusal } from '../support/refusals';

const ENGINE = rayEngine();

const QUEUED = { queueName: 'research' };
const LOST = 'KubeRay leaves pods on lost nodes to Kubernetes. Remove it.';
const SUSPECT = 'KubeRay does not remember on which nodes a job has failed. Remove it.';
const STALL = 'KubeRay does not know how far a job has come. Remove it.';
const SIZE = 'KubeRay keeps the number of replicas that a job starts with. Remove it.';
const HOSTFILE = 'KubeRay tells nobody the addresses of its nodes before they run, and a launcher\'s hostfile is written before that. Choose another framework.';

const FRAMEWORKS: { readonly [framework in FrameworkName]?: string } = {
  mxnet: 'spec.framework: "mxnet": KubeRay starts one program on each of its nodes, and a master of MXNet is three. Choose another framework.',
  mpi: `spec.framework: "mpi": ${HOSTFILE}`,
  horovod: `spec.framework: "horovod": ${HOSTFILE}`,
  deepspeed: `spec.framework: "deepspeed": ${HOSTFILE}`,
};

const ALWAYS = 'KubeRay never starts again what has ended well. Remove it.';
const PLAIN_ROLES: Partial<TrainingJobSpec> = { framework: 'plain', roles: [{ name: 'actor', restartPolicy: 'Never' }, { name: 'learner' }] };
const ELASTIC = { minReplicas: 1, maxReplicas: 4 };

const FIELDS: { readonly [field in FieldPath]?: Refusal } = {
  'roles[].restartPolicy': {
    spec: { ...PLAIN_ROLES, roles: [{ name: 'actor' }, { name: 'learner', restartPolicy: 'Always' }], runPolicy: { successPolicy: 'Coordinator' } },
    says: `spec.roles[1].restartPolicy: "Always": ${ALWAYS}`,
  },
  'runPolicy.restartPolicy': {
    spec: { ...PLAIN_ROLES, runPolicy: { restartPolicy: 'Always', successPolicy: 'Coordinator' } }, says: `spec.runPolicy.restartPolicy: "Always": ${ALWAYS}`,
  },
  'runPolicy.restartInPlace': {
    spec: { runPolicy: { restartInPlace: false } }, says: 'spec.runPolicy.restartInPlace: false: KubeRay starts programs again in the pods that they had. Remove it.',
  },
  'runPolicy.startTimeoutSeconds': {
    spec: { runPolicy: { startTimeoutSeconds: 60 } }, says: 'spec.runPolicy.startTimeoutSeconds: 60: KubeRay waits for ever for a pod that cannot start. Remove it.',
  },
  'runPolicy.nodeLoss.graceSeconds': { spec: { runPolicy: { nodeLoss: { graceSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.graceSeconds: 10: ${LOST}` },
  'runPolicy.nodeLoss.stuckPods': { spec: { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } }, says: `spec.runPolicy.nodeLoss.stuckPods: "Wait": ${LOST}` },
  'runPolicy.nodeLoss.forceDeleteAfterSeconds': {
    spec: { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.forceDeleteAfterSeconds: 10: ${LOST}`,
  },
  'runPolicy.nodeAvoidance.afterFailures': {
    spec: { runPolicy: { nodeAvoidance: { afterFailures: 1 } } }, says: `spec.runPolicy.nodeAvoidance.afterFailures: 1: ${SUSPECT}`,
  },
  'runPolicy.nodeAvoidance.forSeconds': {
    spec: { runPolicy: { nodeAvoidance: { forSeconds: 60 } } }, says: `spec.runPolicy.nodeAvoidance.forSeconds: 60: ${SUSPECT}`,
  },
  'runPolicy.ttlSecondsAfterFinished': {
    spec: { runPolicy: { ttlSecondsAfterFinished: 60 }, scheduling: QUEUED },
    says: 'spec.runPolicy.ttlSecondsAfterFinished: 60: KubeRay is queued by Kueue only where its cluster is shut down at its end, and KubeRay then deletes no job '
      + 'after a time. Remove it.',
  },
  'runPolicy.cleanPodPolicy': {
    spec: { runPolicy: { cleanPodPolicy: 'None' }, scheduling: QUEUED },
    says: 'spec.runPolicy.cleanPodPolicy: "None": KubeRay is queued by Kueue only where its pods go at the end of the job. Remove it.',
  },
  'runPolicy.stall.timeoutSeconds': { spec: { runPolicy: { stall: { timeoutSeconds: 60 } } }, says: `spec.runPolicy.stall.timeoutSeconds: 60: ${STALL}` },
  'runPolicy.stall.action': { spec: { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } }, says: `spec.runPolicy.stall.action: "Fail": ${STALL}` },
  'scheduling.queueMode': {
    spec: { scheduling: { ...QUEUED, queueMode: 'PodGroup' } },
    says: 'spec.scheduling.queueMode: "PodGroup": KubeRay is queued as a whole and not as a group of pods. Remove it.',
  },
  'scheduling.gang.scheduler': {
    spec: { scheduling: { gang: { scheduler: 'Volcano' } } },
    says: 'spec.scheduling.gang.scheduler: "Volcano": KubeRay makes gangs only where it was started with --batch-scheduler=volcano; if yours was, say so by '
      + 'batchScheduler in the engine\'s options. Remove it.',
  },
  'scheduling.gang.minAvailable': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', minAvailable: 2 } } },
    says: 'spec.scheduling.gang.minAvailable: 2: KubeRay places the head and all workers together, and no part of them. Remove it.',
  },
  'scheduling.gang.scheduleTimeoutSeconds': {
    spec: { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 30 } } },
    says: 'spec.scheduling.gang.scheduleTimeoutSeconds: 30: KubeRay sets no time limit on gangs. Remove it.',
  },
  'elastic.minReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.minReplicas: 1: ${SIZE}` },
  'elastic.maxReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.maxReplicas: 4: ${SIZE}` },
  'elastic.maxRestarts': { spec: { elastic: { ...ELASTIC, maxRestarts: 3 } }, says: `spec.elastic.maxRestarts: 3: ${SIZE}` },
  'autoTuning': {
    spec: { autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } },
    says: 'KubeRay runs one job and searches for nothing. Remove it.',
  },
  'array': { spec: { array: { count: 3 } }, says: 'KubeRay runs one job and no array of them: it could not count copies, nor begin one after the other. Remove it.' },
  'preflight': {
    spec: { preflight: {} }, says: 'spec.preflight: {}: KubeRay knows no addresses before its nodes run, and the checks between them come before that. Remove it.',
  },
  'idle': {
    spec: { resources: { gpu: 1 }, idle: { belowPercent: 5, forSeconds: 600 } }, says: 'KubeRay does not see how much of an accelerator is used. Remove it.',
  },
  'suspend': {
    spec: { suspend: true, scheduling: QUEUED }, says: 'spec.suspend: true: KubeRay is suspended and resumed by Kueue while it is in a queue. Remove it.',
  },
  'managedBy': {
    spec: { managedBy: 'somebody' }, says: 'spec.managedBy: "somebody": KubeRay is managed by itself or by kueue.x-k8s.io/multikueue. Remove it.',
  },
};

function complaints(over: Partial<TrainingJobSpec>, settings: RayEngineSettings = {}, name = 'net') {
  return validateForEngine(rayEngine(settings), name, { ...jobWith(over), command: ['run'], ...over });
}

describe('KubeRay refuses', () => {
  test.each(Object.entries(FIELDS))('%s', (_field, { spec, says }) => {
    expect(refusals(ENGINE, { command: ['run'], ...spec })).toContainEqual(expect.stringContaining(says));
  });

  test('no field that is not in this table', () => {
    expect(limitedFields(ENGINE).filter((field) => !(field in FIELDS))).toEqual(['debug']);
  });

  test.each(Object.entries(FRAMEWORKS))('%s', (framework, says) => {
    expect(refusals(ENGINE, { framework: framework as FrameworkName, command: ['run'], replicas: 2 })).toEqual([says]);
  });

  test('no framework that is not in this table', () => {
    expect(limitedFrameworks(ENGINE)).toEqual(Object.keys(FRAMEWORKS));
    expect(refusals(ENGINE, { framework: 'mxnet', command: ['run'], roles: [{ name: 'scheduler' }, { name: 'server' }, { name: 'worker' }] })).toEqual([]);
  });

  test.each<[string, Partial<TrainingJobSpec>, string]>([
    ['a job that is to be deleted later and is suspended', { runPolicy: { ttlSecondsAfterFinished: 60 }, suspend: true }, 'suspends jobs only whose cluster is shut down at their end, and then'],
    ['pods that are kept and a job that is suspended', { runPolicy: { cleanPodPolicy: 'None' }, suspend: true }, 'suspends jobs only whose pods go at their end'],
    ['a gang for a gate that is alpha', { scheduling: { gang: { scheduler: 'Native' } } }, 'makes no gangs for Native (its own gate for it is alpha)'],
  ])('%s', (_what, over, says) => {
    expect(complaints(over).map(({ message }) => message)).toContainEqual(expect.stringContaining(says));
  });

  test('a gang of another scheduler than its own', () => {
    expect(complaints({ scheduling: { gang: { scheduler: 'Kai' } } }, { batchScheduler: 'volcano' })).toMatchObject([{
      path: 'spec.scheduling.gang.scheduler', message: expect.stringContaining('was started with --batch-scheduler=volcano, and so makes no gangs for Kai'),
    }]);
  });

  test('a name that is too long for what KubeRay makes of it', () => {
    expect(complaints({}, {}, 'n'.repeat(47))).toEqual([]);
    expect(complaints({}, {}, 'n'.repeat(48))).toEqual([{
      path: 'metadata.name', value: 'n'.repeat(48), message: 'has 48 characters, and KubeRay allows a RayJob 47. Use at most 47 characters.',
    }]);
  });

  test('a job that leaves its program to the image', () => {
    expect(complaints({ command: undefined, args: ['--epochs=3'] })).toMatchObject([
      { path: 'spec.command', message: 'is required on KubeRay: the containers run Ray, and which program the image would start is not known. Give the command.' },
    ]);
  });

  test.each([[8080, 'its metrics'], [10_002, 'its workers'], [19_999, 'its workers'], [52_365, 'its agent']])('port %d, which is Ray\'s', (port, what) => {
    expect(complaints({ port })).toEqual([{
      path: 'spec.port', value: port,
      message: `is among those that Ray has for ${what} in the same pod (8080, 10002 to 19999, 52365). Choose another, such as 29500.`,
    }]);
  });

  test('a variable that KubeRay sets', () => {
    expect(complaints({ env: [{ name: 'RAY_ADDRESS', value: 'auto' }] })).toContainEqual({
      path: 'spec.env[\'RAY_ADDRESS\']', value: 'auto', message: 'is set by KubeRay, so that Ray\'s nodes find each other. Rename it.',
    });
  });

  test('a hook that is no program', () => {
    const template = { spec: { containers: [{ name: 'training', lifecycle: { preStop: { httpGet: { port: 80 } } } }] } };
    expect(complaints({ template })).toMatchObject([{
      path: 'spec.template.spec.containers[\'training\'].lifecycle.preStop', value: ['httpGet'],
      message: 'is no command, and pods of KubeRay have one that tells the program to end. Make it an exec or a sleep.',
    }, {}]);
  });

  test('more replicas than one driver can be told of', () => {
    const helpers = ['actor', 'buffer', 'critic', 'display'].map((name) => ({ name, replicas: 2400, command: ['run'] }));
    expect(complaints({ helpers, replicas: 2 })).toEqual([expect.objectContaining({
      path: 'spec.replicas', value: 9602, message: expect.stringMatching(/^are too many for one driver: their variables would take \d+ bytes in its ConfigMap/),
    })]);
  });

  test.each<[string, RayEngineSettings, object]>([
    ['tokens of a Ray that is too old', { tokenAuthentication: true, rayVersion: '2.51.0' }, { path: 'engine.rayVersion', value: '2.51.0' }],
    ['tokens of a Ray that nobody knows', { tokenAuthentication: true }, { path: 'engine.rayVersion', value: undefined }],
    ['a version that is none', { rayVersion: 'latest' }, { path: 'engine.rayVersion', value: 'latest' }],
    ['retries that are no number', { clusterRetries: -1 }, { path: 'engine.clusterRetries', value: -1 }],
  ])('%s', (_what, settings, violation) => {
    expect(complaints({}, settings)).toMatchObject([violation]);
  });

  test('restrictions that a container of KubeRay\'s does not keep', () => {
    expect(complaints({ security: { restricted: true } }, { submissionMode: 'SidecarMode' })).toMatchObject([{ path: 'spec.security.restricted' }]);
    expect(complaints({ security: { restricted: true } }, { tokenAuthentication: true, rayVersion: '3.0.0' })).toEqual([]);
  });
});
