/**
 * The planner lives through random histories: see simulation/history.ts for what happens in them, and simulation/invariants.ts for what has
 * to hold. `TRAINYARD_HISTORIES` says how many, `TRAINYARD_SEED` where they begin.
 */
import { runHistories, runHistory, type HistoryFailure } from './simulation/history';
import { MUTANTS, type Mutant } from './simulation/mutants';
import { HEALTH_MUTANTS } from './simulation/health-mutants';
import { QUEUE_MUTANTS } from './simulation/queue-mutants';
import { RECOVERY_MUTANTS } from './simulation/recovery-mutants';
import type { HistoryOptions } from './simulation/world';

const COUNT = Math.max(2_000, Number(process.env.TRAINYARD_HISTORIES ?? 2_000));
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1);

/** Histories of the operator's own code, which makes whole pods and is slower. */
const CODE_COUNT = Math.ceil(COUNT / 20);

/** Tests that they are spread over, so that a report shows how far it came. */
const PORTIONS = Math.ceil(COUNT / 2_000);

/** Ends that have to be among two thousand histories. */
const ENDS = [
  'Completed: JobSucceeded', 'Failed: ReplicaFailed', 'Failed: BackoffLimitExceeded', 'Failed: DisruptionLimitExceeded', 'Failed: DeadlineExceeded', 'Failed: ImagePullFailed', 'Deleted',
];

/** Histories after which a mistake counts as overlooked. */
const PATIENCE = 6_000;

describe('random histories', () => {
  const portion = Math.ceil(COUNT / PORTIONS);

  it.each(Array.from({ length: PORTIONS }, (_, index) => FIRST_SEED + index * portion))(`${portion} of them keep every invariant and end well, from seed %i`, async (seed) => {
    const { outcomes, restarts, disruptions, pods } = await runHistories(seed, portion);

    const shares = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    process.stdout.write(`${portion} histories from seed ${seed}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions; ${shares}\n`);
    // A simulation in which nothing happens proves nothing.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(ENDS));
    expect(restarts).toBeGreaterThan(portion / 20);
    expect(disruptions).toBeGreaterThan(portion / 50);
    expect(pods).toBeGreaterThan(portion);
  });

  it(`${CODE_COUNT} of them with the operator's own reconciler, executor and status writer keep every invariant and end well`, async () => {
    const { outcomes } = await runHistories(FIRST_SEED, CODE_COUNT, { operator: 'code' });

    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(CODE_COUNT);
  });

  it('the same seed gives the same history', async () => {
    const run = (seed: number) => Promise.all(Array.from({ length: 20 }, (_, offset) => runHistory({ seed: seed + offset })));

    expect(await run(42)).toEqual(await run(42));
    expect(await run(42)).not.toEqual(await run(142));
  });
});

describe('the invariants notice an operator that', () => {
  it.each([...MUTANTS, ...RECOVERY_MUTANTS, ...HEALTH_MUTANTS, ...QUEUE_MUTANTS].map((mutant) => [mutant.mistake, mutant] as const))('%s', async (_, mutant) => {
    expect(mutant.caughtBy).toContain(await firstCatch(mutant));
  });
});

/** The invariant that catches the mistake first, of those that should. */
async function firstCatch({ operator, faults, wildness, only, baseline, caughtBy }: Mutant): Promise<string | undefined> {
  for (let seed = 1; seed <= PATIENCE; seed++) {
    const broken = await brokenInvariant({ seed, operator, faults, wildness, only });
    const isCaught = broken !== undefined && caughtBy.includes(broken);
    if (isCaught && (baseline === undefined || await brokenInvariant({ seed, operator: baseline, faults, wildness, only }) === undefined)) {
      return broken;
    }
  }
  return undefined;
}

async function brokenInvariant(options: HistoryOptions): Promise<string | undefined> {
  try {
    await runHistory(options);
    return undefined;
  } catch (error) {
    return (error as HistoryFailure).invariant;
  }
}
