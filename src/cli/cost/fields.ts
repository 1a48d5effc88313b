/** Fields of unchecked objects: a missing field, or one of another type, is undefined. */
import { isRecord } from '../../model/json-parts';

/** An object of which nothing is known. */
export interface Fields { readonly [field: string]: unknown }

/** The value at a path of names. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

/** The object at a path; an empty one when there is none. */
export function fieldsAt(value: unknown, ...path: readonly string[]): Fields {
  const found = at(value, ...path);
  return isRecord(found) ? found : {};
}

/** The objects of the list at a path. */
export function listAt(value: unknown, ...path: readonly string[]): readonly Fields[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/** The number at a path; texts of digits count, as Kubernetes writes some numbers. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}
