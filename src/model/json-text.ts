/** The text of a value, for telling whether two of them are the same. */

/**
 * JSON of a value that JSON can say in full; undefined when there is anything in it that JSON would drop or change (undefined, NaN, functions,
 * instances of classes), so that two values with the same text never differ.
 */
export function tryJsonText(value: unknown): string | undefined {
  return isJson(value) ? JSON.stringify(value) : undefined;
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean': return true;
    case 'number': return Number.isFinite(value);
    case 'object': return value === null || (Array.isArray(value) ? isJsonList(value) : isJsonObject(value));
    default: return false;
  }
}

function isJsonList(list: readonly unknown[]): boolean {
  // Not `every`, which would pass over holes.
  for (const item of list) {
    if (!isJson(item)) {
      return false;
    }
  }
  return true;
}

function isJsonObject(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    return false;
  }
  for (const name in value) {
    if (!isJson((value as { readonly [name: string]: unknown })[name])) {
      return false;
    }
  }
  return true;
}
