import type { Duration } from 'cdk8s';
import type { TaintEffect } from 'cdk8s-plus-28';

/** Effect of a taint that a toleration matches. */
export enum TolerationEffect {
  /** Pods are not scheduled. */
  NO_SCHEDULE = 'NoSchedule',
  /** Pods are scheduled elsewhere when that is possible. */
  PREFER_NO_SCHEDULE = 'PreferNoSchedule',
  /** Pods are not scheduled, and running ones are evicted. */
  NO_EXECUTE = 'NoExecute',
}

/** Lets pods onto nodes with a taint. */
export interface Toleration {
  /** Key of the taint. */
  readonly key: string;

  /** Value of the taint. @default - any value */
  readonly value?: string;

  /** Effect of the taint. @default - any effect */
  readonly effect?: TolerationEffect;

  /**
   * How long a running pod stays when the taint appears. Only with `TolerationEffect.NO_EXECUTE`.
   * @default - for good
   */
  readonly evictAfter?: Duration;
}

/** A taint of nodes. */
export interface NodeTaint {
  /** Key, such as `team`. */
  readonly key: string;
  /** Value. @default - empty */
  readonly value?: string;
  /** What becomes of pods that do not tolerate it. @default TaintEffect.NO_SCHEDULE */
  readonly effect?: TaintEffect;
}
