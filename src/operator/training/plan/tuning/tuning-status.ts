/** Between the search as algorithms see it and `status.tuning`. */
import type { ActiveTrial, RememberedTrial, TuningStatus } from '../../../../model/training-job/status/tuning-status';
import type { Curve } from '../../../../model/tuning/median-stopping';
import type { FinishedTrial, Search, Trial } from '../../../../model/tuning/search';
import { decodePoint, encodePoint } from '../../../../model/tuning/search-space';

/** A search that has not begun. */
export const NEW_SEARCH: TuningStatus = { trials: 0, running: 0, succeeded: 0, failed: 0, stopped: 0 };

/** The trial that a status speaks of. */
export function trialOf({ trial, point, budget, continues }: ActiveTrial | RememberedTrial): Trial {
  return { number: trial, point: decodePoint(point), ...(budget !== undefined && { budget }), ...(continues !== undefined && { continues }) };
}

/** What the status says of a trial. */
export function recordOf({ number, point, budget, continues }: Trial): ActiveTrial {
  return { trial: number, point: encodePoint(point), ...(budget !== undefined && { budget }), ...(continues !== undefined && { continues }) };
}

/** A remembered trial. */
export function finishedTrialOf(record: RememberedTrial): FinishedTrial {
  return { ...trialOf(record), ...(record.value !== undefined && { value: record.value }) };
}

/** Trials that have ended. */
export function endedTrials({ succeeded, failed, stopped }: TuningStatus): number {
  return succeeded + failed + stopped;
}

/** A curve as the status keeps it. */
export function curveText(curve: Curve): string {
  return curve.map((average) => average ?? '').join(',');
}

/** What {@link curveText} wrote. */
export function curveFrom(text: string): Curve {
  return text.split(',').map((average) => (average === '' ? null : Number(average)));
}

/** A trial's values for people: `batchSize=32, learningRate=0.01`. */
export function valuesText(search: Search, trial: Trial): string {
  const budget = trial.budget === undefined ? [] : [`budget ${trial.budget}`];
  const text = [...Object.entries(search.space.valuesOf(trial.point)).map(([name, value]) => `${name}=${value}`), ...budget].join(', ');
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
