/** Parts of unchecked JSON: what is not of the expected kind counts as absent. */

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
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The text; undefined where it is none. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a value is a text that is not empty. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The text; undefined where it is none, or empty. */
export function filled(value: unknown): string | undefined {
  return isFilled(value) ? value : undefined;
}

/** The number; undefined where it is none. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** True or false; undefined where it is neither. */
export function flagIn(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** A quantity, which YAML may have as a number; undefined where it is neither a text nor a number. */
export function amountIn(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : textIn(value);
}

/** Any value as a text, which `String` does not make of every object of JSON: `{ "toString": 1 }`. */
export function jsonText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Any value as a number; NaN where it is none. */
export function jsonNumber(value: unknown): number {
  return Number(jsonText(value));
}

/** The fields of an object that are texts. */
export function textFields(value: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(record(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The fields of an object as texts. */
export function textsIn(value: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(record(value)).map(([name, text]) => [name, jsonText(text)]));
}

/** Whether two JSON values are equal, regardless of the order of their fields. */
export function isEqual(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** The text that a JSON value shares with all that are equal to it. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'object' && item !== null && !Array.isArray(item)
    ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
    : item)) ?? '';
}
