/** The program that fetches archives, run by a real Python against stores on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { FETCH_FILE, fetchFiles } from '../../../src/manifests/code/code-pod';
import { constructOciArtifact, OCI_EMPTY_CONFIG, sha256 } from '../../../src/manifests/code/oci-artifact';
import { createAuthority, issueServerCertificate } from '../../../src/operator/runtime/credentials/certificates';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { FakeServer, fakeGcs, fakeRegistry, fakeS3, S3_KEYS } from '../../support/fake-stores';

const root = temporaryFolder();
const script = path.join(root, 'code.py');
const servers: FakeServer[] = [];
let archive: Buffer;
let digest: string;
let folders = 0;

beforeAll(() => {
  fs.writeFileSync(script, fetchFiles()[FETCH_FILE]);
  const source = path.join(root, 'source');
  fs.mkdirSync(source);
  fs.writeFileSync(path.join(source, 'train.py'), 'print("trained")\n');
  archive = execFileSync('tar', ['-czf', '-', '-C', source, 'train.py']);
  digest = sha256(archive);
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function running(server: Promise<FakeServer>): Promise<FakeServer> {
  servers.push(await server);
  return server;
}

interface Fetched {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly folder: string;
}

/** Runs the program. @param secret files of the job's Secret */
function fetchCode(
  url: string, { env = {}, secret, wanted = digest }: { env?: NodeJS.ProcessEnv; secret?: { readonly [file: string]: string }; wanted?: string } = {},
): Promise<Fetched> {
  const folder = path.join(root, String(++folders));
  const credentials = `${folder}-secret`;
  if (secret !== undefined) {
    fs.mkdirSync(credentials);
    Object.entries(secret).forEach(([file, content]) => fs.writeFileSync(path.join(credentials, file), content));
  }
  return new Promise((resolve) => {
    // A metadata server that is not there, on machines of Google's too.
    const child = spawn('python3', ['-I', '-S', script, url, wanted, folder, ...(secret ? [credentials] : [])], {
      env: { PATH: process.env.PATH, GCE_METADATA_HOST: '127.0.0.1:9', ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => { out += chunk.toString(); });
    child.stderr.on('data', (chunk: Buffer) => { err += chunk.toString(); });
    child.once('close', (code) => resolve({ code, out, err, folder }));
  });
}

function expectFetched({ code, out, err, folder }: Fetched): void {
  expect({ code, out, err }).toEqual({ code: 0, out: `code: ${digest} is in ${folder}\n`, err: '' });
  // Nothing but the files is left.
  expect(fs.readdirSync(folder)).toEqual(['train.py']);
}

describe('from S3', () => {
  test('with keys of the Secret', async () => {
    const server = await running(fakeS3('eu-west-1', new Map([['/bucket/team a/code.tar.gz', archive]])));
    expectFetched(await fetchCode(`s3://bucket/team a/code.tar.gz?region=eu-west-1&endpoint=${server.address}`, { secret: S3_KEYS }));
  });

  test('with keys and a token of the environment, and the region and the address too', async () => {
    const server = await running(fakeS3('us-east-2', new Map([['/bucket/code.tar.gz', archive]]), 'session'));
    expectFetched(await fetchCode('s3://bucket/code.tar.gz', {
      env: { ...S3_KEYS, AWS_SESSION_TOKEN: 'session', AWS_REGION: 'us-east-2', AWS_ENDPOINT_URL_S3: server.address },
    }));
  });

  test('as the role of the pod\'s service account', async () => {
    const server = await running(fakeS3('us-east-1', new Map([['/bucket/code.tar.gz', archive]]), 'of-the-role'));
    const token = path.join(root, 'web-identity');
    fs.writeFileSync(token, 'a token of the cluster\n');
    const sts = await running(FakeServer.start(({ body }) => {
      const form = new URLSearchParams(body.toString());
      const isRight = form.get('RoleArn') === 'arn:aws:iam::1:role/train' && form.get('WebIdentityToken') === 'a token of the cluster';
      const Credentials = { AccessKeyId: S3_KEYS.AWS_ACCESS_KEY_ID, SecretAccessKey: S3_KEYS.AWS_SECRET_ACCESS_KEY, SessionToken: 'of-the-role' };
      const answer = { AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials } } };
      return isRight ? { status: 200, body: JSON.stringify(answer) } : { status: 403 };
    }));
    expectFetched(await fetchCode(`s3://bucket/code.tar.gz?endpoint=${server.address}`, {
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_ROLE_ARN: 'arn:aws:iam::1:role/train', AWS_ENDPOINT_URL_STS: sts.address },
    }));
  });

  test('as the identity that an agent on the node gives to the pod', async () => {
    const server = await running(fakeS3('us-east-1', new Map([['/bucket/code.tar.gz', archive]]), 'of-the-pod'));
    const token = path.join(root, 'pod-identity');
    fs.writeFileSync(token, 'of-the-cluster');
    const agent = await running(FakeServer.start(({ headers }) => (headers.authorization !== 'of-the-cluster' ? { status: 403 } : {
      status: 200, body: JSON.stringify({ AccessKeyId: S3_KEYS.AWS_ACCESS_KEY_ID, SecretAccessKey: S3_KEYS.AWS_SECRET_ACCESS_KEY, Token: 'of-the-pod' }),
    })));
    expectFetched(await fetchCode(`s3://bucket/code.tar.gz?endpoint=${server.address}`, {
      env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.address}/v1/credentials`, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: token },
    }));
  });

  test('without a name from a bucket that is open to all', async () => {
    const server = await running(FakeServer.start(({ headers }) => ({ status: headers.authorization === undefined ? 200 : 400, body: archive })));
    expectFetched(await fetchCode(`s3://bucket/code.tar.gz?endpoint=${server.address}`));
  });

  test('and a refusal is told with its reason and a way out, without keys and signatures', async () => {
    const server = await running(fakeS3('us-east-1', new Map()));
    const refused = await fetchCode(`s3://bucket/code.tar.gz?endpoint=${server.address}`, { secret: { ...S3_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' } });
    expect(refused).toMatchObject({ code: 1, err: `code: s3://bucket/code.tar.gz: ${server.host} answers with status 403 (the signature is another one). Whoever the pod is, it may not read the archive, `
      + 'or there is none: look at spec.code.secretName, or at the identity of its service account, and run trainyard push\n' });
    expect(fs.readdirSync(refused.folder)).toEqual([]);
    const missing = await fetchCode(`s3://bucket/code.tar.gz?endpoint=${server.address}`, { secret: S3_KEYS });
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('answers with status 404 (There is no such key). The archive is not there: run trainyard push') });
    expect(refused.err + missing.err).not.toMatch(/AKIDEXAMPLE|Signature=/);
  });
});

describe('from Google\'s storage', () => {
  const objects = () => new Map([['/bucket/team/code.tar.gz', archive]]);

  test('as the identity of the pod, which the metadata server knows', async () => {
    const server = await running(fakeGcs('of-the-pod', objects()));
    const metadata = await running(FakeServer.start(({ headers, path: asked }) => (
      headers['metadata-flavor'] === 'Google' && asked.endsWith('/default/token') ? { status: 200, body: '{"access_token":"of-the-pod"}' } : { status: 403 })));
    expectFetched(await fetchCode('gs://bucket/team/code.tar.gz', { env: { STORAGE_EMULATOR_HOST: server.address, GCE_METADATA_HOST: metadata.host } }));
  });

  test('with a token of the Secret', async () => {
    const server = await running(fakeGcs('t', objects()));
    expectFetched(await fetchCode('gs://bucket/team/code.tar.gz', { env: { STORAGE_EMULATOR_HOST: server.address }, secret: { GOOGLE_OAUTH_ACCESS_TOKEN: 't' } }));
  });
});

describe('from a registry', () => {
  const content = () => {
    const { manifest, digest: pinned, configDigest } = constructOciArtifact({ digest, size: archive.length });
    return {
      pinned,
      stored: {
        blobs: new Map([[digest, archive], [configDigest, Buffer.from(OCI_EMPTY_CONFIG)]]),
        manifests: new Map([[pinned, Buffer.from(manifest)]]),
      },
    };
  };

  test('that is open to all', async () => {
    const { pinned, stored } = content();
    const server = await running(fakeRegistry(stored));
    expectFetched(await fetchCode(`oci://${server.host}/team/code@${pinned}`));
  });

  test.each(['.dockerconfigjson', 'config.json'])('with the login in the key %s of the Secret', async (key) => {
    const { pinned, stored } = content();
    const server = await running(fakeRegistry(stored, 'robot:pass:word'));
    const auth = Buffer.from('robot:pass:word').toString('base64');
    const config = JSON.stringify({ auths: { 'other.example': { auth: 'eA==' }, [`https://${server.host}/v1/`]: { auth } } });
    expectFetched(await fetchCode(`oci://${server.host}/team/code@${pinned}`, { secret: { [key]: config } }));
    expect(await fetchCode(`oci://${server.host}/team/code@${pinned}`)).toMatchObject({ code: 1, err: expect.stringMatching(/status 401.*give spec\.code\.secretName/) });
  });

  test('and not with another manifest, or another archive in it', async () => {
    const { pinned, stored } = content();
    const server = await running(fakeRegistry({ ...stored, manifests: new Map([[pinned, Buffer.from('{}')]]) }));
    expect(await fetchCode(`oci://${server.host}/team/code@${pinned}`)).toMatchObject({ code: 1, err: expect.stringContaining(`gives a manifest with the digest ${sha256('{}')} for ${pinned}`) });
    const other = await running(fakeRegistry(stored));
    const wanted = `sha256:${'0'.repeat(64)}`;
    expect(await fetchCode(`oci://${other.host}/team/code@${pinned}`, { wanted })).toMatchObject({
      code: 1, err: expect.stringContaining(`has no layer ${wanted}; spec.code.digest and spec.code.url refer to different archives`),
    });
  });

  test('that sends to a store, to which no login is taken along', async () => {
    const { pinned, stored } = content();
    const store = await running(FakeServer.start(({ headers }) => ({ status: headers.authorization === undefined ? 200 : 400, body: archive })));
    const server = await running(fakeRegistry({ ...stored, blobs: new Map() }, 'robot:secret'));
    const auth = Buffer.from('robot:secret').toString('base64');
    const token = '{"token":"for repository:team/code:pull"}';
    const manifest = stored.manifests.get(pinned)!;
    server.next.push(
      { status: 401, headers: { 'www-authenticate': `Bearer realm="${server.address}/token",scope="repository:team/code:pull"` } },
      { status: 200, body: token }, { status: 200, body: manifest }, { status: 307, headers: { location: `${store.address}/blob?X-Signature=s` } },
    );
    expectFetched(await fetchCode(`oci://${server.host}/team/code@${pinned}`, { secret: { 'config.json': JSON.stringify({ auths: { [server.host]: { auth } } }) } }));
    expect(store.requests).toHaveLength(1);
  });
});

describe('from a web server', () => {
  let tls: { cert: string; key: string; authority: string };

  beforeAll(async () => {
    const authority = await createAuthority('test', Date.now(), 3_600_000);
    const { certificate, key } = await issueServerCertificate(authority, ['127.0.0.1'], Date.now(), 3_600_000);
    const file = path.join(root, 'authority.pem');
    fs.writeFileSync(file, authority.certificate);
    tls = { cert: certificate, key, authority: file };
  });

  const env = () => ({ SSL_CERT_FILE: tls.authority });

  test('that is open to all', async () => {
    const server = await running(FakeServer.start(() => ({ status: 200, body: archive }), tls));
    expectFetched(await fetchCode(`${server.address}/code.tar.gz?version=3`, { env: env() }));
    expect(server.requests.map(({ path: asked }) => asked)).toEqual(['/code.tar.gz?version=3']);
  });

  test.each([
    ['a header', { AUTHORIZATION: 'Bearer abc' }, 'Bearer abc'], ['a name and a password', { USERNAME: 'me', PASSWORD: 'p' }, `Basic ${Buffer.from('me:p').toString('base64')}`],
  ])('with %s of the Secret', async (_what, secret, authorization) => {
    const server = await running(FakeServer.start(({ headers }) => (
      { status: headers.authorization === authorization ? 200 : 401, body: archive }), tls));
    expectFetched(await fetchCode(`${server.address}/code.tar.gz`, { env: env(), secret: secret as unknown as { [file: string]: string } }));
  });

  test('again, where it could not answer for a moment', async () => {
    const server = await running(FakeServer.start(() => ({ status: 200, body: archive }), tls));
    server.next.push({ status: 503 });
    const { code, err } = await fetchCode(`${server.address}/code.tar.gz`, { env: env() });
    expect({ code, err }).toEqual({ code: 0, err: 'code: status 503; trying again\n' });
  });

  test('and not what it sends to without encryption, nor from one whose certificate nobody knows', async () => {
    const plain = await running(FakeServer.start(() => ({ status: 200, body: archive })));
    const server = await running(FakeServer.start(() => ({ status: 302, headers: { location: plain.address } }), tls));
    expect(await fetchCode(`${server.address}/code.tar.gz`, { env: env() })).toMatchObject({ code: 1, err: expect.stringContaining('which is not encrypted') });
    expect(plain.requests).toEqual([]);
  });

  test('and not another archive, nor one that is none', async () => {
    const server = await running(FakeServer.start(({ url }) => ({ status: 200, body: url.pathname === '/text' ? 'text' : `${'x'.repeat(10)}` }), tls));
    const other = await fetchCode(`${server.address}/code.tar.gz`, { env: env() });
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining(`has the digest ${sha256('x'.repeat(10))}, and the job asks for ${digest}: it is another archive, or it was changed`) });
    expect(fs.readdirSync(other.folder)).toEqual([]);
    expect(await fetchCode(`${server.address}/text`, { env: env(), wanted: sha256('text') })).toMatchObject({ code: 1, err: expect.stringContaining('the archive cannot be unpacked into') });
  });
});
