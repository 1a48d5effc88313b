/**
 * Operators with one mistake each: what the invariants are good for, is shown by what they catch. A mutant of the planner wraps the real one
 * and changes what it sees or what it answers.
 */
import type { FaultRates } from './api-client';
import { REAL_OPERATOR, type OperatorVariant } from './operator-variant';
import type { Wildness } from './world';
import { resolveTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Action, Observation, ObservedPod, Plan } from '../../../../../src/operator/training/plan/types';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';

/** A mistake, and the invariants of which at least one has to notice it. */
export interface Mutant {
  /** What the operator does wrong. */
  readonly mistake: string;
  readonly operator: OperatorVariant;
  /** Faults that bring the mistake to light soon. @default - as the seed says */
  readonly faults?: Partial<FaultRates>;
  /** Jobs with which it can be seen. @default - all */
  readonly only?: (spec: TrainingJobSpec) => boolean;
  /** How much has to be done to pods to see it. @default - as the seed says */
  readonly wildness?: Partial<Wildness>;
  /** An operator that has every other weakness of this one: histories that it breaks too prove nothing. @default REAL_OPERATOR */
  readonly baseline?: OperatorVariant;
  readonly caughtBy: readonly string[];
}

const withPlanner = (planner: (observation: Observation) => Plan): OperatorVariant => ({ ...REAL_OPERATOR, plan: planner });

const withStatus = (observation: Observation, change: Partial<TrainingJobStatus>): Observation =>
  ({ ...observation, job: { ...observation.job, status: { ...observation.job.status, ...change } } });

const withPods = (observation: Observation, pods: readonly ObservedPod[]): Observation => ({ ...observation, pods });

const withActions = (planned: Plan, actions: readonly Action[]): Plan => ({ ...planned, actions });

/** Jobs that are gangs. */
export const isGang = ({ scheduling }: TrainingJobSpec): boolean => scheduling?.gang !== undefined;

