/** The Secret with the certificates of the progress endpoint is lost, overwritten or old: pods that run go on reporting, and new ones can. */
import tls from 'node:tls';
import { describeFaults } from './support/fault-suite';
import { OPERATOR_PROGRESS_SECRET } from '../../src/manifests/operator/settings';
import { PROGRESS_CA_ANNOTATION } from '../../src/model/labels';
import type { JobRef } from '../../src/model/progress/contract';
import {
  createAuthority, isIssuedBy, isUsable, issueServerCertificate, pemBlocks, type KeyedCertificate,
} from '../../src/operator/runtime/credentials/certificates';
import { eventually } from '../cluster/support/cluster';
import { LOCAL_ENDPOINT, type OperatorProcess } from '../cluster/support/operator';
import { podToken } from '../cluster/support/pod-token';
import { ProgressClient } from '../cluster/support/progress-client';

// Tokens of pods are those of their namespace's account.
const suite = describeFaults({ controllerManager: { controllers: ['serviceaccount-controller'] } });

const ENV = { ...LOCAL_ENDPOINT, PROGRESS_CERTIFICATES_SECONDS: '1' };
const HOSTS = ['127.0.0.1'];
const DAY_MS = 24 * 3_600_000;
const GARBAGE = '-----BEGIN NONSENSE-----\n%%%';

type Files = Partial<Record<'ca.crt' | 'ca.key' | 'tls.crt' | 'tls.key', string>>;

const filesOf = (authority: KeyedCertificate, server: KeyedCertificate): Files => ({
  'ca.crt': authority.certificate, 'ca.key': authority.key, 'tls.crt': server.certificate, 'tls.key': server.key,
});

async function read(): Promise<Files | undefined> {
  const secret = await suite.api.tryGet('secrets', suite.installation.namespace, OPERATOR_PROGRESS_SECRET);
  const entries = Object.entries((secret?.data ?? {}) as { [key: string]: string });
  return secret && Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

async function remove(): Promise<void> {
  await suite.api.remove('secrets', suite.installation.namespace, OPERATOR_PROGRESS_SECRET);
}

/** Puts this in the place of whatever is there. */
async function overwrite(files: Files): Promise<void> {
  const { namespace } = suite.installation;
  const data = Object.fromEntries(Object.entries(files).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: OPERATOR_PROGRESS_SECRET }, data };
  await (await read() === undefined
    ? suite.api.create('secrets', namespace, secret)
    : suite.api.send('PUT', `/api/v1/namespaces/${namespace}/secrets/${OPERATOR_PROGRESS_SECRET}`, secret));
}

/** An authority that signs itself and a certificate of the endpoint, this many days old. */
async function aged(authorityDays: number, serverDays: number): Promise<readonly [KeyedCertificate, KeyedCertificate]> {
  const authority = await createAuthority('trainyard progress', Date.now() - authorityDays * DAY_MS, 730 * DAY_MS);
  return [authority, await issueServerCertificate(authority, HOSTS, Date.now() - serverDays * DAY_MS, 30 * DAY_MS)];
}

const listens = async (operator: OperatorProcess): Promise<number> => (await operator.logs('progress endpoint is listening')).port as number;

