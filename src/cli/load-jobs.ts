/** Finds the training jobs of a manifest or a cdk8s app, and the ConfigMaps and Secrets in the same file. */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from './cli-error';
import type { LocatedObject } from './read-manifests';
import type { ManifestObject } from '../model/objects/manifest-object';
import { withCodeRecords } from './code/code-records';
import { readManifestFile } from './synth-app';
import type { ConfigMap, Secret } from '../manifests/kubernetes';
import { API_GROUP, GROUP_VERSION, TRAINING_JOB_KIND } from '../model/labels';
import type { TrainingJobSpec } from '../model/training-job/spec';
import { didYouMean } from '../model/violations';

export interface LoadedJob {
  readonly name: string;
  readonly namespace: string;
  readonly spec: TrainingJobSpec;
  /** File and document. */
  readonly where: string;
  /** Folder of the file; the current one for standard input. */
  readonly folder: string;
  /** Source folder of the job's `spec.code`. @default - it has none, or only its archive is known */
  readonly codeFolder?: string;
  readonly configMaps: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
}

export interface LoadOptions {
  /** Name of the job. @default - the only one */
  readonly job?: string;
  /** Only jobs of this namespace, and jobs without one. @default - all */
  readonly namespace?: string;
}

/**
 * Loads one job.
 * @param file a YAML or JSON file, `-` for standard input, a cdk8s app (`.ts`, `.js`, `.mjs`) or the folder of one
 * @throws CliError when there is no such job, or more than one to choose from
 */
export function loadJob(file: string, options: LoadOptions = {}): LoadedJob {
  const { objects, codeFolders } = loadObjects(file);
  const jobs = objects.filter(({ object }) => object.kind === TRAINING_JOB_KIND && object.apiVersion?.startsWith(`${API_GROUP}/`));
  jobs.forEach(checkJob);
  const isWanted = ({ object }: LocatedObject) => [undefined, object.metadata?.namespace ?? options.namespace].includes(options.namespace);
  const inNamespace = jobs.filter(isWanted);
  const { object, where } = chooseJob(file, objects, inNamespace, jobs, options);
  const namespace = options.namespace ?? object.metadata?.namespace ?? 'default';
  const objectsOf = (kind: string) => objects.filter((candidate) => candidate.object.kind === kind
    && candidate.object.apiVersion === 'v1' && (candidate.object.metadata?.namespace ?? namespace) === namespace).map((candidate) => candidate.object);
  const spec = object.spec as TrainingJobSpec;
  return {
    name: object.metadata!.name!,
    namespace,
    spec,
    where,
    codeFolder: codeFolders?.get(spec.code?.digest ?? ''),
    folder: file === '-' ? process.cwd() : folderOf(file),
    configMaps: objectsOf('ConfigMap') as unknown as ConfigMap[],
    secrets: objectsOf('Secret') as unknown as Secret[],
  };
}

interface LoadedObjects {
  readonly objects: readonly LocatedObject[];
  /** Folders of a program's bundles, by digest. */
  readonly codeFolders?: ReadonlyMap<string, string>;
}

function loadObjects(file: string): LoadedObjects {
  const written = readManifestFile(file);
  return written !== undefined ? { objects: written } : withCodeRecords(file, ({ objects }, records) => ({
    objects, codeFolders: new Map(records.flatMap(({ digest, folder }) => (folder === undefined ? [] : [[digest, folder] as const]))),
  }));
}

function folderOf(file: string): string {
  return fs.statSync(file).isDirectory() ? path.resolve(file) : path.dirname(path.resolve(file));
}

function checkJob({ object, where }: LocatedObject): void {
  if (object.apiVersion !== GROUP_VERSION) {
    throw new CliError(`${where}: ${TRAINING_JOB_KIND} of ${object.apiVersion}: this version of trainyard supports ${GROUP_VERSION}.`);
  }
  if (typeof object.metadata?.name !== 'string' || object.metadata.name === '') {
    throw new CliError(`${where}: the ${TRAINING_JOB_KIND} has no metadata.name. Add one.`);
  }
  if (typeof object.spec !== 'object' || object.spec === null) {
    throw new CliError(`${where}: ${TRAINING_JOB_KIND} '${object.metadata.name}' has no spec.`);
  }
}

function chooseJob(
  file: string, objects: readonly LocatedObject[], inNamespace: readonly LocatedObject[], jobs: readonly LocatedObject[], options: LoadOptions,
): LocatedObject {
  const shown = file === '-' ? 'Standard input' : file;
  if (jobs.length === 0) {
    throw new CliError(`${shown} has no ${TRAINING_JOB_KIND} (${GROUP_VERSION}): ${whatElse(objects)}`);
  }
  if (inNamespace.length === 0) {
    const namespaces = [...new Set(jobs.map(({ object }) => object.metadata!.namespace!))];
    throw new CliError(`${shown} has no job in namespace '${options.namespace}'; its jobs are in ${namespaces.join(', ')}.`);
  }
  const names = inNamespace.map(({ object }) => nameOf(object));
  const chosen = options.job === undefined ? inNamespace : inNamespace.filter(({ object }) => nameOf(object) === options.job);
  if (chosen.length === 0) {
    throw new CliError(`${shown} has no job '${options.job}'; it has ${names.join(', ')}.${didYouMean(options.job!, names)}`);
  }
  if (chosen.length > 1 && options.job === undefined) {
    throw new CliError(`${shown} has ${names.length} jobs: ${names.join(', ')}. Choose one with --job NAME.`);
  }
  if (chosen.length > 1) {
    throw new CliError(`${shown} has ${chosen.length} jobs '${options.job}': ${chosen.map(({ object, where }) => `${object.metadata?.namespace ?? 'no namespace'} in ${where}`).join('; ')}. `
      + 'Choose one with --namespace.');
  }
  return chosen[0];
}

function whatElse(objects: readonly LocatedObject[]): string {
  if (objects.length === 0) {
    return 'it is empty.';
  }
  const kinds = [...new Set(objects.map(({ object }) => object.kind ?? `an object without kind (${Object.keys(object).slice(0, 3).join(', ')})`))];
  const near = kinds.map((kind) => didYouMean(kind, [TRAINING_JOB_KIND])).find((hint) => hint !== '') ?? '';
  // A job of this kind with another apiVersion.
  const foreign = objects.find(({ object }) => object.kind === TRAINING_JOB_KIND);
  const group = foreign ? ` Its apiVersion is ${JSON.stringify(foreign.object.apiVersion)}.` : '';
  return `it has ${kinds.join(', ')}.${group || near}`;
}

function nameOf(object: ManifestObject): string {
  return object.metadata!.name!;
}
