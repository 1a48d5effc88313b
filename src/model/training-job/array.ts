/**
 * `spec.array`: copies of one job that differ in a number alone, as Slurm's job arrays and Kubernetes' Indexed Jobs do it. Each copy is a job of its
 * own, with the spec of the array and its index in the environment.
 */
import type { TrainingJobSpec } from './spec';
import { trimmedEnd } from '../text/trim';

/** Most copies of an array: the names and the status have room for them. */
export const MAX_ARRAY_COUNT = 10_000;

/** `spec.array`. */
export interface ArraySpec {
  /** How many copies of the job there are; their indexes are 0 to `count - 1`. */
  readonly count: number;

  /** Most copies at a time; may change while the array runs. @default - all of them: a queue or the cluster says how many run */
  readonly parallelism?: number;

  /**
   * Failed copies that end the array as failed when there is one more; those that run are then ended. May change while the array runs.
   * @default - all copies run to their end
   */
  readonly maxFailedIndexes?: number;

  /** Jobs of ended copies that stay: failed ones first, then those with the highest indexes. @default 100 */
  readonly keepJobs?: number;
}

/** Defaults of the array, also written into the CRD's schema and the docs. */
export const ARRAY_DEFAULTS = { keepJobs: 100 } as const;

/** Index of the copy, from 0. */
export const ARRAY_INDEX_VARIABLE = 'TRAINYARD_ARRAY_INDEX';

/** Number of copies. */
const ARRAY_COUNT_VARIABLE = 'TRAINYARD_ARRAY_COUNT';

/** The variables that tell a copy which one it is; no `env` may set them. */
export const ARRAY_VARIABLES: readonly string[] = [ARRAY_INDEX_VARIABLE, ARRAY_COUNT_VARIABLE];

/** What stands for the index in `checkpointPath`, `checkpoint.subPath` and `checkpoint.resumeFrom`. */
export const INDEX_PLACEHOLDER = '{index}';

/** Whether the job is an array: it has no pods of its own, but copies. */
export function isArray(spec: Pick<TrainingJobSpec, 'array'>): boolean {
  return spec.array !== undefined;
}

/** The spec of a copy. */
export function arrayCopySpec(spec: TrainingJobSpec, index: number): TrainingJobSpec {
  const { array, suspend: _suspend, ...same } = spec;
  // The array goes after the TTL, its copies with it. The deadline holds for the array and for each copy, from its own start: a copy that is cut
  // off from its array must not run for ever.
  const { ttlSecondsAfterFinished: _ttl, ...runPolicy } = spec.runPolicy ?? {};
  return {
    ...same,
    ...checkpointsOf(spec, String(index)),
    // In front of the others, which may refer to them: SLURM_ARRAY_TASK_ID as $(TRAINYARD_ARRAY_INDEX).
    env: [
      { name: ARRAY_INDEX_VARIABLE, value: String(index) },
      { name: ARRAY_COUNT_VARIABLE, value: String(array!.count) },
      ...(spec.env ?? []),
    ],
    ...(spec.runPolicy !== undefined && { runPolicy }),
  };
}

/** Folder of a copy's checkpoints, in a claim or below the path. @param index the index, or what a template says for it */
export function arrayCheckpointFolder(pattern: string | undefined, index: string): string {
  if (pattern === undefined) {
    return `index-${index}`;
  }
  return pattern.includes(INDEX_PLACEHOLDER)
    ? pattern.replaceAll(INDEX_PLACEHOLDER, index)
    : `${trimmedEnd(pattern, '/')}/index-${index}${pattern.endsWith('/') ? '/' : ''}`;
}

/** A place for the checkpoints of each copy: one must not go on from another's. */
function checkpointsOf({ checkpointPath, checkpoint }: TrainingJobSpec, index: string): Pick<TrainingJobSpec, 'checkpointPath' | 'checkpoint'> {
  const isClaim = checkpoint?.claimName !== undefined;
  const resumeFrom = checkpoint?.resumeFrom?.replaceAll(INDEX_PLACEHOLDER, index);
  return {
    // The claim is mounted at the path, so the folder is the claim's.
    ...(checkpointPath !== undefined && { checkpointPath: isClaim ? checkpointPath : arrayCheckpointFolder(checkpointPath, index) }),
    ...(checkpoint !== undefined && {
      checkpoint: {
        ...checkpoint,
        ...(resumeFrom !== undefined && { resumeFrom }),
        ...(isClaim && { subPath: arrayCheckpointFolder(checkpoint.subPath, index) }),
      },
    }),
  };
}
