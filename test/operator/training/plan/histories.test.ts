/**
 * The planner lives through random histories: see simulation/history.ts for what happens in them, and simulation/invariants.ts for what has
 * to hold. `TRAINYARD_HISTORIES` says how many, `TRAINYARD_SEED` where they begin.
 */
import { runHistories, runHistory, type HistoryFailure } from './simulation/history';
import { MUTANTS, type Mutant } from './simulation/mutants';
import type { HistoryOptions } from './simulation/world';

const COUNT = Number(process.env.TRAINYARD_HISTORIES ?? 10_000);
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1);

/** Histories after which a mistake counts as overlooked. */
const PATIENCE = 6_000;

describe('random histories', () => {
  it(`all ${COUNT} keep every invariant and end well`, () => {
    const { outcomes, restarts, disruptions, pods } = runHistories(FIRST_SEED, COUNT);

    const shares = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    process.stdout.write(`${COUNT} histories from seed ${FIRST_SEED}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions; ${shares}\n`);
    // A simulation in which nothing happens proves nothing.
    for (const outcome of ['Completed: JobSucceeded', 'Failed: ReplicaFailed', 'Failed: BackoffLimitExceeded', 'Failed: DisruptionLimitExceeded', 'Failed: DeadlineExceeded']) {
      expect(outcomes.get(outcome) ?? 0).toBeGreaterThan(COUNT / 2_000);
    }
    expect(restarts).toBeGreaterThan(COUNT / 20);
    expect(disruptions).toBeGreaterThan(COUNT / 50);
    expect(pods).toBeGreaterThan(COUNT);
  });

  it('the same seed gives the same history', () => {
    const run = (seed: number) => Array.from({ length: 20 }, (_, offset) => runHistory({ seed: seed + offset }));

    expect(run(42)).toEqual(run(42));
    expect(run(42)).not.toEqual(run(142));
  });
});

describe('the invariants notice an operator that', () => {
  it.each(MUTANTS.map((mutant) => [mutant.mistake, mutant] as const))('%s', (_, mutant) => {
    expect(mutant.caughtBy).toContain(firstCatch(mutant));
  });
});

/** The invariant that catches the mistake first, of those that should. */
function firstCatch({ operator, faults, baseline, caughtBy }: Mutant): string | undefined {
  for (let seed = 1; seed <= PATIENCE; seed++) {
    const broken = brokenInvariant({ seed, operator, faults });
    if (broken !== undefined && caughtBy.includes(broken) && (baseline === undefined || brokenInvariant({ seed, operator: baseline, faults }) === undefined)) {
      return broken;
    }
  }
  return undefined;
}

function brokenInvariant(options: HistoryOptions): string | undefined {
  try {
    runHistory(options);
    return undefined;
  } catch (error) {
    return (error as HistoryFailure).invariant;
  }
}
