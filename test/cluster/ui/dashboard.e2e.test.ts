/**
 * The dashboard of a cluster on a real API server: three users and two namespaces, by tokens and by the header of a proxy, with the rights that the
 * construct writes and no others; and its process as a pod starts it. The pages are driven in Chromium where it is there.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Testing } from 'cdk8s';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { DashboardAuth, TrainyardDashboard } from '../../../src/constructs/dashboard';
import type { Dashboard } from '../../../src/cli/ui/dashboard/dashboard';
import type { UiJobs } from '../../../src/cli/ui/protocol';
import { readPages } from '../../../src/cli/ui/server/answers';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { StaticCredentials } from '../../../src/operator/runtime/credentials/credentials';
import { loadConnection, type ClusterConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { BOOTSTRAP_KEY, SCRATCH_PATH } from '../../../src/manifests/node-program';
import { browserProgram } from '../../../scripts/install-browser.cjs';
import { ask, signIn, startDashboard } from '../../cli/ui/dashboard/support/dashboard';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { upstreamCrds } from '../../support/upstream-definitions';
import { applyObjects, removeObjects } from '../support/apply-objects';
import { clusterKubeconfig, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { untilGranted } from '../support/rights';

const RBAC = 'rbac.authorization.k8s.io';
const ASSETS = path.join(__dirname, '..', '..', '..', 'assets', 'ui');
const JOBS = { group: 'ml.collabnix.io', resource: 'mltrainingjobs' };
const folder = temporaryFolder();
const program = browserProgram();
const id = randomBytes(3).toString('hex');
const memberMail = `member-${id}@example.com`;
const [GROUP, HOSTILE] = [`admins-${id}`, '<img src=x onerror="window.hacked=1">'];

let [a, b] = ['', ''];
let applied: TestObject[] = [];
let connection: ClusterConnection;
const tokens = { admin: '', member: '', nobody: '', dashboard: '' };

/** Rights of a subject in a namespace, or everywhere. */
function granted(name: string, subject: object, rules: object[], namespace?: string): TestObject[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name: `${name}-${id}`, ...(namespace !== undefined && { namespace }) };
  return [
    { apiVersion: `${RBAC}/v1`, kind, metadata, rules },
    { apiVersion: `${RBAC}/v1`, kind: `${kind}Binding`, metadata, roleRef: { apiGroup: RBAC, kind, name: metadata.name }, subjects: [subject] },
  ];
}

const account = (name: string, namespace: string): TestObject => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
const subjectOf = (name: string, namespace: string) => ({ kind: 'ServiceAccount', name, namespace });

async function tokenOf(name: string, namespace: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { body } = await mustRequest<TestObject>('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, request);
  return body.status.token as string;
}

const jobIn = (namespace: string, name: string): TestObject => ({
  apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace, labels: { team: 'a' } },
  spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 1, hyperparameters: { NOTE: HOSTILE } },
});

const KUEUE = 'kueue.x-k8s.io/v1beta2';
const CLUSTER_QUEUE = `gpus-${id}`;

