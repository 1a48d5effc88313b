/** Uploads of archives, against stores on loopback that are as strict as the real ones. */
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import { remoteArchive } from '../../../src/cli/code/stores';
import { send, StoreError } from '../../../src/cli/code/stores/requests';
import { s3Address } from '../../../src/cli/code/stores/s3';
import { constructOciArtifact, sha256 } from '../../../src/manifests/code/oci-artifact';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { FakeServer, fakeGcs, fakeRegistry, fakeS3, signatureProblem, S3_KEYS, type RegistryContent } from '../../support/fake-stores';

const root = temporaryFolder();
const servers: FakeServer[] = [];
const content = Buffer.from('the bytes of an archive');
const archive = { digest: sha256(content), size: content.length };
/** Nobody is logged in anywhere. */
const nobody = { HOME: root, PATH: process.env.PATH, GCE_METADATA_HOST: '127.0.0.1:9' };

afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function running(server: Promise<FakeServer>): Promise<FakeServer> {
  servers.push(await server);
  return server;
}

function file(name: string, text: string): string {
  const written = path.join(root, name);
  fs.mkdirSync(path.dirname(written), { recursive: true });
  fs.writeFileSync(written, text);
  return written;
}

test('the fake of S3 knows a signature of Amazon\'s own documentation', () => {
  const headers = {
    'host': 'examplebucket.s3.amazonaws.com', 'range': 'bytes=0-9', 'x-amz-date': '20130524T000000Z',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'authorization': 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,'
      + 'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  };
  const request = { method: 'GET', url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'), body: Buffer.alloc(0), headers };
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  expect(signatureProblem(request, 'us-east-1', keys)).toBeUndefined();
  expect(signatureProblem({ ...request, headers: { ...headers, range: 'bytes=0-10' } }, 'us-east-1', keys)).toBe('the signature is another one');
});

describe('S3', () => {
  test('takes an archive once, signed and with its checksum', async () => {
    const objects = new Map<string, Buffer>();
    const server = await running(fakeS3('eu-west-1', objects, 'session'));
    const url = `s3://bucket/team a/(x)/code.tar.gz?region=eu-west-1&endpoint=${server.address}`;
    const place = remoteArchive({ url, ...archive }, { ...nobody, ...S3_KEYS, AWS_SESSION_TOKEN: 'session' });
    expect(await place.exists()).toBe(false);
    await place.upload(content);
    expect([...objects]).toEqual([['/bucket/team a/(x)/code.tar.gz', content]]);
    expect(await place.exists()).toBe(true);
  });

  test('finds keys in the profile of Amazon\'s own tools', async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = S3_KEYS;
    const server = await running(fakeS3('us-east-1', new Map()));
    const AWS_SHARED_CREDENTIALS_FILE = file('credentials', `[default]\naws_access_key_id = wrong\naws_secret_access_key = wrong\n\n[team]\naws_access_key_id=${AWS_ACCESS_KEY_ID}\naws_secret_access_key=${AWS_SECRET_ACCESS_KEY}\n`);
    const place = (AWS_PROFILE: string) => remoteArchive({ url: 's3://bucket/x', ...archive }, { ...nobody, AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE, AWS_ENDPOINT_URL: server.address });
    expect(await place('team').exists()).toBe(false);
    await expect(place('default').exists()).rejects.toThrow('Asking for s3://bucket/x: ');
    expect(() => place('none')).toThrow(/^There are no keys for S3: neither AWS_ACCESS_KEY_ID .* nor the profile 'none' in .*credentials.*export-credentials/);
  });

  test('is not written over where something else has the name', async () => {
    const server = await running(fakeS3('us-east-1', new Map([['/bucket/x', Buffer.from('something else, longer')]])));
    const place = remoteArchive({ url: `s3://bucket/x?endpoint=${server.address}`, ...archive }, { ...nobody, ...S3_KEYS });
    await expect(place.exists()).rejects.toThrow('exists with other content (22 bytes instead of 23), although its name is its digest. Delete it, and push again.');
  });

  test.each([
    ['s3://bucket/a/b.tar.gz', {}, 'https://bucket.s3.us-east-1.amazonaws.com/a/b.tar.gz'],
    ['s3://my.bucket/a?region=eu-west-1', {}, 'https://s3.eu-west-1.amazonaws.com/my.bucket/a'],
    ['s3://bucket/a', { AWS_REGION: 'ap-south-1', AWS_ENDPOINT_URL_S3: 'https://minio.example/' }, 'https://minio.example/bucket/a'],
  ])('has %s at its address', (url, env, address) => {
    expect(s3Address(url, env).address).toBe(address);
  });
});

describe('Google\'s storage', () => {
  const url = 'gs://bucket/team/code.tar.gz';

  test('takes an archive once', async () => {
    const objects = new Map<string, Buffer>();
    const server = await running(fakeGcs('t', objects));
    const place = remoteArchive({ url, ...archive }, { ...nobody, STORAGE_EMULATOR_HOST: server.address, GOOGLE_OAUTH_ACCESS_TOKEN: 't' });
    expect(await place.exists()).toBe(false);
    await place.upload(content);
    await place.upload(content);
    expect([...objects]).toEqual([['/bucket/team/code.tar.gz', content]]);
    expect(await place.exists()).toBe(true);
    objects.set('/bucket/team/code.tar.gz', Buffer.from('other'));
    await expect(place.exists()).rejects.toThrow('exists with other content (5 bytes instead of 23)');
  });

  test('knows a user by the application default credentials', async () => {
    const server = await running(fakeGcs('of-the-user', new Map()));
    const login = await running(FakeServer.start(({ body }) => {
      const form = Object.fromEntries(new URLSearchParams(body.toString()));
      const isRight = form.grant_type === 'refresh_token' && form.refresh_token === 'r' && form.client_id === 'c' && form.client_secret === 's';
      return isRight ? { status: 200, body: '{"access_token":"of-the-user"}' } : { status: 400, body: '{"error":"invalid_grant","error_description":"Bad Request"}' };
    }));
    const credentials = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r', token_uri: login.address };
    file('adc/application_default_credentials.json', JSON.stringify(credentials));
    const env = { ...nobody, STORAGE_EMULATOR_HOST: server.address, CLOUDSDK_CONFIG: path.join(root, 'adc') };
    expect(await remoteArchive({ url, ...archive }, env).exists()).toBe(false);
    const GOOGLE_APPLICATION_CREDENTIALS = file('old.json', JSON.stringify({ ...credentials, refresh_token: 'gone' }));
    const refused = remoteArchive({ url, ...archive }, { ...env, GOOGLE_APPLICATION_CREDENTIALS }).exists();
    await expect(refused).rejects.toThrow(/^Asking Google for a token: .* answers with status 400 \(Bad Request\)$/);
  });

  test('knows a service account by its key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
    const assertions: string[] = [];
    const server = await running(fakeGcs('of-the-account', new Map()));
    const login = await running(FakeServer.start(({ body }) => {
      assertions.push(new URLSearchParams(body.toString()).get('assertion')!);
      return { status: 200, body: '{"access_token":"of-the-account"}' };
    }));
    const GOOGLE_APPLICATION_CREDENTIALS = file('key.json', JSON.stringify({ type: 'service_account', client_email: 'ci@x', private_key: privateKey, private_key_id: 'k1', token_uri: login.address }));
    const env = { ...nobody, STORAGE_EMULATOR_HOST: server.address, GOOGLE_APPLICATION_CREDENTIALS };
    expect(await remoteArchive({ url, ...archive }, env).exists()).toBe(false);
    const { payload } = await jwtVerify(assertions[0], await importSPKI(publicKey, 'RS256'), { issuer: 'ci@x', audience: login.address });
    expect(payload.scope).toBe('https://www.googleapis.com/auth/devstorage.read_write');
    expect(decodeProtectedHeader(assertions[0]).kid).toBe('k1');
  });

  test.each([
    ['nobody is logged in', {}, 'You are not logged in to Google. Log in with "gcloud auth application-default login", or set GOOGLE_OAUTH_ACCESS_TOKEN='],
    ['the file is not there', { GOOGLE_APPLICATION_CREDENTIALS: '/none.json' }, 'GOOGLE_APPLICATION_CREDENTIALS is /none.json, but there is no such file.'],
  ])('says what to do where %s', async (_what, env, words) => {
    await expect(remoteArchive({ url, ...archive }, { ...nobody, ...env }).exists()).rejects.toThrow(words);
  });
});

