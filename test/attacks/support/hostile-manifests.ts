/**
 * Manifests that somebody else wrote to do harm: valid ones of every kind, with texts, values and structures at any of their places that programs
 * stumble over. A case is described in a few words, so that a failure can be read; the megabytes are made when it is tried.
 */
import fc from 'fast-check';
import { trainingJobSchema } from '../../../src/model/training-job/schema/training-job-schema';
import { FILLERS, LONG, longText } from '../../support/hostile-texts';

/** A long text of one filler, with something in front of it. */
export interface HostileText {
  readonly start: string;
  readonly filler: string;
  readonly length: number;
}

/** One thing that is done to a manifest. */
export type Blow =
  | { readonly do: 'replace' | 'append' | 'rename' | 'addKey'; readonly place: number; readonly text: HostileText }
  /** A text where the schema of MLTrainingJob has one, or keeps whatever is there. */
  | { readonly do: 'field'; readonly place: number; readonly text: HostileText }
  | { readonly do: 'json'; readonly place: number; readonly value: unknown }
  /** Many entries of what is there. */
  | { readonly do: 'many'; readonly place: number; readonly count: number; readonly text: string }
  | { readonly do: 'deep'; readonly place: number; readonly depth: number; readonly lists: boolean };

/** A manifest and what is done to it. */
export interface HostileCase {
  readonly manifest: number;
  readonly blows: readonly Blow[];
}

type Step = string | number;

type Json = { [field: string]: unknown };

/** What ends a comment, a text, a line or a document somewhere, or begins something. */
const STARTS = [
  '', '1a', '\n---\nkind: Pwned\n---\n#', '\npwned();//', '\r\npwned();//', '\u2028pwned();//', '\u0085pwned();//', '*/ pwned(); /*', '\'); pwned(); //', '"); pwned(); //', '`); pwned(); //', '${pwned()}', '\\',
  '\u001b[2J\u001b]0;title\u0007', '\u009b1m', '\u202e\u2066', '\u200e\u200f', '\ud800', '\u0000', '://', '-----BEGIN A PRIVATE KEY-----', 'a: b', '- ', '&a *a', '{{ x }}', '::error::x', '"]; x[label="', '#quot;', '</text><script>',
];

const fillers: readonly string[] = [...FILLERS, '\u0085', '\u007f', '\u200f', '\u2066', '\u0000', 'a\n', 'a\r', '- a\n', '1', 'é', '../a/', 'a.b.', 'a,', '%0A'];

/** Longer ones are one in a few: small ones find what is written raw, and growing ones what takes more than its share of time. */
const length = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 40 }) },
  { weight: 8, arbitrary: fc.integer({ min: 64, max: 600 }) },
  { weight: 3, arbitrary: fc.constantFrom(4_096, 20_000, 65_536) },
  { weight: 1, arbitrary: fc.constantFrom(LONG / 4, LONG, LONG) },
);

const text: fc.Arbitrary<HostileText> = fc.record({ start: fc.constantFrom(...STARTS), filler: fc.constantFrom(...fillers), length });

/** What means something elsewhere, and every type of JSON. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null, '', [], {}, [null], [[]], [{}], { name: null }, 0, -0, -1, 0.5, 1e21, Infinity, -Infinity, NaN, 2 ** 53, 1e-7, true, false, 'NaN', 'Infinity', '1e400', '-0', '0x10', 'null', 'yes', '010',
    '2026-01-01', 'constructor', '__proto__', 'toString', withKey('__proto__', { polluted: true }), withKey('constructor', { prototype: { polluted: true } }), withKey('toString', 1), withKey('length', -1), withKey('', 'x'),
    withKey('hasOwnProperty', 'x'), withKey('then', 'x'), withKey('toJSON', 'x'), [withKey('__proto__', [])], { name: '__proto__', value: 'x' }, [{ name: 'constructor' }, { name: '__proto__' }],
  ),
);

const place = fc.nat(100_000);

const blow: fc.Arbitrary<Blow> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('replace' as const, 'append' as const), place, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('rename' as const, 'addKey' as const), place, text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('field' as const), place, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('json' as const), place, value }) },
  { weight: 1, arbitrary: fc.record({
    do: fc.constant('many' as const), place, count: fc.constantFrom(100, 1_000, 3_000), text: fc.constantFrom('a', '\u202e', '__proto__', 'A'),
  }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deep' as const), place, depth: fc.constantFrom(5, 50, 80), lists: fc.boolean() }) },
);

/** Cases of so many manifests. */
export function hostileCase(manifests: number): fc.Arbitrary<HostileCase> {
  return fc.record({ manifest: fc.nat(manifests - 1), blows: fc.array(blow, { minLength: 1, maxLength: 3 }) });
}

