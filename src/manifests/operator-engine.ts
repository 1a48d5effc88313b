/** The engine that ships with Trainyard: an MLTrainingJob, which `TrainingOperator` runs. The spec is the model's own. */
import type { EngineDefinition } from './engine';
import { GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../model/labels';
import { validateTrainingJob } from '../model/training-job/validation';

/** @see EngineDefinition */
export const OPERATOR_ENGINE: EngineDefinition = {
  name: 'operator',
  title: 'the Trainyard operator',
  resources: [{
    apiVersion: GROUP_VERSION,
    kind: TRAINING_JOB_KIND,
    plural: TRAINING_JOB_PLURAL,
    constructSpec: (_name, spec) => spec,
  }],
  validate: validateTrainingJob,
};