/** A ClusterQueue, a LocalQueue and what waits in it. */
function queues(): TestObject[] {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'training', image: 'registry.example/train:1' }] } };
  return [
    {
      apiVersion: KUEUE, kind: 'ClusterQueue', metadata: { name: CLUSTER_QUEUE },
      spec: {
        namespaceSelector: {},
        resourceGroups: [{ coveredResources: ['nvidia.com/gpu'], flavors: [{ name: 'h100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '8' }] }] }],
      },
    },
    { apiVersion: KUEUE, kind: 'LocalQueue', metadata: { name: 'training', namespace: a }, spec: { clusterQueue: CLUSTER_QUEUE } },
    { apiVersion: KUEUE, kind: 'Workload', metadata: { name: 'waits', namespace: a }, spec: { queueName: 'training', podSets: [{ name: 'main', count: 1, template }] } },
  ];
}

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('kueue')]);
  [a, b] = [await createNamespace('ui-a'), await createNamespace('ui-b')];
  const chart = Testing.chart();
  new TrainyardDashboard(chart, 'Dashboard', { namespace: a, auth: DashboardAuth.headers({ userHeader: 'X-User', groupsHeader: 'X-Groups', proxyNamespaces: ['auth'] }) });
  const own = (Testing.synth(chart) as TestObject[]).filter(({ kind }) => ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'].includes(kind!));
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const work = [
    { apiGroups: [JOBS.group], resources: [JOBS.resource], verbs: ['get', 'list', 'patch', 'create'] },
    { apiGroups: [''], resources: ['pods', 'pods/log', 'events'], verbs: ['get', 'list'] },
    { apiGroups: ['kueue.x-k8s.io'], resources: ['localqueues', 'workloads'], verbs: ['list'] },
  ];
  applied = [
    ...own, ...['admin', 'member', 'nobody'].map((name) => account(name, a)),
    ...granted('admin', subjectOf('admin', a), all), ...granted('member', subjectOf('member', a), work, a),
    ...granted('mail', { apiGroup: RBAC, kind: 'User', name: memberMail }, work, a), ...granted('group', { apiGroup: RBAC, kind: 'Group', name: GROUP }, all),
    jobIn(a, 'alpha'), jobIn(b, 'beta'), ...queues(),
  ];
  await applyObjects(applied);
  // The queue is text that a user wrote; the status is what a controller says.
  await mustRequest('PATCH', `/apis/${GROUP_VERSION}/namespaces/${a}/mltrainingjobs/alpha/status`,
    { status: { phase: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason: 'Hostile', message: HOSTILE, lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
    'application/merge-patch+json');
  const now = '2026-01-01T00:00:00Z';
  await mustRequest('PATCH', `/apis/${KUEUE}/namespaces/${a}/workloads/waits/status`,
    { status: { conditions: [{ type: 'QuotaReserved', status: 'False', reason: 'Pending', message: HOSTILE, lastTransitionTime: now }] } }, 'application/merge-patch+json');
  await mustRequest('PATCH', `/apis/${KUEUE}/clusterqueues/${CLUSTER_QUEUE}/status`,
    { status: { pendingWorkloads: 1, flavorsReservation: [{ name: 'h100', resources: [{ name: 'nvidia.com/gpu', total: '6' }] }] } }, 'application/merge-patch+json');
  for (const name of ['admin', 'member', 'nobody'] as const) {
    tokens[name] = await tokenOf(name, a);
  }
  tokens.dashboard = await tokenOf('trainyard-dashboard', a);
  connection = await loadConnection({ kubeconfig: clusterKubeconfig() });
  await untilGranted({ user: `system:serviceaccount:${a}:member`, verb: 'list', ...JOBS, namespace: a });
  await untilGranted({ user: `system:serviceaccount:${a}:admin`, verb: 'list', ...JOBS, namespace: b });
  await untilGranted({ user: `system:serviceaccount:${a}:trainyard-dashboard`, verb: 'impersonate', resource: 'users', namespace: '' });
  await untilGranted({ user: `system:serviceaccount:${a}:member`, verb: 'list', group: 'kueue.x-k8s.io', resource: 'workloads', namespace: a });
  await untilGranted({ user: memberMail, verb: 'list', ...JOBS, namespace: a });
}, 120_000);

afterAll(async () => {
  await removeObjects(applied);
  await Promise.all([a, b].map(async (namespace) => deleteNamespace(namespace)));
});

type Headers = { readonly [name: string]: string };

/** What the list shows: names of jobs, and what could not be read. */
async function listed(
  dashboard: Dashboard, headers: Headers, namespace?: string,
): Promise<{ readonly names: string[]; readonly unread: readonly string[] }> {
  const place = namespace === undefined ? '/api/jobs' : `/api/jobs?namespace=${namespace}`;
  const { body } = await ask(dashboard, place, { headers, until: /event: jobs\ndata: .*\n\n/ });
  const data = /event: jobs\ndata: (.*)/.exec(body)?.[1];
  if (data === undefined) {
    throw new Error(`No list came: ${body}`);
  }
  const { rows, unread } = JSON.parse(data) as UiJobs;
  return { names: rows.map(({ namespace: of, name }) => `${of}/${name}`).filter((name) => name.startsWith('ui-')), unread };
}

const ALPHA = 'mltrainingjob.ml.collabnix.io/alpha';
const BETA = 'mltrainingjob.ml.collabnix.io/beta';

const jobPage = async (dashboard: Dashboard, headers: Headers, job: string, namespace: string) => (
  ask(dashboard, `/api/job?job=${encodeURIComponent(job)}&namespace=${namespace}`, { headers, until: /\ndata: .*\n\n/ }));

const act = async (dashboard: Dashboard, headers: Headers, action: string, job: string, namespace: string) => (
  ask(dashboard, '/api/action', { headers, body: { action, job, namespace } }));

/** What the three users see of two namespaces. */
async function expectViews(
  dashboard: Dashboard, users: { readonly admin: Headers; readonly member: Headers; readonly nobody: Headers },
): Promise<void> {
  expect((await listed(dashboard, users.admin)).names).toEqual(expect.arrayContaining([`${a}/alpha`, `${b}/beta`]));
  expect((await listed(dashboard, users.member, a)).names).toEqual([`${a}/alpha`]);
  for (const [headers, namespace] of [[users.member, b], [users.nobody, a], [users.nobody, b]] as const) {
    expect(await listed(dashboard, headers, namespace)).toEqual({ names: [], unread: [`You do not have permission to list jobs in the namespace ${namespace}. Choose another one.`] });
  }
  expect(await listed(dashboard, users.member)).toEqual({ names: [], unread: ['You do not have permission to list jobs in all namespaces. Choose a namespace.'] });
  expect((await jobPage(dashboard, users.member, ALPHA, a)).body).toContain('"name":"alpha"');
  const refused = (await jobPage(dashboard, users.member, BETA, b)).body;
  expect(refused).toContain('event: problem');
  expect(refused).toContain('There is no job');
  expect((await jobPage(dashboard, users.nobody, ALPHA, a)).body).toContain('There is no job');
}

describe('users with tokens', () => {
  let dashboard: Dashboard;
  let lines: string[];
  const users = { admin: {}, member: {}, nobody: {} } as { admin: Headers; member: Headers; nobody: Headers };

  const start = async (env: NodeJS.ProcessEnv) => {
    lines = [];
    // The credentials of this connection are the administrator's, and must not be used.
    dashboard = await startDashboard(connection, env, lines);
    for (const name of ['admin', 'member', 'nobody'] as const) {
      users[name] = { cookie: await signIn(dashboard, tokens[name]) };
    }
  };

  afterEach(() => dashboard.close());

  test('see what their rights let them see, also while an administrator looks', async () => {
    await start({});
    await expectViews(dashboard, users);
    expect(JSON.parse((await ask(dashboard, '/api/session', { headers: users.member })).body)).toMatchObject({ user: `system:serviceaccount:${a}:member`, canChange: false });
  });

  test('change nothing where pages only show, whoever they are', async () => {
    await start({});
    expect(await act(dashboard, users.admin, 'delete', ALPHA, a)).toMatchObject({ status: 403, body: expect.stringContaining('allowChanges') as string });
  });

  test('change what their rights let them change, and each change is logged', async () => {
    await start({ ALLOW_CHANGES: 'true' });
    const suspended = async () => (await mustRequest<TestObject>('GET', `/apis/${GROUP_VERSION}/namespaces/${b}/mltrainingjobs/beta`)).body.spec.suspend as boolean;
    expect(await act(dashboard, users.member, 'suspend', BETA, b)).toMatchObject({ status: 422, body: expect.stringContaining('There is no job') as string });
    expect(await suspended()).toBe(false);
    expect(await act(dashboard, users.member, 'delete', ALPHA, a)).toMatchObject({ status: 403, body: expect.stringContaining('cannot delete resource') as string });
    expect(await act(dashboard, users.admin, 'suspend', BETA, b)).toMatchObject({ status: 200 });
    expect(await suspended()).toBe(true);
    expect(await act(dashboard, users.member, 'rerun', ALPHA, a)).toMatchObject({ status: 200, body: expect.stringContaining('alpha-2') as string });
    await mustRequest('DELETE', `/apis/${GROUP_VERSION}/namespaces/${a}/mltrainingjobs/alpha-2`);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(expect.arrayContaining([
      expect.objectContaining({ msg: 'a change by a user was refused', user: `system:serviceaccount:${a}:member`, action: 'delete' }),
      expect.objectContaining({ msg: 'a user changed a job', user: `system:serviceaccount:${a}:admin`, action: 'suspend', job: BETA }),
    ]));
    expect(lines.join('')).not.toContain(tokens.admin);
  });

  test('are not let in by forged headers, changed cookies and other sites', async () => {
    await start({ ALLOW_CHANGES: 'true' });
    const { cookie } = users.admin;
    const forged: readonly Headers[] = [
      { 'x-user': 'system:admin', 'x-forwarded-user': 'admin', 'x-remote-user': 'admin', 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' },
      { cookie: `${cookie.slice(0, -2)}xx` },
      { authorization: `Bearer ${tokens.admin.slice(0, -2)}xx` },
    ];
    for (const headers of forged) {
      expect(await ask(dashboard, '/api/jobs', { headers })).toMatchObject({ status: 401 });
      expect(await act(dashboard, headers, 'delete', ALPHA, a)).toMatchObject({ status: 401 });
    }
    expect((await act(dashboard, { cookie, origin: 'https://evil.example' }, 'delete', ALPHA, a)).status).toBe(403);
    // What is added to the requests of one user makes them nobody else's.
    expect((await listed(dashboard, { ...users.nobody, ...forged[0] }, a)).names).toEqual([]);
  });

  test('whose account is deleted are out', async () => {
    await start({});
    await applyObjects([account('leaver', a)]);
    const leaver = { cookie: await signIn(dashboard, await tokenOf('leaver', a)) };
    await mustRequest('DELETE', `/api/v1/namespaces/${a}/serviceaccounts/leaver`);
    await eventually('the API server to refuse the token', async () => (
      (await ask(dashboard, '/api/jobs', { headers: leaver, until: /\ndata: .*\n\n/ })).body.includes('Unauthorized')));
  });
});

describe('users by header', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard({ ...connection, credentials: new StaticCredentials({ headers: { authorization: `Bearer ${tokens.dashboard}` } }) },
      { AUTH: 'headers', USER_HEADER: 'X-User', GROUPS_HEADER: 'X-Groups', ALLOW_CHANGES: 'true' });
  });
  afterAll(() => dashboard.close());

  test('see and change what the rights of that name let them', async () => {
    const [admin, member, nobody] = [{ 'x-user': `root-${id}`, 'x-groups': `${GROUP},others` }, { 'x-user': memberMail }, { 'x-user': `nobody-${id}` }];
    await expectViews(dashboard, { admin, member, nobody });
    expect(await act(dashboard, member, 'delete', ALPHA, a)).toMatchObject({ status: 403, body: expect.stringContaining(`User \\"${memberMail}\\" cannot delete`) as string });
    expect(await act(dashboard, admin, 'resume', BETA, b)).toMatchObject({ status: 200 });
  });

  test('are not Kubernetes itself', async () => {
    expect(await ask(dashboard, '/api/session', { headers: { 'x-user': 'eve', 'x-groups': 'system:masters' } })).toMatchObject({ status: 403 });
    expect(await ask(dashboard, '/api/session', { headers: { 'x-user': `system:serviceaccount:${a}:admin` } })).toMatchObject({ status: 403 });
  });

  test('are all that the dashboard can act for: its own account reads nothing', async () => {
    const self = await startDashboard(connection, {});
    try {
      const cookie = await signIn(self, tokens.dashboard);
      expect(await listed(self, { cookie }, a)).toEqual({ names: [], unread: [`You do not have permission to list jobs in the namespace ${a}. Choose another one.`] });
    } finally {
      self.close();
    }
  });
});

