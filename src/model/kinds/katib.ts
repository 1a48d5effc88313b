/** Katib's searches, whose trials are jobs of other kinds. */
import type { WorkloadKind } from './workload-kind';

export const EXPERIMENT: WorkloadKind = {
  group: 'kubeflow.org', kind: 'Experiment', plural: 'experiments', versions: ['v1beta1'], hasEndingPods: true, cost: 'Experiment',
  notMigrated: 'is a Katib search. Migrate the job in its trialTemplate, and add autoTuning.',
};
