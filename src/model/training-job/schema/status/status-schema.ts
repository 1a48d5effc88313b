/** Schema of `MLTrainingJob.status`. Its texts have no bounds: a status that is refused would be worse than a long one. */
import { arrayStatusSchema } from './array-status-schema';
import { hooksStatusSchema } from './hook-status-schema';
import { idleStatusSchema, preflightStatusSchema, recoveryStatusFields, stackDumpsSchema } from './recovery-status-schema';
import { tuningStatusSchema } from './tuning-status-schema';
import { boolean, integer, list, listByKey, map, object, time, type JsonSchema } from '../json-schema';
import {
  CONDITION_TYPES, type CheckpointStatus, type Condition, type ElasticStatus, type FailureCause, type GangStatus, type Phase, type ProgressPoint,
  type QueueStatus, type ReplacedPod, type RoleStatus, type TrainerStatus, type TrainingJobStatus, type WorldSize,
} from '../../status/status';
import { HISTORY_METRICS, HISTORY_POINTS } from '../../../progress/progress-status';
import { MAX_METRICS } from '../../../progress/report';

const PHASES: readonly Phase[] = ['Pending', 'Running', 'Restarting', 'Suspended', 'Completed', 'Failed'];

function text(description: string): JsonSchema {
  return { type: 'string', description };
}

function count(description: string): JsonSchema {
  return integer(description, { minimum: 0 });
}

/** Schema of TrainingJobStatus. */
export function statusSchema(): JsonSchema {
  return object<TrainingJobStatus>('The operator\'s view of the job.', {
    phase: { type: 'string', description: 'Phase of the job. Completed and Failed are final.', enum: PHASES },
    observedGeneration: integer('Generation of the spec that the status refers to.', { format: 'int64' }),
    startTime: time('When the first replica ran.'),
    completionTime: time('When the job ended.'),
    conditions: listByKey('Conditions, for kubectl wait.', 'type', conditionSchema(), 16),
    replicas: count('Desired replicas of all roles.'),
    ready: text('Running or succeeded replicas out of the desired ones, such as 3/4.'),
    selector: text('Label selector of the job\'s pods.'),
    attempt: count('Number of the running attempt, from 0; a restart of the whole gang starts the next one.'),
    attemptStarted: boolean('Whether all pods of the attempt were seen.'),
    restarts: count('Counted restarts, of the gang or of single replicas.'),
    disruptions: count('Pods lost to evictions, preemption and nodes.'),
    retryStep: count('How many restarts the waiting time was doubled by.'),
    nextRetryTime: time('Earliest time of the next restart.'),
    ...recoveryStatusFields(),
    ...placementStatusFields(),
    workerStatuses: listByKey('Replicas of each role.', 'role', roleStatusSchema(), 16),
    lastFailure: failureSchema(),
    replacing: listByKey('Pods that are being replaced.', 'pod', object<ReplacedPod>('A pod.', {
      pod: text('Its name.'),
      uid: text('Uid of the pod to delete, empty if it disappeared by itself.'),
    }, { required: ['pod', 'uid'] }), 10_000),
    worldSize: object<WorldSize>('For elastic jobs: what is training at the moment.', {
      replicas: count('Running replicas with a rank.'),
      processes: count('Processes in them, if their number is known.'),
    }, { required: ['replicas'] }),
    elastic: object<ElasticStatus>('For elastic jobs: how the operator applied the desired number of replicas.', {
      replicas: count('The spec.replicas that it acts on.'),
      unseen: text('Ordinals of replicas that were added and not seen yet, as intervals such as 0-3,7.'),
    }, { required: ['replicas'] }),
    preflight: preflightStatusSchema(),
    hooks: hooksStatusSchema(),
    idle: idleStatusSchema(),
    trainerStatus: object<TrainerStatus>('What the training script reports.', {
      progressPercentage: integer('Progress in percent.', { minimum: 0, maximum: 100 }),
      estimatedRemainingSeconds: count('Estimated seconds until the end.'),
      // Atomic as in Kubeflow Trainer, whose clients may send a name twice.
      metrics: list('Metrics.', object<NonNullable<TrainerStatus['metrics']>[number]>('A metric.', {
        name: text('Its name.'),
        value: text('Its latest value.'),
      }, { required: ['name', 'value'] }), MAX_METRICS),
      lastUpdatedTime: time('When the script last reported.'),
    }),
    lastProgressTime: time('When the script last reported, by the operator\'s clock.'),
    progressHistory: list('Earlier reports, sampled to span the whole run.', object<ProgressPoint>('State of the script at some time.', {
      time: time('When the report was received.'),
      progressPercentage: integer('Progress in percent.', { minimum: 0, maximum: 100 }),
      metrics: map('The first few metrics that are numbers, by name.', text('Value.'), HISTORY_METRICS),
    }, { required: ['time'] }), HISTORY_POINTS),
    tuning: tuningStatusSchema(),
    array: arrayStatusSchema(),
    checkpoint: object<CheckpointStatus>('The last checkpoint that the script reported.', {
      path: text('Path or URL, given to the next attempt as RESUME_FROM.'),
      step: count('Training step that it holds.'),
      time: time('When it was reported.'),
    }, { required: ['path', 'time'] }),
  });
}

