/** Mistakes with stalls and with checks before training. */
import { isGang, type Mutant } from './mutants';
import { REAL_OPERATOR } from './operator-variant';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation, Plan } from '../../../../../src/operator/training/plan/types';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';

const withPlanner = (planner: (observation: Observation) => Plan) => ({ ...REAL_OPERATOR, plan: planner });

const withStatus = (observation: Observation, change: Partial<TrainingJobStatus>): Observation =>
  ({ ...observation, job: { ...observation.job, status: { ...observation.job.status, ...change } } });

const canStall = ({ runPolicy }: TrainingJobSpec): boolean => runPolicy?.stall !== undefined;

const hasChecks = ({ preflight }: TrainingJobSpec): boolean => preflight !== undefined;

/** See the top of this file. */
export const HEALTH_MUTANTS: readonly Mutant[] = [
  {
    mistake: 'takes a clock that jumps for a program that hangs',
    only: canStall,
    operator: withPlanner((observation) => plan({ ...observation, clockSteadySince: undefined })),
    caughtBy: ['a stall is silence'],
  },
  {
    mistake: 'takes a clock that jumps for a gang that waits',
    only: isGang,
    operator: withPlanner((observation) => plan({ ...observation, clockSteadySince: undefined })),
    caughtBy: ['a gang is released in its time only'],
  },
  {
    mistake: 'does not hear that the script reports its progress',
    only: canStall,
    operator: withPlanner((observation) => {
      const planned = plan(withStatus(observation, { lastProgressTime: undefined }));
      return { ...planned, status: { ...planned.status, lastProgressTime: observation.job.status.lastProgressTime } };
    }),
    caughtBy: ['a stall is silence'],
  },
  {
    mistake: 'counts checks that failed as restarts',
    only: hasChecks,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const isPreflight = planned.decided && planned.status.lastRestart?.cause === 'Preflight';
      return isPreflight ? { ...planned, status: { ...planned.status, restarts: (planned.status.restarts ?? 0) + 1 } } : planned;
    }),
    caughtBy: ['failed checks are nobody\'s failure', 'restarts keep the backoff limit', 'counts have a reason'],
  },
  {
    mistake: 'makes checks that fail again and again',
    only: hasChecks,
    operator: withPlanner((observation) => {
      const { preflight } = observation.job.status;
      const planned = plan(withStatus(observation, { preflight: preflight && { ...preflight, failures: 1 } }));
      const failures = planned.status.preflight && planned.decided ? (preflight?.failures ?? 0) + 1 : preflight?.failures;
      return planned.status.preflight && failures !== undefined
        ? { ...planned, status: { ...planned.status, preflight: { ...planned.status.preflight, failures } } }
        : planned;
    }),
    caughtBy: ['checks are tried again, and not for ever'],
  },
];
