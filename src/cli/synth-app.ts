/**
 * Synthesizes a cdk8s app into a folder of our own and reads the manifests that it wrote. An app is a program (`main.ts`, `.js`, `.mjs`) that calls
 * `app.synth()`, or a folder whose `cdk8s.yaml` has the command that starts one. Both write to CDK8S_OUTDIR.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { CliError } from './cli-error';
import { readStandardInput, requireFile } from './input';
import { readManifests, readNamedManifests, type LocatedObject } from './read-manifests';
import { STRICT_VARIABLE, WARNING_RECORD_VARIABLE, type RecordedWarning } from '../manifests/checks/warning-record';
import { CODE_RECORD_VARIABLE } from '../manifests/code/code-record';
import { printableColouredLines } from '../model/text/printable';

/** Extensions of programs. Other files are read as YAML. */
const TYPESCRIPT = ['.ts', '.mts', '.cts', '.tsx'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs'];

/** Name of the settings file of a cdk8s project. */
const CDK8S_SETTINGS = 'cdk8s.yaml';

/** Whether a path names a cdk8s app and not a manifest. */
export function isApp(file: string): boolean {
  return fs.statSync(file).isDirectory() || [...TYPESCRIPT, ...JAVASCRIPT].includes(path.extname(file));
}

/** Objects of a manifest file, or of standard input for `-`; undefined for an app. @throws CliError if the file does not exist or cannot be read */
export function readManifestFile(file: string): LocatedObject[] | undefined {
  if (file === '-') {
    return readNamedManifests(readStandardInput(), 'standard input');
  }
  requireFile(file);
  return isApp(file) ? undefined : readNamedManifests(fs.readFileSync(file, 'utf8'), file);
}

/** An app that ended with an error, and what it wrote to standard error. */
export class SynthError extends CliError {
  public constructor(message: string, public readonly output: string) {
    super(message);
  }
}

/** A file that an app wrote. */
export interface SynthesizedFile {
  /** Path below the output. */
  readonly name: string;
  readonly text: string;
  /** Folder of its environment; empty if the program is one app. */
  readonly environment: string;
  /** Empty if it is not a manifest. */
  readonly objects: readonly LocatedObject[];
}

export interface SynthesizedApp {
  /** All files, sorted by name. */
  readonly files: readonly SynthesizedFile[];
  readonly objects: readonly LocatedObject[];
  /** Folders of the program's environments, each an app of its own; empty if the program is one app. */
  readonly environments: readonly string[];
  /**
   * Paths of the constructs, by environment and the names of their objects ({@link constructKey}). Objects of different kinds with one name have the
   * same key.
   */
  readonly constructs: ReadonlyMap<string, string>;
}

/** Key of an object among the constructs. */
export function constructKey(environment: string, name: string): string {
  return environment === '' ? name : `${environment}/${name}`;
}

/** Whether a file is read as a manifest. */
export function isManifest(name: string): boolean {
  return /\.(ya?ml|json)$/.test(name);
}

/** The file in which cdk8s lists constructs and their objects. */
const CONSTRUCTS_FILE = 'construct-metadata.json';

/**
 * Runs the app.
 * @param quiet whether the error output is in the {@link SynthError} and not shown
 * @param codeRecords folder for the records of code bundles @default - no records
 * @throws CliError with the output of the app when it fails
 */
export function synthesize(file: string, quiet: boolean, codeRecords = ''): SynthesizedApp {
  return synthesizeInto(file, quiet, { [CODE_RECORD_VARIABLE]: codeRecords });
}

/** Also returns the warnings of constructs, which are then not written to standard error. */
export function synthesizeWithWarnings(file: string): SynthesizedApp & { readonly warnings: readonly RecordedWarning[] } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-warnings-'));
  const record = path.join(folder, 'warnings.jsonl');
  try {
    const app = synthesizeInto(file, true, { [WARNING_RECORD_VARIABLE]: record, [STRICT_VARIABLE]: '' });
    const lines = fs.existsSync(record) ? fs.readFileSync(record, 'utf8').split('\n').filter((line) => line !== '') : [];
    return { ...app, warnings: lines.map((line) => JSON.parse(line) as RecordedWarning) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function synthesizeInto(file: string, quiet: boolean, variables: { readonly [name: string]: string }): SynthesizedApp {
  const outdir = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-synth-'));
  try {
    const isFolder = fs.statSync(file).isDirectory();
    const env = { ...process.env, CDK8S_OUTDIR: outdir, CDK8S_RECORD_CONSTRUCT_METADATA: 'true', ...variables };
    // Output of the app goes to standard error: standard output is for the command's own lines.
    const options = { env, encoding: 'utf8' as const, stdio: ['ignore', 2, quiet ? 'pipe' : 'inherit'] as ('ignore' | 'inherit' | 'pipe' | number)[] };
    const result = isFolder
      ? spawnSync(appCommand(file), { ...options, cwd: file, shell: true })
      : spawnSync(process.execPath, [...loader(file), path.resolve(file)], options);
    if (result.status !== 0) {
      const how = `Synthesizing ${file}: the app ended with ${result.error?.message ?? result.signal ?? `code ${result.status}`}`;
      throw new SynthError(`${how}${quiet ? '.' : '; see its output above.'}`, result.stderr ?? '');
    }
    // The text may quote others, so it must not control the terminal.
    process.stderr.write(printableColouredLines(result.stderr ?? ''));
    return readOutput(outdir, file);
  } finally {
    fs.rmSync(outdir, { recursive: true, force: true });
  }
}

function appCommand(folder: string): string {
  const settings = path.join(folder, CDK8S_SETTINGS);
  if (!fs.existsSync(settings)) {
    throw new CliError(`${folder} is a folder without ${CDK8S_SETTINGS}. Name a manifest (job.yaml), a cdk8s app (main.ts), or the folder of a cdk8s project.`);
  }
  const { app } = (parse(fs.readFileSync(settings, 'utf8')) ?? {}) as { app?: unknown };
  if (typeof app !== 'string') {
    throw new CliError(`${settings} has no 'app': the command that synthesizes the project, such as "npx tsx main.ts".`);
  }
  return app;
}

/** TypeScript is run through tsx: the app's own, else the one that is installed with Trainyard. */
function loader(file: string): string[] {
  if (!TYPESCRIPT.includes(path.extname(file))) {
    return [];
  }
  for (const from of [path.resolve(file), __filename]) {
    try {
      // Its command would start one more process.
      return ['--import', pathToFileURL(createRequire(from).resolve('tsx')).href];
    } catch {
      // Not installed there.
    }
  }
  throw new CliError(`${file} is TypeScript, but tsx, which runs it, is not installed. Run: npm install --save-dev tsx`);
}

function readOutput(outdir: string, app: string): SynthesizedApp {
  const all = fs.readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.relative(outdir, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')).sort();
  // Each app of the program writes a file about its constructs.
  const notes = all.filter((name) => path.posix.basename(name) === CONSTRUCTS_FILE);
  const environments = notes.map((name) => path.posix.dirname(name)).filter((folder) => folder !== '.');
  const names = all.filter((name) => !notes.includes(name));
  if (!names.some(isManifest)) {
    throw new CliError(`${app} wrote no manifest. Check that it ends with app.synth() and does not set 'outdir', which comes from CDK8S_OUTDIR.`);
  }
  const files = names.map((name): SynthesizedFile => {
    const text = fs.readFileSync(path.join(outdir, name), 'utf8');
    const environment = environments.find((folder) => name.startsWith(`${folder}/`)) ?? '';
    return { name, text, environment, objects: isManifest(name) ? readManifests(text, `${app} (${name})`) : [] };
  });
  const constructs = new Map(notes.flatMap((name) => readConstructs(outdir, name)));
  return { files, objects: files.flatMap(({ objects }) => objects), environments, constructs };
}

function readConstructs(outdir: string, name: string): [string, string][] {
  const folder = path.posix.dirname(name);
  const { resources = {} } = JSON.parse(fs.readFileSync(path.join(outdir, name), 'utf8')) as { resources?: { [name: string]: { path: string } } };
  return Object.entries(resources).map(([object, resource]) => [constructKey(folder === '.' ? '' : folder, object), resource.path]);
}
