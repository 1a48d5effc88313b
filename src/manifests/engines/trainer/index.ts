/**
 * Kubeflow Trainer v2.3: a TrainJob, and by default its own TrainingRuntime.
 * @see https://www.kubeflow.org/docs/components/trainer/
 */
import { trainerCapabilities } from './capabilities';
import type { TrainerOptions } from './options';
import { renderTrainJob, trainerEnvironments } from './render';
import { validateForTrainer } from './validation';
import type { EngineDefinition } from '../engine';
import { jobSetNameMaxLength } from '../jobset';
import { TRAIN_JOB } from '../../../model/kinds/train-job';
import { identityOf } from '../../../model/kinds/workload-kind';

export type { TrainerOptions, TrainerRuntimeKind } from './options';

export function trainerEngine(options: TrainerOptions = {}): EngineDefinition {
  return {
    name: 'trainer',
    title: 'Kubeflow Trainer',
    upstream: 'Kubeflow Trainer v2.3',
    capabilities: trainerCapabilities(options),
    kindOf: () => identityOf(TRAIN_JOB),
    // Its controller creates JobSets, and jobs without a plugin have the layout of our JobSet engine.
    generatedNameMaxLength: jobSetNameMaxLength,
    validate: (name, spec) => validateForTrainer(name, spec, options),
    rendersMore: true,
    render: (job) => renderTrainJob(job, options),
    environments: (job) => trainerEnvironments(job, options),
  };
}
