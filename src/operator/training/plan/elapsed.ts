/**
 * Time that has gone by, by a wall clock that jumps. What stands in the status are wall times; between two of the operator's looks the clock may
 * have been
 * set, or the machine have slept. The operator notices (`clock.ts`) and says since when its clock has run evenly: nothing before that moment
 * counts.
 * So a jump can delay what a rule does by the rule's own time, and never brings it about.
 * The same holds for time in which no operator led, or the API server took no status: nobody could be heard then, and nothing was done about what a
 * job waited for (`outages.ts`).
 *
 * Times in the status are whole seconds, rounded down, so that up to a second of what seems to have gone by is not surely so.
 */
import type { Observation } from './types';

const ROUNDING_MS = 999;

/**
 * Milliseconds that have surely gone by since the latest of the times; 0 when none of them is past.
 * @param times milliseconds since the epoch; those that lie ahead were written before the clock was set back
 */
export function elapsedSince(
  { now, clockSteadySince, heardSince }: Pick<Observation, 'now' | 'clockSteadySince' | 'heardSince'>, ...times: readonly (number | undefined)[]
): number {
  const past = [...times, clockSteadySince, heardSince].filter((time): time is number => time !== undefined && time <= now);
  return past.length > 0 ? Math.max(0, now - Math.max(...past) - ROUNDING_MS) : 0;
}
