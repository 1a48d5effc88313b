/**
 * Hyperband: many points with little training, and ever fewer of them, the best, with ever more. A bracket starts `n` points at some budget; of
 * each rung the best n/eta go on to the next, with eta times the budget, up to the largest. Brackets differ in how much they bet on early results;
 * after the last one the first comes again.
 *
 * Which bracket, rung and budget a trial has follows from its number alone, and its point from the trials of the rung before: nothing has to be
 * remembered but those. A rung begins when the last one has ended; that is all that keeps trials from running side by side.
 * @see https://jmlr.org/papers/v18/16-558.html
 */
import { shuffledPoint } from './random';
import { order, type FinishedTrial, type Search, type SearchBudget, type SearchHistory, type Trial } from './search';

/** A rung of a bracket: trials of one budget. */
export interface Rung {
  readonly first: number;
  readonly trials: number;
  readonly budget: number;
  /** The rung that its points come from. */
  readonly previous?: Rung;
}

/** How often the largest budget can be divided before it is less than the smallest. */
export function hyperbandDepth({ min, max, reductionFactor }: SearchBudget): number {
  return Math.floor(Math.log(max / min) / Math.log(reductionFactor) + 1e-9);
}

/** Trials in the first rung of the first bracket, the largest of all. */
export function largestRung(budget: SearchBudget): number {
  return budget.reductionFactor ** hyperbandDepth(budget);
}

/** All rungs of one round of brackets, first numbers from 1. */
export function hyperbandRungs(budget: SearchBudget): Rung[] {
  const { max, reductionFactor } = budget;
  const depth = hyperbandDepth(budget);
  const rungs: Rung[] = [];
  let first = 1;
  for (let bracket = depth; bracket >= 0; bracket--) {
    const points = Math.ceil((depth + 1) / (bracket + 1) * reductionFactor ** bracket);
    let previous: Rung | undefined;
    for (let rung = 0; rung <= bracket; rung++) {
      const trials = Math.max(1, Math.floor(points / reductionFactor ** rung + 1e-9));
      previous = { first, trials, budget: Math.max(1, Math.round(max / reductionFactor ** (bracket - rung))), previous };
      rungs.push(previous);
      first += trials;
    }
  }
  return rungs;
}

/** The rung that a trial number is in. */
export function rungOf(budget: SearchBudget, number: number): Rung {
  const rungs = hyperbandRungs(budget);
  const { first, trials } = rungs[rungs.length - 1];
  const round = Math.floor((number - 1) / (first + trials - 1)) * (first + trials - 1);
  const rung = rungs.find((candidate) => number - round < candidate.first + candidate.trials)!;
  const shifted = (written: Rung): Rung => ({ ...written, first: written.first + round, previous: written.previous && shifted(written.previous) });
  return shifted(rung);
}

/** Whether a finished trial still decides which points the trials from number `next` on get. */
export function decidesRungs(budget: SearchBudget, trial: FinishedTrial, next: number): boolean {
  const rung = rungOf(budget, next);
  return trial.number >= (rung.previous ?? rung).first;
}

/** The next trial; undefined while trials of the rung before are under way. */
export function suggestHyperband(search: Search, { finished, active, next }: SearchHistory): Trial | undefined {
  const rung = rungOf(search.budget!, next);
  const before = rung.previous;
  if (before === undefined) {
    return { number: next, point: shuffledPoint(search, next), budget: rung.budget };
  }
  const isOfBefore = (trial: Trial) => trial.number >= before.first && trial.number < before.first + before.trials;
  if (active.some(isOfBefore)) {
    return undefined;
  }
  const ranked = finished.filter(isOfBefore).sort((a, b) => order(search.goal, a, b));
  const chosen = ranked[next - rung.first];
  // More of a point that failed is more of the same: a new one has at least a chance.
  return chosen?.value === undefined
    ? { number: next, point: shuffledPoint(search, next), budget: rung.budget }
    : { number: next, point: chosen.point, budget: rung.budget, continues: chosen.continues ?? chosen.number };
}
