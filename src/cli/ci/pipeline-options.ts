/** The parameters of a pipeline, from options and from the project: package.json, cdk8s.yaml and the settings file. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { CliError } from '../cli-error';
import { SettingsDocument, specsOf } from '../promote/promotion';
import { requireFile } from '../input';
import { SETTINGS_FILE, VIRTUAL_ENVIRONMENT, type PipelineSpec } from '../../manifests/ci/spec';
import { validateEnvironments } from '../../model/environments/rules';
import { validateSchedule } from '../../model/schedules';
import { formatViolation } from '../../model/violations';

/** Options of the command. */
export interface PipelineFlags {
  readonly directory: string;
  readonly app?: string;
  readonly manifests?: string;
  readonly branch: string;
  readonly node: string;
  readonly lint?: string;
  readonly test?: string;
  readonly synth?: string;
  readonly schedule: string;
  readonly settings?: string;
}

/** A path within the repository, without characters that need quotes in scripts. */
const PATH = /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[\w./@+-]+$/;

/** Reads the project. @throws CliError for what is missing or wrong, with the option to set */
export function pipelineSpec(flags: PipelineFlags): PipelineSpec {
  requireFile(flags.directory);
  const project = cdk8sSettings(flags.directory);
  const app = flags.app ?? '.';
  if (flags.app === undefined && project === undefined) {
    throw new CliError(`There is no cdk8s.yaml in ${flags.directory}, which sets how the program is started. Set the program with --app main.ts, and the command that writes the manifests with --synth.`);
  }
  const manifests = (flags.manifests ?? project?.output ?? 'dist').replace(/^\.\//, '').replace(/\/$/, '');
  const settings = flags.settings ?? (fs.existsSync(path.join(flags.directory, SETTINGS_FILE)) ? SETTINGS_FILE : undefined);
  const paths = { '--app': app, '--manifests': manifests, ...(settings !== undefined && { '--settings': settings }) };
  for (const [option, value] of Object.entries(paths)) {
    check(option, value, PATH, 'must be a path within the repository, of letters, digits, dots, dashes and slashes.');
  }
  check('--branch', flags.branch, /^[\w][\w./-]*$/, 'must be a Git branch.');
  check('--node', flags.node, /^\d+(\.\d+){0,2}$/, 'must be a Node.js version, such as 22.');
  check('--schedule', flags.schedule, /^\S+( \S+){4}$/, 'must be the five fields of cron: minute, hour, day, month, weekday, such as "17 4 * * *".');
  fail(validateSchedule({ schedule: flags.schedule }, '--schedule').map(formatViolation));
  const isPython = project?.language === 'python';
  return {
    app, manifests, branch: flags.branch, node: flags.node, schedule: flags.schedule, isPython,
    lint: command('--lint', flags.lint ?? (isPython ? `${VIRTUAL_ENVIRONMENT}/bin/pyright` : script(flags.directory, 'lint', 'npm run lint'))),
    test: command('--test', flags.test ?? (isPython ? `${VIRTUAL_ENVIRONMENT}/bin/pytest` : script(flags.directory, 'test', 'npm test'))),
    synth: command('--synth', flags.synth ?? synthCommand(project, manifests)),
    ...(settings !== undefined && { promotion: { file: settings, targets: targetsOf(path.join(flags.directory, settings)) } }),
  };
}

function targetsOf(file: string): { readonly name: string; readonly from: string; readonly mode: 'automatic' | 'pull-request' }[] {
  const environments = specsOf(SettingsDocument.read(file).environments);
  fail(validateEnvironments(environments).map((violation) => `${file}: ${formatViolation(violation)}`));
  return environments.flatMap(({ name, from, mode }) => (from === undefined ? [] : [{ name, from, mode }]));
}

/** The fields of a cdk8s.yaml that pipelines need. */
interface Cdk8sSettings {
  readonly language?: string;
  readonly app?: string;
  readonly output?: string;
}

function cdk8sSettings(directory: string): Cdk8sSettings | undefined {
  const file = path.join(directory, 'cdk8s.yaml');
  if (!fs.existsSync(file)) {
    return undefined;
  }
  const settings = (parse(fs.readFileSync(file, 'utf8')) ?? {}) as { readonly [key: string]: unknown };
  return Object.fromEntries(['language', 'app', 'output'].flatMap((key) => (typeof settings[key] === 'string' ? [[key, settings[key]]] : [])));
}

function script(directory: string, name: 'lint' | 'test', run: string): string {
  const file = path.join(directory, 'package.json');
  const { scripts = {} } = (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) as { readonly scripts?: { readonly [name: string]: string } };
  if (scripts[name] === undefined) {
    throw new CliError(`${fs.existsSync(file) ? `${file} has no script '${name}'` : `There is no ${file}`}, which the pipeline would run. Add it, or set the command with --${name}.`);
  }
  return run;
}

/** cdk8s-cli is an npm package, so projects in Python do not have it. */
function synthCommand(project: Cdk8sSettings | undefined, manifests: string): string {
  if (project?.language === 'python' && project.app !== undefined) {
    return `CDK8S_OUTDIR=${manifests} ${project.app}`;
  }
  if (project !== undefined) {
    return 'npx cdk8s synth';
  }
  throw new CliError('Without a cdk8s.yaml, the command that writes the manifests is unknown. Set it with --synth, such as "CDK8S_OUTDIR=dist npx tsx main.ts".');
}

function command(option: string, text: string): string {
  if (text.trim() === '' || text.includes('\n') || text.includes('${{')) {
    throw new CliError(`${option} ${JSON.stringify(text)}: must be a command on one line, without GitHub expressions.`);
  }
  return text;
}

function check(option: string, value: string, pattern: RegExp, rule: string): void {
  if (!pattern.test(value)) {
    throw new CliError(`${option} ${JSON.stringify(value)}: ${rule}`);
  }
}

function fail(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new CliError(problems.join('\n'));
  }
}
