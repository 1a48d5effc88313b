/** Rules of a program's environments: names, the chain of promotion, settings that all of them have, and versions that never run ahead. */
import { tryParseImage } from './structure';
import type { EnvironmentSpec, Pinned } from './settings';
import { compareVersions, tryParseVersion } from '../catalogue/versions';
import { didYouMean, ViolationCollector, type Violation } from '../violations';

/** Room for names behind it: folders, namespaces and Argo CD's Applications begin with an environment. */
const NAME = /^[a-z]([-a-z0-9]{0,18}[a-z0-9])?$/;

const PREFIX = /^[a-z]([-a-z0-9]{0,19})$/;

/** What Git takes for a branch or tag, without its rarer signs. @see https://git-scm.com/docs/git-check-ref-format */
const REVISION = /^(?![-/.])(?!.*(\.\.|\/\/|@\{))[\w./@+-]+(?<![/.])$/;

/** Everything that is wrong with the environments of a program, in the order in which they are given. */
export function validateEnvironments(environments: readonly EnvironmentSpec[]): Violation[] {
  const violations = new ViolationCollector();
  if (environments.length === 0) {
    violations.add('environments', [], 'must be at least one environment. Leave it out for dev, qa, stress and prod.');
  }
  const names = environments.map(({ name }) => name);
  environments.forEach((environment, index) => {
    const path = `environments.${environment.name}`;
    if (!NAME.test(environment.name)) {
      violations.add(`environments[${index}].name`, environment.name, 'must be at most 20 lower-case letters, digits and dashes, beginning with a letter: folders and namespaces have it in their names.');
    } else if (names.indexOf(environment.name) !== index) {
      violations.add(`environments[${index}].name`, environment.name, 'is the name of an earlier environment. Each has its own folder.');
    }
    checkPlace(environment, path, violations);
    checkSource(environment, environments, path, violations);
    checkPinned(environment, path, violations);
  });
  checkSameSettings(environments, violations);
  checkClusters(environments, violations);
  checkOrder(environments, violations);
  return violations.violations;
}

function checkPlace({ namespacePrefix, revision, server }: EnvironmentSpec, path: string, violations: ViolationCollector): void {
  if (namespacePrefix !== '' && !PREFIX.test(namespacePrefix)) {
    violations.add(`${path}.namespacePrefix`, namespacePrefix, 'must be at most 20 lower-case letters, digits and dashes, beginning with a letter, such as dev-.');
  }
  violations.form(`${path}.revision`, revision, REVISION, 'must be a Git branch, tag or commit, such as main.');
  violations.form(`${path}.server`, server, /^https:\/\/[^\s/]+$/, 'must be the address of an API server, such as https://10.0.0.1:6443, without a path.');
}

function checkSource({ name, from }: EnvironmentSpec, all: readonly EnvironmentSpec[], path: string, violations: ViolationCollector): void {
  if (from === undefined) {
    return;
  }
  const names = all.map((each) => each.name);
  if (!names.includes(from)) {
    violations.add(`${path}.from`, from, `is not an environment; there are ${names.join(', ')}.${didYouMean(from, names)}`);
    return;
  }
  const chain = [name];
  for (let next: string | undefined = from; next !== undefined; next = all.find((each) => each.name === next)?.from) {
    if (chain.includes(next)) {
      if (next === name) {
        violations.add(`${path}.from`, from, `creates a cycle: ${[...chain, next].join(' from ')}. One environment must come first.`);
      }
      return;
    }
    chain.push(next);
  }
}

function checkPinned({ versions, images }: EnvironmentSpec, path: string, violations: ViolationCollector): void {
  for (const [component, version] of Object.entries(versions)) {
    if (tryParseVersion(version) === undefined) {
      violations.add(`${path}.versions.${component}`, version, 'must begin with numbers, such as 1.4.0 or v1.4.0; other formats cannot be compared.');
    }
  }
  for (const [name, image] of Object.entries(images)) {
    const reference = tryParseImage(image);
    if (reference === undefined) {
      violations.add(`${path}.images.${name}`, image, 'must be an image reference, such as registry.example/train:1.4.');
    } else if (reference.digest === undefined && (reference.tag === undefined || reference.tag === 'latest')) {
      violations.add(`${path}.images.${name}`, image, 'must have a tag other than latest, or a digest: the image tested in one environment must be the one that runs in the next.');
    }
  }
}

/** Structure is one program: a setting that one environment has all of them have. */
function checkSameSettings(environments: readonly EnvironmentSpec[], violations: ViolationCollector): void {
  const kinds: readonly (readonly [string, (environment: EnvironmentSpec) => readonly string[]])[] = [
    ['versions', ({ versions }) => Object.keys(versions)], ['images', ({ images }) => Object.keys(images)],
    ['sizes', ({ sizes }) => sizes], ['quotas', ({ quotas }) => quotas],
  ];
  for (const [kind, namesOf] of kinds) {
    const all = [...new Set(environments.flatMap(namesOf))];
    for (const environment of environments) {
      for (const name of all.filter((each) => !namesOf(environment).includes(each))) {
        const owners = environments.filter((each) => namesOf(each).includes(name)).map((each) => each.name);
        violations.add(`environments.${environment.name}.${kind}.${name}`, undefined, `is missing, and ${owners.join(', ')} ${owners.length > 1 ? 'have' : 'has'} it: environments differ in values `
          + `but not in structure.${didYouMean(name, namesOf(environment).filter((each) => owners.every((owner) => !namesOf(environments.find((one) => one.name === owner)!).includes(each))))}`);
      }
    }
  }
}

function checkClusters(environments: readonly EnvironmentSpec[], violations: ViolationCollector): void {
  environments.forEach(({ name, server, namespacePrefix }, index) => {
    const twin = environments.slice(0, index).find((each) => each.server === server && each.namespacePrefix === namespacePrefix);
    if (server !== undefined && twin !== undefined) {
      violations.add(`environments.${name}.namespacePrefix`, namespacePrefix, `is also used by '${twin.name}', which is in the same cluster (${server}): one would overwrite the other. Give each its own.`);
    }
  });
}

/** Nothing runs in an environment that did not run in the one before. */
function checkOrder(environments: readonly EnvironmentSpec[], violations: ViolationCollector): void {
  for (const environment of environments) {
    const source = environments.find(({ name }) => name === environment.from);
    if (source === undefined || source === environment) {
      continue;
    }
    const ahead = (kind: 'versions' | 'images', isNewer: (own: string, earlier: string) => boolean) => {
      for (const [name, own] of Object.entries<string>(environment[kind])) {
        const earlier = (source[kind] as Pinned)[name];
        if (earlier !== undefined && isNewer(own, earlier)) {
          violations.add(`environments.${environment.name}.${kind}.${name}`, own, `is newer than ${JSON.stringify(earlier)} of '${source.name}', which '${environment.name}' is promoted from. Raise it there `
            + `first, and promote it: trainyard promote ${source.name} ${environment.name}.`);
        }
      }
    };
    ahead('versions', (own, earlier) => compareVersions(own, earlier) > 0);
    ahead('images', isNewerImage);
  }
}

/** Only tags of one repository that are versions can be distinguished by age. */
function isNewerImage(own: string, earlier: string): boolean {
  const [one, other] = [tryParseImage(own), tryParseImage(earlier)];
  return one?.tag !== undefined && other?.tag !== undefined && one.repository === other.repository
    && isVersion(one.tag) && isVersion(other.tag) && compareVersions(one.tag, other.tag) > 0;
}

/** A commit may begin with a digit, too. */
function isVersion(tag: string): boolean {
  return /^v?\d+(\.\d+)*([-+].*)?$/.test(tag);
}
