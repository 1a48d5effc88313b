import { ApiError } from '../../../src/operator/runtime/api-error';
import { CertificateKeeper, type CertificateKeeperOptions, type CertificateSecret } from '../../../src/operator/runtime/certificate-keeper';
import type { CertificateSet } from '../../../src/operator/runtime/certificate-rotation';
import { Logger } from '../../../src/operator/runtime/logger';
import { FakeClock } from './support/fake-clock';

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

test('a Secret that was deleted or spoilt is made anew', async () => {
  const secrets = new FakeSecrets();
  const mine = keeper(secrets, new FakeClock());
  const first = await mine.ensure();
  secrets.stored = undefined;
  const second = await mine.ensure();
  // Pods trust the old authority: it is written again.
  expect(second.authorities).toEqual(first.authorities);
  const spoilt: { [key: string]: string }[] = [{}, { 'tls.crt': 'bm8=', 'ca.crt': 'bm8=' }, { ...secrets.stored!.data, 'ca.key': '' }];
  for (const data of spoilt) {
    secrets.store({ metadata: { name: 'tls' }, data });
    await mine.ensure();
    expect(Buffer.from(secrets.stored!.data!['ca.crt'], 'base64').toString()).toContain('BEGIN CERTIFICATE');
    expect(Buffer.from(secrets.stored!.data!['ca.key'], 'base64').toString()).toContain('BEGIN PRIVATE KEY');
  }
});

test('what the API server does not allow is told to the caller', async () => {
  const secrets = new FakeSecrets();
  secrets.client.create = async () => { throw new ApiError('create', 403, { reason: 'Forbidden' }); };
  await expect(keeper(secrets, new FakeClock()).ensure()).rejects.toThrow('Forbidden');
});
