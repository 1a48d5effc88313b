import type { PodLine } from '../process/pod-process';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../model/training-job/status/status';

/** Receives the events of a local run. */
export interface RunReporter {
  /** Before the first replica starts. */
  started(job: ResolvedTrainingJob): void;
  /** A line that a replica wrote. */
  line(replica: Replica, line: PodLine): void;
  /** A restart, a folder that replaces a path, and so on. */
  notice(message: string): void;
  /** A problem, or a difference to a cluster. */
  warning(message: string): void;
  /** The status after each plan. */
  status(status: TrainingJobStatus): void;
}
