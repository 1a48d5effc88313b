/**
 * From chosen components to waves of an installation, and everything that speaks against the choice.
 *
 * Waves of a graph: each node is in the first wave in which everything that it comes after is in an earlier one. Nodes of a circle, and what comes
 * after them, are in none.
 */
import { CATALOGUE } from './catalogue';
import { COMPATIBILITY_RULES, brokenRules, type CompatibilityRule } from './compatibility';
import type { CatalogueComponent, PlatformEnvironment } from './types';
import { compareVersions, minorOf } from './versions';
import { entryFor } from '../lists';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

export interface SelectedComponent {
  readonly name: string;
  /** @default - the catalogue's */
  readonly version?: string;
  /** Ways to run it that need more. @default - none */
  readonly features?: readonly string[];
  /** Needs that something outside of the platform meets. @default - none */
  readonly outside?: readonly string[];
}

/** What a platform consists of. */
export interface ComponentSelection {
  readonly components: readonly SelectedComponent[];
  /** What the cluster has already, from another source. It is not installed. @default - nothing */
  readonly existing?: readonly SelectedComponent[];
  /** Release of Kubernetes, `1.34` or longer. @default - not known, and so not asked about */
  readonly kubernetesVersion?: string;
  /** @default 'other' */
  readonly environment?: PlatformEnvironment;
}

export interface Resolution {
  /** Components to install, wave by wave. A wave needs nothing that is not in an earlier one, in the cluster, or in itself. */
  readonly waves: readonly (readonly string[])[];
  /** Of each component of the waves, components of earlier waves that it comes after; sorted. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** Chosen components that the environment has already. */
  readonly builtIn: readonly string[];
  /** What cannot work. */
  readonly violations: readonly Violation[];
  /** What may not, and what is not known. */
  readonly warnings: readonly Violation[];
}

/** Tables that the answer follows from; tests have others. */
export interface CatalogueTables {
  readonly catalogue: readonly CatalogueComponent[];
  readonly rules: readonly CompatibilityRule[];
}

/** Orders the chosen components, and says what is missing, twice there or not made for each other. Pure: same selection, same answer. */
export function resolveComponents(
  selection: ComponentSelection, { catalogue, rules }: CatalogueTables = { catalogue: CATALOGUE, rules: COMPATIBILITY_RULES },
): Resolution {
  const { existing = [], environment = 'other' } = selection;
  const errors = new ViolationCollector();
  const warnings = new ViolationCollector();
  const byName = new Map(catalogue.map((each) => [each.name, each]));
  const chosen = known(selection.components, 'components', byName, errors);
  const there = known(existing, 'existing', byName, errors);
  const builtIn = catalogue.filter(({ builtInto = [] }) => builtInto.includes(environment));
  const isBuiltIn = ({ name }: { readonly name: string }) => builtIn.some((each) => each.name === name);
  for (const { name } of there) {
    if (chosen.some((each) => each.name === name)) {
      errors.add(`components.${name}`, name, 'is already in the cluster, according to \'existing\', and a second one would conflict with its webhooks '
        + 'and definitions. Remove it from components or from existing.');
    }
  }
  const installed = chosen.filter((each) => !isBuiltIn(each));
  const brought = builtIn.filter(({ name }) => !there.some((each) => each.name === name)).map(({ name }): SelectedComponent => ({ name }));
  const present = [...installed, ...there, ...brought];
  const entries = present.map(({ name }) => byName.get(name)!);
  const standsFor = (capability: string) => entries.filter(({ name, provides = [] }) => name === capability || provides.includes(capability));

  for (const each of chosen) {
    const entry = byName.get(each.name)!;
    checkEnvironment(entry, environment, errors);
    const needs = needsOf(each, entry, errors);
    for (const [need, feature] of needs) {
      if (standsFor(need).length === 0) {
        errors.add(`components.${each.name}`, need, `is needed${feature === undefined ? '' : ` for ${feature}`} but missing. ${addOneOf(need, catalogue, environment)}`);
      }
    }
  }
  checkConflicts(entries, new Set(installed.map(({ name }) => name)), errors);
  // The version of what an environment brings is not known.
  const versions = new Map([...installed, ...there].map((each) => [each.name, each.version ?? byName.get(each.name)!.version]));
  for (const rule of brokenRules(versions, rules)) {
    const [a, b] = rule.between.map(({ component }) => component);
    (rule.severity === 'error' ? errors : warnings).add(`components.${b}`, versions.get(b), `${a} ${versions.get(a)} and ${b} ${versions.get(b)} ${rule.reason}. ${rule.fix} (${rule.source})`);
  }
  checkKubernetes(selection.kubernetesVersion, installed.map(({ name }) => byName.get(name)!), errors, warnings);
  checkPins(installed, byName, warnings);

  const edges = new Map(installed.map((each) => {
    const entry = byName.get(each.name)!;
    const wanted = [...needsOf(each, entry).map(([need]) => need), ...entry.after ?? []];
    const before = wanted.flatMap((capability) => standsFor(capability).map(({ name }) => name)).filter((name) => name !== each.name);
    return [each.name, [...new Set(before)]] as const;
  }));
  const { waves, cycle } = orderByWaves(edges);
  if (cycle.length > 0) {
    errors.add('components', cycle, `need each other in a cycle: ${cycle.join(' after ')}. Leave one of them out.`);
  }
  const after = new Map([...edges].map(([name, before]) => [name, before.filter((other) => edges.has(other)).sort()]));
  return {
    waves, after, builtIn: chosen.filter(isBuiltIn).map(({ name }) => name).sort(), violations: errors.violations, warnings: warnings.violations,
  };
}

