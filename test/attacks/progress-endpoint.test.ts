/** The operator's ports, which every pod of the cluster may reach: connections that say nothing, tokens of others, and reports without end. */
import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { describeAttacks } from './support/attack-suite';
import { eventually } from '../cluster/support/cluster';
import { podToken } from '../cluster/support/pod-token';
import type { ProgressClient } from '../cluster/support/progress-client';
import { progressAudience } from '../../src/model/progress/contract';
import { CHECKPOINT_FIELD_MANAGER } from '../../src/operator/training/progress/writer';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-reports-'));
const auditLog = path.join(folder, 'audit.log');
const suite = describeAttacks({ plane: { auditLogPath: auditLog, apiServerArgs: ['--audit-log-mode=blocking'] } });
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The attacker's addresses; all of 127.0.0.0/8 are this machine. The bystander reports from 127.0.0.1. */
const STRANGER = '127.0.0.2';
const REPORTER = '127.0.0.3';

/** More than a server has places for. */
const CONNECTIONS = 5_000;

const REPORTS = 500;

/** At the same time. */
const REPORTERS = 40;

/** Opened at once: fewer than the system keeps for a process that is slow to take them. */
const BATCH = 250;

interface Flood {
  readonly opened: number;
  readonly closed: number;
}

/** Opens connections and says nothing on them; every tenth begins TLS first. Ended by the signal. */
async function flood(port: number, signal: AbortSignal, count: { -readonly [field in keyof Flood]: Flood[field] }): Promise<void> {
  const open = async (index: number) => new Promise<void>((resolve) => {
    const options = { host: '127.0.0.1', port, localAddress: STRANGER };
    const socket = index % 10 === 0 ? tls.connect({ ...options, rejectUnauthorized: false }) : net.connect(options);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    // Nothing is read: the end of a connection shows only to those who do.
    socket.resume().once('connect', () => count.opened++).once('error', () => undefined).once('close', () => count.closed++);
    socket.once('connect', () => resolve()).once('close', () => resolve());
  });
  for (let done = 0; done < CONNECTIONS && !signal.aborted; done += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, async (_entry, index) => open(index)));
  }
}

test.each([
  ['the progress endpoint', async () => (await suite.operator.logs('progress endpoint is listening')).port as number],
  ['the health port', async () => (await suite.operator.logs('operator starts')).healthPort as number],
])(`${CONNECTIONS} connections of one address to %s that say nothing keep nobody else from an answer`, async (_server, portOf) => {
  const port = await portOf();
  const { healthPort } = await suite.operator.logs('operator starts');
  const count = { opened: 0, closed: 0 };
  const end = new AbortController();
  setMaxListeners(CONNECTIONS + 1, end.signal);
  try {
    await flood(port as number, end.signal, count);
    expect(await suite.bystander.problems()).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${healthPort}/healthz`)).status).toBe(200);
    expect(count.opened).toBeGreaterThan(CONNECTIONS / 2);
    // More than it keeps of one address.
    await eventually('the server to have closed many', async () => count.closed > CONNECTIONS / 5);
  } finally {
    end.abort();
  }
});

test('tokens of other pods do not report for a job', async () => {
  const { api, bystander, endpoint, jobs, kubelet, namespace } = suite;
  await jobs.create('mine');
  await kubelet.runAll('mine', 1);
  const victim = { namespace: bystander.namespace, name: 'bystander' };
  const mine = { namespace, name: 'mine' };
  const pod = await api.get('pods', namespace, 'mine-master');
  await api.create('pods', bystander.namespace, {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stranger' }, spec: { containers: [{ name: 'main', image: 'image' }] },
  });
  const stranger = await api.get('pods', bystander.namespace, 'stranger');
  const client = await endpoint();
  const body = { trainerStatus: { lastUpdatedTime: new Date().toISOString(), progressPercentage: 100 } };

  const foreign = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [progressAudience(victim)], expirationSeconds: 3600 } };
  const { status: { token } } = await api.create('serviceaccounts', namespace, foreign, 'default', 'token');
  const tokens = [
    token as string, await podToken(api, mine, pod), await podToken(api, victim, stranger), await client.token(victim, { pod: 'none' }),
  ];
  const answers = await Promise.all(tokens.map(async (each) => client.report(victim, each, body)));
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect((await bystander.jobs.get('bystander')).status?.trainerStatus?.progressPercentage).toBe(50);
  await api.remove('pods', bystander.namespace, 'stranger', { gracePeriodSeconds: 0 });
});

/** Writes of a job's checkpoint so far. */
function checkpointWrites(name: string): number {
  const events = fs.readFileSync(auditLog, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as { verb: string; requestURI: string });
  return events.filter(({ verb, requestURI }) => (
    verb === 'patch' && requestURI.includes(`/${name}/status`) && requestURI.includes(CHECKPOINT_FIELD_MANAGER))).length;
}

/** Reports as many checkpoints as were asked for, each newer than those before. @returns statuses of the answers */
async function reportCheckpoints(client: ProgressClient, job: { namespace: string; name: string }, token: string): Promise<number[]> {
  return Promise.all(Array.from({ length: REPORTS }, async (_entry, step) => {
    const time = new Date().toISOString();
    return (await client.report(job, token, { checkpoint: { step, path: `gs://bucket/${step}`, time } })).status;
  }));
}

test(`${REPORTS} checkpoints at once become a few writes`, async () => {
  const { api, endpoint, jobs, kubelet, namespace } = suite;
  await jobs.create('eager');
  await kubelet.runAll('eager', 1);
  await jobs.untilCondition('eager', 'Running');
  const job = { namespace, name: 'eager' };
  const token = await podToken(api, job, await api.get('pods', namespace, 'eager-master'));
  const agent = new https.Agent({ keepAlive: true, maxSockets: REPORTERS, localAddress: REPORTER });
  const begin = performance.now();
  const statuses = await reportCheckpoints(await endpoint({ agent }), job, token);
  const seconds = (performance.now() - begin) / 1_000;
  agent.destroy();

  expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([]);
  // One a second, and the first one at once.
  expect(checkpointWrites('eager')).toBeGreaterThan(0);
  expect(checkpointWrites('eager')).toBeLessThanOrEqual(seconds + 5);
  expect((await jobs.get('eager')).status?.checkpoint?.path).toMatch(/^gs:\/\/bucket\//);
});
