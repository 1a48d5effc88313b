/**
 * A copy of what a caller has written: of objects and lists, however deep. What has a class (sizes, volumes, values that cdk8s computes at synth)
 * stays the same. A construct keeps a copy, so that it says what was said to it although the caller goes on to use the object, for the next job of a
 * loop.
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
    // Most values are texts and numbers, which are copied already.
    if (typeof copy[name] === 'object') {
      copy[name] = plainCopy(copy[name]);
    }
  }
  return copy as T;
}

function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
