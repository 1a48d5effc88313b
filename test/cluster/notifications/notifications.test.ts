/**
 * Notifications on a real API server, by the notifier as a process with the rights that the constructs write and no others, to a real HTTP receiver
 * and a real SMTP server.
 */
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Chart, Duration, Testing } from 'cdk8s';
import { SMTPServer } from 'smtp-server';
import { NotificationEvent, NotificationReceiver, NotificationRule, TrainyardNotifier, type NotificationRuleProps } from '../../../src/constructs/notifications';
import { Child } from '../../../src/local/control-plane/child-process';
import { constructNotificationRuleCrd } from '../../../src/manifests/notifications/definition';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { createAuthority, issueServerCertificate } from '../../../src/operator/runtime/credentials/certificates';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { programArguments } from '../../support/bundled';
import { applyObjects, removeObjects } from '../support/apply-objects';
import { clusterAccess, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const NOTIFIER = { bundle: 'assets/notifier.mjs', entry: 'src/operator/notifier/main.ts', sources: ['src/operator', 'src/manifests', 'src/model'] };
const KEY = 'a key that is shared';
const PLURALS = { NotificationRule: 'notificationrules' };
const MERGE = 'application/merge-patch+json';
const folder = temporaryFolder();

/** A request that the receiver got. */
interface Received {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  // Tests look at whatever fields a body has.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly at: number;
}

let [system, namespace] = ['', ''];
let applied: TestObject[] = [];
let notifier: Child;
let kubeconfig: string;
let runs = 0;
let isFailing = true;
let landed = 0;
const received: Received[] = [];
const mails: string[] = [];

const landing = http.createServer((_, response) => {
  landed++;
  response.end();
});
const receiver = http.createServer((request, response) => {
  const place = request.url!;
  let text = '';
  request.on('data', (chunk: Buffer) => { text += chunk.toString(); });
  request.on('end', () => {
    if (place === '/slow') {
      // It never answers.
      return;
    }
    if (place === '/redirect') {
      response.writeHead(307, { location: `http://127.0.0.2:${(landing.address() as AddressInfo).port}/` }).end();
      return;
    }
    if (place === '/failing' && isFailing) {
      response.writeHead(503).end();
      return;
    }
    received.push({ path: place, headers: request.headers, text, body: JSON.parse(text), at: Date.now() });
    response.writeHead(204).end();
  });
});
let smtp: SMTPServer;

const listen = async (server: http.Server | SMTPServer, host: string): Promise<number> => {
  const inner = server instanceof SMTPServer ? server.server : server;
  await new Promise<void>((resolve) => { server.listen(0, host, () => resolve()); });
  return (inner.address() as AddressInfo).port;
};

function start(): void {
  notifier = new Child({
    name: 'notifier', command: 'env', logFile: path.join(folder, `notifier-${runs++}.log`),
    args: [
      `KUBECONFIG=${kubeconfig}`, `POD_NAMESPACE=${system}`, 'HEALTH_PORT=0', 'HEALTH_HOST=127.0.0.1', 'LOG_FORMAT=json', 'ALLOWED_ADDRESSES=127.0.0.1/32,::1/128',
      'CLUSTER_NAME=test', process.execPath, ...programArguments(NOTIFIER),
    ],
  });
}

const objectsOf = (build: (chart: Chart) => void): TestObject[] => {
  const chart = new Chart(Testing.app(), 'test', { namespace });
  build(chart);
  return Testing.synth(chart) as TestObject[];
};

const rulePath = (name: string) => `/apis/${GROUP_VERSION}/namespaces/${namespace}/notificationrules/${name}`;
const jobPath = (name: string) => `/apis/${GROUP_VERSION}/namespaces/${namespace}/mltrainingjobs/${name}`;

async function rule(name: string, props: Omit<NotificationRuleProps, 'notifierNamespace'>): Promise<void> {
  const objects = objectsOf((chart) => new NotificationRule(chart, 'Rule', { name, notifierNamespace: system, ...props }));
  applied.push(...objects);
  await applyObjects(objects, PLURALS);
}

async function job(name: string, status: object, metadata: object = {}): Promise<void> {
  await mustRequest('POST', `/apis/${GROUP_VERSION}/namespaces/${namespace}/mltrainingjobs`, {
    apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace, ...metadata }, spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 1 },
  });
  await mustRequest('PATCH', `${jobPath(name)}/status`, { status }, MERGE);
}

const ended = (type: 'Failed' | 'Succeeded', message: string) => {
  const time = new Date().toISOString();
  return {
    phase: type === 'Failed' ? 'Failed' : 'Completed', completionTime: time,
    conditions: [{ type, status: 'True', reason: type === 'Failed' ? 'BackoffLimitExceeded' : 'JobSucceeded', message, lastTransitionTime: time }],
  };
};

