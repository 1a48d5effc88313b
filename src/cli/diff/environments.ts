/** Environments of a program have objects with the same names, so each is compared with its own folder. */
import type { Command } from 'commander';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { compareSets, type Comparison } from './comparison';
import { compareWithCluster } from './live';
import { CliError } from '../cli-error';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { readNamedManifests } from '../read-manifests';
import { isManifest } from '../synth-app';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { didYouMean } from '../../model/violations';

/** An object of an app. */
export interface SynthesizedObject {
  readonly object: ManifestObject;
  /** Folder of its environment. */
  readonly environment?: string;
}

/** Both sides of one comparison. */
interface ComparedSets {
  /** Empty if the program is one app. */
  readonly environment: string;
  readonly before: readonly ManifestObject[];
  readonly after: readonly ManifestObject[];
}

/**
 * Divides objects by environment.
 * @param only the only environment @default - all
 * @throws CliError for an environment that the program does not have
 */
export function setsByEnvironment(before: readonly PlacedObject[], after: readonly SynthesizedObject[], only?: string): ComparedSets[] {
  const environments = [...new Set(after.flatMap(({ environment }) => environment ?? []))];
  requireEnvironment(only, environments);
  if (environments.length === 0) {
    return [{ environment: '', before: before.map(({ object }) => object), after: after.map(({ object }) => object) }];
  }
  // Left-over files may be of an environment that no longer exists.
  const folderOf = (file: string) => environments.find((folder) => file.startsWith(`${folder}/`)) ?? (file.includes('/') ? file.split('/')[0] : '');
  const placed = before.map(({ object, file }) => ({ object, environment: folderOf(file) }));
  const all = [...new Set([...environments, ...after.map(({ environment = '' }) => environment), ...placed.map(({ environment }) => environment)])];
  return all.filter((environment) => only === undefined || environment === only).map((environment) => ({
    environment,
    before: placed.filter((each) => each.environment === environment).map(({ object }) => object),
    after: after.filter((each) => (each.environment ?? '') === environment).map(({ object }) => object),
  }));
}

/** @throws CliError for an environment that the program does not have */
export function requireEnvironment(wanted: string | undefined, environments: readonly string[]): void {
  if (wanted !== undefined && !environments.includes(wanted)) {
    throw new CliError(`--environment ${wanted}: the app has ${environments.length === 0 ? 'no environments' : environments.join(', ')}.${didYouMean(wanted, environments)}`);
  }
}

export function compareAll(sets: readonly ComparedSets[]): Comparison {
  return joined(sets.map(({ environment, before, after }) => inEnvironment(compareSets(before, after), environment)));
}

/** Adds the environment to the titles of objects. */
function inEnvironment({ changes, same }: Comparison, environment: string): Comparison {
  return environment === '' ? { changes, same } : { changes: changes.map((change) => ({ ...change, environment, title: `${environment}: ${change.title}` })), same };
}

function joined(comparisons: readonly Comparison[]): Comparison {
  return { changes: comparisons.flatMap(({ changes }) => changes), same: comparisons.reduce((sum, { same }) => sum + same, 0) };
}

/** The default output folder of cdk8s. */
const DEFAULT_FOLDER = 'dist';

/** An object of the last synth. */
interface PlacedObject {
  readonly object: ManifestObject;
  /** Path below the folder, with forward slashes. */
  readonly file: string;
}

/**
 * Reads the last synth.
 * @param folder its folder @default - `output` of cdk8s.yaml, or `dist` next to the app or in the current folder
 * @throws CliError when there is none
 */
export function readLastSynth(app: string, folder?: string): readonly PlacedObject[] {
  const found = findLastSynth(app, folder);
  const files = fs.statSync(found).isDirectory() ? filesBelow(found).filter(isManifest) : [''];
  return files.flatMap((name) => {
    const file = path.join(found, name);
    return readNamedManifests(fs.readFileSync(file, 'utf8'), file).map(({ object }) => ({ object, file: name === '' ? path.basename(found) : name }));
  });
}

/** The folder or file of the last synth. @throws CliError when there is none */
export function findLastSynth(app: string, folder?: string): string {
  const candidates = folder !== undefined ? [folder] : foldersOf(app);
  const found = candidates.find((candidate) => fs.existsSync(candidate));
  if (found === undefined) {
    throw new CliError(`No earlier output of ${app} was found to compare with: looked for ${candidates.join(', ')}. Run cdk8s synth first, name the folder with --against, `
      + 'or compare with a cluster with --live.');
  }
  return found;
}

/** All files below a folder, without cdk8s' file about constructs, sorted, with forward slashes. */
export function filesBelow(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory() && entry.name !== 'construct-metadata.json')
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')).sort();
}

function foldersOf(app: string): string[] {
  const base = fs.existsSync(app) && fs.statSync(app).isDirectory() ? app : path.dirname(app);
  const settings = path.join(base, 'cdk8s.yaml');
  const output = fs.existsSync(settings) ? (parse(fs.readFileSync(settings, 'utf8')) as { readonly output?: unknown } | null)?.output : undefined;
  return [...new Set([...(typeof output === 'string' ? [path.join(base, output)] : []), path.join(base, DEFAULT_FOLDER), DEFAULT_FOLDER])];
}

/** Adds the options of commands that compare with a cluster. */
export function withLiveOptions(command: Command): Command {
  return withClusterOptions(command.option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the kubeconfig)'))
    .option('--field-manager <name>', 'field manager to apply as (default: the last one of each object, else kubectl)');
}

export interface LiveFlags extends ClusterFlags {
  readonly fieldManager?: string;
}

/** Compares one environment with its cluster. @throws CliError when the program has several */
export async function compareLive(sets: readonly ComparedSets[], flags: LiveFlags): Promise<Comparison> {
  const given = sets.filter(({ after, before }) => after.length + before.length > 0);
  if (given.length > 1) {
    throw new CliError(`The app has several environments (${given.map(({ environment }) => environment || '.').join(', ')}), but a cluster belongs to one of them. Choose it with --environment.`);
  }
  const [{ environment, before, after }] = given.length === 0 ? sets : given;
  const comparison = await withCluster(flags, async (client) => compareWithCluster(client, after, {
    namespace: namespaceOf(client, flags), fieldManager: flags.fieldManager, earlier: before,
  }));
  return inEnvironment(comparison, environment);
}
