/** `spec.hooks.before`: no replica is created before it has succeeded. It runs once for the job; a restart of the replicas does not repeat it. */
import type { Rule } from './rule';
import { withConditions } from '../conditions';
import { decision, end } from '../decisions';
import { advanceHook, isBeforePending } from '../hooks/advance';
import { withHook } from '../hooks/stages';
import { isKeptSuspended } from '../idle';
import { timeText } from '../timestamps';

/** Runs the hook. */
export const beforeHookRule: Rule = {
  decide(observation, view) {
    const { job } = observation;
    if (!isBeforePending(job)) {
      return undefined;
    }
    const step = advanceHook(observation, view.job, 'before');
    if (!step.decided) {
      return undefined;
    }
    const hooks = withHook(job.status.hooks, 'before', step);
    return step.status?.phase === 'Failed'
      ? end(observation, 'Failed', 'BeforeHookFailed', `spec.hooks.before failed: ${step.status.message}`, view, { hooks })
      : decision(observation, { phase: job.status.phase ?? 'Pending', hooks }, [], [...step.events]);
  },

  holdsBackPods({ job }) {
    return isBeforePending(job);
  },

  actions(observation, view) {
    return observation.job.spec.hooks?.before === undefined ? [] : advanceHook(observation, view.job, 'before').actions;
  },

  observe(observation, view, status) {
    const { job, now } = observation;
    if (!isBeforePending(job)) {
      return status;
    }
    const step = advanceHook(observation, view.job, 'before');
    const waits = step.status?.message === undefined ? '' : `: ${step.status.message}`;
    const message = `0 of ${view.replicas.length} replicas are running; they start when spec.hooks.before has succeeded${waits}`;
    return {
      ...status,
      hooks: withHook(status.hooks, 'before', step),
      conditions: isKeptSuspended(job) ? status.conditions
        : withConditions(status.conditions, [{ type: 'Running', status: 'False', reason: 'BeforeHookPending', message }], timeText(now), job.generation),
    };
  },

  wakeAfterMs(observation, view) {
    return isBeforePending(observation.job) ? advanceHook(observation, view.job, 'before').wakeAfterMs : undefined;
  },
};
