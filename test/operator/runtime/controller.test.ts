import { ApiError } from '../../../src/operator/runtime/http/api-error';
import { Controller, ControllerOptions, Reconcile, ReconcileRecord, storeSource, OutdatedError, TerminalError } from '../../../src/operator/runtime/controller';
import { FakeClock } from './support/fake-clock';
import { KubeObject } from '../../../src/operator/runtime/kube-object';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { Store } from '../../../src/operator/runtime/watch/store';
import { WorkQueue } from '../../../src/operator/runtime/work-queue';

let clock: FakeClock;
let jobs: Store<KubeObject>;
let pods: Store<KubeObject>;
let stop: AbortController;
let records: ReconcileRecord[];
let passes: string[];
let lines: Record<string, unknown>[];
let synced: () => void;

beforeEach(() => {
  clock = new FakeClock();
  jobs = new Store();
  pods = new Store();
  stop = new AbortController();
  records = [];
  passes = [];
  lines = [];
});

function job(name: string, resourceVersion: string): KubeObject {
  return { kind: 'Job', metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion } };
}

function pod(name: string, resourceVersion: string, ...owners: string[]): KubeObject {
  const ownerReferences = owners.map((owner) => ({ apiVersion: 'x/v1', kind: 'Job', name: owner, uid: owner, controller: true }));
  return { kind: 'Pod', metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion, ownerReferences } };
}

