/** MLTrainingJob, the blog's or ours: its spec is the model's own. */
import type { JobReader } from '../job';
import { MigrationError } from '../migration-error';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { isRecord } from '../../../model/json-parts';

/** @see JobReader */
export const ML_TRAINING_JOB_READER: JobReader = {
  read(object): TrainingJobSpec {
    const spec = object.take('spec');
    if (!isRecord(spec)) {
      throw new MigrationError('spec', spec, 'must be an object: the training job.');
    }
    return spec as unknown as TrainingJobSpec;
  },
};
