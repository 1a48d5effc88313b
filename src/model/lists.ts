/** Lists whose length a user chooses, their order, tables that are asked by a user's words, and objects without undefined fields. */

/** Adds entries to a list one by one: `push(...more)` ends with a RangeError where there are more of them than a call takes arguments. */
export function addTo<T>(list: T[], more: readonly T[]): void {
  for (const entry of more) {
    list.push(entry);
  }
}

/** The entry of a map, made where it has none yet. */
export function entryFor<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let entry = map.get(key);
  if (entry === undefined) {
    entry = make();
    map.set(key, entry);
  }
  return entry;
}

/** The entry that a table has under a name itself: `constructor` is a word too, and every object inherits it. */
export function entryOf<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A copy without the fields that are undefined. */
export function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** An object with the field, unless it has no value. */
export function optional<K extends string, T>(field: K, value: T | undefined): { readonly [field in K]?: T } {
  return (value === undefined ? {} : { [field]: value }) as { readonly [field in K]?: T };
}

/** A list, or nothing where it is empty. */
export function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Order of names and times in ASCII by their codes. Comparing them as words of a language takes ten times as long. */
export function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
