import { FakeClock } from '../support/fake-clock';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { KubeObject } from '../../../../src/operator/runtime/kube-object';
import { ListWatch, ListWatchOptions } from '../../../../src/operator/runtime/watch/list-watch';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PODS } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { eventually } from '../support/eventually';
import { FakeApiServer, FakeRequest } from '../support/fake-api-server';

let server: FakeApiServer;
let client: KubeClient;
let clock: FakeClock;
let store: Store<KubeObject>;
let stop: AbortController;
let running: Promise<void>;

const isWatch = ({ verb }: FakeRequest): boolean => verb === 'watch';
const isList = ({ verb }: FakeRequest): boolean => verb === 'list';

function begin(options: Partial<ListWatchOptions<KubeObject>> = {}): ListWatch<KubeObject> {
  const listWatch = new ListWatch<KubeObject>({ client, kind: PODS, store, logger: Logger.silent(), clock, random: () => 0.5, ...options });
  running = listWatch.run(stop.signal);
  return listWatch;
}

function names(): string[] {
  return store.list().map(({ metadata }) => metadata!.name!).sort();
}

function createPod(name: string): void {
  server.storage.create('pods', 'ns', { metadata: { name, labels: { job: 'x' } } });
}

async function watching(watches = 1): Promise<void> {
  await eventually('the watch is open', () => server.openWatches === 1 && server.count({ verb: 'watch', status: 200 }) >= watches);
}

/** Lets pauses pass, however long, until something has come about. */
async function advanceUntil(what: string, condition: () => boolean): Promise<void> {
  await eventually(what, async () => {
    await clock.advance(100);
    return condition();
  });
}

beforeEach(async () => {
  server = await FakeApiServer.start();
  clock = new FakeClock();
  // The client keeps real time: its deadlines are not what is tested here.
  client = new KubeClient({ connection: server.connection(), maxRetries: 0 });
  store = new Store<KubeObject>();
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await running;
  client.close();
  await server.stop();
});

it('lists in pages, then follows the watch', async () => {
  ['a', 'b', 'c', 'd', 'e'].forEach(createPod);
  const listWatch = begin({ pageSize: 2, labelSelector: 'job=x' });
  await listWatch.waitForSync();
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(server.count({ verb: 'list' })).toBe(3);
  await watching();
  createPod('f');
  server.storage.delete('pods', 'ns', 'a');
  await eventually('both changes are in', () => names().join('') === 'bcdef');
  const [list] = server.requests;
  const watch = server.requests.find(isWatch)!;
  expect(Object.fromEntries(list.query)).toEqual({ labelSelector: 'job=x', limit: '2' });
  expect(Object.fromEntries(watch.query)).toEqual({
    labelSelector: 'job=x',
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '1005',
    timeoutSeconds: '270',
  });
});

it('trims what it keeps', async () => {
  store = new Store<KubeObject>({ transform: ({ metadata }) => ({ metadata: { ...metadata, labels: undefined } }) });
  createPod('a');
  await begin().waitForSync();
  expect(store.get('ns/a')).toMatchObject({ metadata: { name: 'a', labels: undefined } });
});

it('begins again without pages when a page token expires', async () => {
  ['a', 'b', 'c'].forEach(createPod);
  server.faults.push((request) => {
    if (request.query.has('continue')) {
      server.expirePages();
    }
    return undefined;
  });
  await begin({ pageSize: 1 }).waitForSync();
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(server.requests.filter(isList).map(({ query }) => query.get('limit'))).toEqual(['1', '1', null]);
});

it('goes on from the last version seen, without listing, when the server ends the watch or the connection breaks', async () => {
  const listWatch = begin();
  await watching();
  createPod('a');
  await eventually('the event is in', () => names().join('') === 'a');
  await clock.advance(60_000);
  server.endWatches();
  await watching(2);
  await clock.advance(60_000);
  server.holdWatches();
  createPod('b');
  server.dropWatches();
  await eventually('the break is noticed', () => listWatch.health.state === 'pausing');
  server.releaseWatches();
  await advanceUntil('the watch is back', () => server.count({ verb: 'watch', status: 200 }) === 3);
  await eventually('nothing was missed', () => names().join('') === 'ab');
  expect(server.count({ verb: 'list' })).toBe(1);
  expect(server.requests.filter(isWatch).map(({ query }) => query.get('resourceVersion'))).toEqual(['1000', '1001', '1001']);
});

it('continues from a bookmark, which saves the list when older versions are compacted', async () => {
  begin();
  await watching();
  // Other kinds of objects move the version on.
  server.storage.create('services', 'ns', { metadata: { name: 's' } });
  server.sendBookmarks();
  await eventually('the bookmark is in', () => store.progress === '1001');
  server.storage.compact();
  await clock.advance(60_000);
  server.endWatches();
  await watching(2);
  expect(server.count({ verb: 'list' })).toBe(1);
});

it('lists anew after 410 Gone, and forgets what went meanwhile', async () => {
  createPod('a');
  begin();
  await watching();
  await clock.advance(60_000);
  server.holdWatches();
  server.storage.delete('pods', 'ns', 'a');
  createPod('b');
  server.storage.compact();
  server.dropWatches();
  server.releaseWatches();
  await advanceUntil('it has listed anew', () => server.count({ verb: 'list' }) === 2);
  await eventually('the store is right', () => names().join('') === 'b');
});

