/** The next trial of a search: a pure function of the search and what is remembered of its trials, so that a restart changes nothing. */
import { suggestBayesian } from './bayesian';
import { suggestHyperband } from './hyperband';
import { gridPoint, shuffledPoint } from './random-search';
import type { Search, SearchHistory, Trial } from './search';

/**
 * The trial with number `history.next`.
 * @returns undefined while the choice has to wait for trials that are under way, or when all `maxTrials` were given
 */
export function suggest(search: Search, history: SearchHistory): Trial | undefined {
  const number = history.next;
  if (number > search.maxTrials) {
    return undefined;
  }
  switch (search.algorithm) {
    case 'grid': return { number, point: gridPoint(search.space, number) };
    case 'random': return { number, point: shuffledPoint(search, number) };
    case 'hyperband': return suggestHyperband(search, history);
    case 'bayesian': return { number, point: suggestBayesian(search, history) };
  }
}
