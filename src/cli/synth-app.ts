/**
 * Synthesizes a cdk8s app into a folder of our own and reads the manifests that it wrote. An app is a program (`main.ts`, `.js`, `.mjs`) that calls
 * `app.synth()`, or a folder with a `cdk8s.yaml` that says how to start one; both write where CDK8S_OUTDIR says.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { CliError } from './cli-error';
import { readManifests, type LocatedObject } from './read-manifests';

/** Endings of programs that are run; the rest is read as YAML. */
const TYPESCRIPT = ['.ts', '.mts', '.cts', '.tsx'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs'];

/** Name of the settings file of a cdk8s project. */
const CDK8S_SETTINGS = 'cdk8s.yaml';

/** Whether a path names a cdk8s app and not a manifest. */
export function isApp(file: string): boolean {
  return fs.statSync(file).isDirectory() || [...TYPESCRIPT, ...JAVASCRIPT].includes(path.extname(file));
}

/** Runs the app and returns the objects that it synthesized. Throws {@link CliError} with what it wrote when it fails. */
export function synthApp(file: string): LocatedObject[] {
  const outdir = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-synth-'));
  try {
    const isFolder = fs.statSync(file).isDirectory();
    const env = { ...process.env, CDK8S_OUTDIR: outdir };
    // What an app prints goes to standard error: standard output is for the replicas' lines.
    const options = { env, stdio: ['ignore', 2, 'inherit'] as ('ignore' | 'inherit' | number)[] };
    const result = isFolder
      ? spawnSync(appCommand(file), { ...options, cwd: file, shell: true })
      : spawnSync(process.execPath, [...loader(file), path.resolve(file)], options);
    if (result.status !== 0) {
      throw new CliError(`Synthesizing ${file}: the app ended with ${result.error?.message ?? result.signal ?? `code ${result.status}`}; see its output above.`);
    }
    return readFolder(outdir, file);
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

/** TypeScript is run through tsx: the app's own, else the one that is installed beside Trainyard. */
function loader(file: string): string[] {
  if (!TYPESCRIPT.includes(path.extname(file))) {
    return [];
  }
  for (const from of [path.resolve(file), __filename]) {
    try {
      return [createRequire(from).resolve('tsx/cli')];
    } catch {
      // Not installed there.
    }
  }
  throw new CliError(`${file} is TypeScript, and tsx, which runs it, is not installed. Run: npm install --save-dev tsx`);
}

function readFolder(outdir: string, app: string): LocatedObject[] {
  const files = fs.readdirSync(outdir, { recursive: true }).map(String).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (files.length === 0) {
    throw new CliError(`${app} wrote no manifest. Does it end with app.synth(), and leave 'outdir' to CDK8S_OUTDIR?`);
  }
  return files.flatMap((name) => readManifests(fs.readFileSync(path.join(outdir, name), 'utf8'), `${app} (${name})`));
}
