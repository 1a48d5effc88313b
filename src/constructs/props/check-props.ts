/**
 * Checks the types of properties in plain JavaScript, where a string in place of an object, or a misspelled property, would otherwise fail far from
 * its source or be ignored. The types are in `generated`. Rules on values are in the model.
 */
import { Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { CLASSES, ENUMS } from './generated/classes';
import { STRUCTS } from './generated/structs';
import { isRecord } from '../../model/json-parts';
import { entryFor } from '../../model/lists';
import { didYouMean, formatViolations, type Violation } from '../../model/violations';

/** How deep a misplaced property is searched in other types. */
const SEARCH_DEPTH = 3;

/** Shortest name that is suggested as the end of another, such as `template` for `podTemplate`. */
const SHORTEST_PART = 5;

/** Examples of classes without factory methods in the library. */
const EXAMPLES: { readonly [type: string]: string } = {
  Cpu: 'Cpu.units(2)', Size: 'Size.gibibytes(4)', Duration: 'Duration.minutes(5)', EnvValue: 'EnvValue.fromValue(\'text\')',
};

interface Property {
  readonly type: string;
  readonly isOptional: boolean;
}

interface Struct {
  /** Whether it may have other properties. */
  readonly isOpen: boolean;
  readonly properties: ReadonlyMap<string, Property>;
}

const structs = new Map<string, Struct>();

/** Throws if the properties of a construct are not of their types. @param type name of the properties' type */
export function checkProps(construct: Construct, type: string, props: unknown): void {
  checkTypes(`${construct.constructor.name} at '${construct.node.path}'`, type, props);
}

/** Throws if a value is not of a type. @param what owner of the value, such as `Framework.pytorch` */
export function checkTypes(what: string, type: string, value: unknown): void {
  if (isOfType(knownType(type), value)) {
    return;
  }
  const problems = problemsOf(type, value, '');
  if (problems.length === 1) {
    throw new Error(`${what}: ${formatViolations(problems)}`);
  }
  if (problems.length > 1) {
    throw new Error(`${what}: ${problems.length} properties are wrong:\n${formatViolations(problems)}`);
  }
}

/** A fast check without messages, because nearly all values are of their type. */
type Check = (value: unknown) => boolean;

/** A type with its check, which is created on first use, because types can be recursive. */
interface KnownType {
  readonly type: string;
  check?: Check;
}

const types = new Map<string, KnownType>();

function knownType(type: string): KnownType {
  return entryFor(types, type, () => ({ type }));
}

function isOfType(known: KnownType, value: unknown): boolean {
  return value === undefined || (known.check ??= newCheck(known.type))(value) || isComputed(value);
}

function newCheck(type: string): Check {
  if (type === 'any') {
    return () => true;
  }
  if (type.startsWith('[')) {
    const each = knownType(type.slice(1, -1));
    return (value) => Array.isArray(value) && value.every((item) => isOfType(each, item));
  }
  if (type.startsWith('{')) {
    const each = knownType(type.slice(1, -1));
    return (value) => isRecord(value) && Object.values(value).every((item) => isOfType(each, item));
  }
  if (STRUCTS[type] !== undefined) {
    return structCheck(type);
  }
  if (ENUMS[type] !== undefined) {
    const known = new Set(ENUMS[type].split('|').map((member) => member.split('=')[1]));
    return (value) => known.has(String(value));
  }
  if (CLASSES[type] !== undefined) {
    const members = membersOf(type);
    return (value) => isRecord(value) && members.every((member) => member in value);
  }
  return (value) => isPrimitive(type, value);
}

function structCheck(type: string): Check {
  const { properties, isOpen } = structOf(type);
  const ofProperties = new Map([...properties].map(([name, property]) => [name, knownType(property.type)]));
  return (value) => {
    if (!isRecord(value)) {
      return false;
    }
    if (!isPlain(value)) {
      return [...ofProperties].every(([name, known]) => isOfType(known, value[name]));
    }
    for (const name in value) {
      const known = ofProperties.get(name);
      if (known === undefined ? !isOpen && value[name] !== undefined : !isOfType(known, value[name])) {
        return false;
      }
    }
    return true;
  };
}

/** Instances of classes may have more members. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function structOf(type: string): Struct {
  return entryFor(structs, type, () => {
    const entries = STRUCTS[type].split('|').filter((entry) => entry !== '' && entry !== '*').map((entry): [string, Property] => {
      const [name, ofType] = entry.split(' ');
      const isOptional = name.endsWith('?');
      return [isOptional ? name.slice(0, -1) : name, { type: ofType, isOptional }];
    });
    return { isOpen: STRUCTS[type].startsWith('*'), properties: new Map(entries) };
  });
}

function problemsOf(type: string, value: unknown, path: string): Violation[] {
  if (type === 'any' || value === undefined || isComputed(value)) {
    return [];
  }
  if (type.startsWith('[')) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => problemsOf(type.slice(1, -1), item, `${path}[${index}]`))
      : [wrong(path, value, 'must be a list. Put it in [ ].')];
  }
  if (STRUCTS[type] !== undefined || type.startsWith('{')) {
    if (!isRecord(value)) {
      return [wrong(path, value, `must be an object${type.startsWith('{') ? '' : ` with ${listed([...structOf(type).properties.keys()])}`}.`)];
    }
    return type.startsWith('{')
      ? Object.entries(value).flatMap(([name, item]) => problemsOf(type.slice(1, -1), item, `${path}['${name}']`))
      : problemsOfStruct(type, value, path);
  }
  const problem = ENUMS[type] !== undefined ? enumProblem : CLASSES[type] !== undefined ? classProblem : primitiveProblem;
  const message = problem(type, value);
  return message === undefined ? [] : [wrong(path, value, message)];
}

function problemsOfStruct(type: string, value: { readonly [name: string]: unknown }, path: string): Violation[] {
  const { properties, isOpen } = structOf(type);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const unknown = isOpen || !isPlain(value) ? [] : Object.keys(value).filter((name) => !properties.has(name) && value[name] !== undefined);
  return [
    ...unknown.map((name) => wrong(at(name), value[name], `is not a property of ${type}.${placeOf(name, type)}`)),
    ...[...properties].flatMap(([name, property]) => problemsOf(property.type, value[name], at(name))),
  ];
}

/** Values that cdk8s computes at synth. */
function isComputed(value: unknown): boolean {
  return value instanceof Lazy || (typeof value === 'object' && value !== null && typeof (value as { readonly produce?: unknown }).produce === 'function');
}

/** Instances of classes may be references that are resolved at synth. */
function isPrimitive(type: string, value: unknown): boolean {
  return typeof value === type || (isRecord(value) && Object.getPrototypeOf(value) !== Object.prototype);
}

function primitiveProblem(type: string, value: unknown): string | undefined {
  if (isPrimitive(type, value)) {
    return undefined;
  }
  const unquoted = typeof value === 'string' && (type === 'number' ? value.trim() !== '' && !Number.isNaN(Number(value)) : /^(true|false)$/.test(value));
  const hint = unquoted ? ` Write it without quotes: ${value}.` : type === 'string' && typeof value !== 'object' ? ` Write it in quotes: '${String(value)}'.` : '';
  return `must be ${type === 'string' ? 'text' : `a ${type}`}.${hint}`;
}

function enumProblem(type: string, value: unknown): string | undefined {
  const members = ENUMS[type].split('|').map((member) => member.split('='));
  if (members.some(([, known]) => known === String(value))) {
    return undefined;
  }
  const named = members.map(([name]) => `${type}.${name}`);
  return `must be ${listed(named, 'or')}.${typeof value === 'string' ? didYouMean(value, members.map(([, known]) => known)) : ''}`;
}

/** Members that identify objects of a class. */
function membersOf(type: string): string[] {
  return CLASSES[type].split('|')[0].split(',').filter((member) => member !== '');
}

function classProblem(type: string, value: unknown): string | undefined {
  if (isRecord(value) && membersOf(type).every((member) => member in value)) {
    return undefined;
  }
  const [, ...makers] = CLASSES[type].split('|');
  const isBounds = isRecord(value) && ('request' in value || 'limit' in value);
  const names = makers.map((maker) => maker.split(' ')[0]);
  const same = typeof value === 'string' ? names.find((name) => name.split('(')[0].toLowerCase() === value.toLowerCase()) : undefined;
  const example = EXAMPLES[type] ?? (names.length > 0 ? `${type}.${same ?? names[0]}` : undefined);
  return `must be ${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}${example === undefined ? '' : `, such as ${example}`}.`
    + (isBounds ? ' It is both the request and the limit.' : '');
}

/** Where an unknown property belongs; empty if that is unclear. */
function placeOf(name: string, type: string): string {
  const { properties } = structOf(type);
  const names = [...properties.keys()];
  const metadata = properties.get('metadata')?.type;
  if (metadata !== undefined && STRUCTS[metadata] !== undefined && structOf(metadata).properties.has(name)) {
    return ` Set it in metadata.${name}.`;
  }
  const longer = name.length < SHORTEST_PART ? undefined : names.find((known) => known.toLowerCase().endsWith(name.toLowerCase()));
  if (longer !== undefined) {
    return ` Did you mean '${longer}'?`;
  }
  const elsewhere = pathTo(name, type);
  return elsewhere === undefined ? didYouMean(name, names) : ` Set it in ${elsewhere}.`;
}

/** The nearest place for a property, such as `runPolicy.backoffLimit` or `framework: Framework.pytorch({ nprocPerNode })`. */
function pathTo(name: string, start: string): string | undefined {
  let level: { readonly type: string; readonly path: string }[] = [{ type: start, path: '' }];
  const seen = new Set([start]);
  for (let depth = 0; depth < SEARCH_DEPTH && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { type, path } of level) {
      for (const [property, { type: written }] of structOf(type).properties) {
        const inner = written.replace(/^[[{](.*)[\]}]$/, '$1');
        const at = `${path}${property}${written.startsWith('[') ? '[]' : ''}`;
        if (STRUCTS[inner] !== undefined && !seen.has(inner)) {
          seen.add(inner);
          if (structOf(inner).properties.has(name)) {
            return `${at}.${name}`;
          }
          next.push({ type: inner, path: `${at}.` });
        }
        const maker = CLASSES[inner]?.split('|').slice(1).map((entry) => entry.split(' ')).find(([, options]) => (
          options !== undefined && structOf(options).properties.has(name)));
        if (maker !== undefined) {
          return `${at}: ${inner}.${maker[0].split('(')[0]}({ ${name} })`;
        }
      }
    }
    level = next;
  }
  return undefined;
}

function wrong(path: string, value: unknown, message: string): Violation {
  return { path: path === '' ? 'props' : path, value, message };
}

/** The first names, as a sentence. */
function listed(names: readonly string[], word = 'and'): string {
  const shown = names.slice(0, 6);
  return names.length > shown.length ? `${shown.join(', ')}, ...` : [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((part) => part !== '').join(` ${word} `);
}
