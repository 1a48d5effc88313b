import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import {
  apiRequest, ControlPlane, ControlPlaneOptions, EXIT_CODE_ANNOTATION, findKubectl, KUBERNETES_VERSION, resolveBinaries, RUN_FOR_ANNOTATION,
} from '../../src/local/control-plane';
import { freePorts } from '../../src/local/control-plane/ports';
import { KNOWS_LISTENING_PORTS, listeningPorts } from '../support/listening-ports';
import { eventually, TestObject } from './support/cluster';
import { testUnless } from '../support/where-possible';

const MODULE = path.resolve(__dirname, '../../src/local/control-plane/index.ts');

/** Control planes of the running test, stopped even when it fails. */
const started: ControlPlane[] = [];
async function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const controlPlane = await ControlPlane.start(options);
  started.push(controlPlane);
  return controlPlane;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map(async (controlPlane) => controlPlane.stop()));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' } });
const pod = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', resources: { limits: { 'nvidia.com/gpu': '1' } } }] },
});

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

describe('a control plane of etcd and kube-apiserver', () => {
  const unexpectedEnds: string[] = [];
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await ControlPlane.start({ users: [{ name: 'ann', groups: ['readers'] }], onUnexpectedExit: (name) => unexpectedEnds.push(name) });
  });
  afterAll(async () => controlPlane.stop());

  test('serves the version that we ask for, on loopback, to the admin and to nobody without a token', async () => {
    const version = await apiRequest<{ gitVersion: string }>(controlPlane.access(), 'GET', '/version');
    expect(version.body.gitVersion).toBe(KUBERNETES_VERSION);
    expect(controlPlane.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect((await apiRequest({ ...controlPlane.access(), token: 'wrong' }, 'GET', '/api/v1/pods')).status).toBe(401);
    expect(Object.keys(controlPlane.pids)).toEqual(['etcd', 'kube-apiserver']);
    // Without kube-controller-manager there is no default ServiceAccount, and pods are accepted all the same.
    expect((await apiRequest(controlPlane.access(), 'POST', PODS, { body: pod('alone') })).status).toBe(201);
  });

  const kubectl = findKubectl();
  testUnless(kubectl ? undefined : 'kubectl is not on the PATH', 'the kubeconfig in kubectl')('its kubeconfig works in kubectl', async () => {
    const output = execFileSync(kubectl!, ['--kubeconfig', controlPlane.kubeconfigPath, 'auth', 'whoami', '-o', 'json'], { encoding: 'utf8' });
    expect(JSON.parse(output).status.userInfo).toMatchObject({ username: 'admin', groups: expect.arrayContaining(['system:masters']) });
  });

  test('further users have what RBAC grants them, and their own kubeconfig', async () => {
    const asAnn = async () => (await apiRequest(controlPlane.access('ann'), 'GET', CONFIG_MAPS)).status;
    expect(await asAnn()).toBe(403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const role = { metadata: { name: 'readers' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }] };
    const binding = {
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
    };
    expect((await apiRequest(controlPlane.access(), 'POST', `${rbac}/clusterroles`, { body: role })).status).toBe(201);
    expect((await apiRequest(controlPlane.access(), 'POST', `${rbac}/clusterrolebindings`, { body: binding })).status).toBe(201);
    await eventually('the grant to count', async () => await asAnn() === 200);
    expect(fs.readFileSync(controlPlane.kubeconfig('ann'), 'utf8')).toContain(controlPlane.access('ann').token);
    expect(() => controlPlane.kubeconfig('ben')).toThrow('This control plane has no user "ben"; it has admin, ann.');
  });

  test('the API server that was killed and started again has its data, address and tokens', async () => {
    const before = { pid: controlPlane.pids['kube-apiserver'], access: controlPlane.access() };
    await apiRequest(before.access, 'POST', CONFIG_MAPS, { body: configMap('kept') });

    await controlPlane.restartApiServer();

    expect(controlPlane.pids['kube-apiserver']).not.toBe(before.pid);
    expect((await apiRequest<TestObject>(before.access, 'GET', `${CONFIG_MAPS}/kept`)).body.data).toEqual({ key: 'value' });
    expect(unexpectedEnds).toEqual([]);
  });
});

