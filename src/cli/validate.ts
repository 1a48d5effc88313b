/** `trainyard validate`: everything that is wrong with manifests and apps, before anything is applied. */
import path from 'node:path';
import { Command, Option } from 'commander';
import { engineOption } from './choose-engine';
import { readStandardInput } from './standard-input';
import { Definitions } from './crd/definitions';
import type { ValidationResult } from './validate/diagnostic';
import { githubLines } from './validate/output-github';
import { sarifLog } from './validate/output-sarif';
import { textReport } from './validate/output-text';
import { readSources } from './validate/sources';
import { validateSources } from './validate/validate-sources';
import { packageVersion } from './version';
import { Terminal } from '../local/output/terminal';
import type { EngineDefinition } from '../manifests/engines/engine';

interface ValidateFlags {
  readonly crds: readonly string[];
  readonly engine: EngineDefinition;
  readonly output: 'text' | 'json' | 'github' | 'sarif';
}

/** Where definitions are looked for without --crds: a list of places, divided as in PATH. */
const CRDS_VARIABLE = 'TRAINYARD_CRDS';

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a folder of manifests, a cdk8s app (main.ts, .js, .mjs) or the folder of one.

MLTrainingJobs are checked by all rules of the model, and by what the engine can do. Objects of kinds whose definitions are given
with --crds are checked as the API server would with strict field validation. What could not be checked is told in notes.
The exit code is 0 when everything is valid, 1 when something is not, and 2 for a wrong command line.`;

/** The sub-command. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('check manifests and apps before they are applied')
    .argument('<file...>', 'manifests, folders of manifests, cdk8s apps')
    .addOption(new Option('--crds <place>', 'file or folder with definitions, more than once')
      .argParser((place: string, places: string[]) => [...places, place]).default([], `$${CRDS_VARIABLE}`))
    .addOption(engineOption('engine that MLTrainingJobs are for'))
    .addOption(new Option('-o, --output <format>', 'how mistakes are written').choices(['text', 'json', 'github', 'sarif']).default('text'))
    .addHelpText('after', DETAILS)
    .action((files: string[], flags: ValidateFlags) => {
      process.exitCode = validate(files, flags);
    });
}

function validate(files: readonly string[], { crds, engine, output }: ValidateFlags): number {
  const places = crds.length > 0 ? crds : (process.env[CRDS_VARIABLE] ?? '').split(path.delimiter).filter((place) => place !== '');
  const settings = { engine, definitions: places.length > 0 ? Definitions.read(places) : Definitions.NONE };
  const result = validateSources(readSources(files, readStandardInput), settings);
  write(result, output);
  return result.diagnostics.length > 0 ? 1 : 0;
}

function write(result: ValidationResult, output: ValidateFlags['output']): void {
  const terminal = new Terminal();
  const json = (value: unknown) => terminal.line(JSON.stringify(value, undefined, 2));
  switch (output) {
    case 'json':
      json({ valid: result.diagnostics.length === 0, ...result });
      break;
    case 'sarif':
      json(sarifLog(result, packageVersion()));
      break;
    case 'github':
      githubLines(result).forEach((line) => terminal.line(line));
      break;
    case 'text': {
      const { lines, summary } = textReport(result, terminal.paintOut);
      lines.forEach((line) => terminal.line(line));
      terminal.note(`trainyard: ${summary}`);
    }
  }
}
