/**
 * How large a job may be. The API server takes objects of 1.5 MiB (etcd's limit of a request); a spec of half a megabyte leaves room for its status,
 * for the owners of its fields, and for what is added to its template in each pod. The schema of a definition cannot say this, so this is the one
 * place.
 */
import type { Violation } from '../../violations';

/** Most characters of a spec. */
export const MAX_SPEC_SIZE = 512 * 1024;

/** Counting ends here: a value that contains itself has no end. */
const COUNT_END = 16 * MAX_SPEC_SIZE;

/**
 * Most objects and lists in each other, the spec among them. A pod template needs about 15; functions that call themselves have room for some
 * thousands, and the API server takes ten thousand.
 */
export const MAX_SPEC_DEPTH = 100;

export interface SpecSize {
  /** Characters as JSON, with texts as they are, not as they are escaped. */
  readonly characters: number;
  /** Objects, lists and fields. In memory each may take some ten times what it takes as JSON. */
  readonly parts: number;
  /** Objects and lists in each other. */
  readonly depth: number;
}

export function specSize(spec: unknown): SpecSize {
  let characters = 0;
  let parts = 0;
  let depth = 0;
  // Level by level: nesting does not become recursion.
  let level: unknown[] = [spec];
  while (level.length > 0 && characters <= COUNT_END) {
    const below: unknown[] = [];
    let isDeeper = false;
    for (const value of level) {
      if (typeof value === 'string') {
        characters += value.length + 2;
      } else if (Array.isArray(value)) {
        isDeeper = true;
        parts++;
        characters += value.length + 1;
        value.forEach((each) => below.push(each));
      } else if (typeof value === 'object' && value !== null) {
        isDeeper = true;
        parts++;
        characters += 2;
        for (const [field, each] of Object.entries(value)) {
          if (each !== undefined) {
            parts++;
            characters += field.length + 4;
            below.push(each);
          }
        }
      } else {
        characters += String(value).length;
      }
    }
    depth += isDeeper ? 1 : 0;
    level = below;
  }
  return { characters, parts, depth };
}

/** Whether a spec of this size is refused, and why. */
export function validateSpecSize({ characters, depth }: SpecSize): Violation[] {
  if (depth > MAX_SPEC_DEPTH) {
    return [{
      path: 'spec',
      value: `${depth} levels`,
      message: `has more than ${MAX_SPEC_DEPTH} levels of nested objects and lists, the maximum for a job. No field needs that: correct the template.`,
    }];
  }
  return characters <= MAX_SPEC_SIZE ? [] : [{
    path: 'spec',
    value: `${Math.ceil(characters / 1024)} KiB`,
    message: `is larger than the ${MAX_SPEC_SIZE / 1024} KiB that a job may have: an object of the cluster has 1.5 MiB at most, the status needs room next to the `
      + 'spec, and each pod contains its part of the spec again. Put large values and scripts into a ConfigMap, into code or into the image.',
  }];
}
