/** Who a user is to a registry: what `docker login` left behind, in its own file or with one of its helpers. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StoreError } from './requests';

/** A name with a password, or a token that others are given for. */
export interface RegistryLogin {
  readonly user: string;
  readonly password: string;
  /** @default - the password is one */
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

/** Name under which Docker keeps its own registry. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** Name that helpers give to tokens. */
const TOKEN_USER = '<token>';

/** The login of a registry; undefined for somebody without one. */
export function registryLogin(host: string, env: NodeJS.ProcessEnv): RegistryLogin | undefined {
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
