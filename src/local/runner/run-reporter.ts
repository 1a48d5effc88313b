/** Receives the events of a local run: the terminal, or a test. */
import type { PodLine } from '../process/pod-process';
import type { Replica } from '../../model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../model/training-job/status/status';

/** Takes what a run has to tell. */
export interface RunReporter {
  /** Before the first replica starts. */
  started(job: ResolvedTrainingJob): void;
  /** A line that a replica wrote. */
  line(replica: Replica, line: PodLine): void;
  /** Something worth a line of its own: a restart, a folder that stands for a path. */
  notice(message: string): void;
  /** Something that is not as it would be in a cluster, or went wrong. */
  warning(message: string): void;
  /** The job's status, each time it was looked at. */
  status(status: TrainingJobStatus): void;
}
