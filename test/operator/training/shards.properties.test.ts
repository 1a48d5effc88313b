/**
 * Whatever happens to replicas and their requests, also if some have another number of shards: no shard has two holders that may write, and in the
 * end each has one, evenly.
 */
import fc from 'fast-check';
import { LEASE_SECONDS, ShardWorld } from './support/shard-world';
import { SeededRandom } from '../../faults/support/random';

const LEASE_MS = LEASE_SECONDS * 1000;

/** Within which each shard has a holder again after the troubles: two leases run out, one after the other, and candidates look every 2.4 s. */
const BOUND_MS = 3 * LEASE_MS;

/** And evenly: shards are given back one round after the other. */
const EVEN_MS = LEASE_MS;

const RUNS = Number(process.env.TRAINYARD_SHARD_RUNS ?? 25);

interface Blow {
  readonly what: 'join' | 'joinOther' | 'kill' | 'stop' | 'leave' | 'trouble';
  readonly who: number;
  readonly afterMs: number;
  readonly lastsMs: number;
}

const blow = fc.record<Blow>({
  what: fc.constantFrom('join', 'join', 'joinOther', 'kill', 'stop', 'stop', 'leave', 'trouble'),
  who: fc.nat(),
  afterMs: fc.integer({ min: 0, max: 9_000 }),
  lastsMs: fc.integer({ min: 100, max: 30_000 }),
});

async function strike(world: ShardWorld, { what, who, lastsMs }: Blow): Promise<void> {
  const target = world.alive[who % Math.max(1, world.alive.length)];
  switch (what) {
    case 'join':
    case 'joinOther':
      if (world.alive.length < 5) {
        world.join(what === 'join' ? world.shards : world.shards + 1);
      }
      return;
    case 'kill': return target?.kill();
    case 'leave': return target?.leave();
    case 'stop':
      target?.stop();
      world.clock.schedule(() => target?.goOn(), lastsMs);
      return;
    case 'trouble':
      world.troubles = { refused: world.random.next() / 2, late: world.random.next() / 3, lost: world.random.next() / 3 };
      world.clock.schedule(() => { world.troubles = { refused: 0, late: 0, lost: 0 }; }, lastsMs);
  }
}

test('no two replicas may write for one shard at any moment, and all shards are held again, evenly, when the troubles are over', async () => {
  let periods = 0;
  await fc.assert(fc.asyncProperty(
    fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 3 }), fc.array(blow, { minLength: 1, maxLength: 14 }), fc.nat(),
    async (shards, replicas, blows, seed) => {
      const random = new SeededRandom(seed);
      const jitter = jest.spyOn(Math, 'random').mockImplementation(() => random.next());
      try {
        const world = new ShardWorld(shards, random);
        Array.from({ length: replicas }, () => world.join());
        for (const each of blows) {
          await world.clock.advance(each.afterMs);
          await strike(world, each);
        }
        // Until the last trouble is over.
        await world.clock.advance(30_000);
        world.alive.filter(({ count }) => count !== shards).forEach((replica) => replica.kill());
        world.join();
        const isHeld = () => new Set(world.alive.flatMap(({ shards: { held } }) => held)).size === shards;
        expect({ held: await world.until(isHeld, BOUND_MS), ...world.holdings() }).toMatchObject({ held: true });
        expect({ even: await world.until(() => world.isEven, EVEN_MS), ...world.holdings() }).toMatchObject({ even: true });
        const settled = world.holdings();
        await world.clock.advance(2 * LEASE_MS);
        expect(world.holdings()).toEqual(settled);
        expect(world.violations).toEqual([]);
        periods += world.periods;
      } finally {
        jitter.mockRestore();
      }
    },
  ), { numRuns: RUNS, endOnFailure: true });
  // Nothing would be shown by worlds in which shards stay where they are.
  expect(periods).toBeGreaterThan(4 * RUNS);
}, 180_000 + 5_000 * RUNS);
