/**
 * Every metric of the operator: name, kind, help, labels. The one list: the registry is built from it, the table in docs/operator/observability.md is
 * written from it, and alerts and dashboards may use no other name.
 *
 * - Labels are bounded: namespaces, frameworks, verbs, resource types, reasons of our own list. Never a job, a pod, a node, a message: ten thousand
 *   jobs make as many series as ten. What is asked of one job stands in its status.
 * - The label is `job_namespace`, as in training-operator, because Prometheus puts the `namespace` of whom it scrapes on every series.
 * - Units are seconds; counters end in `_total`.
 */

/** How a family counts. */
export type FamilyType = 'counter' | 'gauge' | 'histogram';

/** A metric and what is said about it. */
export interface Family {
  readonly name: string;
  readonly type: FamilyType;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

const JOB = ['job_namespace', 'framework'] as const;

/** From an idle cluster, where the next second counts, to a queue of a week. */
const WAIT_BUCKETS = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400, 86_400, 604_800];

/** From a pass that finds nothing to do to one that waits for an API server in trouble. */
const WORK_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const counter = (name: string, help: string, labels: readonly string[] = []): Family => ({ name, type: 'counter', help, labels });
const gauge = (name: string, help: string, labels: readonly string[] = []): Family => ({ name, type: 'gauge', help, labels });
const histogram = (name: string, help: string, buckets: readonly number[], labels: readonly string[] = []): Family =>
  ({ name, type: 'histogram', help, labels, buckets });

/** What happens to jobs. Only the leader counts, or the holder of a job's shard. */
export const JOB_FAMILIES = {
  created: counter('trainyard_jobs_created_total', 'Jobs that the operator has picked up.', JOB),
  succeeded: counter('trainyard_jobs_succeeded_total', 'Jobs that have completed.', JOB),
  failed: counter('trainyard_jobs_failed_total', 'Jobs that have failed, by the reason of the Failed condition.', [...JOB, 'reason']),
  deleted: counter('trainyard_jobs_deleted_total', 'Jobs that were deleted, finished or not.', JOB),
  restarts: counter('trainyard_job_restarts_total', 'Decisions to restart replicas, by cause; a gang restart counts once.', [...JOB, 'cause']),
  disruptions: counter('trainyard_job_disruptions_total', 'Pods that the cluster removed (eviction, preemption, lost node), as in status.disruptions.', JOB),
  jobs: gauge('trainyard_jobs', 'Jobs that exist, by phase.', [...JOB, 'phase']),
  queueWait: histogram('trainyard_job_queue_wait_seconds', 'From the creation of a job to its first pods.', WAIT_BUCKETS, JOB),
  startup: histogram('trainyard_job_startup_seconds', 'From the first pods of a job to all of them running.', WAIT_BUCKETS, JOB),
  recovery: histogram('trainyard_job_recovery_seconds', 'From the decision to restart to all replicas running again.', WAIT_BUCKETS, JOB),
  replicaSeconds: counter('trainyard_job_replica_seconds_total', 'Seconds times replicas of unfinished jobs, by what they did: queued (no pods), starting, '
    + 'running, restarting.', [...JOB, 'state']),
  gpuSeconds: counter('trainyard_job_gpu_seconds_total', 'As trainyard_job_replica_seconds_total, times the GPUs of the replicas.', [...JOB, 'state']),
  lostSeconds: counter('trainyard_job_lost_seconds_total', 'Seconds that restarts have cost, from the last checkpoint to all replicas running again, as in '
    + 'status.lostSeconds.', [...JOB, 'cause']),
  reworkSeconds: counter('trainyard_job_rework_replica_seconds_total', 'Replica-seconds of training that were lost and must be repeated: '
    + 'from the last checkpoint, or else the start of the attempt, to its end.', [...JOB, 'cause']),
  reworkGpuSeconds: counter('trainyard_job_rework_gpu_seconds_total', 'As trainyard_job_rework_replica_seconds_total, times the GPUs of the replicas.',
    [...JOB, 'cause']),
  checkpointAge: gauge('trainyard_job_oldest_checkpoint_age_seconds', 'Age of the oldest last checkpoint among running jobs that write checkpoints.', JOB),
  queueWaiting: gauge('trainyard_job_oldest_queue_wait_seconds', 'How long the longest-waiting job has been without pods: in its queue, or before its first pods.', JOB),
  replicasDown: gauge('trainyard_job_replicas_down', 'Missing replicas of started jobs: desired, but neither running nor succeeded.', JOB),
  trials: counter('trainyard_tuning_trials_total', 'Trials of autoTuning that have ended, by outcome.', [...JOB, 'outcome']),
} as const satisfies { readonly [name: string]: Family };

