/**
 * How large a job may be. The API server takes objects of 1.5 MiB (etcd's limit of a request); a spec of half a megabyte leaves room for its status,
 * for the owners of its fields, and for what is added to its template in each pod. The schema of a definition cannot say this, so this is the one
 * place.
 */
import type { Violation } from '../violations';

/** Most characters of a spec, as {@link specSize} counts them. */
export const MAX_SPEC_SIZE = 512 * 1024;

/** Counting ends here: a value that contains itself has no end. */
const COUNT_END = 16 * MAX_SPEC_SIZE;

/** Characters of the spec as JSON, with texts as they are, not as they are escaped. */
export function specSize(spec: unknown): number {
  let size = 0;
  const rest: unknown[] = [spec];
  while (rest.length > 0 && size <= COUNT_END) {
    const value = rest.pop();
    if (typeof value === 'string') {
      size += value.length + 2;
    } else if (Array.isArray(value)) {
      size += value.length + 1;
      value.forEach((each) => rest.push(each));
    } else if (typeof value === 'object' && value !== null) {
      size += 2;
      for (const [field, each] of Object.entries(value)) {
        if (each !== undefined) {
          size += field.length + 4;
          rest.push(each);
        }
      }
    } else {
      size += String(value).length;
    }
  }
  return size;
}

/** Whether a spec of this size is refused, and why. */
export function validateSpecSize(size: number): Violation[] {
  return size <= MAX_SPEC_SIZE ? [] : [{
    path: 'spec',
    value: `${Math.ceil(size / 1024)} KiB`,
    message: `is larger than the ${MAX_SPEC_SIZE / 1024} KiB that a job may have: an object of the cluster has 1.5 MiB at most, the status needs room beside the `
      + 'spec, and each pod carries its part of the spec again. Put large values and scripts into a ConfigMap, into code or into the image.',
  }];
}
