/** Fields of unchecked objects: a missing field, or one of another type, is undefined. */
import { isRecord, record, textIn, type JsonRecord } from '../../model/json-parts';

/** The value at a path of names. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => record(inner)[name], value);
}

/** The object at a path; an empty one when there is none. */
export function fieldsAt(value: unknown, ...path: readonly string[]): JsonRecord {
  return record(at(value, ...path));
}

/** The objects of the list at a path. */
export function listAt(value: unknown, ...path: readonly string[]): readonly JsonRecord[] {
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
  return textIn(at(value, ...path));
}
