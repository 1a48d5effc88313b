import { EventRecorder, EventRecorderOptions } from '../../../src/operator/runtime/events';
import { FakeClock } from './support/fake-clock';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { KubeObject } from '../../../src/operator/runtime/kube-object';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { FakeApiServer } from './support/fake-api-server';

let server: FakeApiServer;
let client: KubeClient;
let clock: FakeClock;

const JOB: KubeObject = { apiVersion: 'x/v1', kind: 'Job', metadata: { namespace: 'ns', name: 'job', uid: 'u1', resourceVersion: '7' } };
const NOTE = { type: 'Normal', reason: 'Created', message: 'made 4 pods' } as const;

function recorder(options: Partial<EventRecorderOptions> = {}): EventRecorder {
  return new EventRecorder({ client, clock, logger: Logger.silent(), component: 'trainyard.dev/operator', instance: 'pod-1', ...options });
}

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new KubeClient({ connection: server.connection() });
  clock = new FakeClock();
});

afterEach(async () => {
  client.close();
  await server.stop();
});

it('records an event beside the object that it is about', async () => {
  const events = recorder();
  events.record(JOB, NOTE);
  await events.flush();
  expect(server.storage.list('events')).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({ namespace: 'ns', name: expect.stringMatching(/^job\./) }),
      involvedObject: { apiVersion: 'x/v1', kind: 'Job', namespace: 'ns', name: 'job', uid: 'u1', resourceVersion: '7' },
      ...NOTE,
      source: { component: 'trainyard.dev/operator', host: 'pod-1' },
      reportingComponent: 'trainyard.dev/operator',
      reportingInstance: 'pod-1',
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      count: 1,
    }),
  ]);
});

it('counts a repeated event by a patch, and one that is still waiting without any request', async () => {
  const events = recorder();
  [1, 2, 3].forEach(() => events.record(JOB, NOTE));
  await events.flush();
  await clock.advance(60_000);
  events.record(JOB, NOTE);
  await events.flush();
  expect(server.requests.map(({ verb }) => verb)).toEqual(['create', 'patch']);
  expect(server.storage.list('events')[0]).toMatchObject({ count: 4, firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: '2030-01-01T00:01:00Z' });
});

it('counts what comes while the first one is on its way', async () => {
  let open!: () => void;
  server.failNext(() => true, { gate: new Promise<void>((resolve) => (open = resolve)) });
  const events = recorder();
  events.record(JOB, NOTE);
  await FakeClock.settle();
  events.record(JOB, NOTE);
  open();
  await events.flush();
  expect(server.storage.list('events')).toEqual([expect.objectContaining({ count: 2 })]);
});

it('begins a new event after ten quiet minutes, and when the old one is gone', async () => {
  const events = recorder();
  events.record(JOB, NOTE);
  await events.flush();
  await clock.advance(600_001);
  events.record(JOB, NOTE);
  await events.flush();
  expect(server.storage.list('events')).toHaveLength(2);
  server.storage.list('events').forEach(({ metadata }) => server.storage.delete('events', 'ns', metadata!.name!));
  events.record(JOB, NOTE);
  await events.flush();
  expect(server.storage.list('events')).toHaveLength(1);
});

it('keeps one object from flooding, and lets it speak again later', async () => {
  const events = recorder({ burst: 3, refillMs: 60_000 });
  for (let index = 0; index < 10; index++) {
    events.record(JOB, { ...NOTE, message: `message ${index}` });
  }
  events.record({ ...JOB, metadata: { ...JOB.metadata, name: 'other', uid: 'u2' } }, NOTE);
  await events.flush();
  expect(server.storage.list('events')).toHaveLength(4);
  expect(events.dropped).toBe(7);
  await clock.advance(60_000);
  events.record(JOB, { ...NOTE, message: 'later' });
  await events.flush();
  expect(server.storage.list('events')).toHaveLength(5);
});

it('drops and counts what does not fit in the line or is refused, and never throws', async () => {
  const events = recorder({ maxWaiting: 2, concurrency: 1 });
  server.failNext(() => true, { status: 403 });
  for (let index = 0; index < 5; index++) {
    events.record(JOB, { ...NOTE, message: `message ${index}` });
  }
  await events.flush();
  expect(server.storage.list('events')).toHaveLength(1);
  expect(events.dropped).toBe(4);
});

it('cuts a message to what the API takes, between characters', async () => {
  const events = recorder();
  events.record(JOB, { ...NOTE, message: 'ä'.repeat(2_000) });
  await events.flush();
  const { message } = server.storage.list('events')[0] as { message?: string };
  expect(Buffer.byteLength(message!)).toBeLessThanOrEqual(1024);
  expect(message).toMatch(/^ä+…$/);
});

it('puts events of cluster-scoped objects into the namespace "default"', async () => {
  const events = recorder();
  events.record({ ...JOB, metadata: { name: 'node', uid: 'n' } }, NOTE);
  await events.flush();
  expect(server.storage.list('events')[0].metadata!.namespace).toBe('default');
});
