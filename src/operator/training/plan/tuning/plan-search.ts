/**
 * The planner of jobs with `autoTuning`. Such a job has no pods: its trials are jobs of their own, planned like any other, and this planner watches
 * them and decides on the next.
 *
 * As with jobs, a pass either decides or acts. A decision is written to the status before anything follows from it: the number and the values of a
 * trial stand there before its job is created, and so does its result before its job may go. Which jobs there have to be follows from the status
 * alone, so an operator that dies at any instant leaves a search that goes on with the same trials. No number is ever tried twice: a job that was
 * seen and is gone is a failed trial.
 */
import { awaitsReports, needsLog, settle, shown, standing } from './settle';
import { NEW_SEARCH, endedTrials, finishedTrialOf, recordOf, trialOf, valuesText } from './tuning-status';
import type { ObservedTrial } from './types';
import { decision, end } from '../decisions';
import { deadlineIn, decideDeadline, decideSuspension, isOver, isRunning, observedStatus } from '../parent-job';
import { refusalNews } from '../failures/refusal-news';
import type { Action, Observation, Plan, PlannedEvent } from '../types';
import type { TrainingJobSpec } from '../../../../model/training-job/spec';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import type { TuningStatus } from '../../../../model/training-job/status/tuning-status';
import { AUTO_TUNING_DEFAULTS, isBetter, type Search } from '../../../../model/tuning/search';
import { suggest, suggestionWork } from '../../../../model/tuning/suggest';
import { searchOf } from '../../../../model/tuning/trial-spec';

/** One search of each spec: building a space costs more than a pass that finds nothing to do. */
const searches = new WeakMap<TrainingJobSpec, { readonly uid: string; readonly search: Search }>();

/**
 * Work that one pass may put into suggestions, as {@link suggestionWork} counts it: about 20 ms. A pass holds up everything else in the process, the
 * lease of the leader too, and `parallelTrials` and the number of parameters are the user's choice. What was suggested is written, and the next pass
 * goes on.
 */
const MAX_WORK = 8e6;

/** Plans one pass over a search that has not ended. Its spec is valid. */
export function planSearch(observation: Observation): Plan {
  const { job } = observation;
  const search = searchOnce(job.spec, job.uid);
  const trials = new Map((observation.trials ?? []).map((trial) => [trial.number, trial]));
  return decideSuspension(observation, { title: 'search', children: 'its trials' })
    ?? decideTrials(observation, search, trials)
    ?? decideDeadline(observation, () => ({ tuning: { ...job.status.tuning ?? NEW_SEARCH, running: 0, active: [] } }))
    ?? act(observation, search, trials);
}

/** A search that has ended: trials that still run go, and of the others those that are too many. */
export function planFinishedTrials({ job, trials = [] }: Observation): Action[] {
  const all = job.spec.runPolicy?.cleanPodPolicy === 'All';
  return deletions(job.status.tuning ?? NEW_SEARCH, trials, all ? 0 : job.spec.autoTuning?.keepTrials, all);
}

function searchOnce(spec: TrainingJobSpec, uid: string): Search {
  let known = searches.get(spec);
  if (known?.uid !== uid) {
    known = { uid, search: searchOf(spec, uid) };
    searches.set(spec, known);
  }
  return known.search;
}

/** Takes in trials that have ended, ends the search if that is what follows, and decides on new trials. */
function decideTrials(observation: Observation, search: Search, trials: ReadonlyMap<number, ObservedTrial>): Plan | undefined {
  const { job: { spec, status }, now } = observation;
  const result = settle({ search, tuning: status.tuning ?? NEW_SEARCH, trials, now });
  const tuning = result?.tuning ?? status.tuning ?? NEW_SEARCH;
  const ended = endSearch(observation, search, tuning, result?.events ?? []);
  if (ended) {
    return ended;
  }
  const started = spec.suspend ? { tuning, events: [] } : startTrials(search, tuning);
  const events = [...result?.events ?? [], ...started.events];
  return events.length === 0 ? undefined : decision(observation, { tuning: started.tuning, ...progressOf(search, started.tuning) }, [], events);
}

function startTrials(search: Search, before: TuningStatus): { readonly tuning: TuningStatus; readonly events: PlannedEvent[] } {
  let tuning = before;
  const events: PlannedEvent[] = [];
  const finished = (tuning.remembered ?? []).map(finishedTrialOf);
  const shared = {};
  let work = 0;
  while ((tuning.active ?? []).length < search.parallelTrials) {
    const active = tuning.active ?? [];
    work += suggestionWork(search, finished.length + active.length);
    if (events.length > 0 && work > MAX_WORK) {
      break;
    }
    const trial = suggest(search, { finished, active: active.map(trialOf), next: tuning.trials + 1 }, shared);
    if (trial === undefined) {
      break;
    }
    tuning = { ...tuning, trials: trial.number, running: active.length + 1, active: [...active, recordOf(trial)] };
    events.push({ type: 'Normal', reason: 'TrialStarted', message: `Trial ${trial.number} of ${search.maxTrials}: ${valuesText(search, trial)}` });
  }
  return { tuning, events };
}