/** Components that are in the catalogue, each once. */
function known(
  selected: readonly SelectedComponent[], path: string, byName: ReadonlyMap<string, CatalogueComponent>, errors: ViolationCollector,
): SelectedComponent[] {
  const found = new Map<string, SelectedComponent>();
  for (const each of selected) {
    if (!byName.has(each.name)) {
      errors.add(`${path}.${each.name}`, each.name, `is not a component of the catalogue.${didYouMean(each.name, [...byName.keys()])}`);
    } else if (found.has(each.name)) {
      errors.add(`${path}.${each.name}`, each.name, 'is listed twice. Remove one of the two.');
    } else {
      found.set(each.name, each);
    }
  }
  return [...found.values()];
}

/** What a component needs, and which of its features it is for. */
function needsOf(selected: SelectedComponent, entry: CatalogueComponent, errors?: ViolationCollector): (readonly [need: string, feature?: string])[] {
  const inside = (entry.needs ?? []).filter((need) => !selected.outside?.includes(need));
  const needs: (readonly [string, string?])[] = inside.map((need) => [need] as const);
  for (const name of selected.features ?? []) {
    const feature = entry.features?.[name];
    if (feature === undefined) {
      const names = Object.keys(entry.features ?? {});
      errors?.add(`components.${entry.name}.features`, name, names.length === 0 ? 'is not a feature: this component has none.' : `is not one of its features: ${names.join(', ')}.`);
    } else {
      needs.push(...feature.needs.map((need) => [need, feature.title] as const));
    }
  }
  return needs;
}

function addOneOf(need: string, catalogue: readonly CatalogueComponent[], environment: PlatformEnvironment): string {
  const providers = catalogue
    .filter(({ name, provides = [], onlyIn }) => (name === need || provides.includes(need)) && (onlyIn?.environments.includes(environment) ?? true))
    .map(({ name }) => `'${name}'`);
  return providers.length === 1 ? `Add ${providers[0]}.` : providers.length === 0 ? `Nothing provides it in '${environment}'.` : `Add one of ${providers.join(', ')}.`;
}

function checkEnvironment({ name, onlyIn }: CatalogueComponent, environment: PlatformEnvironment, errors: ViolationCollector): void {
  if (onlyIn !== undefined && !onlyIn.environments.includes(environment)) {
    errors.add(`components.${name}`, environment, `it is for ${onlyIn.environments.join(' and ')}: ${onlyIn.reason}. Leave it out.`);
  }
}

