/**
 * A deep copy of plain objects and lists. Instances of classes (sizes, volumes, values that cdk8s computes at synth) are not copied. Constructs keep
 * a copy of their properties, so that callers can change the object for the next job of a loop.
 */
export function plainCopy<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(plainCopy) as T;
  }
  if (!isPlainObject(value)) {
    return value;
  }
  const copy: { [name: string]: unknown } = { ...value };
  for (const name in copy) {
    // Most values are strings and numbers, which are copied already.
    if (typeof copy[name] === 'object') {
      copy[name] = plainCopy(copy[name]);
    }
  }
  return copy as T;
}

function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
