/** How long a call computes, as this process is charged for it: a machine that is busy with something else does not count. */

/**
 * Milliseconds of computing that are little for anything that is done once with a megabyte of text. What takes a time that grows with the length
 * takes a hundredth to a tenth of it, on a slow machine too; what grows with the square of the length takes minutes.
 */
export const LITTLE_MS = 5_000;

/** Milliseconds of computing that a call took. One that took more than the limit is made again, because a clean-up of memory can fall into it. */
export function computingMs(call: () => unknown, limit: number | (() => number) = LITTLE_MS): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < 3 && (attempt === 0 || shortest > (typeof limit === 'number' ? limit : limit())); attempt++) {
    const before = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(before);
    shortest = Math.min(shortest, (user + system) / 1000);
  }
  return shortest;
}
