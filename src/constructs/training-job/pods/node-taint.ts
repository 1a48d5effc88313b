import type { TaintEffect } from 'cdk8s-plus-28';

/** A taint of nodes. */
export interface NodeTaint {
  /** Key, such as `team`. */
  readonly key: string;
  /** Value. @default - empty */
  readonly value?: string;
  /** What becomes of pods that do not tolerate it. @default TaintEffect.NO_SCHEDULE */
  readonly effect?: TaintEffect;
}
