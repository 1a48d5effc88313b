/** Mistakes with jobs that wait in a queue of Kueue. */
import type { Mutant } from './mutants';
import { REAL_OPERATOR, type OperatorVariant } from './operator-variant';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation, Plan } from '../../../../../src/operator/training/plan/types';
import { timeText } from '../../../../../src/operator/training/plan/timestamps';

const withPlanner = (planner: (observation: Observation) => Plan): OperatorVariant => ({ ...REAL_OPERATOR, plan: planner });

const isQueued = ({ scheduling }: TrainingJobSpec): boolean => scheduling?.queueName !== undefined;

/** See the top of this file. */
export const QUEUE_MUTANTS: readonly Mutant[] = [
  {
    mistake: 'does not wait for its admission',
    only: isQueued,
    operator: { ...withPlanner((observation) => plan({ ...observation, queue: undefined })), asksQueue: false },
    caughtBy: ['no pod without admission'],
  },
  {
    mistake: 'keeps its pods when the quota is taken back',
    only: isQueued,
    operator: withPlanner((observation) => {
      const { queue } = observation;
      const { workload } = queue ?? {};
      const conditions = workload?.status?.conditions?.filter(({ type }) => type !== 'Evicted');
      const blind = queue && workload && { ...queue, workload: { ...workload, status: { ...workload.status, conditions } } };
      return plan({ ...observation, queue: blind ?? queue });
    }),
    caughtBy: ['pods go when the quota is taken back'],
  },
  {
    mistake: 'gives the quota back while pods are leaving',
    only: isQueued,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const early = plan({ ...observation, pods: observation.pods.filter((pod) => !pod.deleting) });
      return planned.decided || early.decided ? planned
        : { ...planned, actions: [...planned.actions.filter(({ type }) => type !== 'queue'), ...early.actions.filter(({ type }) => type === 'queue')] };
    }),
    caughtBy: ['quota is given back when no pod uses it'],
  },
  {
    mistake: 'counts an eviction by Kueue as a failure',
    only: isQueued,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const isEviction = planned.decided && planned.events.some(({ reason }) => reason === 'QuotaLost');
      const { restarts = 0, disruptions = 1 } = planned.status;
      return isEviction ? { ...planned, status: { ...planned.status, restarts: restarts + 1, disruptions: disruptions - 1 } } : planned;
    }),
    caughtBy: ['an eviction is one disruption, and ends the attempt', 'restarts keep the backoff limit'],
  },
  {
    mistake: 'counts the time in the queue as lost',
    only: isQueued,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const { phase, queue, lostSince } = planned.status;
      const waits = queue?.admitted === false && phase === 'Pending' && (queue.evictions ?? 0) > 0;
      return waits && lostSince === undefined ? { ...planned, status: { ...planned.status, lostSince: timeText(observation.now) } } : planned;
    }),
    caughtBy: ['the time in the queue is not lost'],
  },
  {
    mistake: 'does not tell Kueue that the job has ended',
    only: isQueued,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      return observation.job.status.completionTime === undefined ? planned : { ...planned, actions: planned.actions.filter(({ type }) => type !== 'queue') };
    }),
    caughtBy: ['Kueue hears of the end'],
  },
];
