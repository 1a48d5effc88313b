import { ApiError, TransportError } from '../../../src/operator/runtime/http/api-error';
import { FakeClock } from './support/fake-clock';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { KubeObject, WatchEvent } from '../../../src/operator/runtime/kube-object';
import { NAMESPACES, PODS, SERVICES } from '../../../src/operator/runtime/resource-kind';
import { RequestRecord, RequestSenderOptions } from '../../../src/operator/runtime/http/request-sender';
import { eventually } from './support/eventually';
import { FakeApiServer, FakeRequest } from './support/fake-api-server';

let server: FakeApiServer;
let client: KubeClient;
let records: RequestRecord[];

const FAST = { initialMs: 1, maxMs: 2 };

function connect(options: Partial<RequestSenderOptions> = {}): KubeClient {
  records = [];
  return new KubeClient({ connection: server.connection(), retryBackoff: FAST, onRequest: (each) => records.push(each), ...options });
}

function pod(name: string, labels?: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name, labels } };
}

const any = (): boolean => true;

async function failureOf(promise: Promise<unknown>): Promise<ApiError & TransportError> {
  return promise.then(
    () => {
      throw new Error('this should have failed');
    },
    (error: unknown) => error as ApiError & TransportError,
  );
}

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = connect();
});

afterEach(async () => {
  client.close();
  await server.stop();
});

describe('verbs', () => {
  it('create, get, replace, patch, apply and delete an object', async () => {
    const created = await client.create(PODS, pod('a'));
    expect(created.metadata).toMatchObject({ namespace: 'ns', name: 'a', uid: expect.any(String), resourceVersion: expect.any(String) });
    expect(await client.get(PODS, { namespace: 'ns', name: 'a' })).toEqual(created);
    const replaced = await client.replace(PODS, { ...created, metadata: { ...created.metadata, labels: { x: '1' } } });
    expect(replaced.metadata!.labels).toEqual({ x: '1' });
    const patched = await client.patch(PODS, { namespace: 'ns', name: 'a' }, { metadata: { labels: { y: '2' } } });
    expect(patched.metadata!.labels).toEqual({ x: '1', y: '2' });
    const applied = await client.apply(PODS, pod('a', { z: '3' }), { fieldManager: 'me' });
    expect(applied.metadata!.labels).toEqual({ x: '1', y: '2', z: '3' });
    await client.delete(PODS, { namespace: 'ns', name: 'a' });
    expect(await client.tryGet(PODS, { namespace: 'ns', name: 'a' })).toBeUndefined();
    expect(records.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).toEqual([
      'create pods 201',
      'get pods 200',
      'update pods 200',
      'patch pods 200',
      'apply pods 200',
      'delete pods 200',
      'get pods 404',
    ]);
  });

  it('send what the API expects: paths, content types, field manager, user agent', async () => {
    client = connect({ userAgent: 'trainyard-operator/1.2.3' });
    await client.apply(PODS, pod('a'), { fieldManager: 'me', dryRun: true, fieldValidation: 'Strict' });
    await client.create(NAMESPACES, { metadata: { name: 'ns' } });
    const [apply, create] = server.requests;
    expect([apply.method, apply.path, apply.headers['content-type']]).toEqual(['PATCH', '/api/v1/namespaces/ns/pods/a', 'application/apply-patch+yaml']);
    expect(Object.fromEntries(apply.query)).toEqual({ fieldManager: 'me', force: 'true', dryRun: 'All', fieldValidation: 'Strict' });
    expect(apply.headers['user-agent']).toBe('trainyard-operator/1.2.3');
    expect(create.path).toBe('/api/v1/namespaces');
  });

  it('write the status apart from the object', async () => {
    const created = await client.create(PODS, pod('a'));
    const running = { ...created, status: { phase: 'Running' }, metadata: { ...created.metadata, labels: { ignored: 'yes' } } };
    const written = await client.replace<KubeObject & { status?: unknown }>(PODS, running, { subresource: 'status' });
    expect(written.status).toEqual({ phase: 'Running' });
    expect(written.metadata!.labels).toBeUndefined();
    expect(records.at(-1)).toMatchObject({ verb: 'update', resource: 'pods/status' });
  });

  it('list by pages and selectors, and fill in what lists leave out', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await client.create(PODS, { metadata: { namespace: 'ns', name, labels: { odd: String(name !== 'b') } } });
    }
    const { items, resourceVersion } = await client.list(PODS, { namespace: 'ns', labelSelector: 'odd=true', limit: 2 });
    expect(items.map(({ kind, apiVersion, metadata }) => `${apiVersion} ${kind} ${metadata!.name}`)).toEqual(['v1 Pod a', 'v1 Pod c', 'v1 Pod d', 'v1 Pod e']);
    expect(resourceVersion).toBe(String(server.storage.revision));
    expect(server.count({ verb: 'list' })).toBe(2);
  });

  it('delete with preconditions, and say when they do not hold', async () => {
    const created = await client.create(PODS, pod('a'));
    const error = await failureOf(client.delete(PODS, { namespace: 'ns', name: 'a' }, { preconditions: { uid: 'other' } }));
    expect([error.isConflict, error.isAlreadyExists]).toEqual([true, false]);
    await client.delete(PODS, { namespace: 'ns', name: 'a' }, { preconditions: { uid: created.metadata!.uid }, gracePeriodSeconds: 0 });
    expect(server.storage.list('pods')).toEqual([]);
  });

  it('refuse to delete without a name', async () => {
    await expect(client.delete(PODS, { namespace: 'ns', name: '' })).rejects.toThrow('the name is empty');
  });

  it('read logs', async () => {
    await client.create(PODS, pod('a'));
    server.setLog('ns', 'a', 'one\ntwo\nthree\n');
    expect(await client.podLogs({ namespace: 'ns', name: 'a' }, { tailLines: 2 })).toBe('two\nthree\n');
    expect(server.requests.at(-1)).toMatchObject({ subresource: 'log' });
  });

  it('take any other path', async () => {
    expect(await client.raw('GET', '/version')).toMatchObject({ path: '/version' });
  });
});