/** How the operator does. */
export const OPERATOR_FAMILIES = {
  leader: gauge('trainyard_operator_leader', '1 while this process is the leader or holds a shard, 0 while it is on standby.'),
  reconciles: histogram('trainyard_operator_reconcile_seconds', 'Time of one pass over one job, by how it ended: success, requeue, error, terminal.',
    WORK_BUCKETS, ['result']),
  reconcileErrors: counter('trainyard_operator_reconcile_errors_total', 'Passes that ended with an error; conflicts are expected and not counted.'),
  queueDepth: gauge('trainyard_operator_queue_depth', 'Jobs that wait for a worker.'),
  queueDelayed: gauge('trainyard_operator_queue_delayed', 'Jobs that wait for a timer.'),
  queueRunning: gauge('trainyard_operator_queue_running', 'Jobs being processed.'),
  queueLongest: gauge('trainyard_operator_queue_longest_running_seconds', 'How long the oldest running pass has been running.'),
  queueAdds: counter('trainyard_operator_queue_adds_total', 'Jobs that were put into the work queue; jobs already in the queue are not added.'),
  queueRetries: counter('trainyard_operator_queue_retries_total', 'Jobs that were put back after an error.'),
  requests: counter('trainyard_operator_api_requests_total', 'Requests to the API server, each attempt, by HTTP status or code of the transport error.',
    ['verb', 'resource', 'code']),
  requestSeconds: histogram('trainyard_operator_api_request_seconds', 'Time to the answer of the API server; for a watch to its first byte.',
    WORK_BUCKETS, ['verb', 'resource']),
  requestLimit: gauge('trainyard_operator_api_request_limit', 'Requests that may be in flight: fewer than MAX_REQUESTS after slow Lease requests and 429.'),
  lists: counter('trainyard_operator_lists_total', 'Complete lists of a resource type that went into the cache.', ['resource']),
  watches: counter('trainyard_operator_watch_restarts_total', 'Watches that have ended, most of them on schedule after some minutes, and were restarted.', ['resource']),
  watchFailures: gauge('trainyard_operator_watch_failures', 'Lists and watches that failed since the last one that worked.', ['resource']),
  watchHangs: counter('trainyard_operator_watch_hangs_total', 'Watches that a watchdog ended because the server did not.', ['resource']),
  cached: gauge('trainyard_operator_cached_objects', 'Objects in the caches.', ['resource']),
  nodeOutage: gauge('trainyard_operator_node_outage', '1 while most nodes are not ready, and no pod counts as lost because of its node; else 0.'),
  putAside: gauge('trainyard_operator_jobs_put_aside', 'Jobs that are ignored until their spec changes, because planning them took too long twice.'),
  namespaceUnavailable: gauge('trainyard_operator_namespace_unavailable', '1 while the API server rejects lists of this watched namespace (403, 404), so '
    + 'its jobs wait; else 0.', ['job_namespace']),
  progressConnections: gauge('trainyard_operator_progress_connections', 'Open connections to the progress endpoint, including waiting ones.'),
  progressReports: counter('trainyard_operator_progress_reports_total', 'Requests to the progress endpoint, by HTTP status: 403 for a token of another pod or job, 429 for too '
    + 'many reports.', ['code']),
  progressRefused: counter('trainyard_operator_progress_refused_connections_total', 'Connections to that endpoint which were closed: too many from one address, too many in all, or '
    + 'silent (no report that was allowed within 5 s).', ['reason']),
  eventsDropped: counter('trainyard_operator_events_dropped_total', 'Kubernetes events that were dropped: over budget, queue full, rejected.'),
} as const satisfies { readonly [name: string]: Family };

/** training-operator v1's names, for dashboards that exist; off unless asked for. `framework` has our names for frameworks. */
export const V1_FAMILIES = {
  created: counter('training_operator_jobs_created_total', 'Counts number of jobs created.', JOB),
  deleted: counter('training_operator_jobs_deleted_total', 'Counts number of jobs deleted.', JOB),
  succeeded: counter('training_operator_jobs_successful_total', 'Counts number of jobs successful.', JOB),
  failed: counter('training_operator_jobs_failed_total', 'Counts number of jobs failed.', JOB),
  restarts: counter('training_operator_jobs_restarted_total', 'Counts number of jobs restarted.', JOB),
} as const satisfies { readonly [name: string]: Family };

/** All families. */
export const FAMILIES: readonly Family[] = [JOB_FAMILIES, OPERATOR_FAMILIES, V1_FAMILIES].flatMap((group): Family[] => Object.values(group));
