/** The MLTrainingJob of one copy of an array. */
import type { JobOwnership } from './job-metadata';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { ARRAY_INDEX_LABEL, ARRAY_LABEL, GROUP_VERSION, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, TRAINING_JOB_KIND } from '../../model/labels';
import { arrayJobName } from '../../model/names';
import { arrayCopySpec } from '../../model/training-job/array';
import type { TrainingJobSpec } from '../../model/training-job/spec';

/** What {@link constructArrayJob} needs to know. */
export interface ArrayJobOptions extends JobOwnership {
  /** Name of the array. */
  readonly jobName: string;
  readonly spec: TrainingJobSpec;
  readonly index: number;
}

/** A copy's job. */
export interface ArrayJob extends Manifest {
  readonly spec: TrainingJobSpec;
}

/** Constructs the job of a copy. */
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
