import { chmod, mkdtemp, rm, writeFile, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeClock } from '../support/fake-clock';
import { KubeClient } from '../../../../src/operator/runtime/kube-client';
import { loadConnection, loadInCluster } from '../../../../src/operator/runtime/credentials/kubeconfig';
import { FakeApiServer } from '../support/fake-api-server';

let folder: string;
let clock: FakeClock;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  clock = new FakeClock();
});

afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, content: string, mode = 0o600): Promise<string> {
  const full = path.join(folder, name);
  await mkdir(path.dirname(full), { recursive: true });
  await writeFile(full, content);
  await chmod(full, mode);
  return full;
}

function config(user: string, cluster = 'server: https://10.0.0.1:6443'): string {
  return `
apiVersion: v1
kind: Config
current-context: main
contexts:
- name: main
  context: {cluster: c, user: u, namespace: team}
clusters:
- name: c
  cluster:
    ${cluster}
users:
- name: u
  user:
    ${user}
`;
}

describe('a kubeconfig', () => {
  it('gives server, namespace, token and certificate authority', async () => {
    const ca = Buffer.from('PEM').toString('base64');
    const text = config('token: secret', `server: https://10.0.0.1:6443/prefix\n    certificate-authority-data: ${ca}\n    tls-server-name: api`);
    const connection = await loadConnection({ kubeconfig: await file('config', text) });
    expect([connection.server.href, connection.namespace]).toEqual(['https://10.0.0.1:6443/prefix', 'team']);
    expect((await connection.credentials.get()).headers).toEqual({ authorization: 'Bearer secret' });
    expect(await connection.tls()).toEqual({ ca: Buffer.from('PEM'), servername: 'api', rejectUnauthorized: undefined });
  });

  it('may be JSON, may have relative paths, client certificates and impersonation', async () => {
    await file('ca.pem', 'CA');
    await file('cert.pem', 'CERT');
    const user = { 'client-certificate': 'cert.pem', 'client-key-data': Buffer.from('KEY').toString('base64'), as: 'jane', 'as-groups': ['dev', 'ops'] };
    const text = JSON.stringify({
      'current-context': 'main',
      contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://x', 'certificate-authority': 'ca.pem' } }],
      users: [{ name: 'u', user }],
    });
    const connection = await loadConnection({ kubeconfig: await file('config', text) });
    expect(await connection.credentials.get()).toEqual({
      headers: { 'impersonate-user': 'jane', 'impersonate-group': ['dev', 'ops'] },
      certificate: { cert: 'CERT', key: 'KEY' },
    });
    expect(await connection.tls()).toMatchObject({ ca: Buffer.from('CA') });
  });

  it('is found by KUBECONFIG, of several files the first that names something wins', async () => {
    const first = await file('first', 'current-context: main\ncontexts:\n- {name: main, context: {cluster: c, user: u, namespace: first}}\n');
    const second = await file('second', config('token: second'));
    const connection = await loadConnection({ env: { KUBECONFIG: `${first}${path.delimiter}${second}` } });
    expect([connection.namespace, connection.server.host]).toEqual(['first', '10.0.0.1:6443']);
  });

  it('is found in the home folder, and its absence is explained', async () => {
    await expect(loadConnection({ env: { HOME: folder } })).rejects.toThrow(/KUBECONFIG is not set, this is not a pod .* does not exist; set KUBECONFIG/);
    await file('.kube/config', config('token: home'));
    const connection = await loadConnection({ env: { HOME: folder } });
    expect((await connection.credentials.get()).headers).toEqual({ authorization: 'Bearer home' });
  });

  it.each([
    ['an unknown context', config('token: x').replace('current-context: main', 'current-context: other'), 'there is no context "other"; it has: main.'],
    ['a server that is no URL', config('token: x', 'server: nonsense'), 'clusters["c"].cluster.server is "nonsense"; it must be a URL.'],
    ['a proxy', config('token: x', 'server: https://x\n    proxy-url: socks5://y'), 'proxy-url is not supported'],
    ['an auth-provider', config('auth-provider: {name: gcp}'), 'auth-provider "gcp" is not supported; kubectl dropped it in 1.26'],
    ['no YAML', 'a: [', 'it is not valid YAML'],
  ])('with %s is refused with the reason', async (_what, text, message) => {
    await expect(loadConnection({ kubeconfig: await file('config', text) })).rejects.toThrow(message);
  });
});

