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

/** A copy of a list, for a field that is left out where the list is empty. */
export function nonEmpty<T>(list: readonly T[] | undefined): T[] | undefined {
  return list !== undefined && list.length > 0 ? [...list] : undefined;
}

/** An object, for a field that is left out where the object has no fields. */
export function nonEmptyObject<T extends object>(fields: T | undefined): T | undefined {
  return fields !== undefined && Object.keys(fields).length > 0 ? fields : undefined;
}
