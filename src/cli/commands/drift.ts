/** `trainyard drift`: whether committed manifests, or a cluster, are what the program writes. */
import fs from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { CliError, USAGE_EXIT_CODE } from '../cli-error';
import { compareLive, filesBelow, findLastSynth, setsByEnvironment, withLiveOptions, type LiveFlags } from '../diff/environments';
import { comparisonLines, comparisonSummary } from '../diff/output';
import { findDrift, type DriftFile } from '../drift/drift';
import { driftCommands, driftLines, driftSummary } from '../drift/output';
import { requireFile } from '../missing-file';
import { isApp, synthesize, type SynthesizedApp } from '../synth-app';
import { Terminal } from '../../local/output/terminal';
import { didYouMean } from '../../model/violations';

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
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'github']).default('text'))
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
  // Read before the program runs, which may write there all the same.
  const committed = filesBelow(folder).map((name): DriftFile => ({ name, text: fs.readFileSync(path.join(folder, name), 'utf8') }));
  const synthesized = synthesize(app, false);
  const isWanted = wanted(synthesized, flags.environment);
  const found = findDrift(committed.filter(({ name }) => isWanted(name)), synthesized.files.filter(({ name }) => isWanted(name)));
  const terminal = new Terminal();
  switch (flags.output) {
    case 'json':
      terminal.line(JSON.stringify(found, undefined, 2));
      break;
    case 'github':
      driftCommands(found, folder).forEach((line) => terminal.line(line));
      terminal.note(`trainyard: ${driftSummary(found)}`);
      break;
    case 'text':
      driftLines(found, folder, terminal.paintOut).forEach((line) => terminal.line(line));
      terminal.note(`trainyard: ${driftSummary(found)}`);
  }
  return found.files.length > 0 ? 1 : 0;
}

/** Which files are looked at. */
function wanted({ environments }: SynthesizedApp, environment: string | undefined): (name: string) => boolean {
  if (environment === undefined) {
    return () => true;
  }
  if (!environments.includes(environment)) {
    throw new CliError(`--environment ${environment}: the app has ${environments.length === 0 ? 'no environments' : environments.join(', ')}.${didYouMean(environment, environments)}`);
  }
  return (name) => name.startsWith(`${environment}/`);
}

async function liveDrift(app: string, flags: DriftFlags): Promise<number> {
  if (flags.output === 'github') {
    throw new CliError('--output github needs files, and a cluster has none. Use text or json with --live.');
  }
  const { files } = synthesize(app, false);
  const objects = files.flatMap((file) => file.objects.map(({ object }) => ({ object, environment: file.environment || undefined })));
  const comparison = await compareLive(setsByEnvironment([], objects, flags.environment), flags);
  const terminal = new Terminal();
  if (flags.output === 'json') {
    terminal.line(JSON.stringify(comparison, undefined, 2));
  } else {
    comparisonLines(comparison, false, terminal.paintOut).forEach((line) => terminal.line(line));
    terminal.note(`trainyard: ${comparisonSummary(comparison)}`);
  }
  return comparison.changes.some(({ kind }) => kind === 'refused') ? USAGE_EXIT_CODE : comparison.changes.length > 0 ? 1 : 0;
}
