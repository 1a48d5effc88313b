import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { readConfig } from '../../../src/operator/training/config';
import { runOperator } from '../../../src/operator/training/operator';
import { eventually } from '../runtime/support/eventually';
import { FakeApiServer, type Fault } from '../runtime/support/fake-api-server';

/** The operator of two namespaces, of which one refuses what the operator asks for. */
const JOBS = 'mltrainingjobs.ml.collabnix.io';

let server: FakeApiServer;
let client: KubeClient;
let stop: AbortController;
let running: Promise<void>;
let lines: { readonly msg: string; readonly [field: string]: unknown }[];
let refusal: Fault | undefined;

function start(): void {
  stop = new AbortController();
  client = new KubeClient({ connection: server.connection(), retryBackoff: { initialMs: 1, maxMs: 2 } });
  const logger = Logger.create({ write: (line) => lines.push(JSON.parse(line) as typeof lines[number]), format: 'json' });
  const config = readConfig({ WATCH_NAMESPACES: 'a,b', POD_NAMESPACE: 'sys', POD_NAME: 'operator-0', HEALTH_PORT: '0', HEALTH_HOST: '127.0.0.1' });
  running = runOperator({ client, config, logger, signal: stop.signal, onLeadershipLost: (reason) => { throw new Error(reason); } });
}

async function end(): Promise<void> {
  stop.abort();
  await running;
  client.close();
}

const createJob = (namespace: string, name = 'net') => server.storage.create(JOBS, namespace, {
  apiVersion: 'ml.collabnix.io/v1alpha1',
  kind: 'MLTrainingJob',
  metadata: { namespace, name, generation: 1 },
  spec: { framework: 'pytorch', image: 'registry.example/net:1', replicas: 1 },
});
const hasPods = (namespace: string, job = 'net') => server.storage.list('pods').some(({ metadata }) => (
  metadata!.namespace === namespace && metadata!.labels?.job === job));
const port = () => lines.find(({ msg }) => msg === 'operator starts')?.healthPort as number;
const ask = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port()}${path}`);
  return { status: answer.status, text: await answer.text() };
};
const unavailable = async (namespace: string) => {
  const { text } = await ask('/metrics');
  return new RegExp(`^trainyard_operator_namespace_unavailable\\{job_namespace="${namespace}"\\} (\\d)$`, 'm').exec(text)?.[1];
};

beforeEach(async () => {
  server = await FakeApiServer.start();
  lines = [];
  refusal = undefined;
  server.faults.push(({ namespace }) => (namespace === 'b' ? refusal : undefined));
});
afterEach(async () => {
  await end();
  await server.stop();
});

test.each([
  ['403', { status: 403, reason: 'Forbidden' }],
  ['404', { status: 404, reason: 'NotFound' }],
])('a namespace that answers with %s keeps no other from being worked on, and is taken up when it answers', async (_status, fault) => {
  refusal = fault;
  createJob('a');
  createJob('b');
  start();
  await eventually('the job of the other namespace has its pods', () => hasPods('a'));
  await eventually('the lost namespace is logged', () => lines.some(({ msg, namespace }) => msg.startsWith('a namespace is unavailable') && namespace === 'b'));
  expect((await ask('/readyz')).status).toBe(200);
  expect((await ask('/healthz')).status).toBe(200);
  expect([await unavailable('a'), await unavailable('b')]).toEqual(['0', '1']);
  expect(hasPods('b')).toBe(false);

  refusal = undefined;
  await eventually('the job of the namespace that is back has its pods', () => hasPods('b'));
  await eventually('the namespace is logged as available', () => lines.some(({ msg, namespace }) => msg === 'a namespace is available again' && namespace === 'b'));
  expect(await unavailable('b')).toBe('0');
});

test('a namespace that is lost while the operator runs keeps no other from being worked on, and neither does it for the next leader', async () => {
  createJob('a');
  createJob('b');
  start();
  await eventually('both jobs have their pods', () => hasPods('a') && hasPods('b'));
  refusal = { status: 403, reason: 'Forbidden' };
  server.dropWatches();
  await eventually('the lost namespace is logged', () => lines.some(({ msg }) => msg.startsWith('a namespace is unavailable')));
  createJob('a', 'second');
  await eventually('a new job of the other namespace has its pods', () => hasPods('a', 'second'));

  await end();
  lines = [];
  createJob('a', 'third');
  start();
  await eventually('the next leader works on the other namespace', () => hasPods('a', 'third'));
  refusal = undefined;
  createJob('b', 'third');
  await eventually('the namespace that is back is worked on', () => hasPods('b', 'third'));
});
