/** Who a user is to S3: what the environment says, else the credentials file that Amazon's own tools read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StoreError } from './requests';

/** Keys of S3. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** @throws StoreError where there are none */
export function awsCredentials(env: NodeJS.ProcessEnv): AwsCredentials {
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