it('lists anew when the server says that the version lies in the future, as after a restore of etcd', async () => {
  ['a', 'b'].forEach(createPod);
  begin();
  await watching();
  await clock.advance(60_000);
  server.storage.delete('pods', 'ns', 'b');
  await eventually('the deletion is in', () => names().join('') === 'a');
  server.storage.revision = 500;
  server.storage.mutate('pods', 'ns', 'a', ({ metadata }) => (metadata!.annotations = { restored: 'yes' }));
  server.dropWatches();
  await advanceUntil('the restored version is in', () => store.get('ns/a')?.metadata?.annotations?.restored === 'yes');
  expect(store.progress).toBe('501');
});

it('stops, lists and starts on an ERROR event as on an error answer', async () => {
  begin();
  await watching();
  server.failWatches({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
  await advanceUntil('it has listed anew', () => server.count({ verb: 'list' }) === 2);
});

it('ends a silent watch that outlives the time that was asked for, and misses nothing', async () => {
  server.failNext(isWatch, { silent: true });
  const listWatch = begin();
  await eventually('the watch is open', () => listWatch.health.state === 'watching' && server.openWatches === 1);
  createPod('missed');
  await clock.advance(299_000);
  expect(listWatch.health.watchdogEnds).toBe(0);
  await clock.advance(1_000);
  await eventually('the watchdog barked', () => listWatch.health.watchdogEnds === 1);
  expect(listWatch.health.lastError).toBe('watch pods: not ended by the server after 300000 ms; the connection is presumed dead');
  await advanceUntil('the change is in after all', () => names().join('') === 'missed');
  expect(server.count({ verb: 'list' })).toBe(1);
});

describe('a server that fails', () => {
  it('is asked again after pauses that double, and not before Retry-After', async () => {
    const pauses: number[] = [];
    server.faults.push((request) => (isList(request) && pauses.length < 4 ? { status: 503 } : undefined));
    const listWatch = begin({ random: () => 0 });
    for (let failures = 1; failures <= 4; failures++) {
      await eventually('it pauses', () => listWatch.health.state === 'pausing' && listWatch.health.consecutiveFailures === failures);
      pauses.push(clock.nextTimerInMs!);
      await clock.advance(pauses.at(-1)!);
    }
    expect(pauses).toEqual([200, 400, 800, 1600]);
    await listWatch.waitForSync();
    await watching();
    server.failNext(isWatch, { status: 429, retryAfterSeconds: 17 });
    await clock.advance(60_000);
    server.endWatches();
    await eventually('it pauses', () => listWatch.health.state === 'pausing');
    expect(clock.nextTimerInMs).toBe(17_000);
  });

  it('gets no storm of requests for ending each watch at once', async () => {
    server.watchTimeoutMs = 1;
    const listWatch = begin();
    await eventually('it pauses', () => listWatch.health.state === 'pausing');
    expect(listWatch.health.lastError).toContain('the server ended it after');
    for (let pass = 0; pass < 10; pass++) {
      await clock.advance(1_000);
    }
    expect(server.count({ verb: 'watch' })).toBeLessThan(10);
  });

  it('that goes and comes back is found again, and the pauses start over', async () => {
    const listWatch = begin();
    await watching();
    await server.stop();
    await advanceUntil('it has tried a few times', () => listWatch.health.consecutiveFailures > 3);
    expect(listWatch.health).toMatchObject({ alive: true, synced: true, lastError: expect.stringContaining('ECONNREFUSED') });
    createPod('meanwhile');
    await server.listen();
    await advanceUntil('it is back', () => names().join('') === 'meanwhile');
    await clock.advance(2_000);
    server.endWatches();
    await eventually('the failures are forgotten', () => listWatch.health.consecutiveFailures === 0);
  });

  it('does not keep it from stopping', async () => {
    server.faults.push((request) => (isList(request) ? { hang: true } : undefined));
    begin();
    await eventually('the list was sent', () => server.requests.length === 1);
    stop.abort();
    await running;
  });
});

it('lists anew at intervals, which bounds the life of any mistake', async () => {
  createPod('a');
  begin({ resyncMs: 100_000, watchTimeoutSeconds: [1_000, 1_000] });
  await watching();
  // A mistake: the store believes in something that is not there.
  store.commitList(store.beginList(), [{ metadata: { namespace: 'ns', name: 'ghost', uid: 'g', resourceVersion: '1' } }], store.progress);
  expect(names()).toEqual(['ghost']);
  await clock.advance(100_000);
  await eventually('it has listed anew', () => names().join('') === 'a');
  await watching(2);
});

it('never loses a write of ours to a list that is slow', async () => {
  let open!: () => void;
  server.failNext(isList, { answerGate: new Promise<void>((resolve) => (open = resolve)) });
  const listWatch = begin();
  await eventually('the list was taken', () => server.count({ verb: 'list', status: 200 }) === 1);
  store.applyWritten(await client.create<KubeObject>(PODS, { metadata: { namespace: 'ns', name: 'ours', labels: { job: 'x' } } }));
  open();
  await listWatch.waitForSync();
  expect(names()).toEqual(['ours']);
  server.storage.delete('pods', 'ns', 'ours');
  await eventually('its end is told by the watch', () => store.size === 0);
});

it('is not alive when its loop hangs, which an API server that is away does not cause', async () => {
  const hanging = { listPage: () => new Promise<never>(() => undefined), watch: () => new Promise<never>(() => undefined) };
  const listWatch = new ListWatch<KubeObject>({ client: hanging, kind: PODS, store, logger: Logger.silent(), clock });
  void listWatch.run(new AbortController().signal);
  running = Promise.resolve();
  expect(listWatch.health.alive).toBe(true);
  await clock.advance(15 * 60_000);
  expect(listWatch.health).toMatchObject({ alive: false, state: 'listing', synced: false });
});
