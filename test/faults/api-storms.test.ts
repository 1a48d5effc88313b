/** The API server refuses, is slow, or forgets its history, for as long as a test likes: what the operator does meanwhile, and afterwards. */
import { describeFaults } from './support/fault-suite';
import type { FaultyApi } from './support/faulty-api';
import { eventually } from '../cluster/support/cluster';
import type { OperatorProcess } from '../cluster/support/operator';
import type { TestJob } from '../cluster/support/training-jobs';

const suite = describeFaults();

/** Enough that all workers of the operator have something to do, and more waits. */
const JOBS = Number(process.env.TRAINYARD_STORM_JOBS ?? 100);

/** How long a storm is looked at, at least, milliseconds. */
const STORM_MS = Number(process.env.TRAINYARD_STORM_SECONDS ?? 5) * 1000;

/** What an operator that keeps nothing of what is refused may need more after a while: garbage that has not been collected. */
const GROWTH_MIB = 100;

/** `WORKERS`: each has one request under way. */
const WORKERS = 64;

const names = Array.from({ length: JOBS }, (_, index) => `job-${index}`);
const isIntact = (operator: OperatorProcess) => operator.child.running && !operator.log().some(({ msg }) => msg === 'lost leadership');

async function createJobs(): Promise<void> {
  await Promise.all(names.map(async (name) => suite.jobs.create(name)));
}

/** All jobs run, at their first attempt. The pauses of the operator have grown to as much as two minutes by then. */
async function expectAllRunning(): Promise<void> {
  const all = await eventually('all jobs to run', async () => {
    const found = await suite.api.list('mltrainingjobs', suite.namespace) as TestJob[];
    return found.every(({ status }) => status?.phase === 'Running') && found;
  }, 240_000);
  const counts = all.map(({ status }) => (status?.restarts ?? 0) + (status?.disruptions ?? 0) + (status?.attempt ?? 0));
  expect(counts).toEqual(names.map(() => 0));
}

/** Lets a storm go on until the operator has asked often enough to be sure of its pace. @returns requests a second */
async function paceDuring(proxy: FaultyApi, asked: number): Promise<number> {
  const from = proxy.seen.length;
  const startedAt = Date.now();
  await eventually(`${asked} requests in the storm`, async () => proxy.seen.length - from >= asked && Date.now() - startedAt > STORM_MS, STORM_MS + 60_000);
  return (proxy.seen.length - from) / ((Date.now() - startedAt) / 1000);
}

