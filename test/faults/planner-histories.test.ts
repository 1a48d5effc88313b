/**
 * Many more of the planner's random histories than the unit tests have time for, from other seeds. `TRAINYARD_HISTORIES` says how
 * many, `TRAINYARD_SEED` where they begin; a history that fails names its seed and tells what happened.
 */
import { FAULT_KINDS } from '../operator/training/plan/simulation/fault-counts';
import { runHistories, type HistoriesSummary } from '../operator/training/plan/simulation/history';

const COUNT = Number(process.env.TRAINYARD_HISTORIES ?? 10_000);
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1_000_000);

/** Histories that are one test, so that a report shows how far it came. */
const BATCH = 5_000;

/** Histories of the operator's own code, which makes whole pods and is slower. */
const CODE_COUNT = Math.ceil(COUNT / 25);

function report(what: string, { outcomes, restarts, disruptions, pods, faults }: HistoriesSummary): number {
  const told = [...faults].map(([kind, count]) => `${count} ${kind}`).join(', ');
  process.stdout.write(`${what}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions; ${told}\n`);
  return [...outcomes.values()].reduce((sum, count) => sum + count, 0);
}

describe('many random histories of the planner', () => {
  const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, batch) => FIRST_SEED + batch * BATCH);

  it.each(batches)('keep every invariant and end well, from seed %i', async (seed) => {
    const count = Math.min(BATCH, FIRST_SEED + COUNT - seed);
    const summary = await runHistories(seed, count);

    expect(report(`${count} histories from seed ${seed}`, summary)).toBe(count);
    // A fault that never happens proves nothing.
    expect([...summary.faults.keys()].sort()).toEqual([...FAULT_KINDS].sort());
  });

  it(`keep every invariant with the operator's own reconciler, executor and status writer, ${CODE_COUNT} of them`, async () => {
    expect(report(`${CODE_COUNT} histories of the operator's code`, await runHistories(FIRST_SEED, CODE_COUNT, { operator: 'code' }))).toBe(CODE_COUNT);
  });
});
