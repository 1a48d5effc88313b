/**
 * Archives in S3 buckets of Amazon and others. aws4fetch signs the requests, and the server checks the SHA-256 of an upload. Credentials come from
 * the environment, else from the credentials file of Amazon's tools.
 */
import { AwsClient } from 'aws4fetch';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RemoteArchive, WantedArchive } from './remote-archive';
import { StoreError, send } from './requests';
import { trimmedEnd } from '../../../model/text/trim';

/** @see RemoteArchive */
export function s3Archive({ url, digest, size }: WantedArchive, env: NodeJS.ProcessEnv): RemoteArchive {
  const { address, region } = s3Address(url, env);
  // `send` counts the attempts.
  const client = new AwsClient({ ...awsCredentials(env), region, service: 's3', retries: 0 });
  const hash = digest.slice('sha256:'.length);
  const checksum = Buffer.from(hash, 'hex').toString('base64');
  const hints = { 403: '. The keys do not have permission for this, or the bucket belongs to another account', 404: '. The bucket must exist', 301: '. The bucket is in another region: s3://bucket/prefix?region=...' };
  return {
    async exists() {
      const response = await send(() => client.sign(address, { method: 'HEAD', headers: { 'x-amz-checksum-mode': 'ENABLED' } }), {
        doing: `Asking for ${url}`, answers: [404], hints,
      });
      if (response.status === 404) {
        return false;
      }
      const found = Number(response.headers.get('content-length'));
      const sum = response.headers.get('x-amz-checksum-sha256');
      if (found !== size || (sum !== null && !sum.includes('-') && sum !== checksum)) {
        throw new StoreError(`${url} exists with other content (${found} bytes instead of ${size}), although its name is its digest. Delete it, and push again.`);
      }
      return true;
    },
    async upload(content) {
      await send(() => client.sign(address, {
        method: 'PUT', body: Buffer.from(content), headers: { 'content-type': 'application/gzip', 'x-amz-content-sha256': hash, 'x-amz-checksum-sha256': checksum },
      }), { doing: `Uploading ${url}`, hints });
    },
  };
}

/** Address of an object: Amazon has a host for each bucket, others have a path. The pod does the same (manifests/code/fetch-sources.ts). */
export function s3Address(url: string, env: NodeJS.ProcessEnv): { readonly address: string; readonly region: string } {
  const [, bucket, key, query = ''] = /^s3:\/\/([^/]+)\/([^?]*)(?:\?(.*))?$/.exec(url) ?? [];
  const settings = new URLSearchParams(query);
  const region = settings.get('region') || env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1';
  const endpoint = settings.get('endpoint') || env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const path = key.split('/').map(encodeURIComponent).join('/').replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  if (endpoint) {
    return { address: `${trimmedEnd(endpoint, '/')}/${bucket}/${path}`, region };
  }
  // Amazon's certificate is not valid for bucket names with a dot.
  return { address: bucket.includes('.') ? `https://s3.${region}.amazonaws.com/${bucket}/${path}` : `https://${bucket}.s3.${region}.amazonaws.com/${path}`, region };
}

/** Keys of S3. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** @throws StoreError when there are none */
function awsCredentials(env: NodeJS.ProcessEnv): AwsCredentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  }
  const file = env.AWS_SHARED_CREDENTIALS_FILE || path.join(env.HOME ?? os.homedir(), '.aws', 'credentials');
  const profile = env.AWS_PROFILE || 'default';
  const found = fs.existsSync(file) ? profileOf(fs.readFileSync(file, 'utf8'), profile) : {};
  if (!found.aws_access_key_id || !found.aws_secret_access_key) {
    throw new StoreError(`There are no keys for S3: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor the profile '${profile}' in ${file}. `
      + 'For roles and single sign-on: eval "$(aws configure export-credentials --format env)"');
  }
  return {
    accessKeyId: found.aws_access_key_id,
    secretAccessKey: found.aws_secret_access_key,
    ...(found.aws_session_token && { sessionToken: found.aws_session_token }),
  };
}

/** One section of a file of sections and `name = value`. */
function profileOf(text: string, profile: string): { readonly [name: string]: string } {
  const found: { [name: string]: string } = {};
  let section: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\[([^\]]*)\]/.exec(line.trim()) ?? [];
    const [, name, value] = /^([A-Za-z0-9_]+)\s*=(.*)$/.exec(line.trim()) ?? [];
    section = title?.trim() ?? section;
    if (section === profile && name !== undefined) {
      found[name.toLowerCase()] = value.trim();
    }
  }
  return found;
}
