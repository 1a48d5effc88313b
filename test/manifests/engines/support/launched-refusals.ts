/** What engines refuse alike whose driver starts the programs: a table for the tests of each, in its words. */
import type { Refusal } from './refusals';
import type { FieldPath } from '../../../../src/model/training-job/fields/field-paths';
import type { FrameworkName, TrainingJobSpec } from '../../../../src/model/training-job/spec';

/** How the engine calls itself, and what runs its programs. */
export interface EngineWords {
  readonly title: string;
  /** `nodes`. */
  readonly members: string;
  /** `on each of its nodes`. */
  readonly onEach: string;
  /** What a program is started again in: `pods`. */
  readonly places: string;
}

const QUEUED = { queueName: 'research' };
const ELASTIC = { minReplicas: 1, maxReplicas: 4 };
const ROLES: Partial<TrainingJobSpec> = { framework: 'plain', roles: [{ name: 'actor', restartPolicy: 'Never' }, { name: 'learner' }] };
const ALWAYS: Partial<TrainingJobSpec> = { framework: 'plain', roles: [{ name: 'actor' }, { name: 'learner', restartPolicy: 'Always' }] };

/** What it says to frameworks. */
export function launchedFrameworkRefusals({ title, members, onEach }: EngineWords): { readonly [framework in FrameworkName]?: string } {
  const hostfile = `${title} does not expose the addresses of its ${members} before they run, and a launcher's hostfile is written before that. Choose another framework.`;
  return {
    mxnet: `spec.framework: "mxnet": ${title} starts one program ${onEach}, and an MXNet master needs three. Choose another framework.`,
    mpi: `spec.framework: "mpi": ${hostfile}`,
    horovod: `spec.framework: "horovod": ${hostfile}`,
    deepspeed: `spec.framework: "deepspeed": ${hostfile}`,
  };
}

/** What it says to fields. */
export function launchedFieldRefusals({ title, members, places }: EngineWords): { readonly [field in FieldPath]?: Refusal } {
  const lost = `${title} leaves pods on lost nodes to Kubernetes. Remove it.`;
  const suspect = `${title} does not remember on which nodes a job has failed. Remove it.`;
  const stall = `${title} does not track the progress of a job. Remove it.`;
  const size = `${title} cannot change the number of replicas of a running job. Remove it.`;
  const hooks = `${title} starts the pods of its driver and its ${members} together, and no pod before or after them. Remove it.`;
  const always = `${title} never restarts successful replicas. Remove it.`;
  return {
    'roles[].restartPolicy': { spec: { ...ALWAYS, runPolicy: { successPolicy: 'Coordinator' } }, says: `spec.roles[1].restartPolicy: "Always": ${always}` },
    'runPolicy.restartPolicy': {
      spec: { ...ROLES, runPolicy: { restartPolicy: 'Always', successPolicy: 'Coordinator' } }, says: `spec.runPolicy.restartPolicy: "Always": ${always}`,
    },
    'runPolicy.restartInPlace': {
      spec: { runPolicy: { restartInPlace: false } },
      says: `spec.runPolicy.restartInPlace: false: ${title} restarts programs in the same ${places}. Remove it.`,
    },
    'runPolicy.startTimeoutSeconds': {
      spec: { runPolicy: { startTimeoutSeconds: 60 } }, says: `spec.runPolicy.startTimeoutSeconds: 60: ${title} waits forever for a pod that cannot start. Remove it.`,
    },
    'runPolicy.nodeLoss.graceSeconds': { spec: { runPolicy: { nodeLoss: { graceSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.graceSeconds: 10: ${lost}` },
    'runPolicy.nodeLoss.leaseGraceSeconds': {
      spec: { runPolicy: { nodeLoss: { leaseGraceSeconds: 30 } } }, says: `spec.runPolicy.nodeLoss.leaseGraceSeconds: 30: ${lost}`,
    },
    'runPolicy.nodeLoss.stuckPods': { spec: { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } }, says: `spec.runPolicy.nodeLoss.stuckPods: "Wait": ${lost}` },
    'runPolicy.nodeLoss.forceDeleteAfterSeconds': {
      spec: { runPolicy: { nodeLoss: { forceDeleteAfterSeconds: 10 } } }, says: `spec.runPolicy.nodeLoss.forceDeleteAfterSeconds: 10: ${lost}`,
    },
    'runPolicy.nodeAvoidance.afterFailures': {
      spec: { runPolicy: { nodeAvoidance: { afterFailures: 1 } } }, says: `spec.runPolicy.nodeAvoidance.afterFailures: 1: ${suspect}`,
    },
    'runPolicy.nodeAvoidance.forSeconds': {
      spec: { runPolicy: { nodeAvoidance: { forSeconds: 60 } } }, says: `spec.runPolicy.nodeAvoidance.forSeconds: 60: ${suspect}`,
    },
    'runPolicy.stall.timeoutSeconds': { spec: { runPolicy: { stall: { timeoutSeconds: 60 } } }, says: `spec.runPolicy.stall.timeoutSeconds: 60: ${stall}` },
    'runPolicy.stall.action': { spec: { runPolicy: { stall: { timeoutSeconds: 60, action: 'Fail' } } }, says: `spec.runPolicy.stall.action: "Fail": ${stall}` },
    'scheduling.queueMode': {
      spec: { scheduling: { ...QUEUED, queueMode: 'PodGroup' } },
      says: `spec.scheduling.queueMode: "PodGroup": ${title} is queued as a whole and not as a group of pods. Remove it.`,
    },
    'scheduling.gang.scheduleTimeoutSeconds': {
      spec: { scheduling: { gang: { scheduler: 'Volcano', scheduleTimeoutSeconds: 30 } } },
      says: `spec.scheduling.gang.scheduleTimeoutSeconds: 30: ${title} sets no time limit on gangs. Remove it.`,
    },
    'elastic.minReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.minReplicas: 1: ${size}` },
    'elastic.maxReplicas': { spec: { elastic: ELASTIC }, says: `spec.elastic.maxReplicas: 4: ${size}` },
    'elastic.maxRestarts': { spec: { elastic: { ...ELASTIC, maxRestarts: 3 } }, says: `spec.elastic.maxRestarts: 3: ${size}` },
    'autoTuning': {
      spec: { autoTuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } } } }, says: `${title} runs one job and has no hyperparameter search. Remove it.`,
    },
    'array': { spec: { array: { count: 3 } }, says: `${title} runs one job and no arrays: it cannot count copies or start them one after the other. Remove it.` },
    'hooks.before': { spec: { hooks: { before: { command: ['x'] } } }, says: hooks },
    'hooks.after': { spec: { hooks: { after: { command: ['x'] } } }, says: hooks },
    'hooks.onExit': { spec: { hooks: { onExit: { command: ['x'] } } }, says: hooks },
    'preflight': {
      spec: { preflight: {} }, says: `spec.preflight: {}: ${title} does not know the addresses of its ${members} before they run, and the checks between them come before that. Remove it.`,
    },
    'init': {
      spec: { init: true, command: ['python'] }, says: `spec.init: true: ${title} starts programs as children of its own process, and sends SIGTERM to each. Remove it.`,
    },
    'idle': {
      spec: { resources: { memory: '4Gi', gpu: 1 }, idle: { belowPercent: 5, forSeconds: 600 } }, says: `${title} does not monitor the utilization of accelerators. Remove it.`,
    },
    'suspend': {
      spec: { suspend: true, scheduling: QUEUED }, says: `spec.suspend: true: ${title} is suspended and resumed by Kueue while it is in a queue. Remove it.`,
    },
  };
}
