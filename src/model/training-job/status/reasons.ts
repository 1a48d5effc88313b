/**
 * Every reason that the operator gives, in one place: of conditions, of Kubernetes events, of failures. Reasons are part of the API: alerts,
 * scripts and dashboards compare them, so one that is here keeps its name and its meaning. A test reads the operator's code and accepts no
 * other; docs/operator/events.md shows this list.
 */

export type ReasonPlace = 'event' | 'condition' | 'failure';

export interface ReasonEntry {
  readonly reason: string;
  /** `event`: of a Kubernetes event; `condition`: in `status.conditions`; `failure`: in `status.lastFailure`. */
  readonly places: readonly ReasonPlace[];
  /** One sentence for users. */
  readonly means: string;
}

const EVENT_AND_CONDITION = ['event', 'condition'] as const;

export const REASONS: readonly ReasonEntry[] = [
  // the ordinary life of a job
  { reason: 'JobCreated', places: ['condition'], means: 'The operator has accepted the job and creates its pods.' },
  { reason: 'ReplicasMissing', places: ['condition'], means: 'Not all replicas are running yet; the message shows how many are and what the first one waits for.' },
  { reason: 'AllReplicasRunning', places: ['condition'], means: 'All replicas are running or have succeeded.' },
  { reason: 'JobRunning', places: ['event'], means: 'All replicas are running again after a restart.' },
  { reason: 'Restarted', places: ['condition'], means: 'The restart is complete: all replicas are running again.' },
  { reason: 'JobSucceeded', places: EVENT_AND_CONDITION, means: 'The replicas that the success policy waits for have succeeded.' },
  { reason: 'JobSuspended', places: EVENT_AND_CONDITION, means: 'spec.suspend is set: the job has no pods until it is resumed.' },
  { reason: 'JobResumed', places: EVENT_AND_CONDITION, means: 'spec.suspend was removed: pods are created again.' },

  // waiting for room
  { reason: 'Queued', places: ['event'], means: 'The job waits in its queue of Kueue; the message begins with the reason of the condition Admitted.' },
  { reason: 'Admitted', places: EVENT_AND_CONDITION, means: 'Kueue has admitted the job, which may have pods now.' },
  { reason: 'Pending', places: ['condition'], means: 'Kueue has not admitted the job yet; if Kueue sets its own reason, that reason is used.' },
  { reason: 'AdmissionCheck', places: ['condition'], means: 'Kueue has reserved quota, and an admission check is still pending.' },
  { reason: 'KueueMissing', places: ['condition'], means: 'spec.scheduling.queueName is set, and the cluster has no Kueue.' },
  { reason: 'WorkloadRefused', places: EVENT_AND_CONDITION, means: 'The API server or Kueue rejects the Workload of the job; it is retried.' },
  { reason: 'PriorityClassMissing', places: EVENT_AND_CONDITION, means: 'The priority class in spec.scheduling does not exist; it is retried.' },
  { reason: 'QueueNotReadable', places: EVENT_AND_CONDITION, means: 'The operator may not read an object that the queue refers to; its service account needs the permission.' },
  { reason: 'QuotaLost', places: EVENT_AND_CONDITION, means: 'Kueue has reclaimed the quota; the job releases its pods and waits in the queue again.' },
  { reason: 'Deactivated', places: ['condition'], means: 'The Workload of the job was deactivated in Kueue (spec.active is false).' },
  { reason: 'WorkloadDeleted', places: ['condition'], means: 'The Workload of the job is being deleted; a new one takes its place.' },
  { reason: 'PodSetsChanged', places: ['condition'], means: 'The job\'s requests differ from those of its Workload; it is queued again.' },
  { reason: 'GangSchedulerMissing', places: EVENT_AND_CONDITION, means: 'The definitions of the gang scheduler that the job asks for are not installed.' },
  { reason: 'GangReleased', places: EVENT_AND_CONDITION, means: 'The gang was placed only in part for too long; it releases its pods and waits to be placed as a whole.' },

  // restarts
  { reason: 'JobRestarting', places: EVENT_AND_CONDITION, means: 'A replica failed; replicas start again as the restart policy says.' },
  { reason: 'JobDisrupted', places: EVENT_AND_CONDITION, means: 'The cluster removed a pod; replicas start again, and no failure is counted.' },
  { reason: 'NodeAvoided', places: ['event'], means: 'The job has failed on a node repeatedly; new pods avoid it.' },
  { reason: 'NodesForgiven', places: ['event'], means: 'Nodes on which the job failed are no longer avoided: the time has passed, or no other node was found.' },

  // elastic jobs
  { reason: 'RunningBelowDesired', places: ['condition'], means: 'An elastic job, or one whose helpers are missing, continues with fewer replicas than desired; the message shows what is missing.' },
  { reason: 'ReplicaReplaced', places: ['event'], means: 'An elastic job has lost a replica, or a job has lost a helper, which is replaced while the others continue.' },
  { reason: 'JobScaled', places: ['event'], means: 'The number of replicas of an elastic job was changed.' },

  // hung and sick jobs
  { reason: 'JobStalled', places: EVENT_AND_CONDITION, means: 'The job reported no progress for spec.runPolicy.stall.timeoutSeconds; all replicas start again.' },
  { reason: 'Stalled', places: ['event', 'condition', 'failure'], means: 'The job reported no progress for spec.runPolicy.stall.timeoutSeconds.' },
  { reason: 'PreflightFailed', places: ['event', 'condition', 'failure'], means: 'The checks of spec.preflight failed; the message shows on which node and why. No restart is counted.' },
  { reason: 'JobIdle', places: EVENT_AND_CONDITION, means: 'The job did not use its accelerators and is suspended (spec.idle), until its spec or its annotation ml.collabnix.io/resume changes.' },
  { reason: 'AcceleratorsIdle', places: EVENT_AND_CONDITION, means: 'The job does not use its accelerators (spec.idle).' },
  { reason: 'AcceleratorsInUse', places: ['condition'], means: 'The accelerators are used again, or their utilization is not known.' },

  // the end in failure
  { reason: 'ReplicaFailed', places: EVENT_AND_CONDITION, means: 'A replica failed in a way that is not retried, because of its exit code or restart policy.' },
  { reason: 'BackoffLimitExceeded', places: EVENT_AND_CONDITION, means: 'A replica failed after spec.runPolicy.backoffLimit restarts.' },
  { reason: 'DisruptionLimitExceeded', places: EVENT_AND_CONDITION, means: 'A pod was removed after spec.runPolicy.disruptionLimit disruptions.' },
  { reason: 'PreRunningDeadlineExceeded', places: EVENT_AND_CONDITION, means: 'The job waited longer for its replicas than spec.runPolicy.preRunningDeadlineSeconds.' },
  { reason: 'DeadlineExceeded', places: EVENT_AND_CONDITION, means: 'The job ran longer than spec.runPolicy.activeDeadlineSeconds.' },
  { reason: 'InvalidSpec', places: EVENT_AND_CONDITION, means: 'The spec violates a rule that the API server could not check; the message names the field and the fix.' },

  // pods that cannot start
  { reason: 'InvalidImageName', places: ['event', 'condition', 'failure'], means: 'The name of an image is not valid.' },
  { reason: 'ImagePullFailed', places: ['event', 'condition', 'failure'], means: 'An image cannot be pulled; the job fails after spec.runPolicy.startTimeoutSeconds.' },
  { reason: 'ContainerConfigError', places: ['event', 'condition', 'failure'],
    means: 'A container refers to a missing ConfigMap, Secret or key; the job fails after spec.runPolicy.startTimeoutSeconds.' },
  { reason: 'ContainerStartFailed', places: ['event', 'condition', 'failure'], means: 'The command of a container cannot be started.' },

  // objects that cannot be made
  { reason: 'InvalidPod', places: EVENT_AND_CONDITION, means: 'The API server rejects an object of the job as invalid; retrying would not help.' },
  { reason: 'NameTaken', places: EVENT_AND_CONDITION, means: 'An object with the name that the job needs belongs to another owner; it is retried.' },
  { reason: 'Forbidden', places: EVENT_AND_CONDITION, means: 'A quota, a policy or missing permissions block an object of the job; it is retried.' },

  { reason: 'PassTooLong', places: EVENT_AND_CONDITION, means: 'Planning the job took too long twice and was interrupted; the operator ignores the job until its spec changes.' },

  // hooks (spec.hooks)
  { reason: 'HookStarted', places: ['event'], means: 'The pod of a hook is created; the message shows which.' },
  { reason: 'HookSucceeded', places: ['event'], means: 'A hook has succeeded.' },
  { reason: 'HookRetried', places: ['event'], means: 'A try of a hook failed and another one follows; the message shows the cause.' },
  { reason: 'BeforeHookPending', places: ['condition'], means: 'The replicas, and the queue, wait until spec.hooks.before has succeeded.' },
  { reason: 'BeforeHookFailed', places: EVENT_AND_CONDITION, means: 'spec.hooks.before failed, so the job failed before it had replicas.' },
  { reason: 'AfterHookPending', places: ['condition'], means: 'The replicas have succeeded; the job is complete when spec.hooks.after has succeeded.' },
  { reason: 'AfterHookFailed', places: EVENT_AND_CONDITION, means: 'The replicas have succeeded and spec.hooks.after failed, so the job failed.' },
  { reason: 'OnExitHookFailed', places: EVENT_AND_CONDITION, means: 'spec.hooks.onExit failed; the outcome of the job stays the same.' },

  // searches (spec.autoTuning)
  { reason: 'TrialStarted', places: ['event'], means: 'A trial was chosen; the message shows its values.' },
  { reason: 'TrialSucceeded', places: ['event'], means: 'A trial has reported a value of the objective.' },
  { reason: 'TrialStopped', places: ['event'], means: 'A trial was worse than most at the same point of their training, and was stopped early.' },
  { reason: 'TrialFailed', places: ['event'], means: 'A trial failed, or reported no value of the objective; the message shows which.' },
  { reason: 'TrialsRunning', places: ['condition'], means: 'Trials of the search are running.' },
  { reason: 'TrialsPending', places: ['condition'], means: 'No trial of the search is running at the moment.' },
  { reason: 'SearchSucceeded', places: EVENT_AND_CONDITION, means: 'All trials have ended; the message names the best.' },
  { reason: 'TargetReached', places: EVENT_AND_CONDITION, means: 'A trial has reached spec.autoTuning.target; the search has ended.' },
  { reason: 'TooManyFailedTrials', places: EVENT_AND_CONDITION, means: 'More trials failed than spec.autoTuning.maxFailedTrials; the message shows the last reason.' },
  { reason: 'NoTrialSucceeded', places: EVENT_AND_CONDITION, means: 'All trials have ended and none reported a value of the objective.' },
  { reason: 'TrialDeleted', places: ['condition'], means: 'In status.tuning.lastFailedTrial: the job of a trial was deleted before it ended.' },
  { reason: 'ObjectiveMissing', places: ['condition'], means: 'In status.tuning.lastFailedTrial: the trial has succeeded without a value of the objective.' },
  { reason: 'ObjectiveNotANumber', places: ['condition'], means: 'In status.tuning.lastFailedTrial: the last value of the objective is not a finite number.' },

  // arrays (spec.array)
  { reason: 'CopyFailed', places: EVENT_AND_CONDITION, means: 'A copy of an array failed; the message shows which and why.' },
  { reason: 'CopyDeleted', places: ['condition'], means: 'In status.array.lastFailedIndex: the job of a copy was deleted before it ended.' },
  { reason: 'CopiesRunning', places: ['condition'], means: 'Copies of the array are running.' },
  { reason: 'CopiesPending', places: ['condition'], means: 'No copy of the array is running at the moment.' },
  { reason: 'ArraySucceeded', places: EVENT_AND_CONDITION, means: 'All copies have succeeded.' },
  { reason: 'FailedIndexes', places: EVENT_AND_CONDITION, means: 'All copies have ended and some of them failed; status.array.failedIndexes shows which.' },
  { reason: 'MaxFailedIndexesExceeded', places: EVENT_AND_CONDITION, means: 'More copies failed than spec.array.maxFailedIndexes; the running ones were stopped.' },

  // what happened to a replica, where Kubernetes gives no reason of its own
  { reason: 'Error', places: ['failure'], means: 'The container ended with an exit code other than 0.' },
  { reason: 'Completed', places: ['failure'], means: 'The container ended with exit code 0 although its role is always restarted.' },
  { reason: 'PodLost', places: ['failure'], means: 'The pod was deleted, or its node no longer exists.' },
  { reason: 'NodeGone', places: ['failure'], means: 'The node of the pod no longer exists.' },
  { reason: 'NodeNotReady', places: ['failure'], means: 'The node of the pod was not ready for longer than spec.runPolicy.nodeLoss.graceSeconds.' },
  { reason: 'NodeSilent', places: ['failure'], means: 'The node of the pod has not renewed its Lease for spec.runPolicy.nodeLoss.leaseGraceSeconds.' },
  { reason: 'NodeOutOfService', places: ['failure'], means: 'An administrator has tainted the node of the pod as out of service.' },
  { reason: 'NodeTerminating', places: ['failure'], means: 'The program was terminated while its node was shutting down.' },
  { reason: 'PodDeleted', places: ['failure'], means: 'The pod is being deleted, but not by the operator.' },
];

const BY_REASON = new Map(REASONS.map((entry) => [entry.reason, entry]));

/** The entry of a reason; undefined for reasons that are not ours, such as Kubernetes' own `OOMKilled`. */
export function reasonEntry(reason: string): ReasonEntry | undefined {
  return BY_REASON.get(reason);
}
