/** src/operator/runtime against a real kube-apiserver: what the fake API server of its unit tests can only claim. */
import { ApiError } from '../../src/operator/runtime/http/api-error';
import { StaticCredentials } from '../../src/operator/runtime/credentials/credentials';
import { EventRecorder } from '../../src/operator/runtime/events';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import { keyOf, KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { Lease, LeaderElector } from '../../src/operator/runtime/leader-election';
import { ListWatch, ListWatchOptions } from '../../src/operator/runtime/watch/list-watch';
import { Logger } from '../../src/operator/runtime/process/logger';
import { CONFIG_MAPS, EVENTS, LEASES, PODS, ResourceKind } from '../../src/operator/runtime/resource-kind';
import { compareResourceVersions } from '../../src/operator/runtime/watch/resource-version';
import { Store } from '../../src/operator/runtime/watch/store';
import { clusterKubeconfig, eventually } from './support/cluster';
import { installCrds } from './support/crds';
import { createNamespace, deleteNamespace } from './support/namespace';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const PROBES: ResourceKind = { group: 'test.trainyard.dev', version: 'v1', plural: 'probes', kind: 'Probe', namespaced: true };
const PROBE_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.test.trainyard.dev' },
  spec: {
    group: 'test.trainyard.dev',
    scope: 'Namespaced',
    names: { kind: 'Probe', plural: 'probes' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const logger = Logger.silent();

let namespace: string;
let client: KubeClient;
const warnings: string[] = [];
const stops: AbortController[] = [];
const running: Promise<void>[] = [];

beforeAll(async () => {
  namespace = await createNamespace('runtime');
  client = new KubeClient({ connection: await loadConnection({ kubeconfig: clusterKubeconfig() }), onWarning: (warning) => warnings.push(warning) });
});

afterEach(async () => {
  stops.splice(0).forEach((stop) => stop.abort());
  await Promise.all(running.splice(0));
});

afterAll(async () => {
  client.close();
  await deleteNamespace(namespace);
});

function configMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap {
  return { metadata: { namespace, name, labels }, data };
}

function pod(name: string, nodeName?: string): KubeObject {
  const spec = { nodeName, containers: [{ name: 'main', image: 'none' }] };
  return { metadata: { namespace, name, labels: { suite: 'pods' } }, spec } as KubeObject;
}

function follow<T extends KubeObject>(kind: ResourceKind, options: Partial<ListWatchOptions<T>> = {}): ListWatch<T> {
  const stop = new AbortController();
  const listWatch = new ListWatch<T>({ client, kind, store: new Store<T>(), logger, namespace, ...options });
  stops.push(stop);
  running.push(listWatch.run(stop.signal));
  return listWatch;
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  return promise.then(
    () => {
      throw new Error('this should have been refused');
    },
    (error: unknown) => error as ApiError,
  );
}

describe('the client', () => {
  it('tells the refusals of the server apart', async () => {
    const created = await client.create(CONFIG_MAPS, configMap('errors'));
    expect(await failureOf(client.create(CONFIG_MAPS, configMap('errors')))).toMatchObject({ isAlreadyExists: true, isConflict: false });
    expect(await failureOf(client.get(CONFIG_MAPS, { namespace, name: 'nobody' }))).toMatchObject({ isNotFound: true });
    const invalid = await failureOf(client.create(CONFIG_MAPS, configMap('Not_A_Name')));
    expect(invalid).toMatchObject({ isInvalid: true, causes: [expect.objectContaining({ field: 'metadata.name' })] });
    await client.patch(CONFIG_MAPS, { namespace, name: 'errors' }, { data: { x: '1' } });
    expect(await failureOf(client.replace(CONFIG_MAPS, created))).toMatchObject({ isConflict: true, isAlreadyExists: false });
    const credentials = new StaticCredentials({ headers: { authorization: 'Bearer nobody' } });
    const stranger = new KubeClient({ connection: { ...client.connection, credentials } });
    expect(await failureOf(stranger.list(CONFIG_MAPS, { namespace }))).toMatchObject({ isUnauthorized: true });
    stranger.close();
  });

  it('deletes only what it means to delete', async () => {
    const ref = { namespace, name: 'precious' };
    const created = await client.create<ConfigMap>(CONFIG_MAPS, configMap('precious'));
    const other = '00000000-0000-0000-0000-000000000000';
    expect(await failureOf(client.delete(CONFIG_MAPS, ref, { preconditions: { uid: other } }))).toMatchObject({ isConflict: true });
    await client.patch(CONFIG_MAPS, ref, { data: { x: '1' } });
    const { uid, resourceVersion } = created.metadata!;
    expect(await failureOf(client.delete(CONFIG_MAPS, ref, { preconditions: { resourceVersion } }))).toMatchObject({ isConflict: true });
    await client.delete(CONFIG_MAPS, ref, { preconditions: { uid } });
    expect(await client.tryGet(CONFIG_MAPS, ref)).toBeUndefined();
  });

  it('applies: makes, changes, takes fields over by force, and drops those that it does not list any more', async () => {
    const ref = { namespace, name: 'applied' };
    await client.apply(CONFIG_MAPS, configMap('applied', { a: '1', b: '1' }), { fieldManager: 'first' });
    const contested = configMap('applied', { a: '2' });
    expect(await failureOf(client.apply(CONFIG_MAPS, contested, { fieldManager: 'second', force: false }))).toMatchObject({ isConflict: true });
    await client.apply(CONFIG_MAPS, contested, { fieldManager: 'second' });
    const last = await client.apply<ConfigMap>(CONFIG_MAPS, configMap('applied', { a: '2' }), { fieldManager: 'first' });
    expect(last.data).toEqual({ a: '2' });
    expect((await client.get<ConfigMap>(CONFIG_MAPS, ref)).data).toEqual({ a: '2' });
  });

  it('passes warnings on', async () => {
    warnings.length = 0;
    await client.create(CONFIG_MAPS, { ...configMap('warned'), colour: 'blue' } as ConfigMap, { fieldValidation: 'Warn' });
    expect(warnings).toEqual([expect.stringContaining('unknown field \\"colour\\"')]);
    const strict = client.create(CONFIG_MAPS, { ...configMap('strict'), colour: 'blue' } as ConfigMap, { fieldValidation: 'Strict' });
    expect((await failureOf(strict)).message).toContain('unknown field "colour"');
  });

  it('gets versions that grow and can be compared', async () => {
    const versions: string[] = [];
    for (let index = 0; index < 5; index++) {
      versions.push((await client.apply(CONFIG_MAPS, configMap('versions', { index: String(index) }), { fieldManager: 'me' })).metadata!.resourceVersion!);
    }
    versions.slice(1).forEach((version, index) => expect(compareResourceVersions(version, versions[index])).toBeGreaterThan(0));
  });
});

describe('the list/watch', () => {
  it('lists in pages and follows changes, also into and out of its selection', async () => {
    await Promise.all(Array.from({ length: 7 }, (_, index) => client.create(CONFIG_MAPS, configMap(`page-${index}`, {}, { suite: 'pages' }))));
    const { store } = follow<ConfigMap>(CONFIG_MAPS, { labelSelector: 'suite=pages', pageSize: 3 });
    await eventually('the list to be in', () => Promise.resolve(store.size === 7));
    await client.patch(CONFIG_MAPS, { namespace, name: 'page-0' }, { metadata: { labels: { suite: null } } });
    await client.delete(CONFIG_MAPS, { namespace, name: 'page-1' });
    await client.create(CONFIG_MAPS, configMap('page-7', {}, { suite: 'pages' }));
    const expected = ['page-2', 'page-3', 'page-4', 'page-5', 'page-6', 'page-7'];
    await eventually('the changes to be in', () => Promise.resolve(names(store).join() === expected.join()));
  });

  it('gets bookmarks, and goes on from them without listing', async () => {
    const listWatch = follow<ConfigMap>(CONFIG_MAPS, { labelSelector: 'suite=nothing', watchTimeoutSeconds: [3, 3] });
    await listWatch.waitForSync();
    const before = listWatch.store.progress;
    let made = 0;
    await eventually('a bookmark to move the version', async () => {
      // Nothing that it watches changes; only the version of the collection moves on.
      await client.create(CONFIG_MAPS, configMap(`bystander-${made++}`));
      return compareResourceVersions(listWatch.store.progress, before)! > 0;
    });
    await eventually('the watch to be renewed', () => Promise.resolve(listWatch.health.watches >= 2));
    expect(listWatch.store.size).toBe(0);
    expect(listWatch.health).toMatchObject({ lists: 1, consecutiveFailures: 0 });
  });

  it('lists anew when its version is too old', async () => {
    // The server's cache of a resource begins when it is registered, long after version 1. Until it has begun, etcd itself answers, which knows all
    // versions.
    await installCrds([PROBE_CRD]);
    let lists = 0;
    const outdated: Pick<KubeClient, 'listPage' | 'watch'> = {
      listPage: (kind, options) => {
        lists++;
        return client.listPage(kind, options);
      },
      watch: (kind, options, onEvent) => client.watch(kind, lists === 1 ? { ...options, resourceVersion: '1', timeoutSeconds: 2 } : options, onEvent),
    };
    const listWatch = follow<KubeObject>(PROBES, { client: outdated });
    await eventually('the second list', () => Promise.resolve(listWatch.health.lists === 2));
    await client.create(PROBES, { apiVersion: 'test.trainyard.dev/v1', kind: 'Probe', metadata: { namespace, name: 'after-410' } });
    await eventually('the watch to work', () => Promise.resolve(listWatch.store.get(keyOf(namespace, 'after-410')) !== undefined));
    expect(listWatch.health.lists).toBe(2);
    // A custom resource is deleted with a Status for an answer, or is kept by its finalizers.
    const ref = { namespace, name: 'after-410' };
    listWatch.store.applyWritten(await client.patch(PROBES, ref, { metadata: { finalizers: ['test.trainyard.dev/hold'] } }));
    listWatch.store.applyDeleteResponse(ref, await client.delete(PROBES, ref));
    expect(listWatch.store.list()[0].metadata!.deletionTimestamp).toBeDefined();
    await client.patch(PROBES, ref, { metadata: { finalizers: null } });
    await eventually('its end to be told', () => Promise.resolve(listWatch.store.size === 0));
    listWatch.store.applyWritten(await client.create(PROBES, { apiVersion: 'test.trainyard.dev/v1', kind: 'Probe', metadata: ref }));
    listWatch.store.applyDeleteResponse(ref, await client.delete(PROBES, ref));
    expect(listWatch.store.size).toBe(0);
  });

  it('keeps the store equal to the server through a storm of concurrent writes, and never shows less than we wrote', async () => {
    const listWatch = follow<ConfigMap>(CONFIG_MAPS, { labelSelector: 'suite=storm', watchTimeoutSeconds: [2, 3], resyncMs: 1_000 });
    const { store } = listWatch;
    await listWatch.waitForSync();
    let seed = 42;
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    const lag: string[] = [];
    const writer = async (name: string): Promise<void> => {
      const ref = { namespace, name };
      const key = keyOf(ref.namespace, name);
      for (let index = 0; index < 40; index++) {
        const current = store.get(key);
        if (current !== undefined && random(3) === 0) {
          const { uid } = current.metadata!;
          store.applyDeleteResponse({ ...ref, uid }, await client.delete(CONFIG_MAPS, ref, { preconditions: { uid } }));
          if (store.get(key) !== undefined) {
            lag.push(`${name} was deleted and is shown`);
          }
        } else {
          const data = { index: String(index) };
          const written = current === undefined
            ? await client.create<ConfigMap>(CONFIG_MAPS, configMap(name, data, { suite: 'storm' }))
            : await client.replace<ConfigMap>(CONFIG_MAPS, { ...current, data });
          store.applyWritten(written);
          if (store.get(key)?.data?.index !== data.index) {
            lag.push(`${name} was written as ${data.index} and is shown as ${store.get(key)?.data?.index}`);
          }
        }
      }
    };
    // Each name has one writer, as each job has one worker; a stale cache would end in AlreadyExists, NotFound or Conflict.
    await Promise.all(Array.from({ length: 12 }, (_, index) => writer(`storm-${index}`)));
    expect(lag).toEqual([]);
    const { items } = await client.list<ConfigMap>(CONFIG_MAPS, { namespace, labelSelector: 'suite=storm' });
    const shown = (objects: ConfigMap[]): string => objects.map(({ metadata }) => `${metadata!.name}@${metadata!.resourceVersion}`).sort().join();
    expect(shown(store.list())).toBe(shown(items));
    await eventually('resyncs to have passed', () => Promise.resolve(listWatch.health.lists >= 3));
    expect(shown(store.list())).toBe(shown(items));
  });

  it('knows from the answer of a deletion whether the pod is gone', async () => {
    const listWatch = follow<KubeObject>(PODS, { labelSelector: 'suite=pods' });
    const { store } = listWatch;
    await listWatch.waitForSync();
    for (const [name, node] of [['unscheduled', undefined], ['running', 'some-node']] as const) {
      store.applyWritten(await client.create(PODS, pod(name, node)));
      store.applyDeleteResponse({ namespace, name }, await client.delete(PODS, { namespace, name }));
    }
    expect(names(store)).toEqual(['running']);
    expect(store.list()[0].metadata!.deletionTimestamp).toBeDefined();
    const name = 'running';
    store.applyDeleteResponse({ namespace, name }, await client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 }));
    expect(names(store)).toEqual([]);
    expect((await client.list(PODS, { namespace, labelSelector: 'suite=pods' })).items).toEqual([]);
  });
});

describe('the leader election', () => {
  type Via = Pick<KubeClient, 'get' | 'create' | 'replace' | 'patch'>;

  function join(identity: string, via: Via = client): { elector: LeaderElector; stop: AbortController; history: string[] } {
    const history: string[] = [];
    const stop = new AbortController();
    const elector = new LeaderElector({
      client: via,
      lease: { namespace, name: 'operator' },
      identity,
      leaseDurationMs: 3_000,
      renewDeadlineMs: 2_000,
      retryPeriodMs: 300,
      logger,
      onStarted: () => history.push('started'),
      onLost: () => history.push('lost'),
    });
    stops.push(stop);
    running.push(elector.run(stop.signal));
    return { elector, stop, history };
  }

  it('has one leader, who hands over at its end and is replaced when it dies', async () => {
    let aIsCut = false;
    const cut = <A extends unknown[], R>(call: (...values: A) => Promise<R>) => (...values: A): Promise<R> =>
      aIsCut ? Promise.reject(new Error('cut off')) : call(...values);
    const viaCable = {
      get: cut(client.get.bind(client)),
      patch: cut(client.patch.bind(client)),
      create: cut(client.create.bind(client)),
      replace: cut(client.replace.bind(client)),
    } as Via;
    const a = join('a', viaCable);
    await eventually('a to lead', () => Promise.resolve(a.elector.isLeader));
    const b = join('b');
    await eventually('b to know', () => Promise.resolve(b.elector.leader === 'a'));
    expect(b.history).toEqual([]);
    aIsCut = true;
    await eventually('b to lead', () => Promise.resolve(b.elector.isLeader));
    // The one that was cut off knew before the other one began.
    expect(a.history).toEqual(['started', 'lost']);
    const c = join('c');
    b.stop.abort();
    await eventually('c to lead', () => Promise.resolve(c.elector.isLeader));
    const { spec } = await client.get<Lease>(LEASES, { namespace, name: 'operator' });
    expect(spec).toMatchObject({ holderIdentity: 'c', leaseTransitions: 2 });
  });
});

it('records events that the server accepts and counts', async () => {
  const events = new EventRecorder({ client, logger, component: 'trainyard.dev/operator', instance: 'test' });
  const regarding = { apiVersion: 'v1', kind: 'ConfigMap', ...(await client.create(CONFIG_MAPS, configMap('noted'))) };
  const note = { type: 'Warning', reason: 'Tested', message: 'this is a test' } as const;
  events.record(regarding, note);
  await events.flush();
  events.record(regarding, note);
  await events.flush();
  expect(events.dropped).toBe(0);
  const { items } = await client.list(EVENTS, { namespace, fieldSelector: 'involvedObject.name=noted' });
  expect(items).toEqual([expect.objectContaining({ ...note, count: 2 })]);
});

function names(store: Store<KubeObject>): string[] {
  return store.list().map(({ metadata }) => metadata!.name!).sort();
}
