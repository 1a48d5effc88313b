import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import type { KubeList, KubeObject } from '../../../../src/operator/runtime/kube-object';
import { readPages } from '../../../../src/operator/runtime/watch/list-pages';
import { PODS } from '../../../../src/operator/runtime/resource-kind';
import { FakeApiServer } from '../support/fake-api-server';

const MIB = 1024 * 1024;

let server: FakeApiServer;
let client: KubeClient;
/** Answers that were read to their end. */
let pages: KubeList<KubeObject>[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  pages = [];
});

afterEach(async () => {
  client.close();
  await server.stop();
});

function createPods(prefix: string, count: number, bytes = 0): void {
  const text = 'x'.repeat(bytes);
  for (let index = 0; index < count; index++) {
    server.storage.create('pods', 'ns', { metadata: { name: `${prefix}-${String(index).padStart(4, '0')}`, annotations: { text } } });
  }
}

/** The names that are read. */
async function read(largestPage?: number): Promise<string[]> {
  const names: string[] = [];
  const recording = {
    listPage: async <T extends KubeObject>(...args: Parameters<KubeClient['listPage']>): Promise<KubeList<T>> => {
      const page = await client.listPage<T>(...args);
      pages.push(page);
      return page;
    },
  };
  const version = await readPages(recording, PODS, { namespace: 'ns', largestPage }, {
    take: (items) => { names.push(...items.map(({ metadata }) => metadata!.name!)); },
    restart: () => { names.length = 0; },
  });
  expect(version).toBe(String(server.storage.revision));
  return names;
}

const limits = (): (string | null)[] => server.requests.map(({ query }) => query.get('limit'));
const stored = (): string[] => server.storage.list('pods').map(({ metadata }) => metadata!.name!);

test('five thousand small objects take one request more than in pages of 500', async () => {
  createPods('small', 5_000);
  expect(await read()).toEqual(stored());
  expect(limits()).toEqual(['50', ...Array.from({ length: 10 }, () => '500')]);
});

test('pages of large objects are a few MiB, the first one too', async () => {
  createPods('large', 24, MIB);
  expect(await read()).toEqual(stored());
  const sizes = pages.map(({ bytes }) => bytes!);
  expect(Math.max(...sizes)).toBeLessThan(8 * MIB);
  expect(Math.max(...sizes.slice(1))).toBeLessThan(4.5 * MIB);
  // The first answer was given up, without another try of the same.
  expect(limits().slice(0, 2)).toEqual(['50', '6']);
  expect(limits()).toHaveLength(pages.length + 1);
});

test('large objects after many small ones do not make a large answer, and small ones after them make pages of many again', async () => {
  createPods('a-small', 100);
  createPods('b-large', 24, MIB);
  createPods('c-small', 600);
  expect(await read()).toEqual(stored());
  expect(Math.max(...pages.map(({ bytes }) => bytes!))).toBeLessThan(16 * MIB);
  expect(limits().slice(-2)).toContain('500');
});

test('an object is read however large it is', async () => {
  createPods('a-huge', 1, 17 * MIB);
  createPods('small', 1);
  expect(await read()).toEqual(stored());
  expect(limits()).toEqual(['50', '6', '1', '1']);
});

test('no page has more objects than the caller allows', async () => {
  createPods('small', 5);
  expect(await read(2)).toEqual(stored());
  expect(limits()).toEqual(['2', '2', '2']);
});

test('when a page token expires, what was taken is dropped and all is read at once', async () => {
  createPods('small', 60);
  server.faults.push((request) => {
    if (request.query.has('continue')) {
      server.expirePages();
    }
    return undefined;
  });
  expect(await read()).toEqual(stored());
  expect(limits()).toEqual(['50', '500', null]);
});

test('other failures are the caller\'s', async () => {
  server.failNext(() => true, { status: 403 });
  await expect(read()).rejects.toMatchObject({ isForbidden: true });
});
