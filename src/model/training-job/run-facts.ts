/** What a replica's pod depends on in addition to the spec: facts of the run so far, as the status keeps them. */
import type { TrainingJobStatus } from './status/status';

/** Facts that a new pod is built from. All are absent in a job that starts for the first time. */
export interface RunFacts {
  /** Checkpoint that the script last reported; the next attempt continues from it (`RESUME_FROM`). */
  readonly resumeFrom?: string;

  /** Nodes that new pods keep away from, because the job has failed there, or because they do not answer. */
  readonly avoidNodes?: readonly string[];

  /** Whether they may not run there at all, or only prefer others: where no other node could take them. @default true */
  readonly avoidStrictly?: boolean;

  /** Secret with the keys by which replicas of MPI reach each other. @default - the one that is named after the job */
  readonly mpiSecret?: string;

  /** Uid of the job, which strangers in the cluster cannot guess. @default - not known, because the pods are made before the job is created */
  readonly uid?: string;
}

/** Most nodes that a pod keeps away from: each is a term of its affinity. */
export const MAX_AVOIDED = 64;

/**
 * The facts that a status holds.
 * @param silent nodes that do not answer at this moment, which new pods keep away from too @default - none
 */
export function runFactsOf(status: TrainingJobStatus, silent: readonly string[] = []): RunFacts {
  const sick = (status.suspectNodes ?? []).filter((suspect) => suspect.avoided).map((suspect) => suspect.node);
  const avoidNodes = [...new Set([...sick, ...silent])].slice(0, MAX_AVOIDED);
  return { resumeFrom: status.checkpoint?.path, ...(avoidNodes.length > 0 && { avoidNodes }) };
}
