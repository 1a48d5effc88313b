import { SignJWT, exportJWK, generateKeyPair, type JWK } from 'jose';
import { TokenRefused, TokenVerifier } from '../../../../src/operator/runtime/credentials/token-verifier';
import { FakeClock } from '../support/fake-clock';

const ISSUER = 'https://kubernetes.default.svc';
const CLAIMS = { 'kubernetes.io': { namespace: 'team-a', serviceaccount: { name: 'default' }, pod: { name: 'net-master', uid: 'p1' } } };
type Key = Awaited<ReturnType<typeof newKey>>;

async function newKey(kid: string, alg = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { kid, alg, privateKey, jwk: { ...await exportJWK(publicKey), kid, alg, use: 'sig' } as JWK };
}

/** An API server that publishes keys. */
class FakeIssuer {
  public requests = 0;
  public broken = false;
  public constructor(public keys: Key[]) {}

  public readonly raw = async (_method: string, path: string) => {
    if (this.broken) {
      throw new Error('connection refused');
    }
    this.requests++;
    return path === '/openid/v1/jwks' ? { keys: this.keys.map(({ jwk }) => jwk) } : { issuer: ISSUER };
  };
}

const clock = new FakeClock();
const seconds = () => Math.floor(clock.now() / 1000);

function sign(key: Key, change: { readonly [claim: string]: unknown } = {}, header: object = {}): Promise<string> {
  const claims = { ...CLAIMS, iss: ISSUER, aud: ['us'], exp: seconds() + 3600, ...change };
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}

const verifierOf = (issuer: FakeIssuer) => new TokenVerifier({ client: issuer as unknown as ConstructorParameters<typeof TokenVerifier>[0]['client'], clock });

let rsa: Key;
let ec: Key;
beforeAll(async () => {
  rsa = await newKey('one');
  ec = await newKey('two', 'ES256');
});

test('a good token says whose it is, whatever kind of key the cluster signs with', async () => {
  const verifier = verifierOf(new FakeIssuer([rsa, ec]));
  const expected = { namespace: 'team-a', serviceAccount: 'default', pod: { name: 'net-master', uid: 'p1' } };
  expect(await verifier.verify(await sign(rsa), 'us')).toEqual(expected);
  expect(await verifier.verify(await sign(ec, { aud: ['others', 'us'] }), 'us')).toEqual(expected);
});

test.each<[string, { readonly [claim: string]: unknown }]>([
  ['another audience', { aud: ['them'] }],
  ['no audience', { aud: undefined }],
  ['an end that has passed', { exp: 1 }],
  ['no end', { exp: undefined }],
  ['a beginning that is to come', { nbf: 4_000_000_000 }],
  ['another issuer', { iss: 'https://elsewhere' }],
  ['no namespace', { 'kubernetes.io': {} }],
  ['a namespace that is no text', { 'kubernetes.io': { namespace: 7 } }],
  ['nothing of Kubernetes', { 'kubernetes.io': undefined }],
])('a token with %s is refused', async (_what, change) => {
  await expect(verifierOf(new FakeIssuer([rsa])).verify(await sign(rsa, change), 'us')).rejects.toThrow(TokenRefused);
});

test('tokens that others signed, that nobody signed, or that are none are refused', async () => {
  const verifier = verifierOf(new FakeIssuer([rsa]));
  const forged = await sign({ ...await newKey('one') });
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await sign(rsa)).split('.')[1]}.`;
  const symmetric = await new SignJWT({ ...CLAIMS, iss: ISSUER, aud: 'us', exp: seconds() + 60 }).setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(Buffer.from(JSON.stringify(rsa.jwk)));
  for (const token of [forged, unsigned, symmetric, '', 'a', 'a.b.c', `${await sign(rsa)}x`, 'ä.ö.ü']) {
    await expect(verifier.verify(token, 'us')).rejects.toThrow(TokenRefused);
  }
});

test('a key that is new is read when the first token bears it, but strangers cannot make us ask all the time', async () => {
  const issuer = new FakeIssuer([rsa]);
  const verifier = verifierOf(issuer);
  await verifier.verify(await sign(rsa), 'us');
  const before = issuer.requests;
  issuer.keys = [rsa, ec];
  // Just read: the key cannot be known to be missing.
  await expect(verifier.verify(await sign(ec), 'us')).rejects.toThrow(TokenRefused);
  expect(issuer.requests).toBe(before);
  await clock.advance(11_000);
  await verifier.verify(await sign(ec), 'us');
  const after = issuer.requests;
  expect(after).toBe(before + 2);
  for (let attempt = 0; attempt < 20; attempt++) {
    await expect(verifier.verify(await sign(await newKey(`stranger-${attempt}`, 'ES256')), 'us')).rejects.toThrow(TokenRefused);
  }
  expect(issuer.requests).toBe(after);
});

test('a key that was withdrawn is forgotten within the hour', async () => {
  const issuer = new FakeIssuer([rsa]);
  const verifier = verifierOf(issuer);
  await verifier.verify(await sign(rsa), 'us');
  issuer.keys = [ec];
  await clock.advance(3_600_001);
  await expect(verifier.verify(await sign(rsa), 'us')).rejects.toThrow(TokenRefused);
});

test('an API server that is away: known keys go on to count, and without any the trouble is the server\'s, not the token\'s', async () => {
  const issuer = new FakeIssuer([rsa]);
  const verifier = verifierOf(issuer);
  await verifier.verify(await sign(rsa), 'us');
  issuer.broken = true;
  await clock.advance(3_600_001);
  await expect(verifier.verify(await sign(rsa), 'us')).resolves.toMatchObject({ namespace: 'team-a' });
  await expect(verifierOf(issuer).verify(await sign(rsa), 'us')).rejects.toThrow('connection refused');
});