describe('a credential plugin', () => {
  const plugin = (body: string): string => `#!/bin/sh\necho run >> "$(dirname "$0")/runs"\n${body}\n`;

  async function runs(): Promise<number> {
    return (await readFile(path.join(folder, 'runs'), 'utf8')).split('\n').length - 1;
  }

  it('is run once for many requests, again before its token expires and when the server refuses it', async () => {
    const expires = new Date(clock.now() + 600_000).toISOString();
    await file('plugin', plugin(`echo '{"status":{"token":"t","expirationTimestamp":"${expires}"}}'`), 0o700);
    const { credentials } = await loadConnection({ kubeconfig: await file('config', config('exec: {command: ./plugin}')), clock });
    const all = await Promise.all([credentials.get(), credentials.get(), credentials.get()]);
    expect(all[2].headers).toEqual({ authorization: 'Bearer t' });
    await credentials.get();
    expect(await runs()).toBe(1);
    await clock.advance(580_000);
    await credentials.get();
    expect(await runs()).toBe(2);
    credentials.invalidate();
    await credentials.get();
    expect(await runs()).toBe(3);
  });

  it('gets its arguments and environment', async () => {
    const body = 'printf \'{"status":{"token":"%s-%s"}}\' "$1" "$WHO"';
    await file('plugin', plugin(body), 0o700);
    const user = 'exec: {command: ./plugin, args: [hello], env: [{name: WHO, value: world}]}';
    const { credentials } = await loadConnection({ kubeconfig: await file('config', config(user)), clock });
    expect((await credentials.get()).headers).toEqual({ authorization: 'Bearer hello-world' });
  });

  it('that fails is named, with what it said and the hint of the kubeconfig', async () => {
    await file('plugin', plugin('echo "please log in" >&2; exit 3'), 0o700);
    const { credentials } = await loadConnection({ kubeconfig: await file('config', config('exec: {command: ./plugin, installHint: install it}')), clock });
    await expect(credentials.get()).rejects.toThrow(/plugin": it exited with code 3: please log in\ninstall it/);
  });
});

describe('inside a pod', () => {
  it('uses the projected token, and reads it again when the kubelet has replaced it or the server refuses it', async () => {
    await file('namespace', 'team-a\n');
    await file('ca.crt', 'CA');
    await file('token', 'one\n');
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const connection = await loadConnection({ env, serviceAccountFolder: folder, clock });
    const token = async (): Promise<unknown> => (await connection.credentials.get()).headers.authorization;
    expect([connection.server.href, connection.namespace, await token()]).toEqual(['https://[fd00::1]/', 'team-a', 'Bearer one']);
    await file('token', 'two\n');
    expect(await token()).toBe('Bearer one');
    await clock.advance(60_000);
    expect(await token()).toBe('Bearer two');
    await file('token', 'three\n');
    connection.credentials.invalidate();
    expect(await token()).toBe('Bearer three');
    await rm(path.join(folder, 'token'));
    await clock.advance(60_000);
    expect(await token()).toBe('Bearer three');
    expect(await connection.tls()).toEqual({ ca: Buffer.from('CA') });
  });

  it('reads the certificate authority again for new connections', async () => {
    await file('ca.crt', 'OLD');
    await file('token', 't');
    const connection = await loadInCluster({ env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, serviceAccountFolder: folder, clock });
    await file('ca.crt', 'NEW');
    expect(await connection.tls()).toEqual({ ca: Buffer.from('NEW') });
  });

  it('explains what is missing', async () => {
    await expect(loadInCluster({ env: {} })).rejects.toThrow('KUBERNETES_SERVICE_HOST is not set; outside a pod, set KUBECONFIG.');
    const connection = await loadInCluster({ env: { KUBERNETES_SERVICE_HOST: 'x' }, serviceAccountFolder: folder, clock });
    await expect(connection.credentials.get()).rejects.toThrow('is the service account token mounted?');
  });
});

it('connects a client', async () => {
  const server = await FakeApiServer.start();
  server.token = 'secret';
  const client = new KubeClient({ connection: await loadConnection({ kubeconfig: await file('config', config('token: secret', `server: ${server.url}`)) }) });
  expect(await client.raw('GET', '/version')).toMatchObject({ path: '/version' });
  client.close();
  await server.stop();
});
