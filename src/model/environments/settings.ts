/**
 * Environments of one program, in plain data: what differs between them, and which takes its versions from which.
 *
 * The settings file of a program's environments: a mapping from names to what is pinned, in the order in which things are promoted.
 */
import { isRecord, record, textIn } from '../json-parts';
import { didYouMean, ViolationCollector, type Violation } from '../violations';

/** How something gets from one environment to the next. */
export type PromotionMode = 'automatic' | 'pull-request';

/** Names by their values: versions by components, images by what they are for. */
export interface Pinned {
  readonly [name: string]: string;
}

export interface EnvironmentSpec {
  readonly name: string;
  /** Environment that versions and images come from; the first one has none. */
  readonly from?: string;
  readonly mode: PromotionMode;
  readonly revision?: string;
  /** API server of its cluster. */
  readonly server?: string;
  /** What stands before the names of its namespaces. */
  readonly namespacePrefix: string;
  readonly versions: Pinned;
  readonly images: Pinned;
  readonly sizes: readonly string[];
  readonly quotas: readonly string[];
}

/** What is promoted: the only settings that a file can hold, and that `trainyard promote` copies. */
export const PROMOTED_SETTINGS = ['versions', 'images'] as const;

/** Environments of a program that does not say which it has, each promoted to the next. */
export const STANDARD_ENVIRONMENTS = ['dev', 'qa', 'stress', 'prod'];

/** What the file says about an environment. */
export interface EnvironmentSettings {
  readonly name: string;
  readonly from?: string;
  readonly promotion?: PromotionMode;
  readonly revision?: string;
  readonly versions: Pinned;
  readonly images: Pinned;
}

interface SettingsFile {
  readonly environments: readonly EnvironmentSettings[];
  readonly violations: readonly Violation[];
}

const FIELDS = ['from', 'promotion', 'revision', 'versions', 'images'];

const MODES: readonly string[] = ['automatic', 'pull-request'] satisfies PromotionMode[];

/** Reads what the file holds. @param content the file, taken apart as YAML or JSON */
export function readSettings(content: unknown): SettingsFile {
  const violations = new ViolationCollector();
  if (!isRecord(content) || Object.keys(content).length === 0) {
    violations.add('environments', content, 'must be a mapping from names of environments to their versions and images, such as {dev: {images: {train: "registry.example/train:1.0"}}}.');
    return { environments: [], violations: violations.violations };
  }
  const environments = Object.entries(content).map(([name, settings]) => readEnvironment(name, settings, violations));
  return { environments, violations: violations.violations };
}

function readEnvironment(name: string, content: unknown, violations: ViolationCollector): EnvironmentSettings {
  const path = `environments.${name}`;
  if (!isRecord(content) && content !== null) {
    violations.add(path, content, `must be a mapping with ${FIELDS.join(', ')}.`);
  }
  const settings = record(content);
  for (const field of Object.keys(settings).filter((each) => !FIELDS.includes(each))) {
    violations.add(`${path}.${field}`, settings[field], `is not a setting: the file has ${FIELDS.join(', ')}, and everything else is in the program.${didYouMean(field, FIELDS)}`);
  }
  const text = (field: string): string | undefined => {
    if (settings[field] !== undefined && typeof settings[field] !== 'string') {
      violations.add(`${path}.${field}`, settings[field], 'must be a string.');
    }
    return textIn(settings[field]);
  };
  const promotion = text('promotion');
  if (promotion !== undefined && !MODES.includes(promotion)) {
    violations.add(`${path}.promotion`, promotion, `must be ${MODES.join(' or ')}.${didYouMean(promotion, MODES)}`);
  }
  return {
    name, from: text('from'), promotion: promotion as PromotionMode | undefined, revision: text('revision'),
    versions: readPinned(settings.versions, `${path}.versions`, violations), images: readPinned(settings.images, `${path}.images`, violations),
  };
}

/** Versions in quotes: YAML takes 1.10 for a number, which is 1.1. */
function readPinned(content: unknown, path: string, violations: ViolationCollector): Pinned {
  if (content !== undefined && content !== null && !isRecord(content)) {
    violations.add(path, content, 'must be a mapping from names to strings.');
  }
  const entries = Object.entries(record(content));
  for (const [name, value] of entries.filter(([, each]) => typeof each !== 'string')) {
    violations.add(`${path}.${name}`, value, 'must be a string. Put it in quotes: YAML reads 1.10 as the number 1.1.');
  }
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
