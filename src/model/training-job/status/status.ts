/**
 * `MLTrainingJob.status`. Bounded by design: counts per role, sets of indexes as intervals, one failure; never a list that grows with the replicas,
 * so that a job of 10,000 of them fits into etcd as easily as a job of one. The types follow from the schema.
 */
import { idleStatusSchema, preflightStatusSchema, recoveryStatusFields, stackDumpsSchema } from './recovery-status';
import { tuningStatusSchema } from './tuning-status';
import { boolean, count, integer, list, listByKey, map, object, percentage, text, time, word, type Typed, type ValueOf } from '../schema/status-fields';

/** Metrics of a report. */
export const MAX_METRICS = 256;

/** Reports that the history keeps. */
export const HISTORY_POINTS = 24;

/** Metrics that a point of the history keeps: the first ones of the report that are numbers. */
export const HISTORY_METRICS = 8;

const hook = (description: string) => object(description, {
  phase: word('Phase of the hook. Succeeded and Failed are final.', ['Pending', 'Running', 'Succeeded', 'Failed']),
  pod: text('Pod of the current try, or of the last one.'),
  failures: count('Tries that have failed.'),
  startTime: time('Since when the time limit counts; absent while the job is suspended.'),
  completionTime: time('When it ended.'),
  nextRetryTime: time('Earliest time of the next try.'),
  message: text('Why it failed, or what it waits for.'),
}, ['phase', 'pod', 'failures']);

/** Schema of `status.hooks`. */
function hooksStatusSchema() {
  return object('Hooks that have begun.', {
    before: hook('The hook before the replicas.'),
    after: hook('The hook after the replicas.'),
    onExit: hook('The hook after the end of the job.'),
  });
}

export type HookStatus = ValueOf<ReturnType<typeof hook>>;

export type HooksStatus = ValueOf<typeof hooksStatusSchema>;

/** Types of the conditions that the operator sets, in the order in which they are written. */
export const CONDITION_TYPES = ['Created', 'Admitted', 'Running', 'Restarting', 'Suspended', 'Idle', 'Succeeded', 'Failed', 'HookFailed'] as const;

/** One of {@link CONDITION_TYPES}. */
export type ConditionType = (typeof CONDITION_TYPES)[number];

const condition = () => object('A condition.', {
  type: { type: 'string', description: `One of ${CONDITION_TYPES.join(', ')}.`, maxLength: 316 } as Typed<ConditionType>,
  status: word('Status of the condition.', ['True', 'False', 'Unknown']),
  reason: text('Machine-readable reason.'),
  message: text('Human-readable message.'),
  lastTransitionTime: time('When the status last changed.'),
  observedGeneration: integer('Generation of the spec that the condition refers to.', { format: 'int64', minimum: 0 }),
}, ['type', 'status', 'reason', 'message', 'lastTransitionTime']);

const role = () => object('Replicas of one role.', {
  role: text('Name of the role.'),
  replicas: count('Desired number of replicas.'),
  pending: count('Pods that exist and have not started.'),
  running: count('Pods with running containers.'),
  // Also those whose pod is gone.
  succeeded: count('Replicas that have succeeded.'),
  failed: count('Pods that have failed and were not replaced.'),
  succeededIndexes: text('Indexes that have succeeded as intervals, such as 0-3,7.'),
}, ['role']);

const failure = () => object('The last failure of a replica, and possibly of the job.', {
  role: text('Role of the replica.'),
  index: count('Index of the replica in its role.'),
  // Absent on roles that have none.
  rank: count('Global rank of the replica.'),
  pod: text('Name of the pod.'),
  node: text('Node of the pod.'),
  container: text('Container that failed.'),
  exitCode: integer('Its exit code.'),
  signal: text('Name of the signal that an exit code above 128 stands for.'),
  reason: text('Kubernetes\' reason, such as Error, OOMKilled or Evicted.'),
  message: text('More about it.'),
  logTail: text('The last lines that the container wrote.'),
  attempt: count('Attempt of the job.'),
  time: time('When it failed.'),
  stackDumps: stackDumpsSchema(),
}, ['role', 'index', 'pod', 'reason', 'attempt', 'time']);

