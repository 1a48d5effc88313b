/**
 * `spec.array`: copies of one job that differ in a number alone, as Slurm's job arrays and Kubernetes' Indexed Jobs do it. Each copy is a job of its
 * own, with the spec of the array and its index in the environment.
 */
import * as field from './schema/field';
import type { TrainingJobSpec } from './spec';
import { trimmedEnd } from '../text/trim';

/** Most copies of an array: the names and the status have room for them. */
export const MAX_ARRAY_COUNT = 10_000;

/** `spec.array`. The number of copies is part of their environment; the rest may change. */
export const ARRAY = field.block('the array', 'Copies of the job that differ in their index alone, which each finds in TRAINYARD_ARRAY_INDEX.', {
  count: field.integer('How many copies there are; their indexes are 0 to `count - 1`.', {
    minimum: 1, maximum: MAX_ARRAY_COUNT, fixed: true, required: 'how many copies of the job there are.',
  }),
  parallelism: field.integer('Maximum number of copies at a time.', {
    minimum: 1, maximum: MAX_ARRAY_COUNT, otherwise: 'all of them: a queue or the cluster determines how many run',
  }),
  maxFailedIndexes: field.integer('If more copies fail, the array fails and its running copies are stopped.', {
    maximum: MAX_ARRAY_COUNT, otherwise: 'all copies run to completion',
  }),
  keepJobs: field.integer('Jobs of ended copies that are kept: failed ones first, then those with the highest indexes. For the Trainyard operator.', {
    maximum: MAX_ARRAY_COUNT, default: 100,
  }),
}, { struct: 'JobArray', fixed: 'presence', otherwise: 'a single job' });

export type ArraySpec = field.ValueOf<typeof ARRAY>;

export const ARRAY_DEFAULTS = field.defaultsOf(ARRAY);

/** Index of the copy, from 0. */
export const ARRAY_INDEX_VARIABLE = 'TRAINYARD_ARRAY_INDEX';

const ARRAY_COUNT_VARIABLE = 'TRAINYARD_ARRAY_COUNT';

/** The variables by which a copy knows which one it is; no `env` may set them. */
export const ARRAY_VARIABLES: readonly string[] = [ARRAY_INDEX_VARIABLE, ARRAY_COUNT_VARIABLE];

/** What stands for the index in `checkpointPath`, `checkpoint.subPath` and `checkpoint.resumeFrom`. */
export const INDEX_PLACEHOLDER = '{index}';

/** Whether the job is an array: it has no pods of its own, but copies. */
export function isArray(spec: Pick<TrainingJobSpec, 'array'>): boolean {
  return spec.array !== undefined;
}

export function arrayCopySpec(spec: TrainingJobSpec, index: number): TrainingJobSpec {
  const { array, suspend: _suspend, ...same } = spec;
  // The array goes after the TTL, its copies with it. The deadline holds for the array and for each copy, from its own start: a copy that is cut
  // off from its array must not run forever.
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
