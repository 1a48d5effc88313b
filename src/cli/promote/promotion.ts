/** What is promoted from one environment to the next: versions and images, as the settings file has them. */
import { CliError } from '../cli-error';
import { validateEnvironments } from '../../model/environments/rules';
import { PROMOTED_SETTINGS, type EnvironmentSpec } from '../../model/environments/spec';
import type { EnvironmentSettings } from '../../model/environments/settings';
import { didYouMean, formatViolation } from '../../model/violations';

/** One setting that is another one afterwards. */
export interface PromotedSetting {
  readonly kind: 'versions' | 'images';
  readonly name: string;
  /** Undefined where the target did not have it. */
  readonly before?: string;
  readonly after: string;
}

/** All that a promotion does. */
export interface PromotionPlan {
  readonly from: string;
  readonly to: string;
  readonly settings: readonly PromotedSetting[];
  /** What only the target has, which stays. */
  readonly onlyInTarget: readonly string[];
}

/** The settings with the chain as it is meant: each environment comes from the one before, unless it says otherwise. */
export function specsOf(environments: readonly EnvironmentSettings[]): EnvironmentSpec[] {
  return environments.map(({ name, from, promotion, revision, versions, images }, index) => ({
    name, from: from ?? environments[index - 1]?.name, mode: promotion ?? 'pull-request', revision, versions, images, namespacePrefix: '', sizes: [], quotas: [],
  }));
}

/**
 * Plans a promotion.
 * @param names the target, or source and target
 * @param only settings that are promoted: `versions`, `images`, `images.train` or `train` @default - all
 * @throws CliError for environments and settings that are not there, and for a way that the chain does not have
 */
export function planPromotion(environments: readonly EnvironmentSpec[], names: readonly string[], only?: readonly string[]): PromotionPlan {
  const target = find(environments, names[names.length - 1]);
  const given = names.length > 1 ? find(environments, names[0]) : undefined;
  if (target.from === undefined) {
    throw new CliError(`Nothing is promoted to '${target.name}': it is the first environment. Change it in the file, and promote from it.`);
  }
  if (given !== undefined && given.name !== target.from) {
    throw new CliError(`'${target.name}' is promoted from '${target.from}', and not from '${given.name}'. Promote step by step: trainyard promote ${target.from} ${target.name}.`);
  }
  const source = find(environments, target.from);
  const isWanted = selection(source, only);
  const settings = PROMOTED_SETTINGS.flatMap((kind) => Object.entries(source[kind])
    .filter(([name, value]) => isWanted(kind, name) && target[kind][name] !== value)
    .map(([name, after]): PromotedSetting => ({ kind, name, before: target[kind][name], after })));
  const onlyInTarget = PROMOTED_SETTINGS.flatMap((kind) => Object.keys(target[kind]).filter((name) => source[kind][name] === undefined).map((name) => `${kind}.${name}`));
  return { from: source.name, to: target.name, settings, onlyInTarget };
}

/** @throws CliError with what would be wrong afterwards */
export function checkPromoted(environments: readonly EnvironmentSpec[], { from, to, settings }: PromotionPlan): void {
  const after = environments.map((environment) => (environment.name !== to ? environment : {
    ...environment, versions: withSettings(environment.versions, settings, 'versions'), images: withSettings(environment.images, settings, 'images'),
  }));
  const before = new Set(validateEnvironments(environments).map(({ path }) => path));
  // What was wrong before, or is wrong elsewhere, is no reason to keep a promotion back that may be the way to mend it.
  const fresh = validateEnvironments(after).filter(({ path }) => path.startsWith(`environments.${to}.`) && !before.has(path)).map(formatViolation);
  if (fresh.length > 0) {
    throw new CliError(`Nothing is promoted from '${from}' to '${to}'; the result would not be valid:\n${fresh.map((violation) => `  ${violation}`).join('\n')}`);
  }
}

function withSettings(pinned: { readonly [name: string]: string }, settings: readonly PromotedSetting[], kind: PromotedSetting['kind']): { readonly [name: string]: string } {
  return { ...pinned, ...Object.fromEntries(settings.filter((setting) => setting.kind === kind).map(({ name, after }) => [name, after])) };
}

function find(environments: readonly EnvironmentSpec[], name: string): EnvironmentSpec {
  const found = environments.find((environment) => environment.name === name);
  if (found === undefined) {
    const names = environments.map((environment) => environment.name);
    throw new CliError(`There is no environment '${name}'; the file has ${names.join(', ')}.${didYouMean(name, names)}`);
  }
  return found;
}

function selection(source: EnvironmentSpec, only: readonly string[] | undefined): (kind: string, name: string) => boolean {
  if (only === undefined) {
    return () => true;
  }
  const known = PROMOTED_SETTINGS.flatMap((kind) => [kind, ...Object.keys(source[kind]).flatMap((name) => [`${kind}.${name}`, name])]);
  const unknown = only.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    const full = known.filter((word) => word.includes('.') || (PROMOTED_SETTINGS as readonly string[]).includes(word));
    throw new CliError(`--only ${unknown}: '${source.name}' has no such setting; it has ${full.join(', ')}.${didYouMean(unknown, known)}`);
  }
  return (kind, name) => only.some((word) => [kind, name, `${kind}.${name}`].includes(word));
}
