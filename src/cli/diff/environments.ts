/** Environments of a program hold objects of the same names, so that each is compared with its own folder. */
import { compareSets, type Comparison } from './comparison';
import type { PlacedObject } from './last-synth';
import { CliError } from '../cli-error';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { didYouMean } from '../../model/violations';

/** An object that an app made. */
export interface SynthesizedObject {
  readonly object: ManifestObject;
  /** Folder of its environment. */
  readonly environment?: string;
}

/** Both sides of one comparison. */
export interface ComparedSets {
  /** Empty where the program is one app. */
  readonly environment: string;
  readonly before: readonly ManifestObject[];
  readonly after: readonly ManifestObject[];
}

/**
 * Brings together what belongs together.
 * @param only environment that is asked about @default - all
 * @throws CliError for an environment that the program does not have
 */
export function setsByEnvironment(before: readonly PlacedObject[], after: readonly SynthesizedObject[], only?: string): ComparedSets[] {
  const environments = [...new Set(after.flatMap(({ environment }) => environment ?? []))];
  if (only !== undefined && !environments.includes(only)) {
    throw new CliError(environments.length === 0 ? `--environment ${only}: the app has no environments.`
      : `--environment ${only}: the app has ${environments.join(', ')}.${didYouMean(only, environments)}`);
  }
  if (environments.length === 0) {
    return [{ environment: '', before: before.map(({ object }) => object), after: after.map(({ object }) => object) }];
  }
  // What is left over may be of an environment that has gone.
  const folderOf = (file: string) => environments.find((folder) => file.startsWith(`${folder}/`)) ?? (file.includes('/') ? file.split('/')[0] : '');
  const placed = before.map(({ object, file }) => ({ object, environment: folderOf(file) }));
  const all = [...new Set([...environments, ...after.map(({ environment = '' }) => environment), ...placed.map(({ environment }) => environment)])];
  return all.filter((environment) => only === undefined || environment === only).map((environment) => ({
    environment,
    before: placed.filter((each) => each.environment === environment).map(({ object }) => object),
    after: after.filter((each) => (each.environment ?? '') === environment).map(({ object }) => object),
  }));
}

/** Compares set by set, and says of each object in which environment it is. */
export function compareAll(sets: readonly ComparedSets[]): Comparison {
  return joined(sets.map(({ environment, before, after }) => inEnvironment(compareSets(before, after), environment)));
}

/** The same comparison, its objects named with their environment. */
export function inEnvironment({ changes, same }: Comparison, environment: string): Comparison {
  return environment === '' ? { changes, same } : { changes: changes.map((change) => ({ ...change, environment, title: `${environment}: ${change.title}` })), same };
}

function joined(comparisons: readonly Comparison[]): Comparison {
  return { changes: comparisons.flatMap(({ changes }) => changes), same: comparisons.reduce((sum, { same }) => sum + same, 0) };
}
