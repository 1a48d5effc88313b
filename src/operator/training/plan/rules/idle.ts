/**
 * `spec.idle`: what happens to a job that leaves its accelerators unused. Measured while all replicas run; where the use is unknown (the script
 * does not
 * report it, and there is no Prometheus to ask), nothing is ever idle.
 */
import type { Rule } from './rule';
import type { IdleSpec } from '../../../../model/training-job/fields/features';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { conditionOf, isConditionTrue, withConditions } from '../conditions';
import { suspend } from '../decisions';
import { elapsedSince } from '../elapsed';
import { isKeptSuspended, utilizationOf } from '../idle';
import { timeText } from '../timestamps';
import type { Observation } from '../types';

/** How often the use is looked at when nothing else happens: a quarter of the time that the job gives it, within these bounds. Milliseconds. */
const LOOK_MS = { shortest: 1_000, longest: 30_000 };

/** Warns of the job, or suspends it. */
export const idleRule: Rule = {
  decide(observation, view) {
    const { job } = observation;
    const { idle } = job.spec;
    if (idle?.action !== 'Suspend' || isKeptSuspended(job) || !isIdleForLong(observation, idle, job.status)) {
      return undefined;
    }
    const { since, percent } = job.status.idle!;
    return suspend(observation, view, {
      reason: 'JobIdle',
      message: `${idleMessage(idle, job.status)}; the job is suspended (spec.idle) until its spec or its annotation ml.collabnix.io/resume changes`,
      change: { idle: { since, percent, suspended: { generation: job.generation, ...(job.resume !== undefined && { resume: job.resume }) } } },
    });
  },

  observe(observation, _view, status) {
    const { job } = observation;
    const { idle } = job.spec;
    if (idle === undefined || isKeptSuspended(job)) {
      return status;
    }
    const told: TrainingJobStatus = { ...status, idle: idleness(observation, idle, status) };
    // A new operator, which has watched it for less, takes back no warning.
    const isWarned = isConditionTrue(status, 'Idle') && status.idle !== undefined && told.idle !== undefined;
    const isLong = idle.action !== 'Suspend' && (isWarned || isIdleForLong(observation, idle, told));
    return {
      ...told,
      conditions: withConditions(told.conditions, [{
        type: 'Idle',
        status: isLong ? 'True' : 'False',
        reason: isLong ? 'AcceleratorsIdle' : 'AcceleratorsInUse',
        message: isLong ? idleMessage(idle, told) : `The utilization of accelerators is not known to be below ${idle.belowPercent} %`,
      }], timeText(observation.now), job.generation),
    };
  },

  events(before, after) {
    return isConditionTrue(after, 'Idle') && !isConditionTrue(before, 'Idle')
      ? [{ type: 'Warning', reason: 'AcceleratorsIdle', message: conditionOf(after, 'Idle')!.message }]
      : [];
  },

  wakeAfterMs(observation, _view, status) {
    const { idle } = observation.job.spec;
    if (idle === undefined || isKeptSuspended(observation.job) || !isConditionTrue(status, 'Running')) {
      return undefined;
    }
    const since = status.idle && Date.parse(status.idle.since);
    const look = Math.min(LOOK_MS.longest, Math.max(LOOK_MS.shortest, idle.forSeconds * 250));
    const left = since === undefined ? look : idle.forSeconds * 1000 - elapsedSince(observation, since);
    return left > 0 ? Math.min(left, look) : look;
  },
};

/** Since when the accelerators are idle; undefined while they are not, or if it is unknown. */
function idleness(observation: Observation, idle: IdleSpec, status: TrainingJobStatus): TrainingJobStatus['idle'] {
  const sample = isConditionTrue(status, 'Running') ? utilizationOf(observation) : undefined;
  const runs = Date.parse(conditionOf(status, 'Running')?.lastTransitionTime ?? '');
  // A value from before a restart says nothing about the time after it.
  if (sample === undefined || sample.percent >= idle.belowPercent || !(sample.time >= runs)) {
    return undefined;
  }
  return { since: status.idle?.since ?? timeText(sample.time), percent: Math.round(sample.percent) };
}

function isIdleForLong(observation: Observation, idle: IdleSpec, status: TrainingJobStatus): boolean {
  return status.idle !== undefined && isConditionTrue(status, 'Running') && idleness(observation, idle, status) !== undefined
    && elapsedSince(observation, Date.parse(status.idle.since)) >= idle.forSeconds * 1000;
}

function idleMessage(idle: IdleSpec, { idle: found }: TrainingJobStatus): string {
  return `The utilization of accelerators is ${found!.percent} %, below ${idle.belowPercent} % since ${found!.since}`;
}
