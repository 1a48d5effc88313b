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

/** What {@link constructArrayJob} needs to know. */
export interface ArrayJobOptions extends JobOwnership {
  readonly jobName: string;
  readonly spec: TrainingJobSpec;
  readonly index: number;
}

export interface ArrayJob extends Manifest {
  readonly spec: TrainingJobSpec;
}

export function constructArrayJob({ jobName, spec, index, namespace, owner }: ArrayJobOptions): ArrayJob {
  return plainObject<ArrayJob>({
    apiVersion: GROUP_VERSION,
    kind: TRAINING_JOB_KIND,
    metadata: {
      name: arrayJobName(jobName, index),
      namespace,
      labels: { [ARRAY_LABEL]: jobName, [ARRAY_INDEX_LABEL]: String(index), [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR },
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: arrayCopySpec(spec, index),
  });
}

/** What {@link constructTrialJob} needs to know. */
interface TrialJobOptions extends JobOwnership {
  /** Name of the job whose search it is. */
  readonly jobName: string;
  readonly spec: TrainingJobSpec;
  readonly search: Search;
  readonly trial: Trial;
}

interface TrialJob extends Manifest {
  readonly spec: TrainingJobSpec;
}

export function constructTrialJob({ jobName, spec, search, trial, namespace, owner }: TrialJobOptions): TrialJob {
  return plainObject<TrialJob>({
    apiVersion: GROUP_VERSION,
    kind: TRAINING_JOB_KIND,
    metadata: {
      name: trialJobName(jobName, trial.number),
      namespace,
      labels: { [TUNED_JOB_LABEL]: jobName, [TRIAL_LABEL]: String(trial.number), [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR },
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: trialSpec(spec, search, trial),
  });
}
