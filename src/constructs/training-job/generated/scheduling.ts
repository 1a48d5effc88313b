// Generated from the tables of src/model/training-job: run `npm run props` after a change there.
import type { Gang } from '../gang';
import type { Toleration } from '../pods/toleration';

/** How Kueue sees a queued job. */
export enum QueueMode {
  /** As a Workload that the operator creates: the job waits without pods. Kueue must be configured for MLTrainingJobs. */
  WORKLOAD = 'Workload',
  /** As a plain group of pods, which Kueue gates. It needs Kueue's pod integration. */
  POD_GROUP = 'PodGroup',
}

/** Whether replicas may be placed in another way if they do not fit as they should. */
export enum TopologyMode {
  /** They wait until they fit. */
  REQUIRED = 'Required',
  /** They are placed wherever there is room. */
  PREFERRED = 'Preferred',
}

/** Topology level that the replicas are kept within. */
export interface Topology {
  /** Node label that names the level, such as cloud.google.com/gce-topology-block. */
  readonly key: string;
  /** Whether replicas may be placed apart if they do not fit together. @default TopologyMode.REQUIRED */
  readonly mode?: TopologyMode;
}

/**
 * Domains that the replicas are spread over evenly, so that the loss of one domain hits few of them. A topologySpreadConstraint of the template on
 * the same label is used instead.
 */
export interface TopologySpread {
  /** Node label that names the domains, such as topology.kubernetes.io/zone, or kubernetes.io/hostname for nodes. */
  readonly key: string;
  /** By how many replicas the fullest domain may differ from the emptiest. At least 1. @default 1 */
  readonly maxSkew?: number;
  /** Whether replicas may be placed unevenly if they do not fit otherwise. @default TopologyMode.REQUIRED */
  readonly mode?: TopologyMode;
}

/** Queue, gang, priority and placement. */
export interface Scheduling {
  /** LocalQueue of Kueue that the job waits in. @default - the job is in no queue */
  readonly queueName?: string;

  /**
   * WorkloadPriorityClass of Kueue, which determines the order in the queue and which jobs are preempted.
   * @default - the priority of the pods
   */
  readonly queuePriorityClassName?: string;

  /** How Kueue sees the job. @default - Workload */
  readonly queueMode?: QueueMode;

  /** All-or-nothing start of the replicas. @default - replicas are placed one by one */
  readonly gang?: Gang;

  /** Topology level that the replicas are kept within. @default - anywhere */
  readonly topology?: Topology;

  /**
   * Domains that the replicas are spread over evenly, so that the loss of one domain hits few of them. A topologySpreadConstraint of the template on
   * the same label is used instead.
   * @default - wherever there is room
   */
  readonly spread?: TopologySpread;

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's, or the gang's */
  readonly schedulerName?: string;

  /** Node labels that every pod selects. @default - any node */
  readonly nodeSelector?: { readonly [name: string]: string };

  /** Taints that every pod tolerates, as Kubernetes writes them. @default - none */
  readonly tolerations?: Toleration[];
}
