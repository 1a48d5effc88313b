/** Which finished trials a search remembers. It is bounded, because the status of a job holds it, and 100,000 trials would not fit. */
import { decidesRungs } from './hyperband';
import { order, type FinishedTrial, type Search } from './search';

/** How many finished trials are remembered at most. */
export const REMEMBERED_TRIALS = 110;

/** Largest number of trials with the same budget that hyperband may start with: two of its rungs have to fit into the memory. */
export const HYPERBAND_MAX_RUNG = 81;

/**
 * With hyperband the last two rungs, which decide the next; else the best and the latest, half and half: a model of the objective needs to know
 * where it is good, and what was just tried.
 * @param next number of the next trial
 */
export function remember<T extends FinishedTrial>(search: Search, finished: readonly T[], next: number): T[] {
  if (search.algorithm === 'hyperband') {
    return finished.filter((trial) => decidesRungs(search.budget!, trial, next));
  }
  if (search.algorithm !== 'bayesian') {
    return [];
  }
  if (finished.length <= REMEMBERED_TRIALS) {
    return [...finished];
  }
  const latest = [...finished].sort((a, b) => b.number - a.number).slice(0, REMEMBERED_TRIALS / 2);
  const others = finished.filter((trial) => !latest.includes(trial)).sort((a, b) => order(search.goal, a, b));
  const kept = new Set([...latest, ...others.slice(0, REMEMBERED_TRIALS - latest.length)]);
  return finished.filter((trial) => kept.has(trial));
}
