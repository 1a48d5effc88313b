/** More of the planner's random histories than the unit tests have time for, from other seeds. `TRAINYARD_HISTORIES` says how many. */
import { runHistories } from '../operator/training/plan/simulation/history';

const COUNT = Number(process.env.TRAINYARD_HISTORIES ?? 50_000);
const FIRST_SEED = Number(process.env.TRAINYARD_SEED ?? 1_000_000);

/** Histories that are one test, so that a report shows how far it came. */
const BATCH = 10_000;

describe('many random histories of the planner', () => {
  const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, batch) => FIRST_SEED + batch * BATCH);

  it.each(batches)('keep every invariant and end well, from seed %i', async (seed) => {
    const count = Math.min(BATCH, FIRST_SEED + COUNT - seed);
    const { outcomes, restarts, disruptions, pods } = await runHistories(seed, count);

    process.stdout.write(`${count} histories from seed ${seed}: ${pods} pods, ${restarts} restarts, ${disruptions} disruptions\n`);
    expect([...outcomes.values()].reduce((sum, outcome) => sum + outcome, 0)).toBe(count);
  });
});
