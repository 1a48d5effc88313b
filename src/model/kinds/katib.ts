/** Katib's searches, whose trials are jobs of other kinds. */
import { readyOf, standingByConditions } from './standing';
import type { WorkloadKind } from './workload-kind';
import { record } from '../json-parts';

export const EXPERIMENT: WorkloadKind = {
  group: 'kubeflow.org', kind: 'Experiment', plural: 'experiments', versions: ['v1beta1'], hasEndingPods: true, cost: 'Experiment',
  standing: (object) => standingByConditions(object, readyOf(record(object.status).trialsSucceeded, record(object.spec).maxTrialCount)),
  notMigrated: 'is a Katib search. Migrate the job in its trialTemplate, and add autoTuning.',
};
