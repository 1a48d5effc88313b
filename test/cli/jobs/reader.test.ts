import { LIMIT, Reader } from '../../../src/cli/jobs/reader';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { PODS } from '../../../src/operator/runtime/resource-kind';
import { FakeApiServer } from '../../operator/runtime/support/fake-api-server';

const client = (continueToken?: string) => ({ listPage: () => Promise.resolve({ items: [{}], resourceVersion: '1', continueToken }) }) as unknown as KubeClient;

test('what is there beyond the most that is read is told, and how to see it', async () => {
  const reader = new Reader(client('more'));
  expect(await reader.list(PODS, undefined)).toHaveLength(1);
  expect(reader.unread).toEqual([`There are more than ${LIMIT} pods: only the first ${LIMIT}, by name, are read. Select a namespace to see the others.`]);
  const inNamespace = new Reader(client('more'));
  await inNamespace.list(PODS, 'ml');
  expect(inNamespace.unread).toEqual([`There are more than ${LIMIT} pods in ml: only the first ${LIMIT}, by name, are read.`]);
  // It is no lack of rights.
  expect(inNamespace.refusals).toBe(0);
});

test('a list that is whole, and one of which a part was asked for, are not told of', async () => {
  const whole = new Reader(client());
  await whole.list(PODS, undefined);
  const part = new Reader(client('more'));
  await part.page(PODS, undefined, { limit: 1 });
  expect([...whole.unread, ...part.unread]).toEqual([]);
});

test('what the user may not read is told, and counted', async () => {
  const server = await FakeApiServer.start();
  try {
    const own = new KubeClient({ connection: server.connection() });
    server.failNext(({ resource }) => resource === 'pods', { status: 403 });
    const reader = new Reader(own);
    expect(await reader.list(PODS, 'ml')).toBeUndefined();
    expect([reader.refusals, ...reader.unread]).toEqual([1, 'You do not have permission to read pods: their information is missing here.']);
    own.close();
  } finally {
    await server.stop();
  }
});
