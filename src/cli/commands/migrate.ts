/** `trainyard migrate`: jobs of other controllers as a typed program, or as manifests of an engine. */
import fs from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../cli-error';
import { readInputs } from '../migrate/inputs';
import { migrateTexts, type MigrationOutput, type OutputForm } from '../migrate/migration';
import { reportLines } from '../migrate/report';
import { Terminal } from '../../local/output/terminal';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { READ_KINDS } from '../../manifests/migrate/readers';
import type { GangScheduler } from '../../model/training-job/scheduling';
import { engineOption } from '../choose-engine';
import { both } from '../../model/findings';

interface MigrateFlags {
  readonly to: EngineDefinition;
  readonly as: OutputForm;
  readonly output?: string;
  readonly force?: boolean;
  readonly gangScheduler?: GangScheduler;
}

/** Values of the old operators' flag --gang-scheduler-name, and short ones. */
const GANG_SCHEDULERS: { readonly [name: string]: GangScheduler } = {
  'volcano': 'Volcano', 'coscheduling': 'Coscheduling', 'scheduler-plugins': 'Coscheduling', 'scheduler-plugins-scheduler': 'Coscheduling',
};

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input) with any number of documents and lists. Supported are
${both(READ_KINDS)};
a TrainJob with its runtime, if that is in the same input. Objects that are not jobs are copied.

The program or the manifests go to standard output, or to a file for each FILE in the folder of --output. The report goes to
standard error: what is lost, what behaves differently, what is only renamed, and which rules the result violates. The exit
code is 0 when everything was written, 1 when something could not be read or written (the others are), and 2 for a wrong command line.`;

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('turn jobs of Kubeflow, Ray and Kubernetes into a typed program or another engine\'s manifests')
    .argument('<file...>', 'manifests')
    .addOption(engineOption('engine that runs the jobs', '--to <engine>'))
    .addOption(new Option('--as <form>', 'output format').choices(['typescript', 'yaml']).default('typescript'))
    .option('-o, --output <folder>', 'output folder (default: standard output)')
    .option('--force', 'replace existing files')
    .addOption(new Option('--gang-scheduler <name>', 'gang scheduler of the old operator (its --gang-scheduler-name)')
      .choices(Object.keys(GANG_SCHEDULERS)).argParser(gangScheduler))
    .addHelpText('after', DETAILS)
    .action((files: string[], flags: MigrateFlags) => {
      process.exitCode = migrate(files, flags);
    });
}

function migrate(files: readonly string[], { to, as, output, force, gangScheduler: scheduler }: MigrateFlags): number {
  const inputs = readInputs(files);
  const result = migrateTexts(inputs, { engine: to, form: as, perInput: output !== undefined, gangScheduler: scheduler });
  const terminal = new Terminal();
  if (output === undefined) {
    result.outputs.forEach(({ text }) => terminal.line(text.trimEnd()));
  } else {
    writeFiles(output, result.outputs, files, force ?? false);
  }
  reportLines(result, terminal.paintErr).forEach((line) => terminal.note(line));
  if (output !== undefined) {
    result.outputs.forEach(({ name }) => terminal.note(`Wrote ${path.join(output, name)}`));
  }
  return result.failed ? 1 : 0;
}

/** Writes all files or none. @throws CliError when one exists or is an input */
function writeFiles(folder: string, outputs: readonly MigrationOutput[], inputs: readonly string[], force: boolean): void {
  const targets = outputs.map(({ name, text }) => ({ file: path.join(folder, name), text }));
  const sources = new Set(inputs.map((input) => path.resolve(input)));
  for (const { file } of targets) {
    if (sources.has(path.resolve(file))) {
      throw new CliError(`${file} is one of the files that are migrated. Choose another folder.`);
    }
    if (!force && fs.existsSync(file)) {
      throw new CliError(`${file} already exists. Choose another folder, or replace it with --force.`);
    }
  }
  fs.mkdirSync(folder, { recursive: true });
  targets.forEach(({ file, text }) => fs.writeFileSync(file, text));
}

function gangScheduler(name: string): GangScheduler {
  if (!Object.hasOwn(GANG_SCHEDULERS, name)) {
    throw new InvalidArgumentError(`It is one of ${Object.keys(GANG_SCHEDULERS).join(', ')}.`);
  }
  return GANG_SCHEDULERS[name];
}