describe('errors', () => {
  it('say what was asked, and what the server answered', async () => {
    const error = await failureOf(client.get(PODS, { namespace: 'ns', name: 'nobody' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toBe('get pods "ns/nobody": 404 NotFound: pods "nobody" not found');
    expect([error.isNotFound, error.isRetriable]).toEqual([true, false]);
  });

  it('tell a taken name from a conflict', async () => {
    const created = await client.create(PODS, pod('a'));
    expect(await failureOf(client.create(PODS, pod('a')))).toMatchObject({ isAlreadyExists: true, isConflict: false });
    await client.patch(PODS, { namespace: 'ns', name: 'a' }, { metadata: { labels: { x: '1' } } });
    expect(await failureOf(client.replace(PODS, created))).toMatchObject({ isAlreadyExists: false, isConflict: true });
  });

  it('carry the fields that are wrong', async () => {
    const error = await failureOf(client.create(PODS, { metadata: { namespace: 'ns' } }));
    expect(error).toMatchObject({ isInvalid: true, causes: [{ field: 'metadata.name', reason: 'FieldValueRequired' }] });
  });

  it('cover answers that are no Status', async () => {
    server.failNext(any, { status: 403, message: '' });
    expect(await failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }))).toMatchObject({ status: 403, reason: '', isForbidden: true });
  });

  it('name the missing namespace before anything is sent', async () => {
    await expect(client.get(PODS, { name: 'a' })).rejects.toThrow('no namespace was given, but Pod is namespaced');
    await expect(client.create(SERVICES, { metadata: { name: 'a' } })).rejects.toThrow('set metadata.namespace');
    expect(server.requests).toEqual([]);
  });
});

