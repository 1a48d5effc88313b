/** Promotes settings from one environment to the next: the versions and images of the settings file. */
import fs from 'node:fs';
import { isMap, parseDocument } from 'yaml';
import { CliError } from '../cli-error';
import { requireFile } from '../input';
import { validateEnvironments } from '../../model/environments/rules';
import { PROMOTED_SETTINGS, readSettings, type EnvironmentSettings, type EnvironmentSpec } from '../../model/environments/settings';
import { didYouMean, formatViolation } from '../../model/violations';

/** A setting that changes. */
interface PromotedSetting {
  readonly kind: 'versions' | 'images';
  readonly name: string;
  /** Undefined if the target does not have it. */
  readonly before?: string;
  readonly after: string;
}

export interface PromotionPlan {
  readonly from: string;
  readonly to: string;
  readonly settings: readonly PromotedSetting[];
  /** Settings that only the target has. They stay. */
  readonly onlyInTarget: readonly string[];
}

/** The environments with their chain: by default, each is promoted from the one before it. */
export function specsOf(environments: readonly EnvironmentSettings[]): EnvironmentSpec[] {
  return environments.map(({ name, from, promotion, revision, versions, images }, index) => ({
    name, from: from ?? environments[index - 1]?.name, mode: promotion ?? 'pull-request', revision, versions, images, namespacePrefix: '', sizes: [], quotas: [],
  }));
}

/**
 * Plans a promotion.
 * @param names the target, or source and target
 * @param only settings to promote: `versions`, `images`, `images.train` or `train` @default - all
 * @throws CliError for unknown environments and settings, and for a step that is not in the chain
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

/** @throws CliError with the violations that the promotion would cause */
export function checkPromoted(environments: readonly EnvironmentSpec[], { from, to, settings }: PromotionPlan): void {
  const after = environments.map((environment) => (environment.name !== to ? environment : {
    ...environment, versions: withSettings(environment.versions, settings, 'versions'), images: withSettings(environment.images, settings, 'images'),
  }));
  const before = new Set(validateEnvironments(environments).map(({ path }) => path));
  // Earlier violations, and those of other environments, must not block a promotion that may fix them.
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

/** The settings file of a program's environments. Changes keep its comments, order and quotes. */
export class SettingsDocument {
  /** @throws CliError if it is missing or not valid */
  public static read(file: string): SettingsDocument {
    requireFile(file);
    return new SettingsDocument(file, fs.readFileSync(file, 'utf8'));
  }

  public readonly environments: readonly EnvironmentSettings[];

  private constructor(public readonly file: string, private readonly text: string) {
    const { environments, violations } = readSettings(this.parsed().toJS());
    if (violations.length > 0) {
      throw new CliError(`${file} is wrong:\n${violations.map((violation) => `  ${formatViolation(violation)}`).join('\n')}`);
    }
    this.environments = environments;
  }

  /** The text with changed settings of an environment. */
  public withSettings(environment: string, settings: readonly PromotedSetting[]): string {
    if (this.file.endsWith('.json')) {
      const content = JSON.parse(this.text) as { [environment: string]: { [kind: string]: { [name: string]: string } } };
      settings.forEach(({ kind, name, after }) => {
        const own = content[environment] ??= {};
        own[kind] = { ...own[kind], [name]: after };
      });
      return `${JSON.stringify(content, undefined, 2)}\n`;
    }
    const document = this.parsed();
    for (const { kind, name, after } of settings) {
      // The value of an empty mapping (`qa:`) is null.
      for (const path of [[environment], [environment, kind]].filter((each) => !isMap(document.getIn(each)))) {
        document.setIn(path, document.createNode({}));
      }
      document.setIn([environment, kind, name], after);
    }
    return document.toString({ lineWidth: 0 });
  }

  /** YAML 1.1, like cdk8s; the version determines which strings need quotes. */
  private parsed(): ReturnType<typeof parseDocument> {
    const document = parseDocument(this.text, { version: '1.1' });
    if (document.errors.length > 0) {
      throw new CliError(`${this.file} is not valid YAML: ${document.errors[0].message}`);
    }
    return document;
  }
}
