import fs from 'node:fs';
import { remoteArchive } from './stores';
import { CliError } from '../cli-error';
import type { CodeRecord } from '../../manifests/code/code-record';

/** Uploads the archive of a code bundle unless the store has it. @returns a message about it */
export async function pushArchive(record: CodeRecord & { readonly url: string }, dryRun: boolean): Promise<string> {
  const { url, archive, size } = record;
  const place = remoteArchive(record, process.env);
  const shown = `${url} (${(size / 1024).toFixed(1)} KiB)`;
  if (await place.exists()) {
    return `${shown}: is there`;
  }
  if (dryRun) {
    return `${shown}: would be uploaded`;
  }
  await place.upload(fs.readFileSync(archive!));
  if (!await place.exists()) {
    throw new CliError(`${url} was uploaded, but does not exist. Push again; if that does not help, check the rules of the store.`);
  }
  return `${shown}: uploaded`;
}
