/**
 * Archives as artifacts of an OCI registry: two blobs and a manifest that names them. The manifest is uploaded last, so that an existing one is
 * complete. Credentials are those of `docker login`, from its file or a helper.
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RemoteArchive, WantedArchive } from './remote-archive';
import { StoreError, send, type SendOptions } from './requests';
import { constructOciArtifact, OCI_EMPTY_CONFIG, OCI_MANIFEST_TYPE } from '../../../manifests/code/oci-artifact';

/** @see RemoteArchive */
export function ociArchive(wanted: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const { url, digest } = wanted;
  const [, host, repository, pinned] = /^oci:\/\/([^/]+)\/(.+)@(sha256:[a-f0-9]{64})$/.exec(url) ?? [];
  const artifact = constructOciArtifact(wanted);
  if (artifact.digest !== pinned) {
    throw new StoreError(`${url} is not the manifest of the archive ${digest}, which is ${artifact.digest}.`);
  }
  const registry = new Registry(host, repository, env);
  return {
    exists: async () => (await registry.request(`manifests/${pinned}`, { method: 'HEAD', headers: { Accept: OCI_MANIFEST_TYPE } }, {
      doing: `Asking for ${url}`, answers: [404],
    })).status !== 404,
    async upload(content) {
      await registry.uploadBlob(digest, content, `Uploading ${url}`);
      await registry.uploadBlob(artifact.configDigest, Buffer.from(OCI_EMPTY_CONFIG), `Uploading ${url}`);
      // With a tag, because registries remove manifests without one.
      await registry.request(`manifests/${artifact.tag}`, { method: 'PUT', body: artifact.manifest, headers: { 'Content-Type': OCI_MANIFEST_TYPE } }, {
        doing: `Uploading ${url}`,
      });
    },
  };
}

/** A repository with its credentials. */
class Registry {
  private readonly base: string;
  private authorization?: string;

