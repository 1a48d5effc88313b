/** Archives in Google Cloud Storage, by its JSON interface. */
import { importPKCS8, SignJWT } from 'jose';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RemoteArchive, WantedArchive } from './remote-archive';
import { StoreError, send } from './requests';
import { trimmedEnd } from '../../../model/text/trim';

/** @see RemoteArchive */
export function gcsArchive({ url, size }: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const [, bucket, name] = /^gs:\/\/([^/]+)\/(.+)$/.exec(url) ?? [];
  const endpoint = trimmedEnd(env.STORAGE_EMULATOR_HOST || 'https://storage.googleapis.com', '/');
  const hints = { 403: '. Your account does not have permission for this', 404: '. The bucket must exist' };
  let token: Promise<string> | undefined;
  const authorized = async (address: string, init: RequestInit = {}) => {
    token ??= googleToken(env);
    return new Request(address, { ...init, headers: { ...init.headers, Authorization: `Bearer ${await token}` } });
  };
  return {
    async exists() {
      const address = `${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}?fields=size`;
      const response = await send(() => authorized(address), { doing: `Asking for ${url}`, answers: [404], hints });
      if (response.status === 404) {
        return false;
      }
      const found = Number(((await response.json()) as { readonly size: string }).size);
      if (found !== size) {
        throw new StoreError(`${url} exists with other content (${found} bytes instead of ${size}), although its name is its digest. Delete it, and push again.`);
      }
      return true;
    },
    async upload(content) {
      // An existing object is kept: its name is its digest, so it has the same content.
      const address = `${endpoint}/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?uploadType=media&ifGenerationMatch=0&name=${encodeURIComponent(name)}`;
      const request = () => authorized(address, { method: 'POST', body: Buffer.from(content), headers: { 'Content-Type': 'application/gzip' } });
      const response = await send(request, { doing: `Uploading ${url}`, answers: [412], hints });
      const { md5Hash } = response.status === 412 ? {} : (await response.json()) as { readonly md5Hash?: string };
      if (md5Hash !== undefined && md5Hash !== createHash('md5').update(content).digest('base64')) {
        throw new StoreError(`Uploading ${url}: the uploaded content differs from what was sent. Delete it, and push again.`);
      }
    },
  };
}

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';

const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token';

/** The credentials file of a user or a service account. */
interface CredentialsFile {
  readonly type?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly refresh_token?: string;
  readonly client_email?: string;
  readonly private_key?: string;
  readonly private_key_id?: string;
  readonly token_uri?: string;
}

const WAY_OUT = 'Log in with "gcloud auth application-default login", or set GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)".';

/**
 * A token for Google's storage: from the environment, else for the application default credentials (of a user or a service account), else from the
 * metadata server of a Google machine. Google's library supports more, at ten times the size of this program.
 * @throws StoreError when there are no credentials
 * @see https://cloud.google.com/docs/authentication/application-default-credentials
 */
async function googleToken(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.GOOGLE_OAUTH_ACCESS_TOKEN) {
    return env.GOOGLE_OAUTH_ACCESS_TOKEN;
  }
  const given = env.GOOGLE_APPLICATION_CREDENTIALS;
  const file = given || path.join(env.CLOUDSDK_CONFIG || path.join(env.HOME ?? os.homedir(), '.config', 'gcloud'), 'application_default_credentials.json');
  if (fs.existsSync(file)) {
    return tokenOf(JSON.parse(fs.readFileSync(file, 'utf8')) as CredentialsFile, file);
  }
  if (given) {
    throw new StoreError(`GOOGLE_APPLICATION_CREDENTIALS is ${given}, but there is no such file.`);
  }
  return metadataToken(env);
}

async function tokenOf(credentials: CredentialsFile, file: string): Promise<string> {
  switch (credentials.type) {
    case 'authorized_user': {
      const { client_id = '', client_secret = '', refresh_token = '', token_uri = TOKEN_ADDRESS } = credentials;
      return exchanged(token_uri, { grant_type: 'refresh_token', client_id, client_secret, refresh_token });
    }
    case 'service_account': {
      const { client_email = '', private_key = '', private_key_id, token_uri = TOKEN_ADDRESS } = credentials;
      const assertion = await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: 'RS256', ...(private_key_id !== undefined && { kid: private_key_id }) })
        .setIssuer(client_email).setAudience(token_uri).setIssuedAt().setExpirationTime('1h')
        .sign(await importPKCS8(private_key, 'RS256'));
      return exchanged(token_uri, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    }
    default:
      throw new StoreError(`${file} has credentials of the type '${credentials.type}', which are not supported. ${WAY_OUT}`);
  }
}

async function exchanged(address: string, form: { readonly [name: string]: string }): Promise<string> {
  const response = await send(() => new Request(address, { method: 'POST', body: new URLSearchParams(form) }), { doing: 'Asking Google for a token' });
  return ((await response.json()) as { readonly access_token: string }).access_token;
}

async function metadataToken(env: NodeJS.ProcessEnv): Promise<string> {
  const address = `http://${env.GCE_METADATA_HOST || 'metadata.google.internal'}/computeMetadata/v1/instance/service-accounts/default/token`;
  try {
    const response = await fetch(address, { headers: { 'Metadata-Flavor': 'Google' }, signal: AbortSignal.timeout(3000) });
    return ((await response.json()) as { readonly access_token: string }).access_token;
  } catch {
    throw new StoreError(`You are not logged in to Google. ${WAY_OUT}`);
  }
}
