/**
 * Kubeflow Trainer v2.3: a TrainJob, and by default a TrainingRuntime of its own beside it.
 * @see https://www.kubeflow.org/docs/components/trainer/
 */
import { trainerCapabilities } from './capabilities';
import type { TrainerOptions } from './options';
import { renderTrainJob, trainerEnvironments } from './render';
import { TRAINER_API_VERSION } from './train-job';
import { validateForTrainer } from './validation';
import type { EngineDefinition } from '../engine';
import { jobSetNameMaxLength } from '../jobset';

export type { TrainerOptions, TrainerRuntimeKind } from './options';

/** The engine with options. */
export function trainerEngine(options: TrainerOptions = {}): EngineDefinition {
  return {
    name: 'trainer',
    title: 'Kubeflow Trainer',
    upstream: 'Kubeflow Trainer v2.3',
    capabilities: trainerCapabilities(options),
    kindOf: () => ({ apiVersion: TRAINER_API_VERSION, kind: 'TrainJob', plural: 'trainjobs' }),
    // Its controller makes JobSets, and jobs that no plugin serves have the layout of ours.
    generatedNameMaxLength: jobSetNameMaxLength,
    validate: (name, spec) => validateForTrainer(name, spec, options),
    rendersMore: true,
    render: (job) => renderTrainJob(job, options),
    environments: (job) => trainerEnvironments(job, options),
  };
}