  public constructor(private readonly host: string, private readonly repository: string, private readonly env: NodeJS.ProcessEnv) {
    // As in docker: a registry on this machine has no certificate.
    const scheme = /^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host) ? 'http' : 'https';
    this.base = `${scheme}://${host === 'docker.io' ? 'registry-1.docker.io' : host}/v2/${repository}/`;
  }

  /** Sends a request, and repeats it with credentials if the registry requires them. */
  public async request(path: string, init: RequestInit, options: SendOptions): Promise<Response> {
    const address = new URL(path, this.base).href;
    const make = () => new Request(address, { ...init, headers: { ...init.headers, ...this.credentialsFor(address) } });
    const hints = { 401: `. Log in with: docker login ${this.host}`, 403: '. Your account does not have permission for this', 404: '. The registry has no such repository', ...options.hints };
    const asked = await send(make, { ...options, hints, answers: [...options.answers ?? [], 401] });
    if (asked.status !== 401) {
      return asked;
    }
    // The first time, and when a token has expired: some registries give tokens for a minute.
    const challenge = asked.headers.get('www-authenticate');
    this.authorization = challenge === null ? undefined : await this.answer(challenge);
    return send(make, { ...options, hints });
  }

  public async uploadBlob(digest: string, content: Uint8Array, doing: string): Promise<void> {
    const there = await this.request(`blobs/${digest}`, { method: 'HEAD' }, { doing, answers: [404] });
    if (there.status !== 404) {
      return;
    }
    const started = await this.request('blobs/uploads/', { method: 'POST' }, { doing });
    const location = new URL(started.headers.get('location') ?? '', this.base);
    location.searchParams.set('digest', digest);
    await this.request(location.href, {
      method: 'PUT', body: Buffer.from(content), headers: { 'Content-Type': 'application/octet-stream' },
    }, { doing });
  }

  /** Sends credentials to the registry only, and not to a store for uploads. */
  private credentialsFor(address: string): { readonly Authorization?: string } {
    return this.authorization !== undefined && new URL(address).origin === new URL(this.base).origin ? { Authorization: this.authorization } : {};
  }

  private async answer(challenge: string): Promise<string> {
    const login = registryLogin(this.host, this.env);
    const [scheme] = challenge.split(' ', 1);
    if (scheme.toLowerCase() === 'basic') {
      if (login === undefined) {
        throw new StoreError(`${this.host} requires authentication. Log in with: docker login ${this.host}`);
      }
      return basic(login);
    }
    const fields = Object.fromEntries([...challenge.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    const form = new URLSearchParams({ ...(fields.service && { service: fields.service }), scope: `repository:${this.repository}:pull,push` });
    const response = await send(() => tokenRequest(fields.realm, form, login), { doing: `Asking ${this.host} for a token`, hints: { 401: `. Log in with: docker login ${this.host}` } });
    const { token, access_token } = (await response.json()) as { readonly token?: string; readonly access_token?: string };
    return `Bearer ${token ?? access_token}`;
  }
}

function tokenRequest(realm: string, form: URLSearchParams, login: RegistryLogin | undefined): Request {
  if (login?.refreshToken) {
    const body = new URLSearchParams([...form, ['grant_type', 'refresh_token'], ['client_id', 'trainyard'], ['refresh_token', login.refreshToken]]);
    return new Request(realm, { method: 'POST', body });
  }
  const address = new URL(realm);
  form.forEach((value, name) => address.searchParams.set(name, value));
  return new Request(address, { headers: login === undefined ? {} : { Authorization: basic(login) } });
}

function basic({ user, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** A name with a password, or with a refresh token. */
interface RegistryLogin {
  readonly user: string;
  readonly password: string;
  /** @default - the password is used */
  readonly refreshToken?: string;
}

interface WrittenLogin {
  /** Name and password, joined by a colon, in base64. */
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

interface DockerConfig {
  readonly auths?: { readonly [server: string]: WrittenLogin };
  readonly credHelpers?: { readonly [server: string]: string };
  readonly credsStore?: string;
}

/** Name of Docker Hub in docker's file. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** User name that helpers return with a token. */
const TOKEN_USER = '<token>';

/** The login of a registry; undefined if there is none. */
function registryLogin(host: string, env: NodeJS.ProcessEnv): RegistryLogin | undefined {
  const file = env.REGISTRY_AUTH_FILE || path.join(env.DOCKER_CONFIG || path.join(env.HOME ?? os.homedir(), '.docker'), 'config.json');
  if (!fs.existsSync(file)) {
    return undefined;
  }
  const config = JSON.parse(fs.readFileSync(file, 'utf8')) as DockerConfig;
  const server = host === 'docker.io' ? DOCKER_HUB : host;
  const helper = config.credHelpers?.[host] ?? config.credsStore;
  return (helper === undefined ? undefined : askHelper(helper, server, env)) ?? writtenLogin(config, host);
}

function writtenLogin({ auths = {} }: DockerConfig, host: string): RegistryLogin | undefined {
  const entry = Object.entries(auths).find(([server]) => {
    const name = server.replace(/^https?:\/\//, '').split('/')[0];
    return name === host || (host === 'docker.io' && name.endsWith('docker.io'));
  })?.[1];
  if (entry === undefined) {
    return undefined;
  }
  const [user, ...password] = entry.auth ? Buffer.from(entry.auth, 'base64').toString('utf8').split(':') : [entry.username ?? '', entry.password ?? ''];
  return user === '' && !entry.identitytoken ? undefined : { user, password: password.join(':'), refreshToken: entry.identitytoken };
}

/** @see https://github.com/docker/docker-credential-helpers */
function askHelper(helper: string, server: string, env: NodeJS.ProcessEnv): RegistryLogin | undefined {
  const program = `docker-credential-${helper}`;
  const { status, stdout, error } = spawnSync(program, ['get'], { input: server, encoding: 'utf8', env, stdio: ['pipe', 'pipe', 'ignore'] });
  if (error !== undefined) {
    throw new StoreError(`${program}, which stores the registry passwords, cannot be started: ${error.message}. Add it to PATH, or log in again.`);
  }
  if (status !== 0) {
    return undefined;
  }
  const { Username: user, Secret: password } = JSON.parse(stdout) as { readonly Username: string; readonly Secret: string };
  return user === TOKEN_USER ? { user, password: '', refreshToken: password } : { user, password };
}
