/**
 * Many more of the planner's random histories than the unit tests have time for, from other seeds. `TRAINYARD_HISTORIES` says how
 * many, `TRAINYARD_SEED` where they begin; a history that fails names its seed and tells what happened. They are divided among the test files of
 * this folder, which jest runs side by side.
 */
import { FAULT_KINDS } from '../../operator/training/plan/simulation/fault-counts';
import { runHistories, type HistoriesSummary } from '../../operator/training/plan/simulation/history';

const COUNT = Number(process.env.TRAINYARD_HISTORIES ?? 100_000);
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1_000_000);

/** Test files, each with the same share. */
const SHARES = 4;

/** Histories that are one test, so that a report shows how far it came. */
const BATCH = 5_000;

/** One history of the operator's own code, which makes whole pods and is slower, for so many of the planner alone. */
const PLANNED_PER_CODE = 50;

function report(what: string, { outcomes, restarts, disruptions, pods, faults }: HistoriesSummary): number {
  const told = [...faults].map(([kind, count]) => `${count} ${kind}`).join(', ');
  process.stdout.write(`${what}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions; ${told}\n`);
  return [...outcomes.values()].reduce((sum, count) => sum + count, 0);
}

/** Defines the tests of one share, 0 to 3. */
export function defineShare(share: number): void {
  const bound = (part: number): number => Math.ceil(COUNT * part / SHARES);
  const first = FIRST_SEED + bound(share);
  const count = bound(share + 1) - bound(share);
  const codeCount = Math.ceil(count / PLANNED_PER_CODE);

  describe(`share ${share + 1} of many random histories of the planner`, () => {
    const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => first + batch * BATCH);

    if (count === 0) {
      // With `TRAINYARD_HISTORIES=1`, for example. Jest requires a test in each file.
      it('is empty, because there are fewer histories than shares', () => { expect(batches).toEqual([]); });
      return;
    }

    it.each(batches)('keeps every invariant and ends well, from seed %i', async (seed) => {
      const size = Math.min(BATCH, first + count - seed);
      const summary = await runHistories(seed, size);

      expect(report(`${size} histories from seed ${seed}`, summary)).toBe(size);
      // A fault that never happens proves nothing; a handful of histories, as somebody repeats them, cannot have all of them.
      const kinds = [...summary.faults.keys()].sort();
      expect(size < 1_000 ? FAULT_KINDS : kinds).toEqual(expect.arrayContaining(size < 1_000 ? kinds : [...FAULT_KINDS].sort()));
    });

    it(`keeps every invariant with the operator's own reconciler, executor and status writer, ${codeCount} times`, async () => {
      expect(report(`${codeCount} histories of the operator's code`, await runHistories(first, codeCount, { operator: 'code' }))).toBe(codeCount);
    });
  });
}
