import type { Duration } from 'cdk8s';
import type { Gang, QueueMode, Topology } from './gang';

/**
 * Effect of a taint that a toleration matches.
 */
export enum TolerationEffect {
  /** Pods are not scheduled. */
  NO_SCHEDULE = 'NoSchedule',

  /** Pods are scheduled elsewhere when that is possible. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',

  /** Pods are not scheduled, and running ones are evicted. */
  NO_EXECUTE = 'NoExecute',
}

/**
 * Lets pods onto nodes with a taint.
 */
export interface Toleration {
  /** Key of the taint. */
  readonly key: string;

  /**
   * Value of the taint.
   *
   * @default - any value
   */
  readonly value?: string;

  /**
   * Effect of the taint.
   *
   * @default - any effect
   */
  readonly effect?: TolerationEffect;

  /**
   * How long a running pod stays when the taint appears. Only with `TolerationEffect.NO_EXECUTE`.
   *
   * @default - for good
   */
  readonly evictAfter?: Duration;
}

/**
 * Priority and placement of the replicas.
 */
export interface Scheduling {
  /**
   * LocalQueue of Kueue that the job waits in.
   *
   * @default - the job is in no queue
   */
  readonly queueName?: string;

  /**
   * WorkloadPriorityClass of Kueue: who goes first in the queue, and who gives way.
   *
   * @default - the priority of the pods
   */
  readonly queuePriorityClassName?: string;

  /**
   * How Kueue sees the job.
   *
   * @default QueueMode.WORKLOAD
   */
  readonly queueMode?: QueueMode;

  /**
   * All-or-nothing start of the replicas.
   *
   * @default - replicas are placed one by one
   */
  readonly gang?: Gang;

  /**
   * Topology level that the replicas are kept within.
   *
   * @default - anywhere
   */
  readonly topology?: Topology;

  /**
   * PriorityClass of the pods.
   *
   * @default - the cluster's
   */
  readonly priorityClassName?: string;

  /**
   * Scheduler of the pods.
   *
   * @default - the cluster's
   */
  readonly schedulerName?: string;

  /**
   * Labels that a node must have, such as `cloud.google.com/gke-accelerator`.
   *
   * @default - any node
   */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate.
   *
   * @default - none
   */
  readonly tolerations?: Toleration[];
}