const at = (place: string, jobName: string) => received.filter((request) => request.path === place && request.body.data.job === jobName);
const statusOf = async (name: string) => (await mustRequest('GET', rulePath(name))).body.status ?? {};

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd(), constructNotificationRuleCrd()]);
  [system, namespace] = [await createNamespace('notifier'), await createNamespace('notified')];
  const authority = await createAuthority('mail', Date.now(), 3_600_000);
  const { certificate, key } = await issueServerCertificate(authority, ['localhost'], Date.now(), 3_600_000);
  smtp = new SMTPServer({
    cert: certificate, key, authMethods: ['PLAIN'],
    onAuth: ({ username, password }, _session, done) => (username === 'trainyard' && password === 'secret' ? done(null, { user: username }) : done(new Error('wrong password'))),
    onData: (stream, _session, done) => {
      let mail = '';
      stream.on('data', (chunk: Buffer) => { mail += chunk.toString(); });
      stream.on('end', () => {
        mails.push(mail);
        done();
      });
    },
  });
  const [http, mailPort] = [await listen(receiver, '127.0.0.1'), await listen(smtp, '127.0.0.1')];
  await listen(landing, '127.0.0.2');
  const secret = (name: string, stringData: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData });
  applied = [
    ...objectsOf((chart) => new TrainyardNotifier(chart, 'Notifier', { namespace: system, image: 'registry.example/trainyard:1' })).filter(({ kind }) => (
      kind === 'ServiceAccount' || kind!.includes('Role'))),
    secret('hook', { key: KEY, url: `http://127.0.0.1:${http}/hook` }),
    secret('mail', { host: 'localhost', port: String(mailPort), user: 'trainyard', password: 'secret', ca: authority.certificate }),
    secret('private', { url: `http://127.0.0.1:${http}/private` }),
  ];
  await applyObjects(applied, PLURALS);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7200 } };
  const { body } = await mustRequest('POST', `/api/v1/namespaces/${system}/serviceaccounts/trainyard-notifier/token`, request);
  const { url, ca } = clusterAccess();
  kubeconfig = path.join(folder, 'kubeconfig');
  fs.writeFileSync(kubeconfig, JSON.stringify({
    'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'test', 'contexts': [{ name: 'test', context: { cluster: 'test', user: 'notifier' } }],
    'clusters': [{ name: 'test', cluster: { 'server': url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    'users': [{ name: 'notifier', user: { token: body.status.token } }],
  }));
  start();

  const place = (name: string) => `http://127.0.0.1:${http}/${name}`;
  await rule('all', {
    events: [NotificationEvent.FAILED, NotificationEvent.SUCCEEDED],
    receivers: [
      NotificationReceiver.webhook('slow', { url: place('slow') }),
      NotificationReceiver.webhook('failing', { url: place('failing') }),
      NotificationReceiver.webhook('redirect', { url: place('redirect') }),
      NotificationReceiver.webhook('hook', { urlSecret: { name: 'hook', key: 'url' }, signingSecret: { name: 'hook', key: 'key' } }),
      NotificationReceiver.cloudEvents('events', { url: place('events') }),
      NotificationReceiver.email('mail', { smtpSecretName: 'mail', from: 'trainyard@example.com', to: ['team@example.com'] }),
      NotificationReceiver.kubernetesEvent('kubernetes'),
    ],
  });
  await rule('no-right', {
    events: [NotificationEvent.FAILED], grantSecrets: false, receivers: [NotificationReceiver.slack('slack', { name: 'private', key: 'url' })],
  });
  await rule('loop', {
    events: [NotificationEvent.RESTARTED], interval: Duration.seconds(4), onlyNamed: true, receivers: [NotificationReceiver.webhook('loop', { url: place('loop') })],
  });
}, 120_000);

afterAll(async () => {
  notifier.kill();
  await removeObjects(applied, PLURALS);
  await Promise.all([system, namespace].map(async (name) => deleteNamespace(name)));
  receiver.closeAllConnections();
  receiver.close();
  landing.close();
  smtp.close(() => undefined);
});

test('a failure reaches each receiver that answers, signed; a slow, a failing and a redirecting one hold up none', async () => {
  await job('first', ended('Failed', '<!channel>\r\nBcc: all@example.com'));
  const [hook] = await eventually('the webhook', async () => at('/hook', 'first').length > 0 && at('/hook', 'first'));
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = hook.headers;
  expect(signature).toBe(`v1,${createHmac('sha256', KEY).update(`${id as string}.${time as string}.${hook.text}`).digest('base64')}`);
  expect(hook.body).toMatchObject({ type: 'trainingjob.failed', data: { namespace, reason: 'BackoffLimitExceeded', count: 1, cluster: 'test', rule: 'all' } });

  const [event] = await eventually('the CloudEvent', async () => at('/events', 'first').length > 0 && at('/events', 'first'));
  expect(event.headers['content-type']).toMatch(/^application\/cloudevents\+json/);
  expect(event.body).toMatchObject({ specversion: '1.0', id, subject: `${namespace}/first` });

  const mail = await eventually('the mail', async () => mails.find((text) => text.includes(`${namespace}/first`)));
  expect(mail).toContain(`Message-ID: <${id as string}@trainyard-notifier>`);
  expect(mail.slice(0, mail.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc/im);
  await eventually('the Event', async () => {
    const { body } = await mustRequest<{ items: TestObject[] }>('GET', `/api/v1/namespaces/${namespace}/events`);
    return body.items.some(({ reason, involvedObject }) => reason === 'NotifiedFailed' && involvedObject.name === 'first');
  });
  const { receivers } = await eventually('the answers in the status', async () => {
    const status = await statusOf('all');
    const { hook: of, events, mail: byMail, kubernetes, redirect, failing } = status.receivers ?? {};
    return [of, events, byMail, kubernetes].every((each) => each?.delivered === 1) && redirect?.failures > 0 && failing?.failures > 0 && status;
  });
  expect(receivers.redirect.lastError).toContain('redirects to 127.0.0.2');
  expect(receivers.failing.lastError).toBe('the receiver answers with HTTP 503');
  expect(landed).toBe(0);
});

test('a Secret that the namespace has not granted is not read', async () => {
  const error = await eventually('the refusal', async () => (await statusOf('no-right')).receivers?.slack?.lastError as string | undefined);
  expect(error).toContain('may not read the Secret \'private\'');
  expect(received.filter((request) => request.path === '/private')).toEqual([]);
});

test('a notifier that is killed loses nothing and repeats nothing that was answered, also of a job that is gone', async () => {
  notifier.kill();
  await notifier.exited;
  await job('second', ended('Succeeded', 'done'));
  await mustRequest('DELETE', jobPath('first'));
  isFailing = false;
  start();
  await eventually('both messages at the receiver that has failed', async () => at('/failing', 'first').length > 0 && at('/failing', 'second').length > 0);
  await eventually('the second message', async () => at('/hook', 'second').length > 0 && at('/events', 'second').length > 0);
  await eventually('what waits to be the slow and the redirecting one', async () => {
    const { waiting } = await statusOf('all');
    return waiting.length === 2 && waiting.every((message: { receivers: string[] }) => message.receivers.join() === 'slow,redirect');
  });
  for (const place of ['/hook', '/events', '/failing']) {
    expect([at(place, 'first'), at(place, 'second')].map((requests) => new Set(requests.map(({ headers }) => headers['webhook-id'])).size)).toEqual([1, 1]);
    expect(at(place, 'first')).toHaveLength(1);
  }
  expect(at('/failing', 'first')[0].headers['webhook-id']).toBe(at('/hook', 'first')[0].headers['webhook-id']);
});

test('a loop of restarts is one message an interval, and the last restart is not left out', async () => {
  await job('loop', { phase: 'Restarting' }, { annotations: { 'ml.collabnix.io/notify': 'other, loop' } });
  let time = '';
  for (let restarts = 1; restarts <= 40; restarts++) {
    time = new Date(Date.now() + restarts * 1000).toISOString().replace(/\.\d+/, '');
    await mustRequest('PATCH', `${jobPath('loop')}/status`, { status: { restarts, lastRestart: { time, cause: 'Failure', reason: 'Error' } } }, MERGE);
  }
  const messages = await eventually('the last restart', async () => at('/loop', 'loop').some(({ body }) => body.timestamp === time) && at('/loop', 'loop'));
  messages.slice(1).forEach((message, index) => expect(message.at - messages[index].at).toBeGreaterThan(2000));
  expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(messages.length);
  expect(messages.length).toBeLessThan(20);
});

test.each([
  ['two kinds of receiver', { events: ['Failed'], receivers: [{ name: 'a', kubernetesEvent: {}, webhook: { url: 'https://example.com' } }] }, /exactly one of webhook/],
  ['an unknown placeholder', { events: ['Failed'], message: '{password}', receivers: [{ name: 'a', kubernetesEvent: {} }] }, /must not contain braces other than those of/],
  ['a budget without hours', { events: ['Budget'], receivers: [{ name: 'a', kubernetesEvent: {} }] }, /is required for the event Budget/],
  ['an address and a secret one', { events: ['Failed'], receivers: [{ name: 'a', webhook: {} }] }, /must have either url or urlSecret/],
])('the API server refuses %s', async (_, spec, expected) => {
  const object = { apiVersion: GROUP_VERSION, kind: 'NotificationRule', metadata: { name: 'refused', namespace }, spec };
  await expect(mustRequest('POST', `/apis/${GROUP_VERSION}/namespaces/${namespace}/notificationrules`, object)).rejects.toThrow(expected);
});
