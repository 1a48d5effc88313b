/** Most objects that a cluster is asked about at a time. */
const PARALLEL = 8;

/** Does something for each item, a few at a time; results in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += PARALLEL) {
    results.push(...await Promise.all(items.slice(start, start + PARALLEL).map(work)));
  }
  return results;
}
