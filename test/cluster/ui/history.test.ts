/**
 * The history on a real API server: the recorder's process with the rights that the construct gives it, a job that ends and is deleted, and pages
 * that show it to a user who may see jobs there, and to nobody else.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Testing } from 'cdk8s';
import { chromium } from 'playwright-core';
import { DashboardHistory, TrainyardDashboard } from '../../../src/constructs/dashboard';
import type { Dashboard } from '../../../src/cli/ui/dashboard/dashboard';
import type { HistoryList } from '../../../src/cli/ui/history/history';
import type { UiHistoryRun } from '../../../src/cli/ui/history/user-history';
import { readPages } from '../../../src/cli/ui/server/answers';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { browserProgram } from '../../../scripts/install-browser.cjs';
import { ask, signIn, startDashboard } from '../../cli/ui/dashboard/support/dashboard';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { nodeWithSqlite } from '../../support/history-stores';
import { applyObjects, removeObjects } from '../support/apply-objects';
import { clusterKubeconfig, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { untilGranted } from '../support/rights';

const RBAC = 'rbac.authorization.k8s.io';
const ASSETS = path.join(__dirname, '..', '..', '..', 'assets');
const HOSTILE = '<img src=x onerror="window.hacked=1">';
const folder = temporaryFolder();
const node = nodeWithSqlite();
const browserFile = browserProgram();
const id = randomBytes(3).toString('hex');

let namespace = '';
let applied: TestObject[] = [];
let recorder: ChildProcess;
let origin = '';
let dashboard: Dashboard;
const cookies: Record<string, string> = {};
const tokens: Record<string, string> = {};

async function tokenOf(name: string, audiences?: string[]): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { ...(audiences && { audiences }) } };
  const { body } = await mustRequest<TestObject>('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, request);
  return body.status.token as string;
}

const JOBS = () => `/apis/${GROUP_VERSION}/namespaces/${namespace}/mltrainingjobs`;

async function api<T>(user: string, place: string): Promise<{ readonly status: number; readonly body: T }> {
  const { status, body } = await ask(dashboard, place, { headers: { cookie: cookies[user] } });
  return { status, body: JSON.parse(body) as T };
}

const listed = async () => (await api<HistoryList>('member', `/api/history?namespace=${namespace}`)).body.runs;

const startRecorder = (kubeconfig: string, port = '0'): ChildProcess => spawn(node!, ['--no-warnings', path.join(ASSETS, 'dashboard.mjs')], {
  env: {
    PATH: process.env.PATH, KUBECONFIG: kubeconfig, PROGRAM: 'recorder', PORT: port, HEALTH_PORT: '0', HISTORY_FOLDER: folder, DASHBOARD_NAMESPACE: namespace, LOG_FORMAT: 'json',
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});

/** Where it answers, from its log. */
async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await eventually('the recorder to answer', async () => {
    if (child.exitCode !== null) {
      throw new Error(`The recorder has ended: ${said}`);
    }
    return said.includes('"origin"');
  });
  return /"origin":"([^"]+)"/.exec(said)![1];
}

