/** Environments of one program have the same objects. What is only in some of them is reported, unless the program says why. */
import { entryFor } from '../lists';
import { groupOf } from '../objects/builtin-kinds';
import { objectTitle } from '../objects/manifest-object';
import { expressionOf, quotedPattern } from '../text/expressions';

/** The parts of an object that show the structure. */
export interface StructureObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly construct: string;
  /** Why it is not in all environments. */
  readonly reason?: string;
}

export interface EnvironmentStructure {
  readonly name: string;
  readonly namespacePrefix: string;
  readonly objects: readonly StructureObject[];
}

/** Something that differs. */
export interface StructureProblem {
  readonly environment: string;
  readonly construct: string;
  readonly message: string;
}

/** A name that ends in a hash of its content or its place, which may differ. */
const HASH = /-[0-9a-f]{8,}$/;

/** A name as it is in every environment: without the environment, its prefix, and hashes. */
export function commonName(name: string, { name: environment, namespacePrefix }: Pick<EnvironmentStructure, 'name' | 'namespacePrefix'>): string {
  // Names that are derived from a namespace's have its prefix in the middle; one without a dash at its end could be the beginning of any word.
  const isWord = namespacePrefix.endsWith('-');
  const bare = isWord ? name.replace(expressionOf(`(^|[-.:/])${quotedPattern(namespacePrefix)}`, 'g'), '$1')
    : name.startsWith(namespacePrefix) ? name.slice(namespacePrefix.length) : name;
  return bare.replace(HASH, '-#').replace(expressionOf(`(^|[-.:/])${quotedPattern(environment)}(?=$|[-.:/])`, 'g'), '').replace(/^[-.:/]/, '');
}

/** What is not in all environments, and marks that are not needed. */
export function structureProblems(environments: readonly EnvironmentStructure[]): StructureProblem[] {
  const sets = environments.map((environment) => ({ environment, byKey: groupByKey(environment) }));
  const keys = new Set(sets.flatMap(({ byKey }) => [...byKey.keys()]));
  return [...keys].flatMap((key): StructureProblem[] => {
    const groups = sets.map(({ environment, byKey }) => ({ name: environment.name, objects: byKey.get(key) ?? [] }));
    const most = Math.max(...groups.map(({ objects }) => objects.length));
    const without = groups.filter(({ objects }) => objects.length < most).map(({ name }) => name);
    const having = groups.filter(({ objects }) => objects.length === most);
    const [{ name, objects }] = having;
    if (without.length === 0) {
      const marked = having.find((group) => group.objects.some(({ reason }) => reason !== undefined));
      const object = marked?.objects.find(({ reason }) => reason !== undefined);
      return object === undefined ? [] : [{
        environment: marked!.name, construct: object.construct,
        message: `${objectTitle(object)} is marked as only in '${marked!.name}' (${object.reason}), but is in all environments. Remove onlyHere.`,
      }];
    }
    const unexplained = having.filter((group) => group.objects.every(({ reason }) => reason === undefined));
    return unexplained.length === 0 ? [] : [{
      environment: name, construct: objects[objects.length - 1].construct,
      message: `${objectTitle(objects[objects.length - 1])} is ${most > 1 ? `there ${most} times` : 'only'} in ${listed(having.map((group) => group.name))}${most > 1 ? ', fewer times' : ' and not'} in `
        + `${listed(without)}. Environments differ in sizes, quotas and versions, not in their objects: create it in all, or give a reason in each that has it: environment.onlyHere(construct, 'REASON').`,
    }];
  });
}

function groupByKey(environment: EnvironmentStructure): Map<string, StructureObject[]> {
  const groups = new Map<string, StructureObject[]>();
  for (const object of environment.objects) {
    entryFor(groups, keyOf(object, environment), () => []).push(object);
  }
  return groups;
}

function keyOf({ apiVersion, kind, namespace = '', name }: StructureObject, environment: EnvironmentStructure): string {
  return JSON.stringify([groupOf(apiVersion), kind, commonName(namespace, environment), commonName(name, environment)]);
}

function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

interface ImageReference {
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Repository, tag and digest; undefined for what is not a reference. A port of the registry is not a tag. */
export function tryParseImage(image: string): ImageReference | undefined {
  const match = /^([\w.-]+(?::\d+(?=\/))?(?:\/[\w.-]+)*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(image);
  return match === null ? undefined : { repository: match[1], tag: match[2], digest: match[3] };
}
