/**
 * A token for Google's storage: the one that the environment gives, else one for the application default credentials (a user's or a service
 * account's), else the metadata server's on a machine of Google's. Google's own library does more of this, at ten times the size of what uses it
 * here.
 * @see https://cloud.google.com/docs/authentication/application-default-credentials
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importPKCS8, SignJWT } from 'jose';
import { send, StoreError } from './requests';

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

/** @throws StoreError where nobody is logged in */
export async function googleToken(env: NodeJS.ProcessEnv): Promise<string> {
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