/** The text that a description stands for, at most so long. */
export function textOf({ start, filler, length: wanted }: HostileText, most = LONG): string {
  return start + longText(filler, Math.min(wanted, most));
}

/** The manifest of a case as somebody would hand it over: YAML, in which JSON is written. */
export function hostileManifest(objects: readonly unknown[], { blows }: HostileCase): string {
  // Of all texts together no more than an API server would take; what is escaped is six times as long.
  const long = blows.filter((each) => 'text' in each && typeof each.text !== 'string' && each.text.length > 10_000).length;
  const most = Math.floor(LONG / Math.max(1, long));
  const [first, ...others] = structuredClone(objects);
  const spoilt = blows.reduce((object, each) => struck(object, each, most), first);
  return [spoilt, ...others].map(written).join('\n---\n');
}

/** Also what JSON has no words for. */
function written(object: unknown): string {
  const numbers: readonly (readonly [number, string])[] = [[Infinity, '.inf'], [-Infinity, '-.inf'], [NaN, '.nan'], [-0, '-0.0']];
  const marked = JSON.stringify(object, (_key, entry: unknown) => {
    const special = numbers.find(([number]) => Object.is(number, entry));
    return special === undefined ? entry : `@@${special[1]}@@`;
  });
  return marked.replace(/"@@(-?\.inf|\.nan|-0\.0)@@"/g, '$1');
}

function struck(object: unknown, blow: Blow, most: number): unknown {
  if (blow.do === 'field') {
    return withText(object, FIELDS[blow.place % FIELDS.length], textOf(blow.text, most));
  }
  const places = placesIn(object);
  const at = places[blow.place % places.length];
  switch (blow.do) {
    case 'replace': return changed(object, at, () => textOf(blow.text, most));
    case 'append': return changed(object, at, (old) => (typeof old === 'string' ? old + textOf(blow.text, most) : textOf(blow.text, most)));
    case 'rename': return changed(object, at.slice(0, -1), (old) => (
      isObject(old) ? fromEntries(Object.entries(old).map(([key, entry]) => [key + (key === at.at(-1) ? textOf(blow.text, most) : ''), entry])) : old));
    case 'addKey': return changed(object, at, (old) => (isObject(old) ? { ...old, ...withKey(textOf(blow.text, most), 'x') } : withKey(textOf(blow.text, most), old)));
    case 'json': return changed(object, at, () => blow.value);
    case 'many': return changed(object, at, (old) => manyOf(old, blow.count, blow.text));
    case 'deep': return changed(object, at, (old) => {
      let deep = old;
      for (let i = 0; i < blow.depth; i++) {
        deep = blow.lists ? [deep] : { a: deep };
      }
      return deep;
    });
  }
}

/** Lists and maps of many entries like those that are there; many of anything else. */
function manyOf(old: unknown, count: number, name: string): unknown {
  const numbers = Array.from({ length: count }, (_, i) => i);
  if (isObject(old)) {
    const entry = Object.values(old)[0] ?? 'x';
    // Not many copies of much: the document has its bounds.
    const small = JSON.stringify(entry)?.length < 100 ? entry : 'x';
    return { ...old, ...fromEntries(numbers.map((i) => [`${name}${i}`, small])) };
  }
  const list: readonly unknown[] = Array.isArray(old) ? old : [old];
  const first = list[0];
  if (isObject(first) && JSON.stringify(first).length < 200) {
    return [...list, ...numbers.map((i) => ({ ...first, ...('name' in first && { name: `${name}${i}` }) }))];
  }
  return [...list, ...numbers.map((i) => (typeof first === 'number' ? i : `${name}${i}`))];
}

