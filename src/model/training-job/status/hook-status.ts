/** `status.hooks`: how far the hooks of a job are. */
import type { HookName } from '../hooks';

/** How far one hook is. `Succeeded` and `Failed` are final. */
export type HookPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** One hook. */
export interface HookStatus {
  readonly phase: HookPhase;
  /** Pod of the current try, or of the last one. */
  readonly pod: string;
  /** Tries that have failed. */
  readonly failures: number;
  /** Since when its time limit counts; absent while the job is suspended. */
  readonly startTime?: string;
  readonly completionTime?: string;
  /** Earliest time of the next try. */
  readonly nextRetryTime?: string;
  /** Why it has failed, or what it waits for. */
  readonly message?: string;
}

/** Those that have begun. */
export type HooksStatus = { readonly [name in HookName]?: HookStatus };