function begin(reconcile: Reconcile, options: Partial<ControllerOptions> = {}): { controller: Controller; running: Promise<void> } {
  const hasSynced = new Promise<void>((resolve) => (synced = resolve));
  const ownerOf = (object: KubeObject): string[] => object.metadata!.ownerReferences!.map(({ name }) => `${object.metadata!.namespace}/${name}`);
  const logger = Logger.create({ level: 'debug', format: 'json', write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const controller = new Controller({
    name: 'test',
    reconcile: (key, context) => {
      passes.push(key);
      return reconcile(key, context);
    },
    sources: [
      storeSource({ name: 'jobs', store: jobs, waitForSync: () => hasSynced, keysOf: ({ metadata }) => [`${metadata!.namespace}/${metadata!.name}`] }),
      storeSource({ name: 'pods', store: pods, waitForSync: () => Promise.resolve(), keysOf: ownerOf }),
    ],
    queue: new WorkQueue({ clock, backoff: { initialMs: 100, maxMs: 1_000 }, random: () => 0 }),
    logger,
    clock,
    onReconcile: (record) => records.push(record),
    ...options,
  });
  return { controller, running: controller.run(stop.signal) };
}

const nothing: Reconcile = () => Promise.resolve();

it('reconciles what its stores held before it was made, after what happens', async () => {
  jobs.applyWritten(job('early', '1'));
  begin(nothing, { concurrency: 1 });
  jobs.applyWritten(job('late', '2'));
  synced();
  await FakeClock.settle();
  expect(passes).toEqual(['ns/late', 'ns/early']);
});

it('begins only when all caches have synced, and then reconciles everything that they hold', async () => {
  begin(nothing);
  jobs.commitList(jobs.beginList(), [job('a', '1'), job('b', '2')], '5');
  await FakeClock.settle();
  expect(passes).toEqual([]);
  synced();
  await FakeClock.settle();
  expect(passes).toEqual(['ns/a', 'ns/b']);
});

it('reconciles the owner of an object that changed, and both owners when it changed hands', async () => {
  begin(nothing);
  synced();
  await FakeClock.settle();
  pods.applyWritten(pod('p', '1', 'a'));
  await FakeClock.settle();
  pods.applyEvent({ type: 'MODIFIED', object: pod('p', '2', 'b') });
  await FakeClock.settle();
  pods.applyEvent({ type: 'DELETED', object: pod('p', '3', 'b') });
  await FakeClock.settle();
  expect(passes).toEqual(['ns/a', 'ns/a', 'ns/b', 'ns/b']);
});

it('makes one pass for many changes, and works on what happened before what a list brought', async () => {
  begin(nothing, { concurrency: 1 });
  jobs.commitList(jobs.beginList(), [job('old', '1')], '5');
  for (let version = 10; version < 20; version++) {
    jobs.applyEvent({ type: 'MODIFIED', object: job('live', String(version)) });
  }
  synced();
  await FakeClock.settle();
  expect(passes).toEqual(['ns/live', 'ns/old']);
});

describe('what a pass returns', () => {
  it('brings it back after the time it asked for', async () => {
    begin(() => Promise.resolve({ requeueAfterMs: 5_000 }));
    synced();
    jobs.applyWritten(job('a', '1'));
    await clock.advance(4_999);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
    expect(records.map(({ outcome }) => outcome)).toEqual(['requeue', 'requeue']);
  });

  it('as an error brings it back after delays that double, until it succeeds', async () => {
    let failures = 3;
    begin(() => (failures-- > 0 ? Promise.reject(new Error('not yet')) : Promise.resolve()));
    synced();
    jobs.applyWritten(job('a', '1'));
    for (const expected of [1, 2, 3, 4]) {
      await FakeClock.settle();
      expect(passes).toHaveLength(expected);
      await clock.advance(clock.nextTimerInMs ?? 0);
    }
    expect(clock.monotonic()).toBe(700);
    expect(records.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error', 'success']);
    expect(lines.find(({ level }) => level === 'error')).toMatchObject({ controller: 'test', key: 'ns/a', error: { message: 'not yet' }, retryInMs: 100 });
  });

  it('as an error with Retry-After keeps it away as long as the server asked', async () => {
    begin(() => Promise.reject(new ApiError('create pods', 429, { reason: 'TooManyRequests' }, 30)));
    synced();
    jobs.applyWritten(job('a', '1'));
    await FakeClock.settle();
    expect(clock.nextTimerInMs).toBe(30_000);
  });

  it('as a conflict is nothing to alarm anybody', async () => {
    begin(() => Promise.reject(new ApiError('update jobs', 409, { reason: 'Conflict' })));
    synced();
    jobs.applyWritten(job('a', '1'));
    await FakeClock.settle();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('as a plan that is outdated is nothing to alarm anybody', async () => {
    begin(() => Promise.reject(new OutdatedError('the admission is gone')));
    synced();
    jobs.applyWritten(job('a', '1'));
    await FakeClock.settle();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('as a terminal error, alone or joined, brings it back only when something changes', async () => {
    begin((key) => Promise.reject(key === 'ns/a' ? new TerminalError('never') : new AggregateError([new TerminalError('no'), new TerminalError('no')])));
    synced();
    jobs.applyWritten(job('a', '1'));
    jobs.applyWritten(job('b', '2'));
    await clock.advance(3_600_000);
    expect(passes).toEqual(['ns/a', 'ns/b']);
    jobs.applyEvent({ type: 'MODIFIED', object: job('a', '3') });
    await FakeClock.settle();
    expect(passes).toEqual(['ns/a', 'ns/b', 'ns/a']);
  });
});

it('contains whatever a pass throws, also before its first await, and goes on with the others', async () => {
  begin(
    (key) => {
      if (key === 'ns/bad') {
        throw new TypeError('cannot read properties of undefined');
      }
      return Promise.resolve();
    },
    { concurrency: 1 },
  );
  synced();
  jobs.applyWritten(job('bad', '1'));
  jobs.applyWritten(job('good', '2'));
  await FakeClock.settle();
  expect(passes).toEqual(['ns/bad', 'ns/good']);
});

it('goes on after an object that cannot be mapped to a key', async () => {
  begin(nothing);
  synced();
  await FakeClock.settle();
  pods.applyEvent({ type: 'ADDED', object: { kind: 'Pod', metadata: { namespace: 'ns', name: 'odd', uid: 'u', resourceVersion: '1' } } });
  pods.applyEvent({ type: 'ADDED', object: pod('p', '2', 'a') });
  await FakeClock.settle();
  expect(passes).toEqual(['ns/a']);
  expect(lines.find(({ level }) => level === 'error')).toMatchObject({ source: 'pods' });
});

it('works on no more keys at once than it may, and on each by one worker', async () => {
  let now = 0;
  let most = 0;
  const { running } = begin(
    async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    },
    { concurrency: 3 },
  );
  synced();
  jobs.commitList(
    jobs.beginList(),
    Array.from({ length: 20 }, (_, index) => job(`j${index}`, '1')),
    '5',
  );
  while (passes.length < 20) {
    await FakeClock.settle();
  }
  expect(most).toBe(3);
  stop.abort();
  await running;
});

it('gives timers and sockets their turn during a long run of passes that do nothing', async () => {
  let turns = 0;
  const interval = setInterval(() => turns++, 1);
  begin(async () => {
    const until = performance.now() + 1;
    while (performance.now() < until) {
      // Work without waiting.
    }
  });
  synced();
  jobs.commitList(
    jobs.beginList(),
    Array.from({ length: 100 }, (_, index) => job(`j${index}`, '1')),
    '5',
  );
  while (passes.length < 100) {
    await FakeClock.settle();
  }
  clearInterval(interval);
  expect(turns).toBeGreaterThan(0);
});

describe('stopping', () => {
  it('before the caches have synced ends at once', async () => {
    const { running } = begin(nothing, { sources: [] });
    stop.abort();
    await running;
    expect(passes).toEqual([]);
  });

  it('lets passes finish, and starts no more', async () => {
    let finish!: () => void;
    const { running } = begin(() => new Promise<void>((resolve) => (finish = resolve)));
    synced();
    jobs.applyWritten(job('a', '1'));
    await FakeClock.settle();
    stop.abort();
    jobs.applyWritten(job('b', '2'));
    let ended = false;
    void running.then(() => (ended = true));
    await FakeClock.settle();
    expect(ended).toBe(false);
    finish();
    await running;
    expect(passes).toEqual(['ns/a']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the signal of passes that are still running at the end of the time for draining', async () => {
    const { running } = begin(
      (_key, { signal }) => new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      { drainMs: 5_000 },
    );
    synced();
    jobs.applyWritten(job('a', '1'));
    await FakeClock.settle();
    stop.abort();
    await clock.advance(5_000);
    await running;
    expect(records.map(({ outcome }) => outcome)).toEqual(['error']);
  });
});
