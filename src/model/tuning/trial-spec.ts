/**
 * The job of one trial: the same spec without `autoTuning`, with the trial's values. A script finds a value where it is used to look: as a
 * variable under the parameter's name (`learningRate`) and in capitals (`LEARNING_RATE`), among the hyperparameters, and, as Kubernetes expands
 * `$(learningRate)`, in its arguments.
 */
import { hash32 } from './random';
import { resolveSearch, type Search, type Trial } from './search';
import { encodePoint } from './search-space';
import type { TrainingJobSpec } from '../training-job/spec';
import { trimmedEnd } from '../text/trim';

/** Number of the trial, for the script. */
export const TRIAL_VARIABLE = 'TRAINYARD_TRIAL';

/** How much training the trial gets, with hyperband. */
export const BUDGET_VARIABLE = 'TRAINYARD_BUDGET';

/** Whether the job is a search: it has no pods of its own, but trials. */
export function isSearch(spec: Pick<TrainingJobSpec, 'autoTuning'>): boolean {
  return spec.autoTuning !== undefined && spec.autoTuning.enabled !== false;
}

/** The search of a valid job. @param uid what its choices follow from when it gives no seed */
export function searchOf(spec: TrainingJobSpec, uid: string): Search {
  return resolveSearch(spec.autoTuning!, uid);
}

/** Second name of a parameter, as environment variables are usually written: `learningRate` is `LEARNING_RATE` too. */
export function upperSnake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2').toUpperCase();
}

/** Hyperparameters that a trial sets, by name; some names are the same parameter's. */
export function trialValues(spec: TrainingJobSpec, search: Search, trial: Trial): { [name: string]: string } {
  const values = Object.entries(search.space.valuesOf(trial.point));
  const budgetName = spec.autoTuning?.budget?.parameter;
  if (budgetName !== undefined && trial.budget !== undefined) {
    values.push([budgetName, String(trial.budget)]);
  }
  return Object.fromEntries(values.flatMap(([name, value]) => [[name, value], [upperSnake(name), value]]));
}

export function trialSpec(spec: TrainingJobSpec, search: Search, trial: Trial): TrainingJobSpec {
  const { autoTuning: _search, suspend: _suspend, ...same } = spec;
  // The search goes after the TTL, its trials with it. Without its pods a trial has no log to read the objective from. The deadline holds for the
  // search and for each trial, from its own start: a trial that is cut off from its search must not run forever.
  const { ttlSecondsAfterFinished: _ttl, cleanPodPolicy, ...runPolicy } = spec.runPolicy ?? {};
  return {
    ...same,
    ...withCheckpointFolder(spec, checkpointFolder(trial)),
    hyperparameters: { ...spec.hyperparameters, ...trialValues(spec, search, trial) },
    env: [
      ...(spec.env ?? []),
      { name: TRIAL_VARIABLE, value: String(trial.number) },
      ...(trial.budget === undefined ? [] : [{ name: BUDGET_VARIABLE, value: String(trial.budget) }]),
    ],
    runPolicy: { ...runPolicy, ...(cleanPodPolicy === 'None' && { cleanPodPolicy }) },
  };
}

/**
 * Folder of a trial's checkpoints. It says which values they were trained with, so that a search that is created again, with another seed or space,
 * never continues from what the old one left there.
 */
export function checkpointFolder({ number, continues, point }: Trial): string {
  return `trial-${continues ?? number}-${hash32(encodePoint(point)).toString(16).padStart(8, '0')}`;
}

/** A place for the checkpoints of each trial: one must not go on from another's. */
export function withCheckpointFolder(spec: TrainingJobSpec, folder: string): Pick<TrainingJobSpec, 'checkpointPath' | 'checkpoint'> {
  const { checkpointPath, checkpoint } = spec;
  if (checkpointPath === undefined) {
    return {};
  }
  return checkpoint?.claimName === undefined
    ? { checkpointPath: `${trimmedEnd(checkpointPath, '/')}/${folder}${checkpointPath.endsWith('/') ? '/' : ''}` }
    // The claim is mounted at the path, so the folder is the claim's.
    : { checkpointPath, checkpoint: { ...checkpoint, subPath: checkpoint.subPath === undefined ? folder : `${trimmedEnd(checkpoint.subPath, '/')}/${folder}` } };
}
