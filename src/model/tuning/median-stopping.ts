/**
 * The median rule: a trial ends early when its best value so far is worse than the median of what the trials before it had on average by that point
 * of their training. Points of training are tenths of the reported progress, so that what has to be remembered of a trial is nine numbers.
 * @see https://dl.acm.org/doi/10.1145/3097983.3098043 (Google Vizier, 3.2.2)
 */
import { isBetter, type Search } from './search';
import type { ProgressPoint } from '../training-job/status/status';

/** Running averages at 10, 20 ... 90 % of a trial's training; null where nothing was reported by then. */
export type Curve = readonly (number | null)[];

/** How many curves are remembered, the latest. */
export const REMEMBERED_CURVES = 20;

const TENTHS = 9;

/** The curve of a trial from its reports. */
export function curveOf(history: readonly ProgressPoint[], objective: string): Curve {
  const reports = reportsOf(history, objective);
  return Array.from({ length: TENTHS }, (_entry, index) => {
    const by = reports.filter(({ progress }) => progress <= (index + 1) * 10);
    // A status holds it: eight digits say enough.
    return by.length === 0 ? null : Number((by.reduce((sum, { value }) => sum + value, 0) / by.length).toPrecision(8));
  });
}

/**
 * Whether a trial that runs should end, and if so with which value it counts.
 * @param curves of trials that ran to their end
 */
export function medianStop(
  search: Search, history: readonly ProgressPoint[], curves: readonly Curve[],
): { readonly value: number; readonly median: number } | undefined {
  const rule = search.earlyStopping;
  const reports = reportsOf(history, search.objective);
  const last = reports[reports.length - 1];
  if (rule === undefined || last === undefined || last.progress < rule.minProgressPercentage || last.progress >= 100) {
    return undefined;
  }
  const tenth = Math.floor(last.progress / 10) - 1;
  const others = curves.flatMap((curve) => curve[tenth] ?? []).sort((a, b) => a - b);
  if (tenth < 0 || others.length < rule.minTrials) {
    return undefined;
  }
  const middle = Math.floor(others.length / 2);
  const median = others.length % 2 === 1 ? others[middle] : (others[middle - 1] + others[middle]) / 2;
  const best = reports.reduce((so, { value }) => (isBetter(search.goal, value, so) ? value : so), reports[0].value);
  return isBetter(search.goal, median, best) ? { value: last.value, median } : undefined;
}

function reportsOf(history: readonly ProgressPoint[], objective: string): { progress: number; value: number }[] {
  return history.flatMap(({ progressPercentage, metrics }) => {
    const value = Number(metrics?.[objective] ?? NaN);
    return progressPercentage !== undefined && Number.isFinite(value) ? [{ progress: progressPercentage, value }] : [];
  }).sort((a, b) => a.progress - b.progress);
}