/** It is gone from the list when its successor is seen. */
const replaced = () => object('A pod.', {
  pod: text('Its name.'),
  uid: text('Uid of the pod to delete, empty if it disappeared by itself.'),
}, ['pod', 'uid']);

const worldSize = () => object('For elastic jobs: what is training at the moment.', {
  replicas: count('Running replicas with a rank.'),
  processes: count('Processes in them, if their number is known.'),
}, ['replicas']);

/** In the shape of Kubeflow Trainer v2.3, so that its clients can read it. */
const trainer = () => object('What the training script reports.', {
  progressPercentage: percentage('Progress in percent.'),
  estimatedRemainingSeconds: count('Estimated seconds until the end.'),
  // Atomic as in Kubeflow Trainer, whose clients may send a name twice.
  metrics: list('Metrics.', object('A metric.', {
    name: text('Its name.'),
    value: text('Its latest value.'),
  }, ['name', 'value']), MAX_METRICS),
  lastUpdatedTime: time('When the script last reported.'),
});

/** Earlier reports, thinned out so that a bounded number of points spans the whole run. */
const progressPoint = () => object('State of the script at some time.', {
  time: time('When the report was received.'),
  progressPercentage: percentage('Progress in percent.'),
  metrics: map('The first few metrics that are numbers, by name.', text('Value.'), HISTORY_METRICS),
}, ['time']);

const checkpoint = () => object('The last checkpoint that the script reported.', {
  path: text('Path or URL, given to the next attempt as RESUME_FROM.'),
  step: count('Training step that it holds.'),
  time: time('When it was reported.'),
}, ['path', 'time']);

/** Counts and sets of indexes as intervals. Copies start in the order of their indexes: those that are in no set wait. */
const array = () => object('Status of the copies of an array.', {
  active: count('Running copies.'),
  succeeded: count('Copies that have succeeded.'),
  failed: count('Copies that have failed.'),
  // Written before their jobs are created.
  activeIndexes: text('Running indexes, as intervals such as 4-7.'),
  // Of all others a missing job is a deleted one.
  unseenIndexes: text('Running indexes whose job was not seen yet.'),
  completedIndexes: text('Indexes that have succeeded, as intervals such as 0-3,7.'),
  failedIndexes: text('Indexes that have failed, as intervals.'),
  lastFailedIndex: object('Why the last failed copy failed.', {
    index: count('Its index.'),
    reason: text('Machine-readable reason.'),
    message: text('Human-readable message.'),
    time: time('When this was seen.'),
  }, ['index', 'reason', 'message', 'time']),
}, ['active', 'succeeded', 'failed']);

/** Set on a gang that was placed in part. */
const gang = () => object('A gang that was, or stays, placed in part.', {
  // Neither a restart nor a disruption.
  releases: count('How often the whole gang was released because it stayed below its minimum.'),
  belowSince: time('Since when the attempt has had only some of its replicas placed.'),
  // Gone once the gang has run.
  step: count('How many releases in a row the pause was doubled by.'),
});

const queue = () => object('The job in its queue of Kueue.', {
  name: text('The LocalQueue.'),
  // Absent with queueMode PodGroup, where Kueue makes it.
  workload: text('The Workload that represents the job.'),
  clusterQueue: text('ClusterQueue that the quota is reserved in.'),
  admitted: boolean('Whether the job may run.'),
  // Absent when the job does not wait, or where Kueue does not serve its visibility API.
  position: count('Position in the queue, from 0.'),
  // They count as disruptions too.
  evictions: count('How often Kueue has reclaimed the quota.'),
}, ['name', 'admitted']);

