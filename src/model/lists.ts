/** Lists whose length a user chooses. */

/** Adds entries to a list one by one: `push(...more)` ends with a RangeError where there are more of them than a call takes arguments. */
export function addTo<T>(list: T[], more: readonly T[]): void {
  for (const entry of more) {
    list.push(entry);
  }
}
