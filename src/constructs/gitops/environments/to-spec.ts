/** Environments as plain data, from the program, the settings file and defaults. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Yaml } from 'cdk8s';
import { PromotionMode, type EnvironmentProps, type EnvironmentsProps } from './environment-props';
import { STANDARD_ENVIRONMENTS, readSettings, type EnvironmentSettings, type EnvironmentSpec } from '../../../model/environments/settings';
import { didYouMean, ViolationCollector, type Violation } from '../../../model/violations';

/** Fields that belong in the settings file, if there is one. */
const IN_FILE = ['versions', 'images', 'revision', 'promotion'] as const;

/** One environment, from the program and the file. */
export interface EnvironmentInput {
  readonly spec: EnvironmentSpec;
  readonly props: EnvironmentProps;
}

/** All environments, and their violations. */
export interface EnvironmentsInput {
  readonly environments: readonly EnvironmentInput[];
  readonly violations: readonly Violation[];
}

/** Reads the file and merges it with the program. @throws Error if the file does not exist */
export function toEnvironments({ environments, settings }: EnvironmentsProps): EnvironmentsInput {
  const violations = new ViolationCollector();
  const file = settings === undefined ? undefined : readFile(settings, violations);
  const given: readonly EnvironmentProps[] = environments ?? (file ?? STANDARD_ENVIRONMENTS.map((name) => ({ name }))).map(({ name }) => ({ name }));
  if (file !== undefined) {
    checkNames(given.map(({ name }) => name), file.map(({ name }) => name), violations);
    given.forEach((props) => checkPlace(props, violations));
  }
  // The order of promotion is that of the file, as it is for the command.
  const order = (file ?? given).map(({ name }) => name);
  const inputs = given.map((props) => ({
    props, spec: toSpec(props, file?.find(({ name }) => name === props.name), order[order.indexOf(props.name) - 1]),
  }));
  return { environments: inputs, violations: violations.violations };
}

function readFile(file: string, violations: ViolationCollector): readonly EnvironmentSettings[] {
  if (!existsSync(file)) {
    throw new Error(`Environments: settings: there is no file ${JSON.stringify(file)}. It is a YAML file with versions and images by environment; relative paths start at the current folder of the process.`);
  }
  // cdk8s starts a process to read YAML.
  const content = file.endsWith('.json') ? parseJson(file) : (Yaml.load(path.resolve(file)) as unknown[])[0];
  const result = readSettings(content);
  violations.addAll(result.violations);
  return result.environments;
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new Error(`Environments: settings: ${JSON.stringify(file)} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

function checkNames(given: readonly string[], written: readonly string[], violations: ViolationCollector): void {
  for (const name of written.filter((each) => !given.includes(each))) {
    violations.add(`settings.${name}`, undefined, `is in the settings file, but is not an environment of the program, which has ${given.join(', ')}.${didYouMean(name, given)}`);
  }
  for (const name of given.filter((each) => !written.includes(each))) {
    violations.add(`environments.${name}`, undefined, `is not in the settings file, which has ${written.join(', ')}. Add it there: ${name}: {}.`);
  }
}

/** Values that `trainyard promote` writes must be in one place. */
function checkPlace(props: EnvironmentProps, violations: ViolationCollector): void {
  for (const field of IN_FILE.filter((each) => props[each] !== undefined)) {
    violations.add(`environments.${props.name}.${field}`, undefined, 'is set in the program, but there is a settings file, which trainyard promote reads and writes. Move it there.');
  }
}

function toSpec(props: EnvironmentProps, written: EnvironmentSettings | undefined, before: string | undefined): EnvironmentSpec {
  return {
    name: props.name,
    from: props.promotion?.from ?? written?.from ?? before,
    mode: props.promotion?.mode ?? written?.promotion ?? PromotionMode.PULL_REQUEST,
    revision: props.revision ?? written?.revision,
    server: props.server,
    namespacePrefix: props.namespacePrefix ?? '',
    versions: { ...written?.versions, ...props.versions },
    images: { ...written?.images, ...props.images },
    sizes: Object.keys(props.sizes ?? {}),
    quotas: Object.keys(props.quotas ?? {}),
  };
}
