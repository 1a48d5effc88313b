/** The manifests that an app was synthesized to the last time. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { CliError } from '../cli-error';
import { readManifests, type ManifestObject } from '../read-manifests';

/** Where cdk8s writes to, unless an app or its settings say otherwise. */
const DEFAULT_FOLDER = 'dist';

/**
 * Reads the last synth.
 * @param folder where it is; else the `output` of cdk8s.yaml, or `dist` beside the app or in the current folder
 * @throws CliError when there is none
 */
export function readLastSynth(app: string, folder?: string): readonly ManifestObject[] {
  const candidates = folder !== undefined ? [folder] : foldersOf(app);
  const found = candidates.find((candidate) => fs.existsSync(candidate));
  if (found === undefined) {
    throw new CliError(`There is no last synth of ${app} to compare with: looked for ${candidates.join(', ')}. Run cdk8s synth first, name the folder with --against, `
      + 'or compare with a cluster with --live.');
  }
  const files = fs.statSync(found).isDirectory()
    ? fs.readdirSync(found, { recursive: true }).map(String).filter((name) => /\.(ya?ml|json)$/.test(name) && name !== 'construct-metadata.json').sort()
      .map((name) => path.join(found, name))
    : [found];
  return files.flatMap((file) => readManifests(fs.readFileSync(file, 'utf8'), file).map(({ object }) => object));
}

function foldersOf(app: string): string[] {
  const base = fs.existsSync(app) && fs.statSync(app).isDirectory() ? app : path.dirname(app);
  const settings = path.join(base, 'cdk8s.yaml');
  const output = fs.existsSync(settings) ? (parse(fs.readFileSync(settings, 'utf8')) as { readonly output?: unknown } | null)?.output : undefined;
  return [...new Set([...(typeof output === 'string' ? [path.join(base, output)] : []), path.join(base, DEFAULT_FOLDER), DEFAULT_FOLDER])];
}