describe('repeating', () => {
  it('sends any verb again after 429, not before Retry-After', async () => {
    const clock = new FakeClock();
    client = connect({ clock });
    server.failNext(any, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 });
    const creating = client.create(PODS, pod('a'));
    await eventually('the first attempt is refused', () => records.length === 1);
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await creating;
    expect(records.map(({ code }) => code)).toEqual(['429', '201']);
  });

  it('sends harmless verbs again after a server error', async () => {
    await client.create(PODS, pod('a'));
    server.failNext(any, { status: 500 }, 2);
    await client.patch(PODS, { namespace: 'ns', name: 'a' }, { metadata: { labels: { x: '1' } } });
    expect(records.map(({ code }) => code)).toEqual(['201', '500', '500', '200']);
  });

  it('does not repeat a create that may have happened', async () => {
    server.failNext(any, { status: 500 });
    expect(await failureOf(client.create(PODS, pod('a')))).toMatchObject({ status: 500 });
    server.failNext(any, { reset: 'after' });
    expect(await failureOf(client.create(PODS, pod('a')))).toMatchObject({ maybeExecuted: true });
    expect(server.storage.list('pods')).toHaveLength(1);
    expect(server.count({ verb: 'create' })).toBe(2);
  });

  it('reads again over a new connection when one breaks', async () => {
    await client.create(PODS, pod('a'));
    server.failNext(any, { reset: 'before' });
    await client.get(PODS, { namespace: 'ns', name: 'a' });
    expect(records.map(({ code }) => code)).toEqual(['201', 'ECONNRESET', '200']);
  });

  it('gives up after the retries that are allowed', async () => {
    server.failNext(any, { status: 503 }, 10);
    await failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }, { maxRetries: 1 }));
    expect(records).toHaveLength(2);
  });

  it('does not repeat what can only be refused again', async () => {
    server.failNext(any, { status: 403 }, 10);
    await failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }));
    expect(records).toHaveLength(1);
  });

  it('repeats a create when the server could not be reached at all', async () => {
    await server.stop();
    const creating = client.create(PODS, pod('a'), { maxRetries: 1000 });
    await eventually('some attempts have failed', () => records.length > 2);
    await server.listen();
    await creating;
    expect(records.some(({ code }) => code === 'ECONNREFUSED')).toBe(true);
    expect(server.storage.list('pods')).toHaveLength(1);
  });

  it('asks for fresh credentials once after 401', async () => {
    server.token = 'new';
    let token = 'old';
    const credentials = { get: () => Promise.resolve({ headers: { authorization: `Bearer ${token}` } }), invalidate: () => void (token = 'new') };
    client = connect({ connection: { ...server.connection(), credentials } });
    await client.raw('GET', '/version');
    expect(records.map(({ code }) => code)).toEqual(['401', '200']);
    server.token = 'newer';
    expect(await failureOf(client.raw('GET', '/version'))).toMatchObject({ isUnauthorized: true });
  });
});

