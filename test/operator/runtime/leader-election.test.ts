import { FakeClock } from './support/fake-clock';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Lease, LeaderElector, LeaderElectorOptions } from '../../../src/operator/runtime/leader-election';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { LEASES } from '../../../src/operator/runtime/resource-kind';
import { eventually } from './support/eventually';
import { FakeApiServer, FakeRequest } from './support/fake-api-server';

interface Candidate {
  readonly elector: LeaderElector;
  readonly clock: FakeClock;
  readonly history: string[];
  readonly stop: AbortController;
  readonly running: Promise<void>;
}

let server: FakeApiServer;
let client: KubeClient;
let candidates: Candidate[];

const LEASE = { namespace: 'sys', name: 'operator' };

function join(identity: string, options: Partial<LeaderElectorOptions> = {}): Candidate {
  const clock = new FakeClock();
  const history: string[] = [];
  const stop = new AbortController();
  const elector = new LeaderElector({
    client,
    lease: LEASE,
    identity,
    clock,
    random: () => 0,
    logger: Logger.silent(),
    onStarted: () => history.push('started'),
    onLost: (reason) => history.push(`lost: ${reason}`),
    ...options,
  });
  const candidate = { elector, clock, history, stop, running: elector.run(stop.signal) };
  candidates.push(candidate);
  return candidate;
}

function lease(): Promise<Lease> {
  return client.get<Lease>(LEASES, LEASE);
}

/** Lets time pass for a candidate in steps, each of which leaves real time for its requests. */
async function pass(candidate: Candidate, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await candidate.clock.advance(Math.min(500, ms - passed));
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
}

const isLeaseWrite = ({ verb }: FakeRequest): boolean => verb === 'update';

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  candidates = [];
});

afterEach(async () => {
  for (const { stop, running, clock } of candidates) {
    stop.abort();
    await clock.advance(0);
    await running;
  }
  client.close();
  await server.stop();
});

it('makes the first candidate the leader, and writes the lease as client-go does', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  expect(a.history).toEqual(['started']);
  expect((await lease()).spec).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
});

it('renews without reading, and keeps the time of acquisition', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  const before = server.requests.length;
  await pass(a, 2_000);
  await eventually('it has renewed', () => server.count({ verb: 'update' }) === 1);
  expect(server.requests.slice(before).map(({ verb }) => verb)).toEqual(['update']);
  expect((await lease()).spec).toMatchObject({ acquireTime: '2030-01-01T00:00:00.000000Z', renewTime: '2030-01-01T00:00:02.000000Z', leaseTransitions: 0 });
});

it('lets one of two candidates lead that begin together', async () => {
  const [a, b] = [join('a'), join('b')];
  await eventually('somebody leads', () => a.elector.isLeader || b.elector.isLeader);
  await pass(a, 4_000);
  await pass(b, 4_000);
  expect([a, b].filter(({ history }) => history.includes('started'))).toHaveLength(1);
});

it('lets a standby take over when it has not seen the lease change for its duration, on its own clock', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  // From here on a stands still: its clock is not advanced.
  const b = join('b');
  b.clock.jumpWallClock(10 * 365 * 86_400_000);
  await pass(b, 14_000);
  expect(b.history).toEqual([]);
  await pass(b, 4_000);
  await eventually('b leads', () => b.history.includes('started'));
  expect((await lease()).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
});

it('does not let a standby take over from a leader that renews, however wrong their wall clocks are', async () => {
  const [a] = [join('a')];
  await eventually('a leads', () => a.elector.isLeader);
  a.clock.jumpWallClock(-86_400_000);
  const b = join('b');
  for (let second = 0; second < 60; second += 2) {
    await pass(a, 2_000);
    await pass(b, 2_000);
  }
  expect(b.history).toEqual([]);
  expect(b.elector.leader).toBe('a');
});

