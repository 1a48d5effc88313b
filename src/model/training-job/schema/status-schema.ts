/** Schema of `MLTrainingJob.status`. Its texts have no bounds: a status that is refused would be worse than a long one. */
import { boolean, integer, listByKey, object, time, type JsonSchema } from './json-schema';
import {
  CONDITION_TYPES, type CheckpointStatus, type Condition, type FailureCause, type Phase, type ReplacedPod, type RoleStatus, type TrainerStatus,
  type TrainingJobStatus,
} from '../status';

const PHASES: readonly Phase[] = ['Pending', 'Running', 'Restarting', 'Suspended', 'Completed', 'Failed'];

/** Kubeflow Trainer's limit on metrics. */
const MAX_METRICS = 256;

function text(description: string): JsonSchema {
  return { type: 'string', description };
}

function count(description: string): JsonSchema {
  return integer(description, { minimum: 0 });
}

/** Schema of TrainingJobStatus. */
export function statusSchema(): JsonSchema {
  return object<TrainingJobStatus>('What the operator knows of the job.', {
    phase: { type: 'string', description: 'Where the job stands. Completed and Failed are final.', enum: PHASES },
    observedGeneration: integer('Generation of the spec that the status speaks of.', { format: 'int64' }),
    startTime: time('When the first replica ran.'),
    completionTime: time('When the job ended.'),
    conditions: listByKey('Conditions, for kubectl wait.', 'type', conditionSchema(), 16),
    replicas: count('Wanted replicas of all roles.'),
    ready: text('Running or succeeded of the wanted replicas, such as 3/4.'),
    selector: text('Label selector of the job\'s pods.'),
    attempt: count('Number of the running attempt, from 0; a restart of the whole gang starts the next one.'),
    attemptStarted: boolean('Whether all pods of the attempt were seen.'),
    restarts: count('Counted restarts, of the gang or of single replicas.'),
    disruptions: count('Pods lost to evictions, preemption and nodes.'),
    retryStep: count('How many restarts the waiting time was doubled by.'),
    nextRetryTime: time('Earliest time of the next restart.'),
    workerStatuses: listByKey('Replicas of each role.', 'role', roleStatusSchema(), 16),
    lastFailure: failureSchema(),
    replacing: listByKey('Pods that are being replaced.', 'pod', object<ReplacedPod>('A pod.', {
      pod: text('Its name.'),
      uid: text('Uid of the pod that has to go, empty when it had vanished by itself.'),
    }, { required: ['pod', 'uid'] }), 10_000),
    trainerStatus: object<TrainerStatus>('What the training script reports.', {
      progressPercentage: integer('Progress in percent.', { minimum: 0, maximum: 100 }),
      estimatedRemainingSeconds: count('Estimated seconds until the end.'),
      metrics: listByKey('Metrics by name.', 'name', object<NonNullable<TrainerStatus['metrics']>[number]>('A metric.', {
        name: text('Its name.'),
        value: text('Its latest value.'),
      }, { required: ['name', 'value'] }), MAX_METRICS),
      lastUpdatedTime: time('When the script last reported.'),
    }),
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
    status: { type: 'string', description: 'Whether it holds.', enum: ['True', 'False', 'Unknown'] },
    reason: text('Why, in one word.'),
    message: text('Why, for people.'),
    lastTransitionTime: time('When the status last changed.'),
    observedGeneration: integer('Generation of the spec that the condition speaks of.', { format: 'int64', minimum: 0 }),
  }, { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] });
}

function roleStatusSchema(): JsonSchema {
  return object<RoleStatus>('Replicas of one role.', {
    role: text('Name of the role.'),
    replicas: count('How many there should be.'),
    pending: count('Pods that exist and have not started.'),
    running: count('Pods whose containers run.'),
    succeeded: count('Replicas that have succeeded.'),
    failed: count('Pods that have failed and were not replaced.'),
    succeededIndexes: text('Indexes that have succeeded as intervals, such as 0-3,7.'),
  }, { required: ['role'] });
}

function failureSchema(): JsonSchema {
  return object<FailureCause>('Why a replica, and with it perhaps the job, failed last.', {
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
  }, { required: ['role', 'index', 'pod', 'reason', 'attempt', 'time'] });
}
