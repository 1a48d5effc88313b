/** `trainyard push`: uploads the archives of a program's code bundles. */
import { Command } from 'commander';
import { CliError } from '../cli-error';
import { withCodeRecords } from '../code/code-records';
import { pushArchive } from '../code/push-archive';
import { isApp } from '../synth-app';
import { Terminal } from '../../local/output/terminal';
import { requireFile } from '../input';

interface PushFlags {
  readonly dryRun?: boolean;
}

const DETAILS = `
APP is a cdk8s app (main.ts, .js, .mjs) or the folder of one. Its bundles with 'upload' are packed as at synth, and each archive that is not in its
bucket or registry yet is uploaded. Push before you apply the manifests; existing archives are not uploaded again.

s3://   AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else a profile of ~/.aws/credentials
gs://   GOOGLE_OAUTH_ACCESS_TOKEN, else the application default credentials of gcloud, else the machine's own identity
oci://  the credentials of docker login: ~/.docker/config.json and its credential helpers`;

export function pushCommand(): Command {
  return new Command('push')
    .description('upload code bundles to their bucket or registry')
    .argument('<app>', 'cdk8s app with the bundles')
    .option('--dry-run', 'only report what would be uploaded')
    .addHelpText('after', DETAILS)
    .action((app: string, flags: PushFlags) => push(app, flags));
}

async function push(app: string, { dryRun = false }: PushFlags): Promise<void> {
  requireFile(app);
  if (!isApp(app)) {
    throw new CliError(`${app} is a manifest, which refers to archives but does not contain them. Name the program that wrote it (main.ts), or its folder.`);
  }
  const terminal = new Terminal();
  await withCodeRecords(app, async (_synthesized, records) => {
    const uploads = records.filter(({ url }) => url !== undefined);
    if (uploads.length === 0) {
      terminal.line(records.length === 0 ? `${app} has no code bundle.` : `${app} has nothing to upload: ConfigMaps carry its code bundles.`);
    }
    for (const record of uploads) {
      terminal.line(await pushArchive({ ...record, url: record.url! }, dryRun));
    }
  });
}
