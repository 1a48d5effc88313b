/** MLTrainingJob, the blog's or ours: its spec is the model's own. */
import type { KindReader } from '../job';
import { MigrationError } from '../migration-error';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { isRecord } from '../../../model/json-parts';

/** @see KindReader */
export const ML_TRAINING_JOB_READER: KindReader = {
  kind: TRAINING_JOB_KIND,
  apiVersions: [GROUP_VERSION],
  read(object): TrainingJobSpec {
    const spec = object.take('spec');
    if (!isRecord(spec)) {
      throw new MigrationError('spec', spec, 'must be an object: the training job.');
    }
    return spec as unknown as TrainingJobSpec;
  },
};
