/**
 * Shapes of JSON values: what type a field has, which fields an object knows, which values a word may take. A shape walks a value that
 * comes from anywhere (YAML, an API server, a caller without types), reports every place that does not fit and never throws, so that
 * the rules behind it can rely on the types that TypeScript promises.
 */
import { ViolationCollector, didYouMean, type Violation } from './violations';
import { isRecord } from './json-parts';
import { shortened } from './text/printable';

/** Reports what does not fit at `path` and below. */
export type Shape = (value: unknown, path: string, violations: ViolationCollector) => void;

/** A field that has to be there, with what to say when it is not. */
export interface RequiredShape {
  readonly shape: Shape;
  readonly missing: string;
}

/** Fields of an object by name. Given the keys of a type, the compiler finds the field that was added to one and not to the other. */
export type FieldShapes<K extends string = string> = { readonly [field in K]: Shape | RequiredShape };

export function checkShape(shape: Shape, value: unknown, path: string): Violation[] {
  const violations = new ViolationCollector();
  shape(value, path, violations);
  return violations.violations;
}

/**
 * A field that cannot be left out.
 * @param missing what to say when it is, such as `is required: the image of the container.`
 */
export function required(shape: Shape, missing = 'is required.'): RequiredShape {
  return { shape, missing };
}

export function matching(test: (value: unknown) => boolean, rule: string): Shape {
  return (value, path, violations) => {
    if (!test(value)) {
      violations.add(path, value, `${rule}${emptyNote(value)}`);
    }
  };
}

/** A string. For numbers and booleans the message shows how YAML writes them as text. */
export const TEXT: Shape = (value, path, violations) => {
  if (typeof value !== 'string') {
    const quotes = typeof value === 'number' || typeof value === 'boolean' ? ` Put it in quotes: "${value}".` : '';
    violations.add(path, value, `must be a string.${quotes}${emptyNote(value)}`);
  }
};

export const BOOLEAN: Shape = matching((value) => typeof value === 'boolean', 'must be true or false.');

export const NUMBER: Shape = matching((value) => typeof value === 'number' && Number.isFinite(value), 'must be a number.');

/** An object whose content is checked elsewhere, such as a part of a pod. */
export const OBJECT: Shape = matching(isRecord, 'must be an object.');

export function pattern(regex: RegExp, rule: string): Shape {
  return matching((value) => typeof value === 'string' && regex.test(value), rule);
}

/** Largest number that a field of Kubernetes' `int32` holds. */
export const INT32_MAX = 2 ** 31 - 1;

