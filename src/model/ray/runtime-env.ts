/**
 * The environment that Ray makes on each node before a program runs there: files, packages, variables.
 * @see https://docs.ray.io/en/latest/ray-core/handling-dependencies.html#api-reference
 */
import type { Fields, Texts } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** See the top of this file; names are Ray's. */
export interface RuntimeEnvSpec {
  readonly workingDir?: string;
  readonly pyModules?: readonly string[];
  readonly pip?: readonly string[];
  readonly uv?: readonly string[];
  readonly conda?: string;
  readonly envVars?: Texts;
  /** Further fields, as Ray spells them. */
  readonly more?: Fields;
}

/** Where Ray gets files from. @see https://docs.ray.io/en/latest/ray-core/handling-dependencies.html#remote-uris */
const REMOTE = /^(https|s3|gs|azure|abfss|gcs|file):\/\/\S+$/;

/** Files that are downloaded have to be archives. */
const ARCHIVE = /\.(zip|jar|whl|tar\.gz|tgz)(?:[?#]|$)/;

/** How far files can be: on the head, where the program is, or nowhere but on the net. */
export type FilesFrom = 'anywhere' | 'net';

export function validateRuntimeEnv(
  { workingDir, pyModules = [], pip, uv, conda, envVars = {}, more }: RuntimeEnvSpec, path: string, files: FilesFrom,
): Violation[] {
  const violations = new ViolationCollector();
  const managers = Object.entries({ pip, uv, conda }).filter(([, given]) => given !== undefined && given.length > 0);
  if (managers.length > 1) {
    violations.add(path, managers.map(([name]) => name), 'cannot be combined: Ray creates one Python environment. Keep one of them.');
  }
  const places = [...(workingDir === undefined ? [] : [[`${path}.working_dir`, workingDir]]), ...pyModules.map((module, index) => [`${path}.py_modules[${index}]`, module])];
  for (const [where, place] of places) {
    if (REMOTE.test(place)) {
      violations.form(where, place, ARCHIVE, 'is downloaded, so it must be an archive: a .zip with the files at its top, or a .whl. Pack it.');
    } else if (files === 'net' || place.includes('://')) {
      violations.add(where, place, 'must be the URL of an archive, because each node fetches it: gs://bucket/app.zip, https://example.org/app.zip, or file:///app.zip in the image.');
    }
  }
  for (const name of Object.keys(envVars).filter((variable) => variable === '' || variable.includes('='))) {
    violations.add(`${path}.env_vars`, name, 'is not a valid variable name. Choose one without \'=\'.');
  }
  validateMore(more, ['working_dir', 'py_modules', 'pip', 'uv', 'conda', 'env_vars'], path, violations);
  return violations.violations;
}

/** Records further fields that have a property, whose rules have to be kept. */
export function validateMore(more: Fields = {}, fields: readonly string[], path: string, violations: ViolationCollector): void {
  for (const field of Object.keys(more).filter((name) => fields.includes(name))) {
    violations.add(`${path}.${field}`, more[field], 'has its own property. Use that.');
  }
}

/** Records amounts of resources that are not numbers from 0 on. */
export function checkAmounts(amounts: { readonly [name: string]: number | undefined }, path: string, violations: ViolationCollector): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount !== undefined && !(Number.isFinite(amount) && amount >= 0)) {
      violations.add(`${path}.${name}`, amount, 'must be a number, 0 or more.');
    }
  }
}
