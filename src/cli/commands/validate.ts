/** `trainyard validate`: everything that is wrong with manifests and apps, before anything is applied. */
import path from 'node:path';
import { Command, Option } from 'commander';
import { engineOption } from '../choose-engine';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { Definitions } from '../crd/definitions';
import type { ValidationResult } from '../validate/diagnostic';
import { sarifLog } from '../validate/output-sarif';
import { githubLines, textReport } from '../validate/output-text';
import { findOutside } from '../validate/live-references';
import { readSources, type Sources } from '../validate/sources';
import { validateSources } from '../validate/validate-sources';
import { packageVersion } from '../version';
import { Terminal } from '../../local/output/terminal';
import { STRICT_VARIABLE, isStrict } from '../../manifests/checks/warning-record';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { outputOption, appended } from '../options';

interface ValidateFlags extends ClusterFlags {
  readonly crds: readonly string[];
  readonly engine: EngineDefinition;
  readonly output: 'text' | 'json' | 'github' | 'sarif';
  readonly strict?: boolean;
  readonly live?: boolean;
  readonly namespace?: string;
}

/** Places of definitions without --crds, separated as in PATH. */
const CRDS_VARIABLE = 'TRAINYARD_CRDS';

const DETAILS = `
FILE is a manifest (YAML or JSON, "-" for standard input), a folder of manifests, a cdk8s app (main.ts, .js, .mjs) or the folder of one.

MLTrainingJobs are checked against all rules of the model and the features of the engine; objects of other kinds like the API server does with
strict field validation, against the release that Trainyard knows or the definitions of --crds. Notes list what could not be checked.
The exit code is 0 when everything is valid, 1 when something is not, and 2 for a wrong command line.`;

export function validateCommand(): Command {
  return withClusterOptions(new Command('validate')
    .description('check manifests and apps before they are applied')
    .argument('<file...>', 'manifests, folders of manifests, cdk8s apps')
    .addOption(new Option('--crds <place>', 'file or folder with definitions of other releases or kinds, more than once')
      .argParser(appended).default([], `$${CRDS_VARIABLE}`))
    .addOption(engineOption('engine that runs the MLTrainingJobs'))
    .addOption(outputOption('text', 'json', 'github', 'sarif'))
    .option('--strict', `treat warnings as errors ($${STRICT_VARIABLE})`)
    .option('-l, --live', 'look up referenced objects that are not in FILE in a cluster')
    .option('-n, --namespace <name>', 'with --live: namespace of objects that name none (default: that of the kubeconfig)'))
    .addHelpText('after', DETAILS)
    .action(async (files: string[], flags: ValidateFlags) => {
      process.exitCode = await validate(files, flags);
    });
}

async function validate(files: readonly string[], flags: ValidateFlags): Promise<number> {
  const { crds, engine, output, strict = isStrict(process.env[STRICT_VARIABLE]) } = flags;
  const places = crds.length > 0 ? crds : (process.env[CRDS_VARIABLE] ?? '').split(path.delimiter).filter((place) => place !== '');
  const settings = { engine, definitions: Definitions.read(places) };
  const sources = readSources(files);
  const offline = validateSources(sources, settings);
  const found = flags.live ? await withOutside(sources, offline, flags) : offline;
  const result = strict ? { ...found, diagnostics: [...found.diagnostics, ...found.warnings], warnings: [] } : found;
  write(result, output);
  return result.diagnostics.length > 0 ? 1 : 0;
}

/** Looks up references that are not in the sources in a cluster. */
async function withOutside(sources: Sources, result: ValidationResult, flags: ValidateFlags): Promise<ValidationResult> {
  return withCluster(flags, async (client) => {
    const { diagnostics, unchecked } = await findOutside(client, sources.objects, namespaceOf(client, flags));
    // The cluster decides whether these are mistakes.
    const asked = new Set(['reference-spelling', 'reference-priority-class']);
    return {
      ...result,
      diagnostics: [...result.diagnostics, ...diagnostics],
      warnings: result.warnings.filter(({ id }) => id === undefined || !asked.has(id)),
      unchecked: [...result.unchecked, ...unchecked],
    };
  });
}

function write(result: ValidationResult, output: ValidateFlags['output']): void {
  const terminal = new Terminal();
  switch (output) {
    case 'json': return terminal.json({ valid: result.diagnostics.length === 0, ...result });
    case 'sarif': return terminal.json(sarifLog(result, packageVersion()));
    case 'github': return terminal.lines(githubLines(result));
    case 'text': {
      const { lines, summary } = textReport(result, terminal.paintOut);
      terminal.lines(lines);
      terminal.note(`trainyard: ${summary}`);
    }
  }
}
