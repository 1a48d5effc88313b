/**
 * A deep copy without undefined properties, as in JSON. It is the last step for constructed objects, so that they share nothing with their spec, and
 * equivalent objects are equal and look the same in YAML.
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

/** A copy of a list; undefined if it is empty, to omit the field. */
export function nonEmpty<T>(list: readonly T[] | undefined): T[] | undefined {
  return list !== undefined && list.length > 0 ? [...list] : undefined;
}

/** An object; undefined if it has no fields, to omit the field. */
export function nonEmptyObject<T extends object>(fields: T | undefined): T | undefined {
  return fields !== undefined && Object.keys(fields).length > 0 ? fields : undefined;
}
