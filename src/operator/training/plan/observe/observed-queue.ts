/** What is seen of a job's place in a queue of Kueue, by the protocol in `operator/kueue`. */
import type { Workload } from '../../../kueue/workload';

/** Seen for jobs that are queued by a Workload; others have none of it. */
export interface ObservedQueue {
  /** Whether Workloads can be read: Kueue's definitions are not there, or the first list is under way. */
  readonly state: 'Ready' | 'NotInstalled' | 'NotRead';
  /** The job's own. */
  readonly workload?: Workload;
  /** Name that it has, or will have. */
  readonly workloadName: string;
  /** Place in the queue, from 0, where Kueue tells. */
  readonly position?: number;
}