const isElastic = ({ elastic }: TrainingJobSpec): boolean => elastic !== undefined;

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
  {
    mistake: 'acts on a decision before it has written it',
    operator: { ...REAL_OPERATOR, writesFirst: false },
    caughtBy: ['pods of the current attempt only', 'only pods that have to go are deleted'],
  },
  {
    mistake: 'overwrites a status that has changed since it was read',
    operator: { ...REAL_OPERATOR, locksStatus: false, readsAfterDoubt: false },
    baseline: { ...REAL_OPERATOR, readsAfterDoubt: false },
    caughtBy: ['a finished job stays as it is', 'counts have a reason', 'counts only grow'],
  },
  {
    mistake: 'deletes pods by name, whatever uid they have',
    operator: { ...REAL_OPERATOR, checksUid: false },
    faults: { interleaving: 0.5, lateArrival: 0.2 },
    caughtBy: ['only pods that have to go are deleted'],
  },
  {
    mistake: 'deletes pods by force',
    operator: { ...REAL_OPERATOR, deletesGracefully: false },
    caughtBy: ['one live process a rank'],
  },
  {
    mistake: 'plans on after a write whose outcome is unknown, from what it knew before',
    operator: { ...REAL_OPERATOR, readsAfterDoubt: false },
    wildness: { failRate: 0.8, mischief: 5 },
    faults: { lostAnswer: 0.4, interleaving: 0.5 },
    caughtBy: ['attempts of a gang do not overlap', 'pods of the current attempt only', 'no pod for a finished job', 'what has succeeded is not repeated'],
  },
  ...(['TooManyRequests', 'InternalError', 'Timeout'] as const).map((reason): Mutant => ({
    mistake: `does not try again what was answered with ${reason}`,
    operator: { ...REAL_OPERATOR, givesUpAfter: reason },
    faults: { refusal: 0.3, lostAnswer: 0.3 },
    caughtBy: ['every job ends', 'pods are cleaned up', 'a suspended job has no pods', 'nothing is left of a deleted job'],
  })),
  {
    mistake: 'watches on after a watch has broken, without a list of what it has missed',
    operator: { ...REAL_OPERATOR, listsAfterBreak: false },
    caughtBy: ['every job ends', 'pods are cleaned up', 'a suspended job has no pods', 'nothing is left of a deleted job'],
  },
  {
    mistake: 'lets a list undo what it has written while the list was under way',
    operator: { ...REAL_OPERATOR, keepsOwnWrites: false },
    wildness: { failRate: 0.5, mischief: 5 },
    faults: { crash: 0, refusal: 0, lostAnswer: 0, interleaving: 0.5 },
    caughtBy: ['counts have a reason', 'each failed pod is counted once', 'pods of the current attempt only', 'no pod for a finished job', 'counts only grow'],
  },
  {
    mistake: 'goes on by its own idea of the time after the wall clock was set back',
    operator: { ...REAL_OPERATOR, readsWallClock: false },
    caughtBy: ['the pause is kept'],
  },
  {
    mistake: 'takes it for a long time that the wall clock was set forward, and so does not keep a deadline any more',
    operator: withPlanner((observation) => {
      const started = Date.parse(observation.job.status.startTime ?? '');
      return plan(observation.now - started > 3_500_000 ? { ...observation, now: started } : observation);
    }),
    caughtBy: ['the pause is kept', 'every job ends', 'everything comes to rest'],
  },
  {
    mistake: 'becomes the leader with the caches of a standby that has heard nothing for a while',
    operator: { ...REAL_OPERATOR, listsAtStart: false },
    caughtBy: ['no pod for a finished job', 'pods of the current attempt only', 'counts have a reason', 'each failed pod is counted once'],
  },
  {
    mistake: 'leaves the pods of a vanished job to others',
    operator: { ...REAL_OPERATOR, deletesOrphans: false },
    caughtBy: ['nothing is left of a deleted job'],
  },
  {
    mistake: 'starts the next attempt of a gang while pods of the last one are leaving',
    operator: withPlanner((observation) => {
      const { attempt = 0 } = observation.job.status;
      return plan(withPods(observation, observation.pods.filter((pod) => !(pod.attempt < attempt && pod.deleting))));
    }),
    caughtBy: ['attempts of a gang do not overlap'],
  },
  {
    mistake: 'takes pods of a later attempt than its status knows for its own',
    operator: {
      ...REAL_OPERATOR,
      listsAtStart: 'all but jobs',
      plan: (observation) => {
        const { attempt = 0 } = observation.job.status;
        return plan(withPods(observation, observation.pods.map((pod) => ({ ...pod, attempt: Math.min(pod.attempt, attempt) }))));
      },
    },
    baseline: { ...REAL_OPERATOR, listsAtStart: 'all but jobs' },
    faults: { crash: 0.06, lostAnswer: 0, refusal: 0 },
    caughtBy: ['attempts of a gang do not overlap', 'pods of the current attempt only'],
  },
  {
    mistake: 'starts a finished job again',
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      return isFinished(observation) ? withActions(planned, creations(observation)) : planned;
    }),
    caughtBy: ['no pod for a finished job'],
  },
  {
    mistake: 'forgets which replicas have succeeded',
    operator: withPlanner((observation) => plan(isFinished(observation) ? observation : withStatus(observation, { workerStatuses: undefined }))),
    caughtBy: ['what has succeeded is not repeated', 'successes are not forgotten'],
  },
  {
    mistake: 'takes every end of a pod for a success',
    operator: withPlanner((observation) => plan(withPods(observation, observation.pods.map((pod) => (pod.state === 'Failed' ? { ...pod, state: 'Succeeded' } : pod))))),
    caughtBy: ['successes are true', 'a completed job has succeeded'],
  },
  {
    mistake: 'takes it for a success that a pod left with 0 when it was asked to go',
    operator: withPlanner((observation) => plan(withPods(observation, observation.pods.map((pod) => (
      pod.state === 'Succeeded' ? { ...pod, deleting: false } : pod))))),
    wildness: { failRate: 0.5, mischief: 5 },
    caughtBy: ['successes are true', 'a completed job has succeeded'],
  },
  {
    mistake: 'counts an eviction as a failure of the program',
    operator: withPlanner((observation) => plan(withPods(observation, observation.pods.map((pod) => (
      pod.failure?.disruption ? { ...pod, failure: { ...pod.failure, disruption: false } } : pod))))),
    caughtBy: ['counts have a reason', 'a failed job names its cause'],
  },
  {
    mistake: 'forgets which pods it is replacing already',
    operator: withPlanner((observation) => plan(withStatus(observation, { replacing: undefined }))),
    caughtBy: ['each failed pod is counted once', 'counts have a reason'],
  },
  {
    mistake: 'names the wrong pod as the cause',
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const cause = planned.status.lastFailure;
      return planned.decided && cause ? { ...planned, status: { ...planned.status, lastFailure: { ...cause, index: cause.index + 1 } } } : planned;
    }),
    caughtBy: ['a failed job names its cause'],
  },
  {
    mistake: 'does not keep the pause before a restart',
    operator: withPlanner((observation) => {
      const planned = plan(withStatus(observation, { nextRetryTime: undefined }));
      return planned.decided ? planned : { ...planned, status: { ...planned.status, nextRetryTime: observation.job.status.nextRetryTime } };
    }),
    caughtBy: ['the pause is kept'],
  },
  {
    mistake: 'restarts without end',
    operator: withPlanner((observation) => {
      const { spec } = observation.job;
      return plan({ ...observation, job: { ...observation.job, spec: endless(spec) } });
    }),
    caughtBy: ['restarts keep the backoff limit'],
  },
  {
    mistake: 'forgets to come back when the pause is over',
    operator: withPlanner((observation) => ({ ...plan(observation), requeueAfterMs: undefined })),
    caughtBy: ['every job ends'],
  },
  {
    mistake: 'leaves the pods of a finished job running',
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      return !isFinished(observation) ? planned : withActions(planned, planned.actions.filter((action) => action.type !== 'deletePod'));
    }),
    caughtBy: ['pods are cleaned up'],
  },
  {
    mistake: 'keeps the pods of a suspended job',
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      return observation.job.spec.suspend ? withActions(planned, planned.actions.filter((action) => action.type !== 'deletePod')) : planned;
    }),
    caughtBy: ['a suspended job has no pods'],
  },
  {
    mistake: 'creates a replica although it has succeeded',
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      return planned.actions.some((action) => action.type === 'createPod') ? withActions(planned, creations(observation)) : planned;
    }),
    caughtBy: ['what has succeeded is not repeated'],
  },
  {
    mistake: 'changes the number of replicas of an elastic job before it has written that down',
    only: isElastic,
    operator: withPlanner((observation) => {
      const { spec, status } = observation.job;
      return plan(status.elastic ? withStatus(observation, { elastic: { ...status.elastic, replicas: spec.replicas! } }) : observation);
    }),
    caughtBy: ['no replica beyond the wanted number', 'each failed pod is counted once', 'counts have a reason', 'only pods that have to go are deleted'],
  },
  {
    mistake: 'gives the place of an elastic replica out again while its last pod is leaving',
    only: isElastic,
    operator: withPlanner((observation) => plan(withPods(observation, observation.pods.filter((pod) => !isBeyond(observation, pod))))),
    caughtBy: ['each failed pod is counted once', 'counts have a reason'],
  },
  {
    mistake: 'starts an elastic job again as a whole when it loses any of its workers',
    only: isElastic,
    operator: withPlanner((observation) => {
      const { framework } = resolveTrainingJob(observation.job.name, observation.job.spec);
      const { elastic } = framework;
      if (elastic === undefined || observation.job.spec.elastic === undefined) {
        return plan(observation);
      }
      Object.assign(framework, { elastic: { ...elastic, endsGroup: () => true } });
      try {
        return plan(observation);
      } finally {
        Object.assign(framework, { elastic });
      }
    }),
    caughtBy: ['survivors of an elastic job are kept'],
  },
  {
    mistake: 'releases a gang before its time',
    only: isGang,
    operator: withPlanner((observation) => {
      const { gang } = observation.job.status;
      return plan(gang?.belowSince === undefined ? observation : withStatus(observation, { gang: { ...gang, belowSince: '2020-01-01T00:00:00Z' } }));
    }),
    caughtBy: ['a gang is released in its time only'],
  },
  {
    mistake: 'counts the release of a gang as a disruption',
    only: isGang,
    operator: withPlanner((observation) => {
      const planned = plan(observation);
      const isRelease = planned.decided && planned.events.some(({ reason }) => reason === 'GangReleased');
      return isRelease ? { ...planned, status: { ...planned.status, disruptions: (planned.status.disruptions ?? 0) + 1 } } : planned;
    }),
    caughtBy: ['counts have a reason'],
  },
  {
    mistake: 'starts a gang again at once that it has just released',
    only: isGang,
    operator: withPlanner((observation) => {
      const isReleased = observation.job.status.gang?.step !== undefined;
      const planned = plan(isReleased ? withStatus(observation, { nextRetryTime: undefined }) : observation);
      const { nextRetryTime } = observation.job.status;
      return planned.decided || !isReleased ? planned : { ...planned, status: { ...planned.status, nextRetryTime } };
    }),
    caughtBy: ['the pause is kept'],
  },
];

