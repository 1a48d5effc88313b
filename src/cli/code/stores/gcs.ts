/** Archives in Google Cloud Storage, by its JSON interface. */
import { createHash } from 'node:crypto';
import { googleToken } from './google-token';
import type { RemoteArchive, WantedArchive } from './remote-archive';
import { send, StoreError } from './requests';
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
    async isThere() {
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
      // Nothing is written over: what is there has the same content, because its name is its digest.
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
