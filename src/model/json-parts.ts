/** Parts of JSON that nobody has checked: what is not of the expected kind is as good as not there. */

/** An object of JSON. */
export interface JsonRecord { readonly [field: string]: unknown }

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object; empty where it is none. */
export function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Objects of a list; empty where it is none. */
export function records(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(record) : [];
}

/** Texts of a list; empty where it is none. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value as string[] : [];
}