/** The certificate that an operator shows, as PEM. @throws Error when these authorities do not verify it */
async function shown(operator: OperatorProcess, authorities: string): Promise<string> {
  const port = await listens(operator);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca: authorities }, () => {
      resolve(socket.getPeerX509Certificate()!.toString());
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** A pod that reports, with the authorities that it was given when it was created. */
interface Reporter {
  readonly authorities: string;
  readonly report: (operator: OperatorProcess) => Promise<number>;
}

/** Lets a job run, whose pod reports. */
async function reporterOf(name: string): Promise<Reporter> {
  const { api, jobs, namespace } = suite;
  const job: JobRef = { namespace, name };
  await jobs.create(name);
  await jobs.untilCondition(name, 'Running');
  const pod = await api.get('pods', namespace, `${name}-master`);
  const authorities = (pod.metadata.annotations as { [name: string]: string })[PROGRESS_CA_ANNOTATION];
  const token = await podToken(api, job, pod);
  return {
    authorities,
    report: async (operator) => {
      const client = new ProgressClient(api, await listens(operator), authorities);
      return (await client.report(job, token, { trainerStatus: { lastUpdatedTime: new Date().toISOString() } })).status;
    },
  };
}

/** The Secret holds authorities that are those of the test, and a server's certificate that one of them signed, each with its key. */
async function expectWhole(isExpected: (authorities: readonly string[]) => boolean): Promise<Files> {
  return eventually('a whole Secret', async () => {
    const files = await read();
    const authorities = pemBlocks(files?.['ca.crt'] ?? '');
    const [certificate, key] = [files?.['tls.crt'] ?? '', files?.['tls.key'] ?? ''];
    const keys = pemBlocks(files?.['ca.key'] ?? '');
    const isWhole = isUsable({ certificate, key }, 'server') && authorities.every((authority, index) => isUsable({ certificate: authority, key: keys[index] }, 'authority'));
    const signed = isWhole && authorities.map((authority) => isIssuedBy(certificate, authority));
    return signed && signed.includes(true) && isExpected(authorities) && files;
  });
}

beforeEach(remove);

test('a Secret that is deleted or overwritten while the operator runs comes back with its authority, and the pods report all the while', async () => {
  const operator = suite.start('operator', undefined, ENV);
  await suite.leads(operator);
  const reporter = await reporterOf('net');
  const before = (await read())!;
  expect(reporter.authorities).toBe(before['ca.crt']);
  const isSame = (authorities: readonly string[]) => authorities.join('') === before['ca.crt'];
  const stranger = filesOf(...await aged(1, 1));
  const harms: readonly (() => Promise<void>)[] = [
    remove,
    async () => overwrite({}),
    async () => overwrite({ 'ca.crt': GARBAGE, 'ca.key': GARBAGE, 'tls.crt': GARBAGE, 'tls.key': GARBAGE }),
    async () => overwrite({ ...before, 'tls.key': GARBAGE }),
    async () => overwrite({ ...before, 'tls.key': stranger['tls.key'] }),
    async () => overwrite({ ...before, 'ca.key': stranger['ca.key'] }),
  ];
  for (const harm of harms) {
    await harm();
    expect(await reporter.report(operator)).toBe(200);
    await expectWhole(isSame);
    expect(await reporter.report(operator)).toBe(200);
  }
  // A whole set of somebody else is taken in, and nobody is cut off.
  await overwrite(stranger);
  await expectWhole((authorities) => [before['ca.crt']!, stranger['ca.crt']!].every((authority) => authorities.includes(authority)));
  expect(await reporter.report(operator)).toBe(200);
  expect(await (await reporterOf('later')).report(operator)).toBe(200);
});

test.each([
  ['whose certificate has expired', async () => filesOf(...await aged(40, 31)), true],
  ['whose key is not that of the certificate', async () => ({ ...filesOf(...await aged(1, 1)), 'tls.key': (await aged(1, 1))[1].key }), true],
  ['whose authority has expired too', async () => filesOf(...await aged(731, 31)), false],
  ['that is garbage', async () => ({ 'ca.crt': GARBAGE, 'ca.key': GARBAGE, 'tls.crt': GARBAGE, 'tls.key': GARBAGE }), false],
] as const)('an operator that starts with a Secret %s makes what is missing: new pods report, and old ones where their authority lives', async (_what, make, isKept) => {
  const found = await make();
  await overwrite(found);
  const operator = suite.start('operator', undefined, ENV);
  await suite.leads(operator);
  const files = await expectWhole((authorities) => authorities.includes(found['ca.crt']!) === isKept);
  expect(await shown(operator, files['ca.crt']!)).toBe(files['tls.crt']!.trim() + '\n');
  if (isKept) {
    await expect(shown(operator, found['ca.crt']!)).resolves.toContain('BEGIN CERTIFICATE');
  }
  expect(await (await reporterOf('net')).report(operator)).toBe(200);
});

test('of two replicas that find all due at the same moment one renews, both show its certificate, and old pods get through', async () => {
  const [authority, server] = await aged(400, 25);
  await overwrite(filesOf(authority, server));
  // Each has read what is due before one of them may write.
  let writes = 0;
  let bothWrite = (): void => undefined;
  const gate = new Promise<void>((resolve) => { bothWrite = resolve; });
  const replicas = await Promise.all(['first', 'second'].map(async (name) => {
    const proxy = await suite.faultyApi();
    proxy.faultOf = ({ method, resource }) => {
      if (method !== 'PUT' || resource !== 'secrets') {
        return undefined;
      }
      if (++writes === 2) {
        bothWrite();
      }
      return { kind: 'wait', until: gate };
    };
    return suite.start(name, proxy, ENV);
  }));
  await Promise.all(replicas.map(listens));
  // The new authority is published, and the old one signs.
  const files = await expectWhole((authorities) => authorities.length === 2 && authorities[0] === authority.certificate);
  expect(isIssuedBy(files['tls.crt']!, authority.certificate)).toBe(true);
  for (const replica of replicas) {
    expect(await shown(replica, authority.certificate)).toBe(files['tls.crt']);
    expect(await shown(replica, files['ca.crt']!)).toBe(files['tls.crt']);
  }
  expect(writes).toBe(2);
});

test('a replica that starts when the Secret is gone makes another authority, and the one that runs puts its own beside it', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', ENV);
  const reporter = await reporterOf('net');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => { release = resolve; });
  proxy.faultOf = ({ resource }) => (resource === 'secrets' ? { kind: 'wait', until: released } : undefined);
  const { length } = proxy.seen;
  await eventually('the first to look', async () => proxy.seen.slice(length).some(({ resource }) => resource === 'secrets'));
  await remove();
  const second = suite.start('second', undefined, ENV);
  await listens(second);
  const [other] = pemBlocks((await read())!['ca.crt']!);
  expect(other).not.toBe(reporter.authorities);
  release();
  const files = await expectWhole((authorities) => authorities.join('') === `${reporter.authorities}${other}`);
  for (const replica of [first, second]) {
    await eventually('a report', async () => reporter.report(replica).then((status) => status === 200, () => false));
    expect(await shown(replica, reporter.authorities)).toBe(files['tls.crt']);
  }
});