/** Whether a pod is in a place that its elastic job has given up. */
function isBeyond({ job: { name, spec, status } }: Observation, pod: ObservedPod): boolean {
  return pod.deleting && spec.elastic !== undefined && status.elastic !== undefined
    && !resolveTrainingJob(name, { ...spec, replicas: status.elastic.replicas }).replicas.some((replica) => replica.podName === pod.name);
}

function isFinished({ job }: Observation): boolean {
  return job.status.completionTime !== undefined;
}

/** Creates every replica that has no pod, whatever the status says. */
function creations({ job, pods }: Observation): Action[] {
  return resolveTrainingJob(job.name, job.spec).replicas
    .filter((replica) => !pods.some((pod) => pod.name === replica.podName))
    .map((replica) => ({ type: 'createPod', replica, attempt: job.status.attempt ?? 0 }));
}

const endlessSpecs = new WeakMap<object, Observation['job']['spec']>();

/** The spec without its backoff limit; one object for each, as the planner keeps what it made of a spec. */
function endless(spec: Observation['job']['spec']): Observation['job']['spec'] {
  let changed = endlessSpecs.get(spec);
  if (changed === undefined) {
    changed = { ...spec, runPolicy: { ...spec.runPolicy, backoffLimit: 1_000 } };
    endlessSpecs.set(spec, changed);
  }
  return changed;
}
