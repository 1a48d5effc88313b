/** The manifests that an app was synthesized to the last time. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { CliError } from '../cli-error';
import { readNamedManifests } from '../read-manifests';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { isManifest } from '../synth-app';

/** Where cdk8s writes to, unless an app or its settings say otherwise. */
const DEFAULT_FOLDER = 'dist';

/** An object of the last synth. */
export interface PlacedObject {
  readonly object: ManifestObject;
  /** File below the folder, with forward slashes; its name alone where one file was given. */
  readonly file: string;
}

/**
 * Reads the last synth.
 * @param folder where it is; else the `output` of cdk8s.yaml, or `dist` beside the app or in the current folder
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

/** Where the last synth is. @throws CliError when there is none */
export function findLastSynth(app: string, folder?: string): string {
  const candidates = folder !== undefined ? [folder] : foldersOf(app);
  const found = candidates.find((candidate) => fs.existsSync(candidate));
  if (found === undefined) {
    throw new CliError(`There is no last synth of ${app} to compare with: looked for ${candidates.join(', ')}. Run cdk8s synth first, name the folder with --against, `
      + 'or compare with a cluster with --live.');
  }
  return found;
}

/** All files below a folder, but for what cdk8s notes about constructs, sorted, with forward slashes. */
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
