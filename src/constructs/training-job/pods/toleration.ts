import type { Duration } from 'cdk8s';
import type { TaintEffect } from 'cdk8s-plus-28';

/** Effect of a taint that a toleration matches. */
export enum TolerationEffect {
  /** Pods are not scheduled. */
  NO_SCHEDULE = 'NoSchedule',
  /** Pods are scheduled elsewhere if possible. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',
  /** Pods are not scheduled, and running ones are evicted. */
  NO_EXECUTE = 'NoExecute',
}

/** Allows pods on nodes with a taint. */
export interface Toleration {
  /** Key of the taint. */
  readonly key: string;

  /** Value of the taint. @default - any value */
  readonly value?: string;

  /** Effect of the taint. @default - any effect */
  readonly effect?: TolerationEffect;

  /**
   * How long a running pod stays after the taint is added. Only with `TolerationEffect.NO_EXECUTE`.
   * @default - forever
   */
  readonly evictAfter?: Duration;
}

/** A taint of nodes. */
export interface NodeTaint {
  /** Key, such as `team`. */
  readonly key: string;
  /** Value. @default - empty */
  readonly value?: string;
  /** What happens to pods that do not tolerate it. @default TaintEffect.NO_SCHEDULE */
  readonly effect?: TaintEffect;
}
