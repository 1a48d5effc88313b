import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import { certificateFacts, isIssuedBy, isUsable } from '../../../../src/operator/runtime/credentials/certificates';
import {
  CertificateKeeper, type CertificateKeeperOptions, type CertificateSecret,
} from '../../../../src/operator/runtime/credentials/certificate-keeper';
import type { CertificateSet } from '../../../../src/operator/runtime/credentials/certificate-rotation';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { FakeClock } from '../support/fake-clock';

const DAY_MS = 24 * 3600 * 1000;

/** One Secret that several keepers write to. */
class FakeSecrets {
  public stored?: CertificateSecret;
  private version = 0;

  public readonly client = {
    tryGet: async () => structuredClone(this.stored),
    create: async (_kind: unknown, secret: CertificateSecret) => {
      if (this.stored !== undefined) {
        throw new ApiError('create', 409, { reason: 'AlreadyExists' });
      }
      return this.store(secret);
    },
    replace: async (_kind: unknown, secret: CertificateSecret) => {
      if (secret.metadata?.resourceVersion !== this.stored?.metadata?.resourceVersion) {
        throw new ApiError('update', 409, { reason: 'Conflict' });
      }
      return this.store(secret);
    },
  } as unknown as CertificateKeeperOptions['client'];

  public store(secret: CertificateSecret): CertificateSecret {
    this.stored = structuredClone({ ...secret, metadata: { ...secret.metadata, resourceVersion: String(++this.version) } });
    return structuredClone(this.stored);
  }
}

function keeper(secrets: FakeSecrets, clock: FakeClock, seen: CertificateSet[] = []): CertificateKeeper {
  return new CertificateKeeper({
    client: secrets.client, clock, logger: Logger.silent(), secret: { namespace: 'system', name: 'tls' }, wish: { name: 'test', hosts: ['a.svc'] },
    intervalMs: 300_000,
    onChange: (set) => void seen.push(set),
  });
}

test('replicas that start together end up with the same certificates', async () => {
  const secrets = new FakeSecrets();
  const sets = await Promise.all([1, 2, 3].map(async () => keeper(secrets, new FakeClock()).ensure()));
  expect(new Set(sets.map(({ server }) => server.certificate)).size).toBe(1);
  expect(Buffer.from(secrets.stored!.data!['tls.crt'], 'base64').toString()).toBe(sets[0].server.certificate);
  expect(Object.keys(secrets.stored!.data!).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
});

test('a replica takes over what another one renewed, and tells of it once', async () => {
  const secrets = new FakeSecrets();
  const clock = new FakeClock();
  const seen: CertificateSet[] = [];
  const mine = keeper(secrets, clock, seen);
  await mine.ensure();
  await mine.ensure();
  expect(seen).toHaveLength(1);
  await clock.advance(25 * DAY_MS);
  const other = await keeper(secrets, clock).ensure();
  await mine.ensure();
  expect(seen).toHaveLength(2);
  expect(seen[1].server.certificate).toBe(other.server.certificate);
});

const text = (secret: CertificateSecret | undefined, key: string) => Buffer.from(secret!.data![key], 'base64').toString();

test('a Secret that was deleted or overwritten comes back, with the authorities that pods trust', async () => {
  const secrets = new FakeSecrets();
  const mine = keeper(secrets, new FakeClock());
  const first = await mine.ensure();
  secrets.stored = undefined;
  const second = await mine.ensure();
  // Pods trust the old authority: it is written again.
  expect(second.authorities).toEqual(first.authorities);
  const whole = secrets.stored!.data!;
  const other = new FakeSecrets();
  await keeper(other, new FakeClock()).ensure();
  const overwritten: { [key: string]: string }[] = [
    {}, { 'tls.crt': 'bm8=', 'ca.crt': 'bm8=' }, { ...whole, 'ca.key': '' }, { ...whole, 'tls.key': 'bm8=' },
    // Of somebody else: nothing is unreadable, and nothing fits.
    { ...whole, 'tls.key': other.stored!.data!['tls.key'] }, { ...whole, 'ca.key': other.stored!.data!['ca.key'] }, { ...whole, 'ca.crt': whole['tls.crt'] },
  ];
  for (const data of overwritten) {
    secrets.store({ metadata: { name: 'tls' }, data });
    const { authorities } = await mine.ensure();
    expect(authorities).toEqual(first.authorities);
    expect(text(secrets.stored, 'ca.crt')).toBe(first.authorities[0].certificate);
    expect(text(secrets.stored, 'ca.key')).toBe(first.authorities[0].key);
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => text(secrets.stored, name));
    expect(isUsable({ certificate, key }, 'server')).toBe(true);
  }
});

test('a replica that starts takes over what it can use, and makes the rest', async () => {
  const secrets = new FakeSecrets();
  const first = await keeper(secrets, new FakeClock()).ensure();
  const whole = secrets.stored!.data!;
  const { 'ca.crt': authority, 'ca.key': key } = whole;
  const parts: { [key: string]: string }[] = [{ ...whole, 'tls.key': 'bm8=' }, { 'ca.crt': authority, 'ca.key': key }];
  for (const data of parts) {
    secrets.store({ metadata: { name: 'tls' }, data });
    const { authorities, server } = await keeper(secrets, new FakeClock()).ensure();
    expect(authorities).toEqual(first.authorities);
    expect(isIssuedBy(server.certificate, authorities[0].certificate)).toBe(true);
  }
  secrets.store({ metadata: { name: 'tls' }, data: { ...whole, 'ca.key': 'bm8=' } });
  expect((await keeper(secrets, new FakeClock()).ensure()).authorities).not.toEqual(first.authorities);
});

test('authorities that another replica made because it found none stand beside those that pods know, whose certificate comes back', async () => {
  const secrets = new FakeSecrets();
  const clock = new FakeClock();
  const mine = keeper(secrets, clock);
  const first = await mine.ensure();
  secrets.stored = undefined;
  await clock.advance(1000);
  const other = keeper(secrets, clock);
  const second = await other.ensure();
  expect(second.authorities).not.toEqual(first.authorities);
  const merged = await mine.ensure();
  expect(merged).toEqual({ authorities: [...first.authorities, ...second.authorities], server: first.server });
  expect(await other.ensure()).toEqual(merged);
  // Nobody has anything to add.
  const version = secrets.stored!.metadata!.resourceVersion;
  await mine.ensure();
  await other.ensure();
  expect(secrets.stored!.metadata!.resourceVersion).toBe(version);
});

test('certificates that were made under a clock that is ahead are made again when it is right', async () => {
  const secrets = new FakeSecrets();
  const [right, ahead] = [new FakeClock(), new FakeClock()];
  await ahead.advance(400 * DAY_MS);
  await keeper(secrets, ahead).ensure();
  const { authorities, server } = await keeper(secrets, right).ensure();
  for (const { certificate } of [...authorities, server]) {
    expect(certificateFacts(certificate).notBefore).toBeLessThanOrEqual(right.now());
  }
});

test('what the API server does not allow is told to the caller', async () => {
  const secrets = new FakeSecrets();
  secrets.client.create = async () => { throw new ApiError('create', 403, { reason: 'Forbidden' }); };
  await expect(keeper(secrets, new FakeClock()).ensure()).rejects.toThrow('Forbidden');
});
