/** Copies of plain data as cdk8s makes them of what it writes: fields sorted by name, those without a value left out. */

/** Stands for a value that cdk8s has to resolve, or to refuse. */
export const NOT_PLAIN = Symbol('not plain');

/** What becomes of an empty list or object: objects keep it, their metadata does not. */
export type Empties = 'kept' | 'dropped';

/** @returns the copy, undefined where nothing stands, {@link NOT_PLAIN} where cdk8s would do more than copy */
export function sortedCopy(value: unknown, empties: Empties): unknown {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (typeof value !== 'object') {
    return typeof value === 'function' || typeof value === 'symbol' ? NOT_PLAIN : value;
  }
  if (Array.isArray(value)) {
    return copyOfList(value, empties);
  }
  // Also objects of another realm, and those without a prototype, are left to cdk8s.
  return value.constructor === Object ? copyOfObject(value as { readonly [field: string]: unknown }, empties) : NOT_PLAIN;
}

function copyOfList(list: readonly unknown[], empties: Empties): unknown {
  if (list.length === 0 && empties === 'dropped') {
    return undefined;
  }
  const copy: unknown[] = [];
  for (const entry of list) {
    const plain = sortedCopy(entry, empties);
    if (plain === NOT_PLAIN) {
      return NOT_PLAIN;
    }
    copy.push(plain);
  }
  return copy;
}

function copyOfObject(fields: { readonly [field: string]: unknown }, empties: Empties): unknown {
  const copy: { [field: string]: unknown } = {};
  let isEmpty = true;
  for (const name of sortedNames(fields)) {
    const plain = sortedCopy(fields[name], empties);
    if (plain === NOT_PLAIN) {
      return NOT_PLAIN;
    }
    if (plain !== undefined) {
      copy[name] = plain;
      isEmpty = false;
    }
  }
  return isEmpty && empties === 'dropped' ? undefined : copy;
}

/** Small objects, of which there are most, often stand in order. */
function sortedNames(fields: object): readonly string[] {
  const names = Object.keys(fields);
  for (let index = 1; index < names.length; index++) {
    if (names[index - 1] > names[index]) {
      return names.sort();
    }
  }
  return names;
}
