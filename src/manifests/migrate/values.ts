/** Building values of JSON. */

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
