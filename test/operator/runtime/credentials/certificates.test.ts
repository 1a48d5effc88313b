import https from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  certificateFacts, createAuthority, isFor, isIssuedBy, issueServerCertificate, pemBlocks,
} from '../../../../src/operator/runtime/credentials/certificates';
import {
  authoritiesFile, rotated, type CertificateSet, type CertificateWish,
} from '../../../../src/operator/runtime/credentials/certificate-rotation';

const DAY_MS = 24 * 3600 * 1000;
const WISH: CertificateWish = { name: 'test', hosts: ['operator.system.svc', '127.0.0.1'] };
const START = Date.parse('2026-01-01T00:00:00Z');

/** What a client with these authorities makes of a server with this certificate. */
async function connect(set: CertificateSet, ca: string, servername = ''): Promise<string> {
  const server = https.createServer({ cert: set.server.certificate, key: set.server.key }, (_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise((resolve) => {
      const { port } = server.address() as AddressInfo;
      https.get({ host: '127.0.0.1', port, ca, agent: false, servername }, (response) => resolve(`${response.resume().statusCode}`))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a client that trusts the authority trusts the server, by name and by address, and nobody else does', async () => {
  const set = await rotated(undefined, WISH, Date.now());
  const ca = authoritiesFile(set);
  expect(await connect(set, ca)).toBe('200');
  expect(await connect(set, ca, 'operator.system.svc')).toBe('200');
  expect(await connect(set, ca, 'somebody.else.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  const stranger = await createAuthority('test', Date.now(), DAY_MS);
  expect(await connect(set, stranger.certificate)).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED|SIGNATURE/);
  const expired = { ...set, server: await issueServerCertificate(set.authorities[0], WISH.hosts, Date.now() - 10 * DAY_MS, DAY_MS) };
  expect(await connect(expired, ca)).toBe('CERT_HAS_EXPIRED');
});

test('a server that shows a certificate of the older or of the newer authority is trusted by whoever has both', async () => {
  const old = await rotated(undefined, WISH, Date.now() - 400 * DAY_MS);
  const both = await rotated(old, WISH, Date.now());
  expect(both.authorities).toHaveLength(2);
  expect(await connect(both, authoritiesFile(both))).toBe('200');
  const newer = { ...both, server: await issueServerCertificate(both.authorities[1], WISH.hosts, Date.now(), DAY_MS) };
  expect(await connect(newer, authoritiesFile(both))).toBe('200');
  expect(await connect(newer, authoritiesFile(old))).not.toBe('200');
});

test('what is in order is left as it is', async () => {
  const set = await rotated(undefined, WISH, START);
  expect(await rotated(set, WISH, START + 15 * DAY_MS)).toBe(set);
});

test('a server\'s certificate is renewed in the last third of its life, by the same authority', async () => {
  const set = await rotated(undefined, WISH, START);
  const next = await rotated(set, WISH, START + 21 * DAY_MS);
  expect(next.authorities).toEqual(set.authorities);
  expect(next.server).not.toEqual(set.server);
  expect(certificateFacts(next.server.certificate)).toMatchObject({ notAfter: START + 51 * DAY_MS });
  expect(WISH.hosts.every((host) => isFor(next.server.certificate, host))).toBe(true);
});

test('an address is the same however it is written, a name is not a pattern, and a server with IPv6 keeps its certificate', async () => {
  const wish = { ...WISH, hosts: ['*.system.svc', '::1', '2001:db8::10'] };
  const set = await rotated(undefined, wish, START);
  const asked = ['0:0:0:0:0:0:0:1', '2001:DB8:0::10', 'operator.system.svc', '::2'];
  expect(asked.filter((host) => isFor(set.server.certificate, host))).toEqual(asked.slice(0, 2));
  const plain = await rotated(undefined, { ...wish, hosts: wish.hosts.slice(1) }, START);
  expect(await rotated(plain, { ...wish, hosts: wish.hosts.slice(1) }, START)).toBe(plain);
});

test('a server with another name gets another certificate', async () => {
  const set = await rotated(undefined, WISH, START);
  const next = await rotated(set, { ...WISH, hosts: ['new.svc'] }, START);
  expect(next.authorities).toEqual(set.authorities);
  expect(['new.svc', ...WISH.hosts].filter((host) => isFor(next.server.certificate, host))).toEqual(['new.svc']);
});

test('whoever read the authorities once is served for nearly half the life of one, over many lives', async () => {
  const wish = { ...WISH, authorityLifetimeMs: 60 * DAY_MS, serverLifetimeMs: 6 * DAY_MS };
  let set = await rotated(undefined, wish, START);
  let server: CertificateSet['server'] | undefined;
  let signer = '';
  const known = new Map<string, number>();
  const read: { readonly at: number; readonly authorities: readonly string[] }[] = [];
  for (let now = START; now < START + 150 * DAY_MS; now += 2 * DAY_MS) {
    set = await rotated(set, wish, now);
    const authorities = set.authorities.map(({ certificate }) => certificate);
    authorities.filter((authority) => !known.has(authority)).forEach((authority) => known.set(authority, now));
    read.push({ at: now, authorities });
    expect(certificateFacts(set.server.certificate).notAfter - now).toBeGreaterThan(DAY_MS);
    expect(authorities.length).toBeLessThanOrEqual(3);
    if (set.server !== server) {
      server = set.server;
      const signers = authorities.map((authority) => isIssuedBy(server!.certificate, authority));
      signer = authorities[signers.indexOf(true)];
    }
    for (const reader of read.filter(({ at }) => now - at <= 22 * DAY_MS)) {
      expect(reader.authorities).toContain(signer);
    }
  }
  expect(known.size).toBeGreaterThan(4);
});

test('blocks of a PEM file are told apart, whatever stands between them', async () => {
  const { certificate, key } = await createAuthority('test', START, DAY_MS);
  expect(pemBlocks(`${certificate}# comment\n${key}${certificate}`)).toEqual([certificate, key, certificate]);
  expect(pemBlocks('nothing')).toEqual([]);
});
