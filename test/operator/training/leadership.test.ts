import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { PODS } from '../../../src/operator/runtime/resource-kind';
import { Leadership, NotLeadingError } from '../../../src/operator/training/leadership';
import { eventually } from '../runtime/support/eventually';
import { FakeApiServer } from '../runtime/support/fake-api-server';
import { FakeClock } from '../runtime/support/fake-clock';

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name } });

let server: FakeApiServer;
let client: KubeClient;
let clock: FakeClock;
let lost: string[];
let stop: AbortController;
let running: Promise<void>;

function lead(work: (fenced: KubeClient) => Promise<void>, leaderElect = true): Leadership {
  const leadership: Leadership = new Leadership({
    client,
    clock,
    logger: Logger.silent(),
    config: { leaderElect, leaseSeconds: 15, identity: 'me', namespace: 'sys' },
    onLost: (reason) => lost.push(reason),
  });
  running = leadership.run(() => work(leadership.client), stop.signal);
  return leadership;
}

const createdPods = () => server.storage.list('pods').map(({ metadata }) => metadata!.name);

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  clock = new FakeClock();
  lost = [];
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await clock.advance(60_000);
  await running;
  client.close();
  await server.stop();
});

test('a leader that was stopped for longer than its lease between two writes sends no second one, and ends', async () => {
  let outcome: unknown;
  lead(async (fenced) => {
    await fenced.create(PODS, pod('first'));
    clock.stopFor(20_000);
    outcome = await fenced.create(PODS, pod('second')).catch((error: unknown) => error);
  });
  await eventually('both writes were tried', () => outcome !== undefined);
  expect(outcome).toBeInstanceOf(NotLeadingError);
  expect(createdPods()).toEqual(['first']);
  expect(lost).toEqual(['the lease had expired before a write']);
});

test('a write that waited for its turn while the process was stopped is not sent either', async () => {
  const narrow = new KubeClient({ connection: server.connection(), maxConcurrentRequests: 1 });
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => { open = resolve; });
  client.close();
  client = narrow;
  let outcomes: PromiseSettledResult<unknown>[] | undefined;
  lead(async (fenced) => {
    server.failNext(({ name, resource }) => resource === 'pods' && name === undefined, { gate });
    outcomes = await Promise.allSettled([fenced.create(PODS, pod('first')), fenced.create(PODS, pod('second'))]);
  });
  await eventually('the first write is under way', () => server.count({ verb: 'create', resource: 'pods' }) === 1);
  clock.stopFor(20_000);
  open();
  await eventually('both writes have ended', () => outcomes !== undefined);
  expect(outcomes!.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(createdPods()).toEqual(['first']);
});

test('a renewal that was about to go out while the process was stopped is not sent', async () => {
  const connection = server.connection();
  const { credentials } = connection;
  let isStopping = false;
  client.close();
  client = new KubeClient({ connection: {
    ...connection,
    credentials: {
      invalidate: () => credentials.invalidate(),
      get: async () => {
        if (isStopping) {
          clock.stopFor(20_000);
        }
        return credentials.get();
      },
    },
  } });
  const leadership = lead(() => Promise.resolve());
  await eventually('it leads', () => leadership.isLeading);
  isStopping = true;
  await clock.advance(2_000);
  isStopping = false;
  await eventually('it has noticed', async () => {
    await clock.advance(1);
    return lost.length > 0;
  });
  expect(lost).toEqual(['the lease could not be renewed for 10005 ms']);
  expect(server.count({ verb: 'update', resource: 'leases.coordination.k8s.io' })).toBe(0);
});

test('a process that leads writes as it likes, and so does one that has no rivals', async () => {
  let done = false;
  lead(async (fenced) => {
    await fenced.create(PODS, pod('first'));
    clock.stopFor(9_000);
    await fenced.create(PODS, pod('second'));
    done = true;
  });
  await eventually('both writes have ended', () => done);
  stop.abort();
  await clock.advance(1);
  await running;

  stop = new AbortController();
  lead(async (fenced) => {
    clock.stopFor(60_000);
    await fenced.create(PODS, pod('third'));
  }, false);
  await running;
  expect(createdPods()).toEqual(['first', 'second', 'third']);
  expect(lost).toEqual([]);
});

test('nobody but a leader may write by its client', async () => {
  server.storage.create('leases.coordination.k8s.io', 'sys', {
    apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'sys', name: 'trainyard-operator' },
    spec: { holderIdentity: 'another', leaseDurationSeconds: 15 },
  });
  const { client: fenced } = lead(() => Promise.resolve());
  await expect(fenced.create(PODS, pod('first'))).rejects.toThrow(NotLeadingError);
  expect((await fenced.list(PODS, { namespace: 'ns' })).items).toEqual([]);
});

test('the operator says what is missing when it does not know where its lease is', () => {
  const { namespace: _none, ...connection } = server.connection();
  const lost2 = new KubeClient({ connection });
  expect(() => new Leadership({
    client: lost2, logger: Logger.silent(), config: { leaderElect: true, leaseSeconds: 15, identity: 'me' }, onLost: () => undefined,
  })).toThrow('Electing a leader: the operator\'s own namespace is unknown; set POD_NAMESPACE, or set LEADER_ELECT=false for a single replica.');
  running = Promise.resolve();
});
