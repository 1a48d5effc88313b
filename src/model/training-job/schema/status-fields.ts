/**
 * Schemas that know the type of their values: a status is written once, and its types follow. Texts have no bounds, because a status that is
 * refused would be worse than a long one.
 */
import * as json from './json-schema';
import type { JsonSchema, More } from './json-schema';

/** A schema whose values have the type `T`. */
export type Typed<T> = JsonSchema & {
  /** Only for the compiler. */
  readonly value?: T;
};

/** Type of a schema's values, or of those of the function that makes it. */
export type ValueOf<S> = S extends () => infer R ? ValueOf<R> : S extends { readonly value?: infer T } ? T : never;

interface TypedFields { readonly [name: string]: Typed<unknown> }

type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<F, R extends keyof F> = Flat<{ readonly [K in R]: ValueOf<F[K]> } & { readonly [K in Exclude<keyof F, R>]?: ValueOf<F[K]> }>;

/** An object. @param required fields that it always has */
export function object<const F extends TypedFields, const R extends keyof F & string = never>(
  description: string, fields: F, required?: readonly R[],
): Typed<ObjectOf<F, R>> {
  return json.object(description, fields, required === undefined ? {} : { required });
}

export function text(description: string): Typed<string> {
  return { type: 'string', description };
}

export function word<const W extends string>(description: string, words: readonly W[]): Typed<W> {
  return { type: 'string', description, enum: words };
}

/** A point in time, RFC 3339. */
export function time(description: string): Typed<string> {
  return { type: 'string', format: 'date-time', description };
}

export function boolean(description: string): Typed<boolean> {
  return { type: 'boolean', description };
}

export function number(description: string): Typed<number> {
  return { type: 'number', description };
}

/** A whole number, which may be negative. */
export function integer(description: string, more: More = {}): Typed<number> {
  return json.integer(description, more);
}

/** A whole number, 0 or more. */
export function count(description: string): Typed<number> {
  return integer(description, { minimum: 0 });
}

export function percentage(description: string): Typed<number> {
  return integer(description, { minimum: 0, maximum: 100 });
}

/** A list that is replaced as a whole. */
export function list<T>(description: string, items: Typed<T>, maxItems: number): Typed<readonly T[]> {
  return json.list(description, items, maxItems) as Typed<readonly T[]>;
}

/** A list whose entries are distinguished by a field. */
export function listByKey<T>(description: string, key: keyof T & string, items: Typed<T>, maxItems: number): Typed<readonly T[]> {
  return json.listByKey(description, key, items, maxItems) as Typed<readonly T[]>;
}

export function map<T>(description: string, values: Typed<T>, maxProperties: number): Typed<{ readonly [name: string]: T }> {
  return json.map(description, values, maxProperties) as Typed<{ readonly [name: string]: T }>;
}