/** Schema of `status`. */
export function statusSchema() {
  return object('The operator\'s view of the job.', {
    phase: word('Phase of the job. Completed and Failed are final.', ['Pending', 'Running', 'Restarting', 'Suspended', 'Completed', 'Failed']),
    observedGeneration: integer('Generation of the spec that the status refers to.', { format: 'int64' }),
    startTime: time('When the first replica ran.'),
    completionTime: time('When the job ended.'),
    conditions: listByKey('Conditions, for kubectl wait.', 'type', condition(), 16),
    // The scale subresource reads it, and the selector.
    replicas: count('Desired replicas of all roles.'),
    ready: text('Running or succeeded replicas out of the desired ones, such as 3/4.'),
    selector: text('Label selector of the job\'s pods.'),
    attempt: count('Number of the running attempt, from 0; a restart of the whole gang starts the next one.'),
    // From then on a missing pod is a lost pod.
    attemptStarted: boolean('Whether all pods of the attempt were seen.'),
    restarts: count('Counted restarts, of the gang or of single replicas.'),
    disruptions: count('Pods lost to evictions, preemption and nodes.'),
    // Back to 0 after a healthy while.
    retryStep: count('How many restarts the waiting time was doubled by.'),
    nextRetryTime: time('Earliest time of the next restart.'),
    ...recoveryStatusFields(),
    gang: gang(),
    queue: queue(),
    workerStatuses: listByKey('Replicas of each role.', 'role', role() as Typed<RoleStatus>, 16),
    lastFailure: failure(),
    replacing: listByKey('Pods that are being replaced.', 'pod', replaced(), 10_000),
    worldSize: worldSize(),
    elastic: object('For elastic jobs: how the operator applied the desired number of replicas.', {
      replicas: count('The spec.replicas that it acts on.'),
      // Their absence is not a loss.
      unseen: text('Ordinals of replicas that were added and not seen yet, as intervals such as 0-3,7.'),
    }, ['replicas']),
    preflight: preflightStatusSchema(),
    hooks: hooksStatusSchema(),
    idle: idleStatusSchema(),
    trainerStatus: trainer(),
    // Read it with `lastProgressTime()`.
    lastProgressTime: time('When the script last reported, by the operator\'s clock.'),
    progressHistory: list('Earlier reports, sampled to span the whole run.', progressPoint(), HISTORY_POINTS),
    tuning: tuningStatusSchema(),
    array: array(),
    checkpoint: checkpoint(),
  });
}

export type TrainingJobStatus = ValueOf<typeof statusSchema>;

/** The blog's phases. */
export type Phase = NonNullable<TrainingJobStatus['phase']>;

export type Condition = ValueOf<typeof condition>;

/** The operator always writes the counts. */
export type RoleStatus = Required<Omit<ValueOf<typeof role>, 'succeededIndexes'>> & Pick<ValueOf<typeof role>, 'succeededIndexes'>;

/** Why a replica, and with it perhaps the job, failed. */
export type FailureCause = ValueOf<typeof failure>;

export type ReplacedPod = ValueOf<typeof replaced>;
export type WorldSize = ValueOf<typeof worldSize>;
export type TrainerStatus = ValueOf<typeof trainer>;
export type ProgressPoint = ValueOf<typeof progressPoint>;
export type CheckpointStatus = ValueOf<typeof checkpoint>;
export type ArrayStatus = ValueOf<typeof array>;
export type FailedIndex = NonNullable<ArrayStatus['lastFailedIndex']>;
export type ElasticStatus = NonNullable<TrainingJobStatus['elastic']>;
export type GangStatus = ValueOf<typeof gang>;
export type QueueStatus = ValueOf<typeof queue>;

/**
 * Milliseconds since the epoch at which a job that has not run since was accepted, or resumed. One that starts again after a failure is not
 * pending.
 */
export function waitingSince({ phase, attemptStarted, conditions = [], hooks: { before } = {} }: TrainingJobStatus): number | undefined {
  // The time of a hook before the replicas has a limit of its own.
  if (phase !== 'Pending' || attemptStarted === true || (before !== undefined && before.phase !== 'Succeeded')) {
    return undefined;
  }
  const accepted = conditions.filter(({ type }) => type === 'Created' || type === 'Suspended').map(({ lastTransitionTime }) => lastTransitionTime);
  const times = [...accepted, before?.completionTime ?? ''].map((time) => Date.parse(time))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