/** Two of what there must be one of: definitions, and what components stand for. @param installed those of the entries that this platform installs */
function checkConflicts(entries: readonly CatalogueComponent[], installed: ReadonlySet<string>, errors: ViolationCollector): void {
  const roles = new Map<string, CatalogueComponent[]>();
  for (const entry of entries) {
    for (const role of [...entry.provides ?? [], ...entry.crds]) {
      entryFor(roles, role, () => []).push(entry);
    }
  }
  const told = new Set<string>();
  for (const [role, both] of roles) {
    const names = both.map(({ name }) => name);
    const pair = names.join(' and ');
    if (both.length > 1 && names.some((name) => installed.has(name)) && !told.has(pair)) {
      told.add(pair);
      const isCapability = both.some(({ provides = [] }) => provides.includes(role));
      errors.add(`components.${names[1]}`, names, `${pair} ${isCapability ? `both provide '${role}', and a platform needs only one` : `both install ${role}, and the second would overwrite the first`}. Remove one.`);
    }
  }
}

function checkKubernetes(
  version: string | undefined, entries: readonly CatalogueComponent[], errors: ViolationCollector, warnings: ViolationCollector,
): void {
  if (version === undefined) {
    return;
  }
  const minor = minorOf(version);
  if (minor === undefined) {
    errors.add('kubernetesVersion', version, 'must be a release of Kubernetes, such as 1.34.');
    return;
  }
  for (const { name, kubernetes } of entries) {
    if (kubernetes === undefined) {
      continue;
    }
    const { from, testedTo, source, confirmed } = kubernetes;
    if (compareVersions(minor, from) < 0) {
      (confirmed ? errors : warnings).add(`components.${name}`, version, `it needs Kubernetes ${from} or later${confirmed ? '' : ', as far as we know'} (${source}). Upgrade the cluster, or leave it out.`);
    } else if (testedTo !== undefined && compareVersions(minor, testedTo) > 0) {
      warnings.add(`components.${name}`, version, `it is tested up to Kubernetes ${testedTo} (${source}).`);
    }
  }
}

/** A version of the user's is the user's to know. */
function checkPins(installed: readonly SelectedComponent[], byName: ReadonlyMap<string, CatalogueComponent>, warnings: ViolationCollector): void {
  for (const { name, version } of installed) {
    const { pin, version: pinned } = byName.get(name)!;
    if (!pin.confirmed && version === undefined) {
      warnings.add(`components.${name}.version`, pinned, `no available source confirms that this version of its chart was published (${pin.source}). Look it up before the first sync, or give a version.`);
    }
  }
}

/** What was ordered, and what could not be. */
interface Order {
  /** Names within a wave are sorted, so that the order of a program does not matter. */
  readonly waves: readonly (readonly string[])[];
  /** One circle, from a node back to it; empty without. */
  readonly cycle: readonly string[];
}

/** Orders the nodes of a graph. @param edges what each node comes after; names that are not nodes are left out */
export function orderByWaves(edges: ReadonlyMap<string, readonly string[]>): Order {
  const waiting = new Map([...edges].map(([name, before]) => [name, new Set(before.filter((other) => edges.has(other)))]));
  const waves: string[][] = [];
  while (waiting.size > 0) {
    const wave = [...waiting].filter(([, before]) => before.size === 0).map(([name]) => name).sort();
    if (wave.length === 0) {
      return { waves, cycle: findCycle(waiting) };
    }
    wave.forEach((name) => waiting.delete(name));
    for (const before of waiting.values()) {
      wave.forEach((name) => before.delete(name));
    }
    waves.push(wave);
  }
  return { waves, cycle: [] };
}

/** Every node waits for another one that waits, so that walking on meets a node again. */
function findCycle(waiting: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path: string[] = [];
  let at = [...waiting.keys()].sort()[0];
  while (!path.includes(at)) {
    path.push(at);
    [at] = [...waiting.get(at)!].sort();
  }
  return [...path.slice(path.indexOf(at)), at];
}