describe('limits', () => {
  it('keep the number of requests in flight, and let urgent ones pass', async () => {
    client = connect({ maxConcurrentRequests: 3 });
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    server.faults.push((request) => (request.verb === 'create' ? { gate } : undefined));
    const creating = Array.from({ length: 10 }, (_, index) => client.create(PODS, pod(`p${index}`)));
    await eventually('three are in flight', () => server.requests.length === 3);
    await client.raw('GET', '/version', undefined, { urgent: true });
    expect(server.count({ verb: 'create' })).toBe(3);
    open();
    await Promise.all(creating);
    expect(server.storage.list('pods')).toHaveLength(10);
  });

  it('let no Lease request wait for the connection of another', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    server.faults.push(() => ({ gate }));
    const leases = Array.from({ length: 9 }, async () => client.raw('GET', '/version', undefined, { urgent: true }));
    await eventually('all are in flight', () => server.requests.length === 9);
    open();
    await Promise.all(leases);
  });

  it('end a request that takes too long', async () => {
    server.failNext(any, { hang: true });
    const error = await failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }, { timeoutMs: 30, maxRetries: 0 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.message).toBe('get pods "ns/a": ETIMEDOUT: no answer within 30 ms');
    expect(error.maybeExecuted).toBe(true);
  });

  it('end a request whose signal aborts, before and while it runs', async () => {
    const controller = new AbortController();
    server.failNext(any, { hang: true });
    const failure = failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }, { signal: controller.signal }));
    await eventually('it runs', () => server.requests.length === 1);
    controller.abort();
    expect(await failure).toMatchObject({ name: 'AbortError' });
    expect(await failureOf(client.get(PODS, { namespace: 'ns', name: 'a' }, { signal: controller.signal }))).toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('watching', () => {
  async function watchUntil(
    enough: (events: WatchEvent<KubeObject>[]) => boolean,
    act: () => void,
    resourceVersion = String(server.storage.revision),
  ): Promise<WatchEvent<KubeObject>[]> {
    const events: WatchEvent<KubeObject>[] = [];
    const controller = new AbortController();
    const options = { resourceVersion, timeoutSeconds: 60, labelSelector: 'job=x', signal: controller.signal, onOpen: act };
    await client
      .watch<KubeObject>(PODS, options, (event) => {
        events.push(event);
        if (enough(events)) {
          controller.abort();
        }
      })
      .catch((error: unknown) => {
        if ((error as Error).name !== 'AbortError') {
          throw error;
        }
      });
    return events;
  }

  it('delivers changes in order, whole even when characters are split between chunks', async () => {
    const text = 'größer — 大きい '.repeat(20_000);
    const events = await watchUntil(
      (seen) => seen.length === 3,
      () => {
        server.storage.create('pods', 'ns', { metadata: { name: 'a', labels: { job: 'x' }, annotations: { text } } });
        server.storage.mutate('pods', 'ns', 'a', ({ metadata }) => (metadata!.annotations = { done: 'yes' }));
        server.storage.delete('pods', 'ns', 'a');
      },
    );
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(events[0].object.metadata!.annotations!.text).toBe(text);
  });

  it('shows objects that enter or leave the selection as added and deleted', async () => {
    server.storage.create('pods', 'ns', { metadata: { name: 'a' } });
    const events = await watchUntil(
      (seen) => seen.length === 2,
      () => {
        server.storage.mutate('pods', 'ns', 'a', ({ metadata }) => (metadata!.labels = { job: 'x' }));
        server.storage.mutate('pods', 'ns', 'a', ({ metadata }) => (metadata!.labels = {}));
      },
    );
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('resolves when the server ends it', async () => {
    server.watchTimeoutMs = 20;
    const events = await watchUntil(
      () => false,
      () => undefined,
    );
    expect(events.map(({ type }) => type)).toEqual(['BOOKMARK']);
  });

  it('rejects when it breaks, and names itself', async () => {
    const broken = watchUntil(
      () => false,
      () => server.dropWatches(),
    );
    expect(await failureOf(broken)).toMatchObject({ code: 'ECONNRESET', message: expect.stringContaining('watch pods in all namespaces') });
  });

  it('rejects with isGone for a version that is too old', async () => {
    server.storage.compact();
    const failure = failureOf(
      watchUntil(
        () => false,
        () => undefined,
        '5',
      ),
    );
    expect((await failure).isGone).toBe(true);
  });

  it('rejects with the status when it is refused', async () => {
    server.failNext((request: FakeRequest) => request.verb === 'watch', { status: 403, reason: 'Forbidden' });
    const refused = watchUntil(
      () => false,
      () => undefined,
    );
    expect(await failureOf(refused)).toMatchObject({ isForbidden: true });
  });

  it('rejects with what its listener threw', async () => {
    const options = { resourceVersion: String(server.storage.revision), timeoutSeconds: 60, onOpen: () => server.sendBookmarks() };
    const failing = client.watch(PODS, options, () => {
      throw new Error('my fault');
    });
    await expect(failing).rejects.toThrow('my fault');
  });
});

describe('a client with hooks', () => {
  test('asks before each attempt of a write, and sends nothing when the answer is no', async () => {
    let mayWrite = true;
    const fenced = client.with({
      beforeWrite: () => {
        if (!mayWrite) {
          throw new Error('not now');
        }
      },
    });
    await fenced.create(PODS, pod('a'));
    server.failNext(({ verb }) => verb === 'update', { status: 503 });
    // Allowed at first, and no longer when the request is sent again.
    server.faults.push(({ verb }) => {
      mayWrite &&= verb !== 'update';
      return undefined;
    });
    await expect(fenced.replace(PODS, pod('a'))).rejects.toThrow('not now');
    await expect(fenced.create(PODS, pod('b'))).rejects.toThrow('not now');
    await expect(fenced.delete(PODS, { namespace: 'ns', name: 'a' })).rejects.toThrow('not now');
    expect(server.requests.map(({ verb, status }) => [verb, status])).toEqual([['create', 201], ['update', 503]]);
    // Reads are no business of its, and neither are writes of the client that it was made from.
    expect((await fenced.list(PODS, { namespace: 'ns' })).items).toHaveLength(1);
    await client.create(PODS, pod('c'));
  });

  test('asks again when the connection is there that was being made', async () => {
    const steps: string[] = [];
    const fenced = client.with({ beforeWrite: () => steps.push('asked') });
    const creating = fenced.create(PODS, pod('a'));
    steps.push('connecting');
    await creating;
    expect(steps).toEqual(['connecting', 'asked']);
  });

  test('tells how requests end, retries included', async () => {
    const told: [string, unknown][] = [];
    const watched = client.with({ afterRequest: ({ method, resource }, error) => told.push([`${method} ${resource}`, error]) });
    server.failNext(({ verb }) => verb === 'update', { status: 503 });
    await watched.create(PODS, pod('a'));
    await watched.replace(PODS, pod('a'));
    const error = await failureOf(watched.get(PODS, { namespace: 'ns', name: 'none' }));
    expect(told).toEqual([['POST pods', undefined], ['PUT pods', undefined], ['GET pods', error]]);
  });
});
