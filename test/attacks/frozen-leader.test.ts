/**
 * A leader that is stopped while it makes pods (SIGSTOP, a machine that is paused) wakes up when another leads. It must send nothing more: the API
 * server writes down each request, and whose credentials it had.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ControlPlane } from '../../src/local/control-plane';
import { eventually } from '../cluster/support/cluster';
import { TestKubelet } from '../cluster/support/kubelet';
import { accessOperator, installOperator, startOperator, type Installation, type OperatorProcess } from '../cluster/support/operator';
import { TestApi } from '../cluster/support/test-api';
import { TestJobs } from '../cluster/support/training-jobs';

const REPLICAS = 200;
const LEASE = { LEASE_SECONDS: '4' };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-frozen-'));
const auditLog = path.join(folder, 'audit.log');

let plane: ControlPlane;
let api: TestApi;
const installations: Installation[] = [];
const started: OperatorProcess[] = [];

beforeAll(async () => {
  plane = await ControlPlane.start({ auditLogPath: auditLog, apiServerArgs: ['--audit-log-mode=blocking'] });
  api = new TestApi(plane.access());
});
afterAll(async () => {
  await Promise.all(started.map(async (operator) => operator.kill()));
  await plane?.stop();
  installations.forEach(({ removeFiles }) => removeFiles());
  fs.rmSync(folder, { recursive: true, force: true });
});

/** What the audit log calls the token of an installation. */
function credentialOf({ kubeconfig }: Installation): string {
  const { users: [{ user: { token } }] } = JSON.parse(fs.readFileSync(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString('utf8')) as { jti: string };
  return `JTI=${jti}`;
}

/** Whether a process waits at this moment. What one had checked and was handing to the system when it was stopped, nobody can take back. */
function isWaiting(pid: number): boolean {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')')).startsWith(') S');
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly extra?: { readonly [name: string]: readonly string[] } };
}

/** Writes with these credentials, by the time at which they came. */
function writesOf(installation: Installation): { readonly what: string; readonly at: number }[] {
  const credential = credentialOf(installation);
  return fs.readFileSync(auditLog, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ verb, user }) => ['create', 'update', 'patch', 'delete'].includes(verb)
      && user.extra?.['authentication.kubernetes.io/credential-id']?.includes(credential))
    .map(({ verb, requestURI, requestReceivedTimestamp }) => ({ what: `${verb} ${requestURI}`, at: Date.parse(requestReceivedTimestamp) }));
}

test('a leader that was stopped while it made pods writes nothing when it wakes up, and ends', async () => {
  const namespace = await api.createNamespace('test', false);
  const bystanders = await api.createNamespace('bystander', false);
  const one = await installOperator(api, await api.createNamespace('operator', false));
  const other = await accessOperator(api, one.namespace);
  installations.push(one, other);
  // One request at a time, so that many pods still wait for their turn when it is stopped.
  const first = startOperator(one, { ...LEASE, POD_NAME: 'first', MAX_REQUESTS: '1' });
  started.push(first);
  await first.logs('controller started');
  const second = startOperator(other, { ...LEASE, POD_NAME: 'second' });
  started.push(second);
  await second.logs('operator starts');
  const bystander = new TestJobs(api, bystanders);
  await bystander.create('net', { replicas: 1 });
  await new TestKubelet(api, bystanders).runAll('net', 1);
  await bystander.untilCondition('net', 'Running');

  await new TestJobs(api, namespace).create('wide', { replicas: REPLICAS });
  const pods = async () => (await api.list('pods', namespace)).map(({ metadata }) => metadata.name!);
  await eventually('the first pods', async () => (await pods()).length > 0);
  await eventually('it to wait for something', () => Promise.resolve(isWaiting(first.child.pid!) && process.kill(first.child.pid!, 'SIGSTOP')));
  let wokenAt = Infinity;
  try {
    await second.logs('controller started');
    await eventually('the other to make the rest', async () => (await pods()).length === REPLICAS);
    expect(writesOf(one).length).toBeGreaterThan(0);
    wokenAt = Date.now();
  } finally {
    process.kill(first.child.pid!, 'SIGCONT');
  }
  expect((await first.child.exited).code).toBe(1);
  expect(writesOf(one).filter(({ at }) => at >= wokenAt)).toEqual([]);

  expect(new Set(await pods()).size).toBe(REPLICAS);
  expect((await bystander.get('net')).status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 0, attempt: 0 });
  expect(second.complaints()).toEqual([]);
});
