/**
 * A deep copy without properties that are undefined: what JSON would make of it. Constructed objects go through here last, so that they
 * share nothing with the spec that they were made from, compare equal when they mean the same, and look the same in YAML.
 */
export function plainObject<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map((item) => plainObject(item)) as T;
  }
  if (typeof value === 'object' && value !== null) {
    const copy: { [field: string]: unknown } = {};
    for (const [field, item] of Object.entries(value)) {
      if (item !== undefined) {
        copy[field] = plainObject(item);
      }
    }
    return copy as T;
  }
  return value;
}
