/** Tells the command that runs the program, if there is one, where a bundle comes from. Any other synth writes nothing. */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Archive } from './archive';
import { CODE_RECORD_VARIABLE, type CodeRecord } from '../../manifests/code/code-record';

/** Leaves a file with what manifests do not say. */
export function recordBundle({ digest, content }: Archive, { folder, url }: { readonly folder?: string; readonly url?: string }): void {
  // Nothing of the manifests depends on it: a command that runs the program asks for what they do not hold.
  // eslint-disable-next-line no-restricted-properties
  const records = process.env[CODE_RECORD_VARIABLE];
  if (!records) {
    return;
  }
  const name = path.join(records, digest.slice('sha256:'.length));
  const archive = url === undefined ? undefined : `${name}.tar.gz`;
  if (archive !== undefined) {
    writeFileSync(archive, content);
  }
  const record: CodeRecord = { digest, folder, url, archive, size: content.length };
  // One for each place that the archive has to be in.
  writeFileSync(`${name}${url === undefined ? '' : `-${Buffer.from(url).toString('base64url').slice(-40)}`}.json`, JSON.stringify(record));
}
