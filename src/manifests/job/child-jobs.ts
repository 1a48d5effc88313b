/** MLTrainingJobs that a job controls: copies of an array, and trials of a search. */
import type { JobOwnership } from './job-metadata';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import {
  ARRAY_INDEX_LABEL, ARRAY_LABEL, GROUP_VERSION, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TRAINING_JOB_KIND, TRIAL_LABEL, TUNED_JOB_LABEL,
} from '../../model/labels';
import { arrayJobName, trialJobName } from '../../model/names';
import { arrayCopySpec } from '../../model/training-job/array';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { Search, Trial } from '../../model/tuning/search';
import { trialSpec } from '../../model/tuning/trial-spec';

/** Input of {@link constructArrayJob}. */
export interface ArrayJobOptions extends JobOwnership {
  readonly jobName: string;
  readonly spec: TrainingJobSpec;
  readonly index: number;
}

/** An MLTrainingJob. */
export interface ChildJob extends Manifest {
  readonly spec: TrainingJobSpec;
}

export function constructArrayJob({ jobName, spec, index, ...ownership }: ArrayJobOptions): ChildJob {
  const labels = { [ARRAY_LABEL]: jobName, [ARRAY_INDEX_LABEL]: String(index) };
  return childJob(arrayJobName(jobName, index), labels, arrayCopySpec(spec, index), ownership);
}

/** Input of {@link constructTrialJob}. */
interface TrialJobOptions extends JobOwnership {
  /** Name of the job with the search. */
  readonly jobName: string;
  readonly spec: TrainingJobSpec;
  readonly search: Search;
  readonly trial: Trial;
}

export function constructTrialJob({ jobName, spec, search, trial, ...ownership }: TrialJobOptions): ChildJob {
  const labels = { [TUNED_JOB_LABEL]: jobName, [TRIAL_LABEL]: String(trial.number) };
  return childJob(trialJobName(jobName, trial.number), labels, trialSpec(spec, search, trial), ownership);
}

function childJob(name: string, labels: { readonly [label: string]: string }, spec: TrainingJobSpec, { namespace, owner }: JobOwnership): ChildJob {
  return plainObject<ChildJob>({
    apiVersion: GROUP_VERSION,
    kind: TRAINING_JOB_KIND,
    metadata: { name, namespace, labels: { ...labels, [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR }, ...(owner && { ownerReferences: [owner] }) },
    spec,
  });
}
