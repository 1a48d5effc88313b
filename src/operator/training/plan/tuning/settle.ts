/**
 * What has become of the trials under way: those that have ended leave the list of active ones and are counted, compared and remembered. Pure
 * bookkeeping; `plan-search.ts` decides what follows.
 */
import { curveFrom, curveText, endedTrials, finishedTrialOf, trialOf, valuesText } from './tuning-status';
import type { ObservedTrial } from './types';
import { conditionOf } from '../conditions';
import { timeText } from '../timestamps';
import type { PlannedEvent } from '../types';
import type { ActiveTrial, RememberedTrial, TuningStatus } from '../../../../model/training-job/status/tuning-status';
import { curveOf, medianStop, REMEMBERED_CURVES } from '../../../../model/tuning/median-stopping';
import { remember } from '../../../../model/tuning/memory';
import { reportedObjective, type ObjectiveReading } from '../../../../model/tuning/objective';
import { isBetter, type Search } from '../../../../model/tuning/search';

/** Longest message of a failed trial, in characters. */
const MESSAGE_MAX_LENGTH = 1024;

/** A trial that has ended. */
type Ending =
  | { readonly outcome: 'succeeded'; readonly value: number }
  | { readonly outcome: 'stopped'; readonly value: number; readonly message: string }
  | { readonly outcome: 'failed'; readonly reason: string; readonly message: string };

/** What is needed to settle trials. */
export interface Settling {
  readonly search: Search;
  readonly tuning: TuningStatus;
  readonly trials: ReadonlyMap<number, ObservedTrial>;
  readonly now: number;
}

/** The status after all trials that have ended, and what to tell of them; undefined when none has. */
export function settle(settling: Settling): { readonly tuning: TuningStatus; readonly events: readonly PlannedEvent[] } | undefined {
  let tuning = settling.tuning;
  const events: PlannedEvent[] = [];
  for (const active of settling.tuning.active ?? []) {
    const ending = endingOf(active, settling);
    if (ending !== undefined) {
      const { status, event } = settled(tuning, active, ending, settling);
      tuning = status;
      events.push(event);
    }
  }
  return events.length === 0 ? undefined : { tuning, events };
}

/** Whether the trial has succeeded and nobody has looked into its log for the objective that it did not report. */
export function needsLog(trial: ObservedTrial, search: Search, now: number): boolean {
  return trial.status.phase === 'Completed' && awaitsReports(trial, now) === undefined
    && trial.logged === undefined && reportedObjective(trial.status, search.objective) === undefined;
}

/** Milliseconds until the last report of a trial that has succeeded must have come; undefined when it has. */
export function awaitsReports({ status, reportsUntil = 0 }: ObservedTrial, now: number): number | undefined {
  return status.phase === 'Completed' && reportsUntil > now ? reportsUntil - now : undefined;
}

/** How an active trial has ended; undefined while it has not, or while its log is to be read. */
function endingOf(active: ActiveTrial, { search, tuning, trials, now }: Settling): Ending | undefined {
  const trial = trials.get(active.trial);
  if (trial === undefined) {
    return active.seen ? { outcome: 'failed', reason: 'TrialDeleted', message: 'The job of the trial was deleted before it ended' } : undefined;
  }
  const { status } = trial;
  if (status.phase === 'Failed') {
    const condition = conditionOf(status, 'Failed');
    return { outcome: 'failed', reason: condition?.reason ?? 'TrialFailed', message: condition?.message ?? 'The job of the trial failed' };
  }
  if (status.phase === 'Completed') {
    const reading: ObjectiveReading | undefined = reportedObjective(status, search.objective) ?? trial.logged;
    if (reading === undefined || awaitsReports(trial, now) !== undefined) {
      return undefined;
    }
    return reading.value === undefined
      ? { outcome: 'failed', reason: reading.reason ?? 'ObjectiveMissing', message: reading.message ?? '' }
      : { outcome: 'succeeded', value: reading.value };
  }
  const stop = trial.deleting ? undefined : medianStop(search, status.progressHistory ?? [], (tuning.curves ?? []).map(curveFrom));
  return stop && {
    outcome: 'stopped',
    value: stop.value,
    message: `${search.objective} is worse than the median of earlier trials at this point (${shown(stop.median)})`,
  };
}

function settled(
  tuning: TuningStatus, active: ActiveTrial, ending: Ending, { search, trials, now }: Settling,
): { readonly status: TuningStatus; readonly event: PlannedEvent } {
  const { seen: _seen, ...record } = active;
  const value = ending.outcome === 'failed' ? undefined : ending.value;
  const remembered: RememberedTrial[] = [...tuning.remembered ?? [], { ...record, ...(value !== undefined && { value }) }];
  const isBest = ending.outcome === 'succeeded' && (tuning.best === undefined || isBetter(search.goal, ending.value, tuning.best.value));
  const curve = ending.outcome === 'succeeded' && search.earlyStopping
    ? curveOf(trials.get(active.trial)?.status.progressHistory ?? [], search.objective) : [];
  const curves = curve.some((average) => average !== null) ? [...tuning.curves ?? [], curveText(curve)].slice(-REMEMBERED_CURVES) : tuning.curves;
  const left = (tuning.active ?? []).filter(({ trial }) => trial !== active.trial);
  const kept = new Set(remember(search, remembered.map(finishedTrialOf), tuning.trials + 1).map(({ number }) => number));
  return {
    event: eventOf(`Trial ${active.trial} (${valuesText(search, trialOf(active))})`, ending, isBest, search),
    status: {
      ...tuning,
      [ending.outcome]: tuning[ending.outcome] + 1,
      running: left.length,
      active: left,
      remembered: remembered.filter(({ trial }) => kept.has(trial)),
      ...(curves && { curves }),
      ...(isBest && { best: { trial: active.trial, value: ending.value, parameters: search.space.valuesOf(trialOf(active).point) } }),
      ...(ending.outcome === 'failed' && {
        lastFailedTrial: { trial: active.trial, reason: ending.reason, message: ending.message.slice(0, MESSAGE_MAX_LENGTH), time: timeText(now) },
      }),
    },
  };
}

function eventOf(name: string, ending: Ending, isBest: boolean, search: Search): PlannedEvent {
  switch (ending.outcome) {
    case 'succeeded': {
      const best = isBest ? ', the best so far' : '';
      return { type: 'Normal', reason: 'TrialSucceeded', message: `${name}: ${search.objective}=${shown(ending.value)}${best}` };
    }
    case 'stopped': return { type: 'Normal', reason: 'TrialStopped', message: `${name} ends early: ${ending.message}` };
    case 'failed': return { type: 'Warning', reason: 'TrialFailed', message: `${name} failed: ${ending.reason}: ${ending.message}`.slice(0, MESSAGE_MAX_LENGTH) };
  }
}

/** How far the search has come, for people: `3 of 20 trials have ended, best is trial 2 with val_accuracy=0.93`. */
export function standing(tuning: TuningStatus, search: Search): string {
  const best = tuning.best ? `; best is trial ${tuning.best.trial} with ${search.objective}=${shown(tuning.best.value)}` : '';
  return `${endedTrials(tuning)} of ${search.maxTrials} trials have ended${best}`;
}

/** A number for people. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}
