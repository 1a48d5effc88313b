/**
 * Does many things of one kind at the same time: few at first, one more with each that goes well (so twice as many after each round trip), and no
 * further one once one has failed. A refusal that would meet all of them (a quota, a policy, a server in trouble) is so met by few requests, and
 * where all is well the pipe is never empty, as it would be between batches.
 * @param first how many are begun at once
 * @param work says whether it went well; must not reject
 * @param most how many are under way at once at most; default any number
 */
export async function inGrowingWindow<T>(items: readonly T[], first: number, work: (item: T) => Promise<boolean>, most = Infinity): Promise<void> {
  let next = 0;
  let failed = false;
  const go = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const started = work(items[next++]);
      if (!await started) {
        failed = true;
        return;
      }
      // One place more: this loop goes on, and another one starts next to it.
      if (helpers.length < most) {
        helpers.push(go());
      }
    }
  };
  const helpers: Promise<void>[] = [];
  for (let place = 0; place < Math.min(first, most); place++) {
    helpers.push(go());
  }
  // Helpers are added while others are waited for.
  for (let index = 0; index < helpers.length; index++) {
    await helpers[index];
  }
}