function changed(object: unknown, [step, ...rest]: readonly Step[], change: (old: unknown) => unknown): unknown {
  if (step === undefined) {
    return change(object);
  }
  if (Array.isArray(object)) {
    return object.map((entry: unknown, i) => (i === step ? changed(entry, rest, change) : entry));
  }
  return !isObject(object) ? object
    : fromEntries(Object.entries(object).map(([key, entry]) => [key, key === step ? changed(entry, rest, change) : entry]));
}

/** An object in which `__proto__` is a key as any other. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries(entries) as Json;
}

function withKey(key: string, entry: unknown): Json {
  return fromEntries([[key, entry]]);
}

function isObject(object: unknown): object is Json {
  return typeof object === 'object' && object !== null && !Array.isArray(object);
}

/** Every place in an object but the object itself and the two words that say what it is, which only now and then are struck. */
function placesIn(object: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  const entries: (readonly [Step, unknown])[] = Array.isArray(object) ? object.map((entry, i) => [i, entry])
    : isObject(object) ? Object.entries(object) : [];
  // A blow before may have made thousands of them.
  return [...(path.length === 0 ? [] : [path]), ...entries.slice(0, 50).flatMap(([step, entry]) => placesIn(entry, [...path, step]))];
}

interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Stands for a key that the user chooses. */
const KEY = '<key>';

/** Places of texts in a schema, and of whatever a user may put where it keeps anything. */
function textsOf(schema: Schema, path: readonly Step[]): (readonly Step[])[] {
  const { type, properties = {}, items, additionalProperties } = schema;
  return [
    ...(type === 'string' || schema['x-kubernetes-preserve-unknown-fields'] === true ? [path] : []),
    ...Object.entries(properties).flatMap(([name, field]) => textsOf(field, [...path, name])),
    ...(items === undefined ? [] : textsOf(items, [...path, 0])),
    ...(typeof additionalProperties === 'object' ? [[...path, KEY], ...textsOf(additionalProperties, [...path, 'key'])] : []),
  ];
}

const POD = ['template', 'spec'] as const;

/** Of MLTrainingJob: all places of texts, those of metadata, and of pods, which the schema keeps as they are. */
export const FIELDS: readonly (readonly Step[])[] = [
  ...textsOf((trainingJobSchema() as unknown as Schema).properties!.spec, ['spec']),
  ['metadata', 'name'], ['metadata', 'namespace'], ['metadata', 'labels', KEY], ['metadata', 'labels', 'a'], ['metadata', 'annotations', KEY], ['metadata', 'annotations', 'a'],
  ...[
    [...POD, 'hostname'], [...POD, 'restartPolicy'], [...POD, 'nodeSelector', KEY], [...POD, 'containers', 0, 'name'], [...POD, 'containers', 0, 'workingDir'], [...POD, 'containers', 0, 'image'],
    [...POD, 'containers', 0, 'resources', 'limits', KEY], [...POD, 'containers', 0, 'resources', 'limits', 'cpu'], [...POD, 'containers', 0, 'env', 0, 'name'],
    [...POD, 'containers', 0, 'volumeMounts', 0, 'mountPath'], [...POD, 'volumes', 0, 'name'], [...POD, 'volumes', 0, 'persistentVolumeClaim', 'claimName'], [...POD, 'volumes', 0, 'csi', 'driver'],
    [...POD, 'initContainers', 0, 'name'], [...POD, 'serviceAccountName'], [...POD, 'imagePullSecrets', 0, 'name'], [...POD, 'tolerations', 0, 'key'], [...POD, 'schedulerName'], [...POD, KEY],
    ['template', 'metadata', 'labels', KEY], ['template', 'metadata', 'annotations', 'a'],
  ].map((path) => ['spec', ...path]),
];

/** With a text at a place, which is made where it is not there. */
function withText(object: unknown, [step, ...rest]: readonly Step[], text: string): unknown {
  if (step === undefined) {
    return text;
  }
  if (typeof step === 'number') {
    const list: readonly unknown[] = Array.isArray(object) ? object : [];
    return [withText(list[0], rest, text), ...list.slice(1)];
  }
  const old = isObject(object) ? object : {};
  return step === KEY ? { ...old, ...withKey(text, 'x') } : { ...old, ...withKey(step, withText(old[step], rest, text)) };
}
