import { ApiServer, KINDS } from './plan/simulation/api-server';
import { Caches } from './plan/simulation/caches';
import { makeJob } from './support/builders';
import type { Clock } from '../../../src/operator/runtime/process/clock';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/process/logger';
import type { Executor } from '../../../src/operator/training/executor';
import { PassBudget, PassTooLongError } from '../../../src/operator/training/pass-budget';
import { conditionOf } from '../../../src/operator/training/plan/conditions';
import { plan } from '../../../src/operator/training/plan/plan';
import { TrainingJobReconciler } from '../../../src/operator/training/reconciler';
import type { TrainingJobObject } from '../../../src/operator/training/resources';
import type { StatusWriter } from '../../../src/operator/training/status-writer';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';

/** What a test waits for an interruption, milliseconds. */
const LIMIT_MS = 300;

const job = (name = 'net', generation = 1, uid = 'uid') => ({ metadata: { namespace: 'ml', name, uid, generation } } as TrainingJobObject);
const forever = (): never => {
  for (;;);
};

describe('the limit of a planning', () => {
  test('lets work that is quick do what it does', () => {
    const budget = new PassBudget(15);
    expect(budget.run(job(), () => 42)).toBe(42);
    expect(() => budget.run(job(), () => { throw new TypeError('its own'); })).toThrow(TypeError);
    expect([budget.isPutAside(job()), budget.putAside]).toEqual([false, 0]);
  });

  test.each<[string, () => unknown]>([
    ['a loop', forever],
    ['a loop that holds on to what it catches', () => { for (;;) { try { forever(); } catch { /* once more */ } } }],
    ['a regular expression', () => new RegExp(`^(?:a|${'a'})+$`).test(`${'a'.repeat(64)}!`)],
  ])('interrupts %s, and puts the job aside the second time', (_what, work) => {
    const budget = new PassBudget(15, LIMIT_MS);
    expect(() => budget.run(job(), work)).toThrow(PassTooLongError);
    expect(budget.isPutAside(job())).toBe(false);
    expect(() => budget.run(job(), work)).toThrow(PassTooLongError);
    expect([budget.isPutAside(job()), budget.putAside]).toEqual([true, 1]);
    // Another spec, another job of the name, another job.
    expect([job('net', 2), job('net', 1, 'next'), job('other')].map((other) => budget.isPutAside(other))).toEqual([false, false, false]);
  });

  test('does not blame a job for time in which the process was stopped', () => {
    const limitMs = 1_000;
    const budget = new PassBudget(15, limitMs);
    const sleep = () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * limitMs); };
    for (let pass = 0; pass < 3; pass++) {
      try {
        budget.run(job(), sleep);
      } catch (error) {
        expect(error).toBeInstanceOf(PassTooLongError);
      }
    }
    expect(budget.isPutAside(job())).toBe(false);
  });

  test('is there for what has not been planned with: a spec, a report, and words of containers', () => {
    const budget = new PassBudget(15, LIMIT_MS);
    const isLimited = (of: TrainingJobObject, hasTexts = false) => budget.run(of, () => new Error().stack!.includes('evalmachine'), hasTexts);
    const reported = { ...job(), status: { lastProgressTime: '2026-11-27T08:00:00Z' } } as TrainingJobObject;
    expect([isLimited(job()), isLimited(job()), isLimited(job(), true), isLimited(job())]).toEqual([true, false, true, false]);
    expect([isLimited(reported), isLimited(reported), isLimited(job('net', 2)), isLimited(job('net', 2)), isLimited(job('other'))]).toEqual([true, false, true, false, true]);
    // After an interruption, and for the next job of the name.
    expect(() => budget.run(job('net', 2), forever, true)).toThrow(PassTooLongError);
    expect([isLimited(job('net', 2)), isLimited(job('net', 2))]).toEqual([true, false]);
    budget.forget('ml/net', 'next');
    expect(isLimited(job('net', 2))).toBe(true);
  });

  test('is shorter than a short lease', () => {
    expect(() => new PassBudget(1).run(job(), forever)).toThrow('planning took longer than 0.333 s and was interrupted');
  });
});

test('a job whose planning hangs is tried twice, put aside and told so once, and planned again when its spec changes; others go on', async () => {
  const server = new ApiServer();
  server.createJob('train', makeJob().pytorch(2).build().spec);
  const caches = new Caches(server);
  KINDS.forEach((kind) => { caches.beginList(kind); caches.commitList(kind); });
  const events: string[] = [];
  const written: TrainingJobStatus[] = [];
  const write = async (read: TrainingJobObject, status: TrainingJobStatus) => {
    written.push(status);
    const next = { ...read, status, metadata: { ...read.metadata, resourceVersion: String(Number(read.metadata!.resourceVersion) + 1_000) } };
    caches.jobs.applyWritten(next);
    return next;
  };
  let planned = 0;
  let hangs = true;
  const budget = new PassBudget(15, LIMIT_MS);
  const reconciler = new TrainingJobReconciler({
    client: {} as KubeClient,
    jobs: caches.jobs,
    children: { pods: caches.pods, services: caches.services },
    executor: { execute: async () => ({ problems: [], errors: [] }) } as unknown as Executor,
    statuses: {
      write,
      writeWhenDue: async (read: TrainingJobObject, status: TrainingJobStatus) => ({ job: await write(read, status) }),
      forget: () => undefined,
    } as unknown as StatusWriter,
    clock: { now: () => 0, monotonic: () => 0 } as Clock,
    logger: Logger.silent(),
    publish: (_job, event) => events.push(event.reason),
    budget,
    planner: (observation) => {
      planned++;
      return hangs ? forever() : plan(observation);
    },
  });
  await expect(reconciler.reconcile('default/train')).rejects.toThrow(PassTooLongError);
  expect(await reconciler.reconcile('default/train')).toEqual({});
  expect(await reconciler.reconcile('default/train')).toEqual({});
  expect(planned).toBe(2);
  expect(events).toEqual(['PassTooLong']);
  expect(written).toHaveLength(1);
  expect(conditionOf(written[0], 'Created')).toMatchObject({ status: 'False', reason: 'PassTooLong' });

  hangs = false;
  const known = caches.jobs.get('default/train')!;
  const { generation, resourceVersion } = known.metadata!;
  const changed = { ...known.metadata, generation: generation! + 1, resourceVersion: String(Number(resourceVersion) + 1) };
  caches.jobs.applyWritten({ ...known, metadata: changed });
  await reconciler.reconcile('default/train');
  expect(planned).toBeGreaterThan(2);
  expect(conditionOf(written.at(-1)!, 'Created')).toMatchObject({ status: 'True' });
  expect(budget.isPutAside(caches.jobs.get('default/train')!)).toBe(false);
});