function conditionSchema(): JsonSchema {
  return object<Condition>('A condition.', {
    type: { type: 'string', description: `One of ${CONDITION_TYPES.join(', ')}.`, maxLength: 316 },
    status: { type: 'string', description: 'Status of the condition.', enum: ['True', 'False', 'Unknown'] },
    reason: text('Machine-readable reason.'),
    message: text('Human-readable message.'),
    lastTransitionTime: time('When the status last changed.'),
    observedGeneration: integer('Generation of the spec that the condition refers to.', { format: 'int64', minimum: 0 }),
  }, { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] });
}

function roleStatusSchema(): JsonSchema {
  return object<RoleStatus>('Replicas of one role.', {
    role: text('Name of the role.'),
    replicas: count('Desired number of replicas.'),
    pending: count('Pods that exist and have not started.'),
    running: count('Pods with running containers.'),
    succeeded: count('Replicas that have succeeded.'),
    failed: count('Pods that have failed and were not replaced.'),
    succeededIndexes: text('Indexes that have succeeded as intervals, such as 0-3,7.'),
  }, { required: ['role'] });
}

function failureSchema(): JsonSchema {
  return object<FailureCause>('The last failure of a replica, and possibly of the job.', {
    role: text('Role of the replica.'),
    index: count('Index of the replica in its role.'),
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
  }, { required: ['role', 'index', 'pod', 'reason', 'attempt', 'time'] });
}

/** `status.gang` and `status.queue`. */
function placementStatusFields(): { readonly gang: JsonSchema; readonly queue: JsonSchema } {
  return {
    gang: object<GangStatus>('A gang that was, or stays, placed in part.', {
      releases: integer('How often the whole gang was released because it stayed below its minimum.', { minimum: 0 }),
      belowSince: time('Since when the attempt has had only some of its replicas placed.'),
      step: integer('How many releases in a row the pause was doubled by.', { minimum: 0 }),
    }),
    queue: object<QueueStatus>('The job in its queue of Kueue.', {
      name: { type: 'string', description: 'The LocalQueue.' },
      workload: { type: 'string', description: 'The Workload that represents the job.' },
      clusterQueue: { type: 'string', description: 'ClusterQueue that the quota is reserved in.' },
      admitted: boolean('Whether the job may run.'),
      position: integer('Position in the queue, from 0.', { minimum: 0 }),
      evictions: integer('How often Kueue has reclaimed the quota.', { minimum: 0 }),
    }, { required: ['name', 'admitted'] }),
  };
}
