/** A project that starts from manifests: the program that `trainyard migrate` writes, and files with the objects that cannot be migrated. */
import fs from 'node:fs';
import path from 'node:path';
import { projectFiles, type Files } from './templates';
import { CliError } from '../cli-error';
import { readInputs } from '../migrate/inputs';
import { migrateTexts } from '../migrate/migration';
import { reportLines } from '../migrate/report';
import { requireFile } from '../input';
import { isManifest } from '../synth-app';
import { KUSTOMIZATIONS } from '../validate/kind-rules';
import type { Paint } from '../../local/output/colours';
import { OPERATOR_ENGINE } from '../../manifests/engines/operator';
import { inOrder } from '../../model/lists';

export interface StartedProject {
  readonly files: Files;
  /** The result for each object, with everything that is lost. */
  readonly report: readonly string[];
  /** Whether something could not be read, and is not in the project. */
  readonly failed: boolean;
}

/** Folder of included objects. */
const INCLUDED = 'included';

/**
 * Reads manifests and writes the project.
 * @param places files, folders, or `-` for standard input
 * @param name of the project
 * @throws CliError for a place without manifests, and for manifests without a single object
 */
export function projectFromManifests(places: readonly string[], name: string, paint: Paint): StartedProject {
  const inputs = readInputs(places.flatMap(manifestsOf));
  const result = migrateTexts(inputs, { engine: OPERATOR_ENGINE, form: 'typescript', name: 'main', chart: 'jobs', includeFolder: INCLUDED });
  const report = reportLines(result, paint);
  if (result.outputs.length === 0) {
    throw new CliError(`--from: nothing can be started from, and nothing was written.\n${report.join('\n')}`);
  }
  const written = Object.fromEntries(result.outputs.map((output) => [output.name, output.text]));
  return { files: { ...written, ...projectFiles(name) }, report, failed: result.failed };
}

/** The files of a place. */
function manifestsOf(place: string): string[] {
  if (place === '-') {
    return [place];
  }
  requireFile(place);
  if (!fs.statSync(place).isDirectory()) {
    return [place];
  }
  const files = filesBelow(place);
  const kustomization = files.find((file) => KUSTOMIZATIONS.includes(path.basename(file)));
  if (kustomization !== undefined) {
    throw new CliError(`--from ${place}: ${kustomization} changes the objects of its folder. Start from what it renders: kubectl kustomize ${path.dirname(kustomization)} | trainyard init --from -`);
  }
  const manifests = files.filter(isManifest);
  if (manifests.length === 0) {
    throw new CliError(`--from ${place}: has no manifests (*.yaml, *.json). Name a file, or another folder.`);
  }
  return manifests;
}

/** All files below a folder, except those in `node_modules` and hidden folders. */
function filesBelow(folder: string): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).sort((one, other) => inOrder(one.name, other.name)).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return !entry.isDirectory() ? [file] : entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : filesBelow(file);
  });
}
