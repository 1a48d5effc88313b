/** A webhook of somebody else, asked about every pod, that hangs or refuses: part of a gang is there, and waits. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { describeFaults } from './support/fault-suite';
import { createAuthority, issueServerCertificate } from '../../src/operator/runtime/credentials/certificates';
import { eventually } from '../cluster/support/cluster';

const suite = describeFaults();

const GANG = 64;
const HOUR_MS = 3_600_000;

/** What the webhook does with the pods of a job after the first few. */
let verdict: 'allow' | 'refuse' | 'hang' = 'allow';
/** Pods that it still lets through, whatever the verdict. */
let allowed = 0;
let server: https.Server;
let authority: string;

beforeAll(async () => {
  const from = Date.now() - HOUR_MS;
  const ca = await createAuthority('webhook', from, 24 * HOUR_MS);
  const { certificate, key } = await issueServerCertificate(ca, ['127.0.0.1'], from, 24 * HOUR_MS);
  authority = ca.certificate;
  server = https.createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { request: { uid } } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { request: { uid: string } };
      const isAllowed = verdict === 'allow' || allowed-- > 0;
      if (isAllowed || verdict === 'refuse') {
        const status = { code: 403, message: 'no pods today' };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
          apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: isAllowed, ...isAllowed ? {} : { status } },
        }));
      }
      // Else no answer: the API server gives up after its time-out.
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

beforeEach(async () => {
  const { port } = server.address() as AddressInfo;
  verdict = 'allow';
  await suite.api.send('POST', WEBHOOKS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'faulty' },
    webhooks: [{
      name: 'pods.faulty.example.com',
      clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(authority).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': suite.namespace } },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 1,
      admissionReviewVersions: ['v1'],
    }],
  });
  const probe = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
  verdict = 'refuse';
  allowed = 0;
  await eventually('the webhook to be asked', async () => (
    suite.api.send('POST', `/api/v1/namespaces/${suite.namespace}/pods?dryRun=All`, probe).then(() => false, (error: Error) => error.message.includes('no pods today'))));
});
afterEach(async () => suite.api.send('DELETE', `${WEBHOOKS}/faulty`));

test.each([
  ['refuses', 'refuse', 'no pods today'],
  ['hangs', 'hang', 'failed calling webhook'],
] as const)('a webhook that %s leaves part of a gang there; it waits, counts nothing, and is completed afterwards', async (_what, fault, words) => {
  const { api, jobs, namespace } = suite;
  const operator = suite.start('operator');
  await suite.leads(operator);
  verdict = fault;
  allowed = 5;
  await jobs.create('net', { replicas: GANG, runPolicy: { restartPolicy: 'OnFailure' } });
  const first = await eventually('part of the gang', async () => {
    const pods = await api.list('pods', namespace, 'job=net');
    return pods.length === 5 && pods;
  });
  if (fault === 'refuse') {
    const held = await jobs.untilCondition('net', 'Created', 'False');
    expect(held.status!.conditions!.find(({ type }) => type === 'Created')!.message).toContain(words);
  } else {
    await eventually('the operator to be told', async () => operator.log().some((line) => JSON.stringify(line).includes(words)));
  }
  verdict = 'allow';
  const { status } = await jobs.untilCondition('net', 'Running');
  expect([status?.restarts ?? 0, status?.disruptions ?? 0, status?.attempt ?? 0]).toEqual([0, 0, 0]);
  const last = new Set((await api.list('pods', namespace, 'job=net')).map(({ metadata }) => metadata.uid));
  expect([last.size, first.filter(({ metadata }) => !last.has(metadata.uid))]).toEqual([GANG, []]);
  expect(operator.child.running).toBe(true);
});
