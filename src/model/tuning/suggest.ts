/** The next trial of a search: a pure function of the search and what is remembered of its trials, so that a restart changes nothing. */
import { bayesianWork, suggestBayesian, type SharedFit } from './bayesian';
import { suggestHyperband } from './hyperband';
import { gridPoint, shuffledPoint } from './random';
import type { Search, SearchHistory, Trial } from './search';

/**
 * The trial with number `history.next`.
 * @param shared for several suggestions that rest on the same finished trials. @default - nothing is shared
 * @returns undefined while the choice has to wait for trials that are under way, or when all `maxTrials` were given
 */
export function suggest(search: Search, history: SearchHistory, shared: SharedFit = {}): Trial | undefined {
  const number = history.next;
  if (number > search.maxTrials) {
    return undefined;
  }
  switch (search.algorithm) {
    case 'grid': return { number, point: gridPoint(search.space, number) };
    case 'random': return { number, point: shuffledPoint(search, number) };
    case 'hyperband': return suggestHyperband(search, history);
    case 'bayesian': return { number, point: suggestBayesian(search, history, shared) };
  }
}

/**
 * About how many multiplications a suggestion takes, the first fit to the finished trials aside; counted, not measured, so that a caller who limits
 * its work by it does the same on every machine.
 * @param trials trials that it rests on: remembered ones and active ones
 */
export function suggestionWork({ algorithm, space }: Search, trials: number): number {
  return algorithm === 'bayesian' ? bayesianWork(space.dimensions.length, trials) : space.dimensions.length;
}
