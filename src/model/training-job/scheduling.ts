/** Queue, gang, priority and placement: the wire types. */

/** `spec.scheduling`. */
export interface SchedulingSpec {
  /** Kueue LocalQueue. @default - not queued */
  readonly queueName?: string;

  /** WorkloadPriorityClass of Kueue. @default - none */
  readonly queuePriorityClassName?: string;

  /** How Kueue sees a queued job. @default Workload */
  readonly queueMode?: QueueMode;

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's */
  readonly schedulerName?: string;

  /** All-or-nothing start. @default - replicas are scheduled one by one */
  readonly gang?: GangSpec;

  /** Topology level that the replicas are kept within. @default - none */
  readonly topology?: TopologySpec;

  /** Added to every pod. */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Added to every pod, as Kubernetes tolerations. */
  readonly tolerations?: readonly { readonly [field: string]: unknown }[];
}

/** Gang schedulers that a job can choose. */
export const GANG_SCHEDULERS = ['Coscheduling', 'Volcano', 'Kai', 'YuniKorn', 'Native'] as const;

/** One of {@link GANG_SCHEDULERS}. */
export type GangScheduler = (typeof GANG_SCHEDULERS)[number];

/**
 * Ways to queue a job with Kueue. `Workload`: the operator speaks Kueue's protocol for external frameworks, the job waits without pods. `PodGroup`:
 * the pods are a plain pod group that Kueue gates; it needs Kueue's pod integration and nothing from the operator.
 */
export const QUEUE_MODES = ['Workload', 'PodGroup'] as const;

/** One of {@link QUEUE_MODES}. */
export type QueueMode = (typeof QUEUE_MODES)[number];

/** `spec.scheduling.gang`. */
export interface GangSpec {
  readonly scheduler: GangScheduler;
  /** Queue of the gang scheduler (Volcano, Kai, YuniKorn). @default - the scheduler's default queue */
  readonly queue?: string;
  /** Replicas that have to be placed together. @default - all */
  readonly minAvailable?: number;
  /** @default 60 */
  readonly scheduleTimeoutSeconds?: number;
}

/** `spec.scheduling.topology`. */
export interface TopologySpec {
  /** Node label that names the level, such as `cloud.google.com/gce-topology-block`. */
  readonly key: string;
  /** Whether replicas may be placed apart when there is no other way. @default Required */
  readonly mode?: 'Required' | 'Preferred';
}
