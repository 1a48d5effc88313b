/** `trainyard drift`: whether committed manifests, or a cluster, are what the program writes. */
import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { CliError } from '../cli-error';
import { compareLive, filesBelow, findLastSynth, requireEnvironment, setsByEnvironment, withLiveOptions, type LiveFlags } from '../diff/environments';
import { comparisonExitCode, writeComparison } from '../diff/output';
import { findDrift, type DriftFile } from '../drift/drift';
import { driftCommands, driftLines, driftSummary } from '../drift/output';
import { requireFile } from '../input';
import { isApp, synthesize } from '../synth-app';
import { Terminal } from '../../local/output/terminal';
import { outputOption } from '../options';

interface DriftFlags extends LiveFlags {
  readonly against?: string;
  readonly environment?: string;
  readonly live?: boolean;
  readonly output: 'text' | 'json' | 'github';
}

const DETAILS = `
APP is a cdk8s app (main.ts, .js, .mjs) or the folder of one. It is synthesized into another folder, and each file that it writes is compared
with the committed one: edited, missing and left-over files are reported, with object, field and both values. With --live the
cluster is compared with the program, like trainyard diff --live.

The exit code is 0 when there is no drift, 1 when there is, and 2 when the comparison failed.`;

export function driftCommand(): Command {
  const command = new Command('drift')
    .description('find manual changes in committed manifests or a cluster')
    .argument('<app>', 'cdk8s app that writes the manifests')
    .option('-a, --against <folder>', 'committed manifests (default: the output of cdk8s.yaml, or dist)')
    .option('-e, --environment <name>', 'one environment of the program (default: all)')
    .option('-l, --live', 'check a cluster instead, with a dry run of its API server');
  return withLiveOptions(command)
    .addOption(outputOption('text', 'json', 'github'))
    .addHelpText('after', DETAILS)
    .action(async (app: string, flags: DriftFlags) => {
      process.exitCode = await drift(app, flags);
    });
}

async function drift(app: string, flags: DriftFlags): Promise<number> {
  requireFile(app);
  if (!isApp(app)) {
    throw new CliError(`${app} is a manifest, but drift is between a program and its manifests. Name the program (main.ts) or its folder; to compare two folders, use trainyard diff.`);
  }
  if (flags.live) {
    return liveDrift(app, flags);
  }
  const folder = findLastSynth(app, flags.against);
  if (!fs.statSync(folder).isDirectory()) {
    throw new CliError(`${folder} is a file. Name the folder of the committed manifests.`);
  }
  // Read before the program runs, which may write to this folder.
  const committed = filesBelow(folder).map((name): DriftFile => ({ name, text: fs.readFileSync(path.join(folder, name), 'utf8') }));
  const synthesized = synthesize(app, false);
  requireEnvironment(flags.environment, synthesized.environments);
  const isWanted = ({ name }: DriftFile) => flags.environment === undefined || name.startsWith(`${flags.environment}/`);
  const found = findDrift(committed.filter(isWanted), synthesized.files.filter(isWanted));
  const terminal = new Terminal();
  terminal.result(flags.output, found, (paint) => (flags.output === 'github' ? driftCommands(found, folder) : driftLines(found, folder, paint)));
  if (flags.output !== 'json') {
    terminal.note(`trainyard: ${driftSummary(found)}`);
  }
  return found.files.length > 0 ? 1 : 0;
}

async function liveDrift(app: string, flags: DriftFlags): Promise<number> {
  if (flags.output === 'github') {
    throw new CliError('--output github needs files, and a cluster has none. Use text or json with --live.');
  }
  const { files } = synthesize(app, false);
  const objects = files.flatMap((file) => file.objects.map(({ object }) => ({ object, environment: file.environment || undefined })));
  const comparison = await compareLive(setsByEnvironment([], objects, flags.environment), flags);
  writeComparison(comparison, flags.output);
  return comparisonExitCode(comparison);
}