/** A whole number. @param rule what to say; names the range by default */
export function integer(min: number, max = INT32_MAX, rule?: string): Shape {
  const range = max >= INT32_MAX ? `, ${min} or more` : ` from ${min} to ${max}`;
  return matching((value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    rule ?? `must be a whole number${range}.`);
}

/** One of a few words. */
export function oneOf(words: readonly string[]): Shape {
  return (value, path, violations) => {
    if (!words.includes(value as string)) {
      const guess = typeof value === 'string' ? didYouMean(value, words) : emptyNote(value);
      violations.add(path, value, `must be one of ${words.join(', ')}.${guess}`);
    }
  };
}

/** A string with something in it. */
export const NON_EMPTY_TEXT: Shape = (value, path, violations) => {
  TEXT(value, path, violations);
  if (value === '') {
    violations.add(path, value, 'must not be empty. Remove the field or give it a value.');
  }
};

export function listOf(item: Shape, minItems = 0): Shape {
  return (value, path, violations) => {
    if (!Array.isArray(value)) {
      violations.add(path, value, `must be a list.${emptyNote(value)}`);
      return;
    }
    if (value.length < minItems) {
      violations.add(path, value, `must have at least ${minItems} ${minItems === 1 ? 'entry' : 'entries'}.`);
    }
    value.forEach((entry, index) => item(entry, `${path}[${index}]`, violations));
  };
}

/** An object whose keys the user chooses. */
export function mapOf(item: Shape): Shape {
  return (value, path, violations) => {
    if (!isRecord(value)) {
      violations.add(path, value, `must be a map of names to values.${emptyNote(value)}`);
      return;
    }
    for (const [name, entry] of Object.entries(value)) {
      item(entry, fieldPath(path, name), violations);
    }
  };
}

/**
 * An object with known fields, `record<keyof Role>(...)`; any other is a mistake.
 * @param what how people call it, such as `a role`
 */
export function record<K extends string>(what: string, fields: FieldShapes<K>): Shape {
  return objectShape(fields, (unknown, path, violations) => {
    const known = Object.keys(fields);
    for (const [name, entry] of unknown.slice(0, MOST_UNKNOWN)) {
      const guess = didYouMean(name, known) || ` Its fields: ${known.join(', ')}.`;
      violations.add(fieldPath(path, name), entry, `is not a field of ${what}.${guess}`);
    }
    if (unknown.length > MOST_UNKNOWN) {
      violations.add(path, undefined, `has ${unknown.length - MOST_UNKNOWN} more unknown fields of ${what}. Known fields: ${known.join(', ')}.`);
    }
  });
}

/** Unknown fields of one object that are reported one by one: each is compared with all known ones, and a manifest can have any number. */
const MOST_UNKNOWN = 50;

/** An object of which some fields are known; the others may be anything. */
export function openRecord(fields: FieldShapes): Shape {
  return objectShape(fields, () => {});
}

/**
 * Walks the present fields, of which a job has few, and not those that could be.
 * @param others what becomes of all other fields
 */
function objectShape(
  fields: FieldShapes, others: (unknown: readonly (readonly [string, unknown])[], path: string, violations: ViolationCollector) => void,
): Shape {
  // Every job has its fields checked, so that the part of the path that is always the same is made once.
  const known = new Map(Object.entries<Shape | RequiredShape>(fields).map(([name, field]) => [
    name, { below: fieldPath('', name), ...(typeof field === 'function' ? { shape: field, missing: undefined } : field) },
  ]));
  const needed = [...known].flatMap(([name, { below, missing }]) => (missing === undefined ? [] : [{ name, below, missing }]));
  return (value, path, violations) => {
    if (!isRecord(value)) {
      violations.add(path, value, `must be an object.${emptyNote(value)}`);
      return;
    }
    for (const { name, below, missing } of needed) {
      // Own fields only: an object from YAML also inherits `constructor` and its like.
      if (value[name] === undefined || !Object.hasOwn(value, name)) {
        violations.add(path + below, undefined, missing);
      }
    }
    const unknown: (readonly [string, unknown])[] = [];
    for (const name of Object.keys(value)) {
      const entry = value[name];
      const field = known.get(name);
      if (entry === undefined) {
        continue;
      }
      if (field === undefined) {
        unknown.push([name, entry]);
      } else {
        field.shape(entry, path + field.below, violations);
      }
    }
    others(unknown, path, violations);
  };
}

/** A value, and where it is. */
export interface Placed<T = unknown> {
  readonly value: T;
  readonly path: string;
}

/** A step of a path: a field's name, or an index. */
export type PathStep = string | number;

/** Takes a path apart: `spec.roles[1].env['X']` is spec, roles, 1, env, X. */
export function pathSteps(path: string): PathStep[] {
  return [...path.matchAll(/\[(\d+)\]|\['([^']*)'\]|([^.[\]]+)/g)].map(([, index, key, field]) => (index === undefined ? key ?? field : Number(index)));
}

/** Longest name in a path; no label, annotation, key or field of Kubernetes is longer. */
const NAME_MAX_LENGTH = 512;

/** Path of a field: `spec.image`, or `spec.extended['rdma/hca']` where the name is not a plain word. One that no API takes is shortened. */
export function fieldPath(path: string, name: string): string {
  const shown = shortened(name, NAME_MAX_LENGTH);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(shown) ? `${path}.${shown}` : `${path}['${shown}']`;
}

/** What YAML makes of a field without a value. */
function emptyNote(value: unknown): string {
  return value === null ? ' It is empty (null): remove the field or give it a value.' : '';
}