(node === undefined ? describe.skip : describe)('a job that is gone', () => {
  beforeAll(async () => {
    await installCrds([constructTrainingJobCrd()]);
    namespace = await createNamespace('history');
    const chart = Testing.chart();
    new TrainyardDashboard(chart, 'Dashboard', { namespace, history: DashboardHistory.sqlite() });
    const own = (Testing.synth(chart) as TestObject[]).filter(({ kind }) => ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'].includes(kind!));
    const metadata = { name: `member-${id}`, namespace };
    applied = [
      ...own, ...['member', 'nobody'].map((name): TestObject => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })),
      {
        apiVersion: `${RBAC}/v1`, kind: 'Role', metadata,
        rules: [{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['get', 'list', 'create'] }, { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] }],
      },
      { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef: { apiGroup: RBAC, kind: 'Role', name: metadata.name }, subjects: [{ kind: 'ServiceAccount', name: 'member', namespace }] },
    ];
    await applyObjects(applied);
    for (const name of ['member', 'nobody', 'trainyard-recorder']) {
      tokens[name] = await tokenOf(name);
    }
    await untilGranted({ user: `system:serviceaccount:${namespace}:member`, verb: 'list', group: 'ml.collabnix.io', resource: 'mltrainingjobs', namespace });
    await untilGranted({ user: `system:serviceaccount:${namespace}:trainyard-recorder`, verb: 'list', group: 'ml.collabnix.io', resource: 'mltrainingjobs', namespace: '' });
    const kubeconfig = JSON.parse(fs.readFileSync(clusterKubeconfig(), 'utf8')) as { users: object[] };
    kubeconfig.users = [{ ...kubeconfig.users[0], user: { token: tokens['trainyard-recorder'] } }];
    fs.writeFileSync(path.join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
    recorder = startRecorder(path.join(folder, 'kubeconfig'));
    origin = await addressOf(recorder);
    fs.writeFileSync(path.join(folder, 'token'), await tokenOf('trainyard-dashboard', ['trainyard-recorder']));
    dashboard = await startDashboard(await loadConnection({ kubeconfig: clusterKubeconfig() }), {
      RECORDER_URL: origin, RECORDER_TOKEN_FILE: path.join(folder, 'token'), ALLOW_CHANGES: 'true', FIRST_NAMESPACE: namespace,
    }, [], readPages(path.join(ASSETS, 'ui')));
    for (const name of ['member', 'nobody']) {
      cookies[name] = await signIn(dashboard, tokens[name]);
    }
    const job: TestObject = {
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name: 'gone', namespace },
      spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 1, hyperparameters: { NOTE: HOSTILE } },
    };
    await mustRequest('POST', JOBS(), job);
    await mustRequest('PATCH', `${JOBS()}/gone/status`, {
      status: {
        phase: 'Failed', completionTime: '2026-01-01T00:10:00Z', conditions: [{ type: 'Failed', status: 'True', reason: 'Hostile', message: HOSTILE, lastTransitionTime: '2026-01-01T00:10:00Z' }],
        progressHistory: [{ time: '2026-01-01T00:01:00Z', metrics: { loss: '2' } }, { time: '2026-01-01T00:02:00Z', metrics: { loss: '1' } }],
      },
    }, 'application/merge-patch+json');
    await eventually('the end to be recorded', async () => (await listed()).some(({ state }) => state === 'Failed'));
    await mustRequest('DELETE', `${JOBS()}/gone`);
    await eventually('the deletion to be recorded', async () => (await listed()).some(({ deletedAt }) => deletedAt !== undefined));
  }, 180_000);

  afterAll(async () => {
    dashboard?.close();
    recorder?.kill('SIGTERM');
    await removeObjects(applied);
    await deleteNamespace(namespace);
  });

  test('is shown with its metrics to a user who may see jobs there, and to nobody else', async () => {
    const [{ uid }] = await listed();
    const place = `/api/history/run?namespace=${namespace}&uid=${uid}`;
    const { body } = await api<UiHistoryRun>('member', place);
    expect(body).toMatchObject({ row: { name: 'gone', state: 'Failed' }, job: { canRerun: true }, points: [{ metrics: { loss: '2' } }, { metrics: { loss: '1' } }] });
    const refused = `You do not have permission to read jobs in the namespace ${namespace}.`;
    expect(await api('nobody', place)).toEqual({ status: 403, body: { message: refused } });
    expect(await api('nobody', `/api/history?namespace=${namespace}`)).toMatchObject({ status: 403 });
    expect(await api('member', '/api/history')).toMatchObject({ status: 403 });
    // Rights in one namespace do not open another one's jobs by their uid.
    expect(await api('member', `/api/history/run?namespace=other&uid=${uid}`)).toMatchObject({ status: 403 });
    const csv = await ask(dashboard, `/api/history/export?namespace=${namespace}&uid=${uid}&format=csv`, { headers: { cookie: cookies.member } });
    expect(csv.body).toBe('time,loss\r\n2026-01-01T00:01:00.000Z,2\r\n2026-01-01T00:02:00.000Z,1\r\n');
  });

  test('cannot be asked of the recorder with a token of another account, or for another audience', async () => {
    for (const token of [tokens.member, await tokenOf('member', ['trainyard-recorder']), await tokenOf('trainyard-dashboard'), 'none']) {
      expect((await fetch(`${origin}/runs`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    }
  });

  (browserFile === undefined ? test.skip : test)('is found, runs no script of its texts, and runs again', async () => {
    const browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(dashboard.origin);
      await page.getByLabel('Token').fill(tokens.member);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('link', { name: 'gone' }).click();
      await page.getByText('Object', { exact: true }).click();
      await page.getByText(HOSTILE).first().waitFor();
      await page.getByText('loss: 1').waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByRole('button', { name: 'Yes, run again' }).click();
      await page.getByText('gone-2 is created from gone.').waitFor();
      const { body } = await mustRequest<TestObject>('GET', `${JOBS()}/gone-2`);
      expect(body.spec.hyperparameters).toEqual({ NOTE: HOSTILE });
    } finally {
      await browser.close();
    }
  });

  async function stopped(): Promise<void> {
    recorder.kill('SIGTERM');
    expect(await once(recorder, 'exit')).toEqual([0, null]);
  }

  test('the process ends in order', stopped);

  test('a recorder that was away for an hour records what is still there and what is gone, and marks the gap', async () => {
    const job = (name: string): TestObject => ({
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace }, spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 1 },
    });
    const again = async (): Promise<void> => {
      recorder = startRecorder(path.join(folder, 'kubeconfig'), new URL(origin).port);
      await addressOf(recorder);
    };
    const runOf = async (name: string) => (await listed()).find((row) => row.name === name);
    await again();
    await mustRequest('POST', JOBS(), job('open'));
    await eventually('it to be recorded', async () => (await runOf('open')) !== undefined);
    await stopped();
    await mustRequest('DELETE', `${JOBS()}/open`);
    await mustRequest('POST', JOBS(), job('late'));
    await mustRequest('PATCH', `${JOBS()}/late/status`, { status: { phase: 'Completed', completionTime: new Date().toISOString() } }, 'application/merge-patch+json');
    // An hour passes: the last report of the recorder becomes that much older.
    const older = "const { DatabaseSync } = require('node:sqlite'); new DatabaseSync(process.argv[1]).exec(\"UPDATE history_meta SET value = value - 3600000 WHERE name = 'beat'\")";
    expect(spawnSync(node!, ['--no-warnings', '-e', older, path.join(folder, 'history.db')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    await again();
    await eventually('both to be recorded', async () => (await runOf('late'))?.state === 'Succeeded' && (await runOf('open'))?.deletedAt !== undefined);
    expect(await runOf('open')).toMatchObject({ state: 'Deleted' });
    const { body: { gaps } } = await api<HistoryList>('member', `/api/history?namespace=${namespace}`);
    expect(gaps.map(({ since, until }) => until - since >= 3_600_000)).toEqual([true]);
    await stopped();
  });
});
