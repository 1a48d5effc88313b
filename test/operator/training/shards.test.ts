import { LEASE_SECONDS, ShardWorld, type ShardReplica } from './support/shard-world';
import { shardOf, shareOf } from '../../../src/operator/training/shards';
import { SeededRandom } from '../../faults/support/random';

const LEASES = 'leases.coordination.k8s.io';
const LEASE_MS = LEASE_SECONDS * 1000;

let world: ShardWorld;

/** Longest time that takes a change which needs no lease to run out, milliseconds. */
const SOON = 8_000;

beforeEach(() => { world = new ShardWorld(4, new SeededRandom(1)); });
afterEach(() => expect(world.violations).toEqual([]));

/** Three replicas, each with its part. */
async function threeReplicas(): Promise<ShardReplica[]> {
  const replicas = [world.join(), world.join(), world.join()];
  expect(await world.until(() => world.isEven, 2 * SOON)).toBe(true);
  return replicas;
}

describe('the shard of a job', () => {
  test('never changes', () => {
    expect(['default/net', 'default/net-1', 'team-a/net', ''].map((key) => shardOf(key, 8))).toEqual([6, 3, 3, 3]);
  });

  test.each([2, 3, 8, 32])('is one of %i for as many jobs as any other, also of names that differ in a number', (count) => {
    const jobs = Array.from({ length: 1000 * count }, (_, index) => shardOf(`default/net-${index}`, count));
    const sizes = Array.from({ length: count }, (_, shard) => jobs.filter((each) => each === shard).length);
    expect(Math.min(...sizes)).toBeGreaterThan(850);
    expect(Math.max(...sizes)).toBeLessThan(1150);
  });
});

describe('the division of shards', () => {
  test('gives those that are free to whoever has too few, each to one member', () => {
    const holders = ['a', undefined, 'gone', undefined, undefined];
    expect(shareOf('a', ['a', 'b'], holders)).toEqual({ surplus: [], wanted: [1, 2] });
    expect(shareOf('b', ['b', 'a'], holders)).toEqual({ surplus: [], wanted: [3, 4] });
  });

  test('takes from whoever has more than one more than another', () => {
    expect(shareOf('a', ['a', 'b', 'c'], ['a', 'a', 'a', 'b'])).toEqual({ surplus: [2], wanted: [] });
    expect(shareOf('c', ['a', 'b', 'c'], ['a', 'a', 'a', 'b'])).toEqual({ surplus: [], wanted: [] });
    expect(shareOf('c', ['a', 'b', 'c'], ['a', 'a', undefined, 'b'])).toEqual({ surplus: [], wanted: [2] });
  });

  test('leaves an even one as it is, and members without a shard where there are too few', () => {
    for (const me of ['a', 'b', 'c']) {
      expect(shareOf(me, ['a', 'b', 'c'], ['c', 'b', 'c', 'a'])).toEqual({ surplus: [], wanted: [] });
    }
    expect(shareOf('c', ['a', 'b', 'c'], ['b', 'a'])).toEqual({ surplus: [], wanted: [] });
  });
});

test('one replica takes all shards, and gives back what others lack', async () => {
  const first = world.join();
  expect(await world.until(() => world.isEven, SOON)).toBe(true);
  expect(first.shards.held).toEqual([0, 1, 2, 3]);
  const second = world.join();
  expect(await world.until(() => second.shards.held.length === 2 && world.isEven, SOON)).toBe(true);
  expect(first.shards.held).toEqual([0, 1]);
});

test('a shard is held by a Lease of its own, and the operator\'s Lease by all replicas in the name of their number', async () => {
  const replicas = await threeReplicas();
  const { spec, metadata } = world.storage.get(LEASES, 'sys', 'trainyard-operator');
  expect(spec.holderIdentity).toBe('4 shards');
  expect(Object.values(metadata!.annotations!).map((mark) => mark.split(' ')[0]).sort()).toEqual(replicas.map(({ name }) => name));
  for (const { name, shards: { held } } of replicas) {
    expect(held.map((shard) => world.storage.get(LEASES, 'sys', `trainyard-operator-shard-${shard}`).spec.holderIdentity)).toEqual(held.map(() => name));
  }
});

test('replicas without a change hold what they hold', async () => {
  await threeReplicas();
  const before = world.holdings();
  await world.clock.advance(10 * LEASE_MS);
  expect(world.holdings()).toEqual(before);
});

test('a replica that ends gives its shards back at once, when the last pass has ended', async () => {
  const [first, ...others] = await threeReplicas();
  first.leave();
  expect(await world.until(() => first.isDead && world.isEven, SOON)).toBe(true);
  expect(others.map(({ shards }) => shards.held.length)).toEqual([2, 2]);
});

test('the shards of a replica that dies are taken when their leases have run out, and not before', async () => {
  const [first] = await threeReplicas();
  const lost = first.shards.held;
  first.kill();
  await world.clock.advance(LEASE_MS - 3_000);
  expect(world.alive.flatMap(({ shards }) => shards.held).filter((shard) => lost.includes(shard))).toEqual([]);
  expect(await world.until(() => world.isEven, SOON)).toBe(true);
});

test('a replica that was stopped for longer than its leases ends when it goes on, and has written nothing', async () => {
  const [first] = await threeReplicas();
  first.stop();
  expect(await world.until(() => world.replicas.slice(1).every(({ shards }) => shards.held.length === 2), 2 * LEASE_MS)).toBe(true);
  first.goOn();
  await world.clock.advance(LEASE_MS);
  expect(first.isDead).toBe(true);
});

test('a replica that was stopped for a moment keeps its shards', async () => {
  const [first] = await threeReplicas();
  const before = world.holdings();
  first.stop();
  await world.clock.advance(6_500);
  first.goOn();
  await world.clock.advance(LEASE_MS);
  expect(world.holdings()).toEqual(before);
});

test('replicas with another number of shards act when the last one with the old number has ended', async () => {
  const [old] = [world.join()];
  expect(await world.until(() => world.isEven, SOON)).toBe(true);
  const next = world.join(8);
  await world.clock.advance(4 * LEASE_MS);
  expect(next.shards.held).toEqual([]);
  old.leave();
  expect(await world.until(() => next.shards.held.length === 8, 2 * LEASE_MS)).toBe(true);
});

test('an operator without shards keeps all replicas with shards out', async () => {
  world.storage.create(LEASES, 'sys', {
    apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'sys', name: 'trainyard-operator' },
    spec: { holderIdentity: 'alone', leaseDurationSeconds: LEASE_SECONDS },
  });
  const replica = world.join();
  for (let round = 0; round < 20; round++) {
    world.storage.mutate(LEASES, 'sys', 'trainyard-operator', ({ spec }) => { spec.renewTime = String(round); });
    await world.clock.advance(3_000);
  }
  expect(replica.shards.held).toEqual([]);
  expect(await world.until(() => world.isEven, 2 * LEASE_MS)).toBe(true);
});

test('a replica that cannot renew the common Lease ends, although it could renew those of its shards', async () => {
  const replica = world.join();
  expect(await world.until(() => world.isEven, SOON)).toBe(true);
  const admission = (_resource: string, { metadata }: { metadata?: { name?: string } }) => {
    if (metadata?.name === 'trainyard-operator') {
      throw new Error('refused');
    }
  };
  world.storage.admission.push(admission);
  expect(await world.until(() => replica.isDead, LEASE_MS)).toBe(true);
});