/** The end of the search, if it is there. */
function endSearch(observation: Observation, search: Search, tuning: TuningStatus, events: readonly PlannedEvent[]): Plan | undefined {
  const { best } = tuning;
  const stopped: TuningStatus = { ...tuning, running: 0, active: [] };
  const finish = (phase: 'Completed' | 'Failed', reason: string, message: string): Plan => {
    const plan = end(observation, phase, reason, message, undefined, { tuning: stopped, ...progressOf(search, stopped) });
    return { ...plan, events: [...events, ...plan.events] };
  };
  const result = best && `best is trial ${best.trial} with ${search.objective}=${shown(best.value)} (${Object.entries(best.parameters)
    .map(([name, value]) => `${name}=${value}`).join(', ')})`;
  if (best && search.target !== undefined && !isBetter(search.goal, search.target, best.value)) {
    return finish('Completed', 'TargetReached', `The target ${shown(search.target)} is reached after ${endedTrials(tuning)} trials: ${result}`);
  }
  if (tuning.failed > search.maxFailedTrials) {
    const { trial, reason, message } = tuning.lastFailedTrial!;
    return finish('Failed', 'TooManyFailedTrials',
      `${tuning.failed} trials failed, and spec.autoTuning.maxFailedTrials is ${search.maxFailedTrials}. The last, trial ${trial}: ${reason}: ${message}`);
  }
  if (endedTrials(tuning) < search.maxTrials) {
    return undefined;
  }
  return result
    ? finish('Completed', 'SearchSucceeded', `All ${search.maxTrials} trials have ended: ${result}`)
    : finish('Failed', 'NoTrialSucceeded', `None of the ${search.maxTrials} trials reported a value of ${search.objective}`);
}

/** What follows from the status that stands. */
function act(observation: Observation, search: Search, trials: ReadonlyMap<number, ObservedTrial>): Plan {
  const { job: { spec, status }, now } = observation;
  const tuning = status.tuning ?? NEW_SEARCH;
  const suspend = spec.suspend === true;
  const actions: Action[] = deletions(tuning, observation.trials ?? [], search.keepTrials);
  for (const active of tuning.active ?? []) {
    const trial = trials.get(active.trial);
    if (trial === undefined) {
      if (!suspend && !active.seen) {
        actions.push({ type: 'createTrial', trial: trialOf(active) });
      }
      continue;
    }
    const { name, uid } = trial;
    if (trial.suspended !== suspend && !isOver(trial) && !trial.deleting) {
      actions.push({ type: 'suspendTrial', name, uid, suspend });
    }
    if (needsLog(trial, search, now)) {
      actions.push({ type: 'readObjective', trial: active.trial, name, uid });
    }
  }
  const next = statusOf(observation, search, tuning, trials);
  const waits = [deadlineIn(observation), ...[...trials.values()].map((trial) => awaitsReports(trial, now))].filter((wait) => wait !== undefined);
  return {
    status: next,
    decided: false,
    actions,
    events: refusalNews(status, next),
    requeueAfterMs: waits.length > 0 ? Math.max(1, Math.min(...waits)) : undefined,
  };
}

/**
 * Jobs of trials that nobody needs any more: those that were ended, and the older ones of those that came to an end.
 * @param all whether the best goes too
 */
function deletions(tuning: TuningStatus, trials: readonly ObservedTrial[], keep: number = AUTO_TUNING_DEFAULTS.keepTrials, all = false): Action[] {
  const active = new Set((tuning.active ?? []).map(({ trial }) => trial));
  const idle = trials.filter((trial) => !active.has(trial.number));
  const old = idle.filter((trial) => isOver(trial) && (all || trial.number !== tuning.best?.trial)).sort((a, b) => b.number - a.number).slice(keep);
  return [
    ...idle.filter((trial) => !isOver(trial)).map((trial) => ({ trial, reason: 'the trial was stopped' })),
    ...old.map((trial) => ({ trial, reason: `spec.autoTuning.keepTrials is ${keep}` })),
  ].filter(({ trial }) => !trial.deleting)
    .map(({ trial: { name, uid }, reason }): Action => ({ type: 'deleteTrial', name, uid, reason }));
}

/** The status as the trials say it is, no decision taken. */
function statusOf(observation: Observation, search: Search, tuning: TuningStatus, trials: ReadonlyMap<number, ObservedTrial>): TrainingJobStatus {
  const numbers = (tuning.active ?? []).map(({ trial }) => trial).filter((trial) => isRunning(trials.get(trial)));
  return observedStatus(observation, {
    running: numbers.length,
    underWay: tuning.running,
    whenRunning: {
      reason: 'TrialsRunning', message: numbers.length === 1 ? `Trial ${numbers[0]} of ${search.maxTrials} is running` : `${numbers.length} trials run`,
    },
    whenPending: { reason: 'TrialsPending', message: 'No trial is running' },
    standing: standing(tuning, search),
  }, {
    ...progressOf(search, tuning),
    tuning: {
      ...tuning,
      active: (tuning.active ?? []).map((active) => (trials.has(active.trial) ? { ...active, seen: true } : active)),
    },
  });
}

/** The columns of `kubectl get`: trials that have ended, of all. */
function progressOf(search: Search, tuning: TuningStatus): Pick<TrainingJobStatus, 'ready' | 'trainerStatus'> {
  const ended = endedTrials(tuning);
  return {
    ready: `${ended}/${search.maxTrials}`,
    trainerStatus: { progressPercentage: Math.min(100, Math.floor(ended / search.maxTrials * 100)) },
  };
}