describe('a registry', () => {
  const empty = (): RegistryContent => ({ blobs: new Map(), manifests: new Map() });
  const { digest: pinned, tag } = constructOciArtifact(archive);
  const urlOf = (server: FakeServer) => `oci://${server.host}/team/code@${pinned}`;

  test('takes an archive as an artifact with a tag', async () => {
    const stored = empty();
    const server = await running(fakeRegistry(stored));
    const place = remoteArchive({ url: urlOf(server), ...archive }, nobody);
    expect(await place.exists()).toBe(false);
    await place.upload(content);
    expect(stored.blobs.get(archive.digest)).toEqual(content);
    expect([...stored.manifests.keys()]).toEqual([pinned, tag]);
    expect(await place.exists()).toBe(true);
    const before = server.requests.length;
    await place.upload(content);
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'PUT']);
  });

  test.each([
    ['in the file', (server: FakeServer) => ({ auths: { [server.host]: { auth: Buffer.from('robot:pass:word').toString('base64') } } })],
    ['with a helper', (server: FakeServer) => ({ credHelpers: { [server.host]: 'test' } })],
    ['with a helper for all', () => ({ credsStore: 'test' })],
  ])('knows a login that docker keeps %s', async (_where, config) => {
    const stored = empty();
    const server = await running(fakeRegistry(stored, 'robot:pass:word'));
    const bin = path.join(root, 'bin');
    fs.mkdirSync(bin, { recursive: true });
    fs.writeFileSync(path.join(bin, 'docker-credential-test'), `#!/bin/sh\nread -r server; [ "$server" = ${server.host} ] && echo '{"Username":"robot","Secret":"pass:word"}'\n`, { mode: 0o755 });
    const DOCKER_CONFIG = path.dirname(file(`docker-${server.host.replace(':', '-')}/config.json`, JSON.stringify(config(server))));
    const place = remoteArchive({ url: urlOf(server), ...archive }, { ...nobody, PATH: `${bin}:${process.env.PATH}`, DOCKER_CONFIG });
    expect(await place.exists()).toBe(false);
    await place.upload(content);
    expect(await place.exists()).toBe(true);
  });

  test('that does not know who asks says how to log in', async () => {
    const server = await running(fakeRegistry(empty(), 'robot:secret'));
    await expect(remoteArchive({ url: urlOf(server), ...archive }, nobody).exists())
      .rejects.toThrow(`Asking ${server.host} for a token: ${server.host} answers with status 401 (unauthorized). Log in with: docker login ${server.host}`);
  });

  test('is sent nothing that belongs to another archive', () => {
    expect(() => remoteArchive({ url: `oci://registry.example/code@sha256:${'0'.repeat(64)}`, ...archive }, nobody)).toThrow('is not the manifest of the archive');
  });
});

describe('requests', () => {
  test('are sent again where a failure may pass, and no more than five times', async () => {
    const server = await running(FakeServer.start(() => ({ status: 503 })));
    const request = () => new Request(server.address);
    await expect(send(request, { doing: 'Asking', pauseMs: 1 })).rejects.toThrow(`Asking: ${server.host} answers with status 503 (tried 5 times)`);
    expect(server.requests).toHaveLength(5);
    server.next.push({ status: 429 }, { status: 200, body: 'ok' });
    expect(await (await send(request, { doing: 'Asking', pauseMs: 1 })).text()).toBe('ok');
  });

  test('say of a server that is not there which one', async () => {
    const refused = send(() => new Request('http://127.0.0.1:9/x'), { doing: 'Asking', pauseMs: 1 });
    await expect(refused).rejects.toThrow(StoreError);
    await expect(refused).rejects.toThrow(/^Asking: 127\.0\.0\.1:9 cannot be reached: /);
  });
});
