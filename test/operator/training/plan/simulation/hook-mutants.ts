/** Operators with one mistake each in what they make of hooks. */
import type { Mutant } from './mutants';
import { REAL_OPERATOR, type OperatorVariant } from './operator-variant';
import { HOOK_NAMES, type HookName, type HookSpec } from '../../../../../src/model/training-job/hooks';
import type { HookStatus } from '../../../../../src/model/training-job/status/status';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import { plan } from '../../../../../src/operator/training/plan/plan';
import { resolveOnce } from '../../../../../src/operator/training/plan/resolve-once';
import type { Action, Observation, ObservedHookPod, Plan } from '../../../../../src/operator/training/plan/types';

const withPlanner = (planner: (observation: Observation) => Plan): OperatorVariant => ({ ...REAL_OPERATOR, plan: planner });

const answering = (change: (planned: Plan, observation: Observation) => Plan): OperatorVariant =>
  withPlanner((observation) => change(plan(observation), observation));

/** Without what it does to pods of hooks, or with something else. */
const acting = (change: (action: Action, observation: Observation) => Action | undefined): OperatorVariant => answering((planned, observation) => (
  { ...planned, actions: planned.actions.flatMap((action) => change(action, observation) ?? []) }));

const seeing = (change: (pod: ObservedHookPod) => Partial<ObservedHookPod>): OperatorVariant =>
  withPlanner((observation) => plan({ ...observation, hookPods: observation.hookPods?.map((pod) => ({ ...pod, ...change(pod) })) }));

/** Reads other hooks in the spec than it has. */
const misreading = (change: (hook: HookSpec, name: HookName) => HookSpec | undefined): OperatorVariant => {
  const changed = new WeakMap<TrainingJobSpec, TrainingJobSpec>();
  return withPlanner((observation) => {
    const { spec } = observation.job;
    const hooks = HOOK_NAMES.flatMap((name) => {
      const hook = spec.hooks?.[name] && change(spec.hooks[name], name);
      return hook === undefined ? [] : [[name, hook] as const];
    });
    const other = changed.get(spec) ?? { ...spec, hooks: Object.fromEntries(hooks) };
    changed.set(spec, other);
    return plan({ ...observation, job: { ...observation.job, spec: other } });
  });
};

/** Jobs that have one of these hooks. */
const having = (...names: readonly HookName[]) => ({ hooks }: TrainingJobSpec): boolean => names.some((name) => hooks?.[name] !== undefined);

const isOpen = (hook: HookStatus | undefined): boolean => hook !== undefined && hook.phase !== 'Succeeded' && hook.phase !== 'Failed';

const ofHook = ({ hookPods = [] }: Observation, action: Action): ObservedHookPod | undefined =>
  (action.type === 'deletePod' ? hookPods.find(({ uid }) => uid === action.uid) : undefined);