/** A request as a page of another origin may send it without being asked first: the status, or what went wrong. */
async function post(url: string, body: object, tls: https.RequestOptions = {}): Promise<{ status: number | string; origin?: string }> {
  const headers = { 'content-type': 'text/plain', 'origin': 'https://evil.example' };
  return new Promise((resolve) => {
    const request = (url.startsWith('https:') ? https : http).request(url, { method: 'POST', headers, agent: false, rejectUnauthorized: false, ...tls });
    request.once('response', (response) => {
      const answer = { status: response.statusCode!, origin: response.headers['access-control-allow-origin'] };
      response.once('end', () => resolve(answer)).once('error', (error) => resolve({ status: error.message })).resume();
    });
    request.once('error', (error) => resolve({ status: error.message }));
    request.end(JSON.stringify(body));
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('etcd of a control plane', () => {
  const RANGE = { key: base64('/registry/secrets/'), range_end: base64('/registry/secrets0') };

  test('rejects clients without a certificate of this control plane, on every port, in plain HTTP and over TLS', async () => {
    const controlPlane = await start();
    const clientPort = Number(new URL(controlPlane.etcdUrl).port);
    const ports = KNOWS_LISTENING_PORTS ? listeningPorts([controlPlane.pids.etcd!]).map(({ port }) => port) : [clientPort];
    expect(ports).toContain(clientPort);
    for (const port of ports) {
      const plain = await post(`http://127.0.0.1:${port}/v3/kv/range`, RANGE);
      // Either the connection is cut or Go says that this is a port of HTTPS.
      expect([400, expect.stringMatching(/socket hang up|ECONNRESET|Parse Error/)]).toContainEqual(plain.status);
      expect(plain.origin).toBeUndefined();
      const withoutCertificate = await post(`https://127.0.0.1:${port}/v3/kv/range`, RANGE);
      expect(withoutCertificate).toEqual({ status: expect.stringMatching(/certificate required|bad certificate|socket hang up|ECONNRESET/) });
    }
    const { caFile, client } = controlPlane.tlsFiles;
    const [ca, cert, key] = [caFile, client.certFile, client.keyFile].map((file) => fs.readFileSync(file));
    const asClient = { ca, cert, key, rejectUnauthorized: true };
    // The JSON gateway is off, also for those who are known, and no page of another origin may read an answer.
    expect(await post(`${controlPlane.etcdUrl}/v3/kv/range`, RANGE, asClient)).toEqual({ status: 404, origin: undefined });
    expect(await post(`${controlPlane.etcdUrl}/health`, {}, { ...asClient, method: 'GET' })).toEqual({ status: 200, origin: undefined });
  });

  test('keeps its certificates and keys where only the user reads them', async () => {
    const controlPlane = await start();
    const folder = path.dirname(controlPlane.tlsFiles.caFile);
    const modes = fs.readdirSync(folder).map((name) => [name, fs.statSync(path.join(folder, name)).mode & 0o777]);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    expect(Object.fromEntries(modes)).toEqual({ 'ca.crt': 0o600, 'client.crt': 0o600, 'client.key': 0o600, 'server.crt': 0o600, 'server.key': 0o600 });
  });

  test('goes on with data that an etcd without certificates has written', async () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-data-'));
    try {
      const [clientPort, peerPort] = await freePorts(2);
      const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
      const earlier = spawn((await resolveBinaries(['etcd'])).get('etcd')!, [
        '--name=trainyard', `--data-dir=${path.join(dataDir, 'etcd')}`, `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=trainyard=${peer}`, '--log-level=error',
      ], { stdio: 'ignore' });
      const ended = new Promise((resolve) => earlier.once('exit', resolve));
      const kept = { ...configMap('kept'), metadata: { name: 'kept', namespace: 'default', uid: 'a0b1c2d3-0000-4000-8000-000000000000' } };
      const put = { key: base64('/registry/configmaps/default/kept'), value: base64(JSON.stringify(kept)) };
      await eventually('etcd to take a value', async () => (await post(`${client}/v3/kv/put`, put)).status === 200);
      earlier.kill('SIGTERM');
      await ended;

      const controlPlane = await start({ dataDir });

      expect((await apiRequest<TestObject>(controlPlane.access(), 'GET', `${CONFIG_MAPS}/kept`)).body.data).toEqual({ key: 'value' });
      await controlPlane.stop();
    } finally {
      fs.rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the life of a control plane', () => {
  test('a program that ends by itself is reported; a stop leaves neither a process nor a file, and a second one does nothing', async () => {
    const ends: [string, string][] = [];
    const controlPlane = await start({ onUnexpectedExit: (...end) => ends.push(end) });
    const pids = Object.values(controlPlane.pids);
    expect(pids.map(isAlive)).toEqual([true, true]);
    process.kill(controlPlane.pids['kube-apiserver']!, 'SIGTERM');
    await eventually('the report', async () => ends.length > 0);
    // With its last words.
    expect(ends).toEqual([['kube-apiserver', expect.stringMatching(/\S/)]]);

    await controlPlane.stop();

    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(controlPlane.pids).toEqual({});
    expect(fs.existsSync(controlPlane.dataDir)).toBe(false);
    await controlPlane.stop();
  });

  test('a data folder of one\'s own takes one control plane at a time and goes on where it was, also after a start that failed', async () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-data-'));
    try {
      const first = await start({ dataDir });
      const access = first.access();
      await apiRequest(access, 'POST', CONFIG_MAPS, { body: configMap('kept') });
      await expect(start({ dataDir })).rejects.toThrow(`is held by process ${process.pid}`);
      await first.stop();

      await expect(start({ dataDir, featureGates: { NoSuchGate: true } })).rejects
        .toThrow(/Control plane: kube-apiserver ended with code 1 while .*\. Its last log lines:\n[^]*unrecognized feature gate: NoSuchGate/);

      // An etcd that was left would hold the lock of its files.
      const second = await start({ dataDir });
      expect(second.access()).toEqual(access);
      expect((await apiRequest(access, 'GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
      await second.stop();
    } finally {
      fs.rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

/** A control plane whose owner was killed, and the folder that it could not clean up. */
async function orphanedFolder(): Promise<string> {
  const program = `
    require(${JSON.stringify(MODULE)}).ControlPlane.start().then((it) => console.log(JSON.stringify({ pids: it.pids, dataDir: it.dataDir })));
  `;
  const owner = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => owner.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const { pids, dataDir } = JSON.parse(line) as { pids: Record<string, number>; dataDir: string };
  expect(Object.values(pids).map(isAlive)).toEqual([true, true]);
  owner.kill('SIGKILL');
  await eventually('its programs to be gone', async () => !Object.values(pids).some(isAlive));
  expect(fs.existsSync(dataDir)).toBe(true);
  return dataDir;
}

describe('a control plane with controller manager, scheduler and fake nodes', () => {
  test('clears away what a killed owner left; schedules pods onto fake nodes, where they run, end as told, and go when deleted', async () => {
    const orphaned = await orphanedFolder();
    const auditLogPath = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-audit-')), 'audit.log');
    const controlPlane = await start({ controllerManager: true, scheduler: true, fakeNodes: { count: 2 }, auditLogPath });
    expect(fs.existsSync(orphaned)).toBe(false);
    const access = controlPlane.access();
    const phaseOf = async (name: string) => (await apiRequest<TestObject>(access, 'GET', `${PODS}/${name}`)).body.status?.phase;
    const wanted = {
      stays: pod('stays'),
      succeeds: pod('succeeds', { [RUN_FOR_ANNOTATION]: '50ms' }),
      fails: pod('fails', { [RUN_FOR_ANNOTATION]: '50ms', [EXIT_CODE_ANNOTATION]: '3' }),
    };
    for (const body of Object.values(wanted)) {
      const answer = await apiRequest(access, 'POST', PODS, { body });
      expect(answer).toMatchObject({ status: 201 });
    }

    await eventually('a pod to run', async () => await phaseOf('stays') === 'Running');
    await eventually('a pod to succeed', async () => await phaseOf('succeeds') === 'Succeeded');
    await eventually('a pod to fail', async () => await phaseOf('fails') === 'Failed');

    const failed = (await apiRequest<TestObject>(access, 'GET', `${PODS}/fails`)).body;
    expect(failed.spec.nodeName).toMatch(/^fake-[01]$/);
    expect(failed.status.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    await apiRequest(access, 'DELETE', `${PODS}/stays`);
    await eventually('the pod to be gone', async () => (await apiRequest(access, 'GET', `${PODS}/stays`)).status === 404);
    await apiRequest(access, 'POST', PODS, { body: pod('comes-after') });
    await eventually('a later pod to run', async () => await phaseOf('comes-after') === 'Running');

    await controlPlane.stop();
    const events = fs.readFileSync(auditLogPath, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    // By this test, and once by its node: a second time could hit another pod of the name.
    const deletions = events.filter(({ verb, stage, objectRef }) => verb === 'delete' && stage === 'ResponseComplete' && objectRef.name === 'stays');
    expect(deletions.map(({ responseStatus: { code } }) => code)).toEqual([200, 200]);
    fs.rmSync(path.dirname(auditLogPath), { recursive: true });
  });
});
