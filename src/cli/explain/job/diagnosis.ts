/** What `trainyard explain JOB` comes to. */
import type { WorkloadState } from '../../../model/kinds/standing';

/** One reason why a job does not run. */
export interface Cause {
  /** Stable name, such as `Unschedulable`. */
  readonly id: string;
  /** What is the matter, as one sentence. */
  readonly what: string;
  /** What was seen: the words of the cluster, numbers, the last lines of a log. */
  readonly evidence: readonly string[];
  readonly fix: string;
}

/** How a job stands. */
export type JobState = WorkloadState;

/** See the top of this file. */
export interface Diagnosis {
  /** `MLTrainingJob ml/digits`. */
  readonly job: string;
  readonly state: JobState;
  /** How far it has come, as one line. */
  readonly summary: string;
  /** Causes, the one that everything else follows from first. */
  readonly causes: readonly Cause[];
  /** What is worth knowing beside: what could not be read. */
  readonly notes: readonly string[];
}
