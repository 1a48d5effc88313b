/** Operators with one mistake each in what they make of helpers. */
import type { Mutant } from './mutants';
import { REAL_OPERATOR } from './operator-variant';
import type { HelperFailurePolicy } from '../../../../../src/model/training-job/replicas/role-specs';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation } from '../../../../../src/operator/training/plan/types';

/** Jobs with helpers. */
export const hasHelpers = ({ helpers }: TrainingJobSpec): boolean => helpers !== undefined;

const changed = new WeakMap<TrainingJobSpec, TrainingJobSpec>();

/** The observation of a job whose ignored helpers have another policy. */
function withPolicy(observation: Observation, policy: HelperFailurePolicy): Observation {
  const { spec } = observation.job;
  const other = changed.get(spec) ?? { ...spec, helpers: spec.helpers?.map((helper) => (helper.onFailure === 'Ignore' ? { ...helper, onFailure: policy } : helper)) };
  changed.set(spec, other);
  return { ...observation, job: { ...observation.job, spec: other } };
}

/** All mutants. */
export const HELPER_MUTANTS: readonly Mutant[] = [
  {
    mistake: 'leaves helpers to run when their job has ended',
    operator: {
      ...REAL_OPERATOR,
      plan: (observation) => {
        const planned = plan(observation);
        const names = (observation.job.spec.helpers ?? []).map(({ name }) => `job-${name}-`);
        const isKept = (pod: string) => isFinished(observation.job.status) && names.some((name) => pod.startsWith(name));
        return { ...planned, actions: planned.actions.filter((action) => action.type !== 'deletePod' || !isKept(action.name)) };
      },
    },
    only: hasHelpers,
    caughtBy: ['no helper outlives its job', 'pods are cleaned up'],
  },
  {
    mistake: 'fails with a helper that the job goes on without',
    operator: { ...REAL_OPERATOR, plan: (observation) => plan(withPolicy(observation, 'Fail')) },
    only: hasHelpers,
    wildness: { failRate: 0.5 },
    caughtBy: ['a failed job names its cause'],
  },
  {
    mistake: 'waits for the success of helpers',
    operator: {
      ...REAL_OPERATOR,
      plan: (observation) => {
        const planned = plan(observation);
        const helping = observation.pods.some((pod) => (observation.job.spec.helpers ?? []).some(({ name }) => pod.name.startsWith(`job-${name}-`)) && pod.state !== 'Succeeded');
        return planned.decided && planned.status.phase === 'Completed' && helping
          ? { status: observation.job.status, decided: false, actions: [], events: [] } : planned;
      },
    },
    only: hasHelpers,
    caughtBy: ['every job ends', 'everything comes to rest'],
  },
];