/** All mutants. */
export const HOOK_MUTANTS: readonly Mutant[] = [
  {
    mistake: 'does not wait for the hook before the replicas',
    only: having('before'),
    operator: misreading((hook, name) => (name === 'before' ? undefined : hook)),
    caughtBy: ['no replica before the hook before the replicas has succeeded'],
  },
  {
    mistake: 'forgets that the hook before the replicas has succeeded',
    only: having('before'),
    operator: withPlanner((observation) => {
      const { job } = observation;
      const { before, ...hooks } = job.status.hooks ?? {};
      return plan(before?.phase === 'Succeeded' && !isFinished(job.status) ? { ...observation, job: { ...job, status: { ...job.status, hooks } } } : observation);
    }),
    caughtBy: ['a hook that has ended is not repeated'],
  },
  {
    mistake: 'takes pods of hooks for replicas',
    only: having(...HOOK_NAMES),
    operator: withPlanner((observation) => plan({ ...observation, pods: [...observation.pods, ...observation.hookPods ?? []] })),
    caughtBy: ['only pods that have to go are deleted'],
  },
  {
    mistake: 'counts the loss of a hook\'s pod as a failed try',
    only: having(...HOOK_NAMES),
    wildness: { mischief: 5 },
    operator: seeing(({ failure }) => (failure?.disruption ? { failure: { ...failure, disruption: false } } : {})),
    caughtBy: ['each failed try is counted once'],
  },
  {
    mistake: 'takes a hook for done whose pod left with 0 when it was asked to go',
    only: having(...HOOK_NAMES),
    wildness: { failRate: 0.5, mischief: 5 },
    operator: seeing(({ state }) => (state === 'Succeeded' ? { deleting: false } : {})),
    caughtBy: ['a hook that succeeds has succeeded'],
  },
  {
    mistake: 'takes a try for failed that does not start at once',
    only: having(...HOOK_NAMES),
    operator: seeing(({ state }) => (state === 'Waiting' ? { state: 'Failed', failure: { disruption: false, reason: 'Slow' } } : {})),
    caughtBy: ['each failed try is counted once'],
  },
  {
    mistake: 'tries a hook more often than it may',
    only: having(...HOOK_NAMES),
    wildness: { failRate: 0.8 },
    operator: misreading((hook) => ({ ...hook, backoffLimit: 10 })),
    caughtBy: ['a hook that cannot succeed fails'],
  },
  {
    mistake: 'tries a hook again whose command does not exist',
    only: having(...HOOK_NAMES),
    operator: seeing(({ failure }) => (failure?.permanent ? { failure: { ...failure, permanent: false } } : {})),
    caughtBy: ['a hook that cannot succeed fails'],
  },
  {
    mistake: 'does not keep the pause between two tries of a hook',
    only: having(...HOOK_NAMES),
    wildness: { failRate: 0.8 },
    operator: answering((planned, { job }) => {
      const { hooks = {} } = job.status;
      const paused = HOOK_NAMES.find((name) => hooks[name]?.nextRetryTime !== undefined && planned.actions.length === 0 && !planned.decided
        && (name === 'onExit') === isFinished(job.status) && !job.spec.suspend);
      return paused === undefined ? planned : { ...planned, actions: [{ type: 'createHookPod', hook: paused, tries: hooks[paused]!.failures }] };
    }),
    caughtBy: ['the pause is kept'],
  },
  {
    mistake: 'waits for a hook for longer than its time limit',
    only: having(...HOOK_NAMES),
    operator: misreading((hook) => ({ ...hook, timeoutSeconds: 604_800 })),
    caughtBy: ['a hook keeps its time limit'],
  },
  {
    mistake: 'counts the time of a suspension as that of the hook',
    only: having('before', 'after'),
    wildness: { failRate: 0, mischief: 0 },
    operator: answering((planned, { job }) => {
      const { hooks } = planned.status;
      const kept = (name: 'before' | 'after') => {
        const startTime = job.status.hooks?.[name]?.startTime;
        return startTime !== undefined && isOpen(hooks?.[name]) && { [name]: { ...hooks![name], startTime } };
      };
      return { ...planned, status: { ...planned.status, ...(hooks && { hooks: { ...hooks, ...kept('before'), ...kept('after') } }) } };
    }),
    caughtBy: ['a hook fails for a reason'],
  },
  {
    mistake: 'keeps the pods of hooks of a suspended job',
    only: having('before', 'after'),
    operator: acting((action, observation) => (observation.job.spec.suspend && ofHook(observation, action) ? undefined : action)),
    caughtBy: ['only the current try of a hook runs', 'a suspended job has no pods'],
  },
  {
    mistake: 'leaves the pod of a hook that took too long',
    only: having(...HOOK_NAMES),
    operator: acting((action, observation) => (isFinished(observation.job.status) && ofHook(observation, action) ? undefined : action)),
    caughtBy: ['only the current try of a hook runs'],
  },
  {
    mistake: 'leaves the pod of an earlier try that was created late',
    only: having(...HOOK_NAMES),
    faults: { lateArrival: 0.3 },
    wildness: { mischief: 5 },
    operator: acting((action, observation) => {
      const { spec, status } = observation.job;
      return isFinished(status) || spec.suspend || !ofHook(observation, action) ? action : undefined;
    }),
    caughtBy: ['only the current try of a hook runs'],
  },
  {
    mistake: 'runs a hook again while its last pod ends',
    only: having('before', 'after'),
    operator: { ...REAL_OPERATOR, deletesGracefully: false },
    caughtBy: ['a hook runs one pod at a time'],
  },
  {
    mistake: 'leaves a hook open when the job ends',
    only: having('before', 'after'),
    operator: answering((planned, { job }) => {
      const { hooks } = job.status;
      const isLeftOpen = planned.decided && isFinished(planned.status) && !isFinished(job.status) && (isOpen(hooks?.before) || isOpen(hooks?.after));
      return isLeftOpen ? { ...planned, status: { ...planned.status, hooks } } : planned;
    }),
    caughtBy: ['a job that has ended has no open hook'],
  },
  {
    mistake: 'calls a job completed whose hook after the replicas has failed',
    only: having('after'),
    operator: answering((planned) => {
      const { status } = planned;
      const isFailed = planned.decided && status.phase === 'Failed' && status.hooks?.after?.phase === 'Failed';
      const conditions = status.conditions?.map((condition) => (
        condition.type === 'Failed' ? { ...condition, type: 'Succeeded' as const, reason: 'JobSucceeded' } : condition));
      return isFailed ? { ...planned, status: { ...status, phase: 'Completed', conditions } } : planned;
    }),
    caughtBy: ['a completed job has succeeded'],
  },
  {
    mistake: 'starts replicas again whose pods are gone when they have succeeded',
    only: having('after'),
    operator: answering((planned, { job, pods }) => {
      const { attempt = 0, hooks } = job.status;
      const missing = planned.decided || hooks?.after === undefined ? [] : resolveOnce(job.name, job.spec).resolved!.replicas
        .filter(({ podName }) => !pods.some(({ name }) => name === podName));
      return { ...planned, actions: [...planned.actions, ...missing.map((replica) => ({ type: 'createPod' as const, replica, attempt }))] };
    }),
    caughtBy: ['no replica once the hook after the replicas has begun'],
  },
  {
    mistake: 'does not run the hook at the end',
    only: having('onExit'),
    operator: misreading((hook, name) => (name === 'onExit' ? undefined : hook)),
    caughtBy: ['the hook at the end runs', 'a job is kept until its last hook has ended'],
  },
  {
    mistake: 'runs the hook at the end before the end',
    only: having('onExit'),
    operator: answering((planned, { job, hookPods = [] }) => (planned.decided || isFinished(job.status) || hookPods.some(({ hook }) => hook === 'onExit') ? planned
      : { ...planned, actions: [...planned.actions, { type: 'createHookPod', hook: 'onExit', tries: 0 }] })),
    caughtBy: ['hooks run at their time only'],
  },
  {
    mistake: 'cleans the pod of the hook at the end up before it has ended',
    only: having('onExit'),
    operator: answering((planned, { job, hookPods = [] }) => {
      const removals = hookPods.filter(({ hook, deleting }) => hook === 'onExit' && !deleting && isOpen(job.status.hooks?.onExit))
        .map(({ name, uid }) => ({ type: 'deletePod' as const, name, uid, reason: 'has finished' }));
      return planned.decided ? planned : { ...planned, actions: [...planned.actions, ...removals] };
    }),
    caughtBy: ['only pods that have to go are deleted'],
  },
  {
    mistake: 'deletes a job while its last hook runs',
    only: ({ hooks, runPolicy }) => hooks?.onExit !== undefined && runPolicy?.ttlSecondsAfterFinished === 0,
    operator: answering((planned, { job }) => (
      planned.decided || !isFinished(job.status) ? planned : { ...planned, actions: [...planned.actions, { type: 'deleteJob' }] })),
    caughtBy: ['a job is kept until its last hook has ended'],
  },
  {
    mistake: 'lets the failure of the hook at the end change the outcome',
    only: having('onExit'),
    operator: answering((planned) => {
      const { status } = planned;
      const hasFailed = planned.decided && status.phase === 'Completed' && status.hooks?.onExit?.phase === 'Failed';
      const conditions = status.conditions?.map((condition) => (condition.type === 'Succeeded' ? { ...condition, type: 'Failed' as const } : condition));
      return hasFailed ? { ...planned, status: { ...status, phase: 'Failed', conditions } } : planned;
    }),
    caughtBy: ['a finished job stays as it is'],
  },
  {
    mistake: 'takes a place in a queue while the hook before the replicas runs',
    only: ({ hooks, scheduling }) => hooks?.before !== undefined && scheduling?.queueName !== undefined,
    operator: answering((planned, { job: { spec, status }, queue }) => (
      planned.decided || !isOpen(status.hooks?.before) || queue?.workload !== undefined || spec.suspend ? planned
        : { ...planned, actions: [...planned.actions, { type: 'queue', step: { type: 'create' } }] })),
    caughtBy: ['no place in a queue before the hook before the replicas has succeeded'],
  },
  {
    mistake: 'keeps its quota while the hook after the replicas runs',
    only: ({ hooks, scheduling }) => hooks?.after !== undefined && scheduling?.queueName !== undefined,
    operator: acting((action, { job }) => (action.type === 'queue' && job.status.hooks?.after !== undefined && !isFinished(job.status) ? undefined : action)),
    caughtBy: ['quota is given back before the hook after the replicas'],
  },
];
