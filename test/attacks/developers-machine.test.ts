/**
 * `trainyard dev` on a developer's machine: every other user of the machine reaches its ports, and so does every web page that the developer opens.
 * A page can send a POST of text to any address without being asked first, and reads the answer where the server allows its origin, or where the
 * page's own name has been made to lead to loopback.
 */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { DevEnvironment } from '../../src/local/dev/dev-environment';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { PODS, SECRETS } from '../../src/operator/runtime/resource-kind';
import { TRAINING_JOBS } from '../../src/operator/training/resources';
import { eventually } from '../cluster/support/cluster';
import { temporaryFolder } from '../local/support/temporary-folder';
import { descendants, KNOWS_LISTENING_PORTS, listeningPorts } from '../support/listening-ports';
import { testUnless } from '../support/where-possible';

const OPERATOR_PROGRAM = path.join(__dirname, '..', '..', 'assets', 'operator.mjs');
const PRIVATE = 'what-only-the-developer-may-read';
/** The job of the developer, which must not notice. */
const BYSTANDER = { namespace: 'default', name: 'bystander' };

type Job = KubeObject & { status?: { phase?: string; restarts?: number; ready?: string; progressPercentage?: number } };

const folder = temporaryFolder();
let environment: DevEnvironment;
let client: KubeClient;

beforeAll(async () => {
  environment = await DevEnvironment.start({
    workingDir: folder, operatorProgram: OPERATOR_PROGRAM, onLine: () => undefined, notice: () => undefined, warn: () => undefined,
  });
  client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'private', namespace: 'default' }, stringData: { text: PRIVATE } };
  await client.create(SECRETS, secret as KubeObject);
  const spec = { framework: 'jax', image: 'none', replicas: 1, command: ['/bin/sh', '-c', `echo ${PRIVATE}; while :; do sleep 0.05; done`] };
  await client.create(TRAINING_JOBS, { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: BYSTANDER, spec } as KubeObject);
  await eventually('the job to run', async () => (await job()).status?.phase === 'Running');
  await eventually('its log', async () => await ownLog().catch(() => '') === `${PRIVATE}\n`);
});
afterAll(async () => {
  client?.close();
  await environment?.stop(0);
});

async function job(): Promise<Job> {
  return client.get<Job>(TRAINING_JOBS, BYSTANDER);
}

/** Through the API server. */
async function ownLog(): Promise<string> {
  return client.podLogs({ namespace: 'default', name: 'bystander-worker-0' });
}

interface Answer {
  readonly status?: number;
  /** Who may read it. */
  readonly origin?: string;
  readonly text: string;
}

/** What a page, or another user without credentials, gets; a connection that is cut is an answer without a status. */
async function ask(method: string, url: string, headers: http.OutgoingHttpHeaders, body = ''): Promise<Answer> {
  return new Promise((resolve) => {
    const options = { method, headers, agent: false, rejectUnauthorized: false };
    const request = url.startsWith('https:') ? https.request(url, options) : http.request(url, options);
    request.once('response', (response) => {
      let text = '';
      const { statusCode: status, headers: { 'access-control-allow-origin': origin } } = response;
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; });
      response.once('end', () => resolve({ status, origin, text })).once('error', () => resolve({ text }));
    });
    // A server of TLS may wait for the rest of what it takes for a handshake.
    request.setTimeout(10_000, () => request.destroy());
    request.once('error', () => resolve({ text: '' }));
    request.end(body);
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'evil', namespace: 'default' }, spec: { containers: [{ name: 'main', image: 'none' }] } };
const JOB = { ...POD, apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', spec: { framework: 'jax', image: 'none', replicas: 1 } };
const JOBS_PATH = '/apis/ml.collabnix.io/v1alpha1/namespaces/default/mltrainingjobs';
const METRICS_PATH = '/metrics';

/** What is sent to each port, without a credential. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/v3/kv/range', { key: base64('/registry/'), range_end: base64('/registry0') }],
  ['POST', '/v3/kv/put', { key: base64('/registry/pods/default/evil'), value: base64(JSON.stringify(POD)) }],
  ['POST', '/v3/maintenance/snapshot', {}],
  ['GET', '/containerLogs/default/bystander-worker-0/training'],
  ['GET', METRICS_PATH],
  ['GET', '/debug/pprof/cmdline'],
  ['GET', '/api/v1/namespaces/default/secrets'],
  ['POST', '/api/v1/namespaces/default/pods', POD],
  ['POST', JOBS_PATH, JOB],
  ['POST', `${JOBS_PATH}/bystander/status`, { trainerStatus: { progressPercentage: 100 } }],
];

/** Whether somebody without a credential got what is not theirs. */
function isTaken({ status, origin, text }: Answer, allowed: boolean): boolean {
  return origin !== undefined || text.includes(PRIVATE) || text.includes(base64(PRIVATE)) || (status !== undefined && status < 400 && !allowed);
}

const testPorts = testUnless(KNOWS_LISTENING_PORTS ? undefined : 'the ports of processes are not known on this system', 'the ports of `trainyard dev`');

testPorts('a web page and another user get nothing from any port of `trainyard dev`, and change nothing', async () => {
  const listening = listeningPorts([process.pid, ...descendants(process.pid)]);
  // Two of etcd, the API server, the kubelet server, and the operator's progress endpoint and health checks.
  expect(listening.length).toBeGreaterThanOrEqual(6);
  expect(listening.filter(({ loopback }) => !loopback)).toEqual([]);
  const { metadata: { uid } = {}, status: { phase, restarts } = {} } = await job();

  const taken: object[] = [];
  for (const { port } of listening) {
    for (const scheme of ['http', 'https']) {
      for (const host of [`127.0.0.1:${port}`, `evil.example:${port}`]) {
        await Promise.all(REQUESTS.map(async ([method, requestPath, body]) => {
          const headers = { host, origin: 'https://evil.example', ...body !== undefined && { 'content-type': 'text/plain' } };
          const answer = await ask(method, `${scheme}://127.0.0.1:${port}${requestPath}`, headers, body && JSON.stringify(body));
          // The operator's numbers are for everybody on the machine, but no page may read them.
          if (isTaken(answer, requestPath === METRICS_PATH && host.startsWith('127.0.0.1'))) {
            taken.push({ scheme, host, method, requestPath, ...answer, text: answer.text.slice(0, 200) });
          }
        }));
      }
    }
  }

  expect(taken).toEqual([]);
  await expect(client.get(PODS, { namespace: 'default', name: 'evil' })).rejects.toMatchObject({ status: 404 });
  await expect(client.get(TRAINING_JOBS, { namespace: 'default', name: 'evil' })).rejects.toMatchObject({ status: 404 });
  expect(await job()).toMatchObject({ metadata: { uid }, status: { phase, restarts } });
  expect(await ownLog()).toBe(`${PRIVATE}\n`);
  expect(fs.statSync(environment.kubeconfig).mode & 0o777).toBe(0o600);
});