describe('the process of a pod', () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  test('starts from the ConfigMaps, is healthy, serves, and ends in order', async () => {
    const chart = Testing.chart();
    new TrainyardDashboard(chart, 'Dashboard');
    for (const { data, binaryData } of (Testing.synth(chart) as TestObject[]).filter(({ kind }) => kind === 'ConfigMap')) {
      Object.entries(data ?? {}).forEach(([name, text]) => fs.writeFileSync(path.join(folder, name), String(text).replaceAll(`${SCRATCH_PATH}/dashboard`, `${folder}/dashboard`)));
      Object.entries(binaryData).forEach(([name, text]) => fs.writeFileSync(path.join(folder, name), Buffer.from(String(text), 'base64')));
    }
    // As a pod with tokens of users: it knows where the API server is, and has no credentials.
    const kubeconfig = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8')) as { users: object[] };
    kubeconfig.users = [{ ...kubeconfig.users[0], user: {} }];
    const file = path.join(folder, 'kubeconfig');
    fs.writeFileSync(file, JSON.stringify(kubeconfig));
    const [port, healthPort] = await freePorts(2);
    child = spawn(process.execPath, [path.join(folder, BOOTSTRAP_KEY)], {
      env: { PATH: process.env.PATH, KUBECONFIG: file, PORT: String(port), HEALTH_PORT: String(healthPort), LOG_FORMAT: 'json' }, stdio: ['ignore', 'ignore', 'inherit'],
    });
    const get = async (at: string) => fetch(at).then((response) => response.status, () => undefined);
    await eventually('the process to be ready', async () => await get(`http://127.0.0.1:${healthPort}/readyz`) === 200);
    const origin = `http://127.0.0.1:${port}`;
    expect(await get(`${origin}/`)).toBe(200);
    expect(await (await fetch(`${origin}/main.js`)).text()).toBe(fs.readFileSync(path.join(ASSETS, 'main.js'), 'utf8'));
    const dashboard = { origin } as Dashboard;
    const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${tokens.member}` };
    expect((await listed(dashboard, headers, a)).names).toEqual([`${a}/alpha`]);
    child.kill('SIGTERM');
    await eventually('the process to take no new requests', async () => await get(`http://127.0.0.1:${healthPort}/readyz`) === 503);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, async () => new Promise<http.Server>((resolve) => {
    const server = http.createServer().listen(0, '127.0.0.1', () => resolve(server));
  })));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

