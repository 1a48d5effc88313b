/** A check: a pure function that knows one family of faults. */
import type { Fault, Topic } from './finding';
import type { ClusterSnapshot } from './snapshot';

/** What a check found: its faults, and what is fine. */
export interface CheckResult {
  readonly faults: readonly Fault[];
  /** What was checked, as a sentence that is true where there are no faults. @default - nothing was checked, so nothing is reported */
  readonly passed?: string;
}

/** See the top of this file. */
export interface Check {
  readonly topic: Topic;
  run(snapshot: ClusterSnapshot): CheckResult;
}
