/** Operators with one mistake each in how they recover: from restarts in place, starts that fail, nodes that are lost. */
import type { Mutant } from './mutants';
import { REAL_OPERATOR, type OperatorVariant } from './operator-variant';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation, ObservedPod, Plan } from '../../../../../src/operator/training/plan/types';

const withPlanner = (planner: (observation: Observation) => Plan): OperatorVariant => ({ ...REAL_OPERATOR, plan: planner });

/** A planner whose mistakes the executor's last look at the node would hide. */
const blindly = (planner: (observation: Observation) => Plan): OperatorVariant => ({ ...withPlanner(planner), readsNodes: false });

const seeing = (change: (pod: ObservedPod) => Partial<ObservedPod>): OperatorVariant =>
  withPlanner((observation) => plan({ ...observation, pods: observation.pods.map((pod) => ({ ...pod, ...change(pod) })) }));

const answering = (change: (planned: Plan, observation: Observation) => Plan): OperatorVariant =>
  withPlanner((observation) => change(plan(observation), observation));

/** All of them. */
export const RECOVERY_MUTANTS: readonly Mutant[] = [
  {
    mistake: 'counts a restart in place each time that it looks',
    operator: withPlanner((observation) => plan({
      ...observation, job: { ...observation.job, status: { ...observation.job.status, containerRestarts: undefined } },
    })),
    caughtBy: ['a restart in place is counted once', 'counts have a reason', 'everything comes to rest'],
  },
  {
    mistake: 'does not count restarts in place',
    operator: seeing(() => ({ containerRestarts: undefined, lastContainerFailure: undefined })),
    caughtBy: ['restarts in place are counted'],
  },
  {
    mistake: 'takes a container that the kubelet starts again for a failed pod',
    operator: seeing((pod) => (pod.state === 'Waiting' && pod.lastContainerFailure ? { state: 'Failed', failure: pod.lastContainerFailure } : {})),
    caughtBy: ['each failed pod is counted once', 'counts have a reason', 'a failed job names its cause'],
  },
  {
    mistake: 'deletes pods by force although their nodes are well',
    operator: blindly((observation) => {
      const planned = plan(observation);
      return { ...planned, actions: planned.actions.map((action) => (action.type === 'deletePod' ? { ...action, force: true } : action)) };
    }),
    caughtBy: ['only pods on lost nodes are deleted by force'],
  },
  {
    mistake: 'takes nodes for lost that are not ready with most others',
    operator: { ...seeing(({ nodeState }) => ({ nodeState: nodeState && { ...nodeState, inOutage: false } })), readsNodes: false },
    caughtBy: ['only pods on lost nodes are deleted by force'],
  },
  {
    mistake: 'deletes pods by force although it is told to wait',
    operator: blindly((observation) => {
      const planned = plan(observation);
      const hanging = observation.pods.filter((pod) => pod.deleting && pod.nodeState?.health === 'NotReady');
      return planned.decided ? planned : {
        ...planned,
        actions: [...planned.actions, ...hanging.map(({ name, uid }) => ({ type: 'deletePod' as const, name, uid, reason: 'hangs', force: true }))],
      };
    }),
    caughtBy: ['only pods on lost nodes are deleted by force', 'one live process a rank'],
  },
  {
    mistake: 'deletes pods by force on the word of a cache that may be old',
    operator: { ...REAL_OPERATOR, readsNodes: false },
    caughtBy: ['only pods on lost nodes are deleted by force', 'one live process a rank'],
  },
  {
    mistake: 'waits for ever for pods on dead nodes',
    operator: answering((planned) => ({
      ...planned, actions: planned.actions.filter((action) => action.type !== 'deletePod' || action.force !== true),
    })),
    caughtBy: ['every job ends'],
  },
  {
    mistake: 'does not hear of lost nodes',
    operator: seeing(() => ({ nodeState: undefined })),
    caughtBy: ['every job ends'],
  },
  {
    mistake: 'fails a job at once whose image comes late',
    operator: seeing((pod) => (pod.startError ? { startError: { ...pod.startError, permanent: true } } : {})),
    caughtBy: ['a failed job names its cause'],
  },
  {
    mistake: 'waits for ever for an image that does not come',
    operator: seeing(() => ({ startError: undefined })),
    caughtBy: ['every job ends'],
  },
  {
    mistake: 'forgets the lost time of earlier restarts',
    operator: answering((planned, { job }) => (job.status.lostSince && !planned.status.lostSince && !job.status.completionTime
      ? { ...planned, status: { ...planned.status, lostSeconds: planned.status.lastRestart?.lostSeconds } } : planned)),
    caughtBy: ['lost time only grows'],
  },
  {
    mistake: 'blames a node for disruptions',
    operator: answering((planned, { job }) => {
      const { lastFailure, disruptions = 0 } = planned.status;
      return planned.decided && disruptions > (job.status.disruptions ?? 0) && lastFailure?.node
        ? { ...planned, status: { ...planned.status, suspectNodes: [{ node: lastFailure.node, failures: 99, time: lastFailure.time, reason: 'X', avoided: true }] } }
        : planned;
    }),
    caughtBy: ['a suspect node has seen failures'],
  },
];