/** Memory of an operator, MiB. */
async function memoryOf(operator: OperatorProcess): Promise<number> {
  const { healthPort } = await operator.logs('operator starts');
  const text = await (await fetch(`http://127.0.0.1:${healthPort as number}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]) / 2 ** 20;
}

describe('a storm', () => {
  test('of 429 with Retry-After on everything but the lease: the leader stays, asks no faster than it is told, and finishes afterwards', async () => {
    const { operator, proxy } = await suite.startLeader('leader');
    proxy.faultOf = ({ isLease }) => (isLease ? undefined : { kind: 'answer', status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '1' } });
    // Watches go on, so that the operator has the jobs, and cannot do anything about them.
    await createJobs();
    // Each worker waits a second between two requests; watches and the rest of the operator are few.
    expect(await paceDuring(proxy, 200)).toBeLessThan(2 * WORKERS);
    const before = await memoryOf(operator);
    expect(await paceDuring(proxy, 200)).toBeLessThan(2 * WORKERS);
    expect(await memoryOf(operator) - before).toBeLessThan(GROWTH_MIB);
    expect(isIntact(operator)).toBe(true);
    proxy.heal();
    await expectAllRunning();
    expect(isIntact(operator)).toBe(true);
  });

  test('of 503 without a word of when: the leader stays, requests become rarer, and all is done afterwards', async () => {
    const { operator, proxy } = await suite.startLeader('leader');
    proxy.faultOf = ({ isLease }) => (isLease ? undefined : { kind: 'answer', status: 503, reason: 'ServiceUnavailable' });
    await createJobs();
    const first = await paceDuring(proxy, 200);
    // Pauses double, so that the same time brings fewer requests later.
    const later = async () => await paceDuring(proxy, 20) < first / 4;
    await eventually('requests to become rarer', later, 120_000);
    expect(isIntact(operator)).toBe(true);
    proxy.heal();
    await expectAllRunning();
    expect(isIntact(operator)).toBe(true);
  });

  test('of connections that break after the request was executed makes no pod twice', async () => {
    const { operator, proxy } = await suite.startLeader('leader');
    let lost = 0;
    // Every other write has its answer lost.
    proxy.faultOf = ({ isWrite }) => (isWrite && lost++ % 2 === 0 ? { kind: 'loseAnswer' } : undefined);
    await createJobs();
    await expectAllRunning();
    expect(lost).toBeGreaterThan(JOBS);
    expect(suite.recorder.podCount).toBe(JOBS);
    expect(isIntact(operator)).toBe(true);
  });
});

test('an API server that takes seconds for each answer is waited for: pods once, and the leader stays', async () => {
  const { operator, proxy } = await suite.startLeader('leader', { LEASE_SECONDS: '60' });
  proxy.faultOf = ({ isWatch }) => (isWatch ? undefined : { kind: 'delay', ms: 3_000 });
  await Promise.all(names.slice(0, 5).map(async (name) => suite.jobs.create(name, { replicas: 2 })));
  for (const name of names.slice(0, 5)) {
    await suite.jobs.untilCondition(name, 'Running');
  }
  expect(suite.recorder.podCount).toBe(10);
  expect(isIntact(operator)).toBe(true);
});

test('a version that has expired before each watch is answered by lists with pauses that double, and jobs go on', async () => {
  const { operator, proxy } = await suite.startLeader('leader');
  proxy.faultOf = ({ isWatch, resource }) => (isWatch && resource === 'mltrainingjobs' ? { kind: 'answer', status: 410, reason: 'Expired' } : undefined);
  proxy.cut();
  await suite.jobs.create('net', { replicas: 2 });
  await suite.jobs.untilCondition('net', 'Running');
  const interruptions = () => operator.log().filter(({ msg, resource }) => msg === 'list/watch interrupted' && String(resource).startsWith('mltrainingjobs'));
  // The first is the connection that was cut.
  const pauses = await eventually('a pause of some seconds', async () => interruptions().some(({ failures }) => failures >= 6) && interruptions());
  for (const { failures, retryInMs, error } of pauses) {
    // 200 ms that double, with jitter that takes away at most half.
    expect({ failures, error, isLong: retryInMs >= 200 * 2 ** (failures - 1) / 2 }).toMatchObject({ isLong: true });
  }
  const lists = proxy.seen.filter(({ resource, isWatch, method }) => resource === 'mltrainingjobs' && method === 'GET' && !isWatch).length;
  expect(lists).toBeLessThan(interruptions().length + 10);
  expect(isIntact(operator)).toBe(true);
  proxy.heal();
  await suite.jobs.create('later');
  await suite.jobs.untilCondition('later', 'Running');
});

test('a leader whose lease cannot be renewed ends, and what it began is finished by the next', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', { LEASE_SECONDS: '6' });
  proxy.faultOf = ({ isLease }) => (isLease ? { kind: 'answer', status: 500, reason: 'InternalError' } : undefined);
  await suite.jobs.create('net', { replicas: 4 });
  expect((await first.child.exited).code).toBe(1);
  const second = suite.start('second', undefined, { LEASE_SECONDS: '6' });
  await suite.leads(second);
  const { status } = await suite.jobs.untilCondition('net', 'Running');
  expect([status?.restarts ?? 0, status?.disruptions ?? 0, suite.recorder.podCount]).toEqual([0, 0, 4]);
});