(program === undefined ? describe.skip : describe)('in a browser', () => {
  let browser: Browser;
  let dashboard: Dashboard;
  const pageErrors: Error[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  });
  afterAll(async () => browser?.close());
  afterEach(() => {
    dashboard.close();
    expect(pageErrors.splice(0)).toEqual([]);
  });

  async function open(address: string): Promise<Page> {
    const context = await browser.newContext();
    // A busy machine takes longer; states are waited for, and not times.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => pageErrors.push(error));
    await page.goto(address);
    return page;
  }

  const withPages = async (env: NodeJS.ProcessEnv) => startDashboard(connection, { FIRST_NAMESPACE: a, CLUSTER_NAME: 'production', ...env }, [], readPages(ASSETS));

  test('a user signs in, sees jobs whose texts run no script, and signs out', async () => {
    dashboard = await withPages({});
    const page = await open(dashboard.origin);
    await page.getByText('Sign in with a token of the Kubernetes API.').waitFor();
    const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(document, { resultTypes: ['violations'] }); })()`) as axe.AxeResults;
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id: rule }) => rule)).toEqual([]);
    if (process.env.TRAINYARD_RECORD_DOCS) {
      await page.setViewportSize({ width: 1280, height: 420 });
      await page.screenshot({ path: path.join(__dirname, '..', '..', '..', 'docs', 'operator', 'dashboard-sign-in.png') });
    }
    await page.getByLabel('Token').fill('not-a-token-of-this-cluster');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The cluster does not accept the token.').waitFor();
    await page.getByLabel('Token').fill(tokens.member);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`system:serviceaccount:${a}:member`).waitFor();
    await page.getByText('read-only').waitFor();
    await page.getByRole('link', { name: 'alpha' }).click();
    await page.getByText('Object', { exact: true }).click();
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in with a token of the Kubernetes API.').waitFor();
  });

  test('queues show quota to who may read it, and what waits and why to members', async () => {
    dashboard = await withPages({});
    const enter = async (token: string) => {
      const page = await open(`${dashboard.origin}/#/queues`);
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Waiting' }).waitFor();
      return page;
    };
    const admin = await enter(tokens.admin);
    await admin.getByRole('region', { name: `Quota of ${CLUSTER_QUEUE}` }).getByRole('row').filter({ hasText: 'h100' }).filter({ hasText: '75 %' }).waitFor();
    const { violations } = await admin.evaluate(`(() => { ${axe.source}; return axe.run(document, { resultTypes: ['violations'] }); })()`) as axe.AxeResults;
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id: rule }) => rule)).toEqual([]);
    const member = await enter(tokens.member);
    await member.getByRole('row').filter({ hasText: 'training' }).filter({ hasText: HOSTILE }).waitFor();
    await member.getByText('You do not have permission to read clusterqueues.kueue.x-k8s.io').waitFor();
    expect(await member.getByText(CLUSTER_QUEUE).count()).toBe(1);
    expect(await member.evaluate('window.hacked')).toBeUndefined();
    await member.getByRole('link', { name: 'Nodes' }).click();
    await member.getByText('You do not have permission to list nodes, which belong to the whole cluster.').waitFor();
    await member.getByRole('link', { name: 'Cost' }).click();
    await member.getByRole('region', { name: 'Jobs and services' }).getByRole('link', { name: 'alpha' }).waitFor();
  });

  test('there are buttons for what a user may do, and for nothing else', async () => {
    dashboard = await withPages({ ALLOW_CHANGES: 'true' });
    const page = await open(dashboard.origin);
    await page.getByLabel('Token').fill(tokens.member);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'alpha' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  test('the page around it chooses the namespace, as Kubeflow does, and other pages cannot show it', async () => {
    const outer = http.createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<iframe src="${dashboard.origin}/?ns=${a}"></iframe><script>
        addEventListener('message', ({ data }) => { if (data.type === 'iframe-connected') { window.connected = true; } });
        window.choose = (value) => frames[0].postMessage({ type: 'namespace-selected', value }, '*');</script>`);
    });
    await new Promise<void>((resolve) => {
      outer.listen(0, '127.0.0.1', resolve);
    });
    const around = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`;
    try {
      dashboard = await withPages({ FRAME_ANCESTORS: around, FIRST_NAMESPACE: 'default' });
      const page = await open(around);
      const frame = page.frameLocator('iframe');
      await frame.getByLabel('Token').fill(tokens.admin);
      await frame.getByRole('button', { name: 'Sign in' }).click();
      await frame.getByRole('link', { name: 'alpha' }).waitFor();
      await page.waitForFunction('window.connected');
      await page.evaluate(`window.choose(${JSON.stringify(b)})`);
      await frame.getByRole('link', { name: 'beta' }).waitFor();
      dashboard.close();
      dashboard = await withPages({});
      const other = await open(around);
      await other.waitForFunction('frames.length === 1');
      await other.waitForLoadState();
      expect(await other.frameLocator('iframe').getByText('Sign in').count()).toBe(0);
    } finally {
      outer.close();
      outer.closeAllConnections();
    }
  });
});
