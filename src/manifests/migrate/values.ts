/** Comparing and building values of JSON. */

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

/** A copy without fields that are undefined or null, which the API server treats as absent. */
export function withoutNull<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(withoutNull) as T;
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined && entry !== null)
      .map(([key, entry]) => [key, withoutNull(entry)])) as T
    : value;
}
