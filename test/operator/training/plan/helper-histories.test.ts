/** Random histories of jobs with helpers: those of histories.test.ts, of which few have some. */
import { HistoryFailure, runHistory } from './simulation/history';
import { HELPER_MUTANTS, hasHelpers } from './simulation/helper-mutants';

const SEEDS = 4_000;

test('histories with helpers keep every invariant and end well', async () => {
  const ends = new Map<string, number>();
  let [histories, restarts, disruptions] = [0, 0, 0];
  for (let seed = 50_001; seed <= 50_000 + SEEDS; seed++) {
    const result = await runHistory({ seed, only: hasHelpers });
    if (result.pods > 0) {
      histories++;
      restarts += result.restarts;
      disruptions += result.disruptions;
      ends.set(result.outcome, (ends.get(result.outcome) ?? 0) + 1);
    }
  }
  // A simulation in which nothing happens proves nothing.
  expect([...ends.keys()]).toEqual(expect.arrayContaining(['Completed: JobSucceeded', 'Failed: ReplicaFailed', 'Failed: BackoffLimitExceeded']));
  expect(histories).toBeGreaterThan(SEEDS / 20);
  expect(restarts).toBeGreaterThan(20);
  expect(disruptions).toBeGreaterThan(20);
}, 300_000);

test.each(HELPER_MUTANTS.map((mutant) => [mutant.mistake, mutant] as const))('the invariants notice an operator that %s', async (_mistake, { operator, wildness, only, caughtBy }) => {
  let caught: string | undefined;
  for (let seed = 1; seed <= 6_000 && caught === undefined; seed++) {
    try {
      await runHistory({ seed, operator, wildness, only });
    } catch (error) {
      caught = error instanceof HistoryFailure ? error.invariant : String(error);
      caught = caught !== undefined && caughtBy.includes(caught) ? caught : undefined;
    }
  }
  expect(caughtBy).toContain(caught);
}, 300_000);