it('calls a leader silent that has missed a renewal, at each attempt until its lease expires, and none that renews', async () => {
  const silent: string[] = [];
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  const b = join('b', { onSilent: async (leader) => { silent.push(leader); } });
  for (let second = 0; second < 20; second += 2) {
    await pass(a, 2_000);
    await pass(b, 2_000);
  }
  expect(silent).toEqual([]);

  await pass(b, 18_000);
  await eventually('b leads', () => b.elector.isLeader);
  expect(new Set(silent)).toEqual(new Set(['a']));
  // Attempts are 2 s apart; the first that is late enough finds the leader silent, and so do those after it.
  expect(silent.length).toBeGreaterThanOrEqual(5);
  expect(silent.length).toBeLessThanOrEqual(7);
});

describe('a leader that cannot renew', () => {
  it('gives up after the renew deadline, before anybody else can lead', async () => {
    const a = join('a');
    await eventually('a leads', () => a.elector.isLeader);
    server.faults.push((request) => (isLeaseWrite(request) ? { status: 500 } : undefined));
    await pass(a, 9_500);
    expect(a.history).toEqual(['started']);
    await pass(a, 1_000);
    await eventually('a gave up', () => a.history.length === 2);
    expect(a.history[1]).toBe('lost: the lease could not be renewed for 10000 ms');
    expect(a.elector.isLeader).toBe(false);
  });

  it('gives up in time also when its requests hang', async () => {
    const a = join('a', { client: new KubeClient({ connection: server.connection(), timeoutMs: 60_000 }), renewDeadlineMs: 400, retryPeriodMs: 50 });
    await eventually('a leads', () => a.elector.isLeader);
    server.faults.push((request) => (isLeaseWrite(request) ? { hang: true } : undefined));
    await eventually('a gave up', async () => {
      await a.clock.advance(20);
      return a.history.length === 2;
    });
  });

  it('goes on when it succeeds again in time', async () => {
    const a = join('a');
    await eventually('a leads', () => a.elector.isLeader);
    server.failNext(isLeaseWrite, { status: 500 }, 3);
    await pass(a, 30_000);
    expect(a.history).toEqual(['started']);
    expect(a.elector.isLeader).toBe(true);
  });

  it('goes on when somebody touched the lease, or deleted it', async () => {
    const a = join('a');
    await eventually('a leads', () => a.elector.isLeader);
    server.storage.mutate('leases.coordination.k8s.io', 'sys', 'operator', ({ metadata }) => (metadata!.labels = { touched: 'yes' }));
    await pass(a, 6_000);
    server.storage.delete('leases.coordination.k8s.io', 'sys', 'operator');
    await pass(a, 6_000);
    expect(a.history).toEqual(['started']);
    expect((await lease()).spec).toMatchObject({ holderIdentity: 'a' });
  });
});

it('takes a leader that woke up too late for none, even before it has noticed', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  let open!: () => void;
  server.faults.push(() => ({ gate: new Promise<void>((resolve) => (open = resolve)) }));
  await a.clock.advance(15_000);
  expect(a.elector.isLeader).toBe(false);
  server.faults.length = 0;
  open?.();
});

it('tells a leader at once when another one holds the lease', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  server.storage.mutate('leases.coordination.k8s.io', 'sys', 'operator', (object) => (object.spec.holderIdentity = 'usurper'));
  await pass(a, 2_500);
  await eventually('a knows', () => a.history.length === 2);
  expect(a.history[1]).toBe('lost: "usurper" holds the lease');
});

it('gives the lease back at a regular end, so that a standby need not wait', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  const b = join('b');
  await pass(b, 2_500);
  a.stop.abort();
  await a.running;
  expect((await lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await pass(b, 2_500);
  await eventually('b leads', () => b.elector.isLeader);
  expect(a.history).toEqual(['started']);
});

it('stops a standby at once', async () => {
  const a = join('a');
  await eventually('a leads', () => a.elector.isLeader);
  const b = join('b');
  await pass(b, 1_000);
  b.stop.abort();
  await b.running;
  expect(b.history).toEqual([]);
});

it('refuses periods that do not fit together, and says how they must', () => {
  expect(() => join('a', { leaseDurationMs: 10_000 })).toThrow('leaseDuration must be longer than renewDeadline');
  expect(() => join('a', { renewDeadlineMs: 2_000 })).toThrow('longer than 1.2 times retryPeriod');
});
