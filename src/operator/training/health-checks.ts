/** What the probes of the operator say of its watches. */
import type { ListWatchHealth } from '../runtime/watch/list-watch';

interface Watched {
  readonly health: Pick<ListWatchHealth, 'resource' | 'alive' | 'synced'>;
}

/** The first watch whose loop hangs, which only a restart of the process cures; undefined when none does. */
export function liveness(watches: readonly Watched[]): string | undefined {
  const hanging = watches.find(({ health }) => !health.alive);
  return hanging && `${hanging.health.resource} hangs`;
}

/** What is watched of one namespace, or of all. */
interface WatchedPlace {
  readonly watches: readonly Watched[];
}

/**
 * The first watch that has listed nothing yet; undefined when all of one namespace have. One namespace that was lost makes no replica unready: no
 * rollout would go on, and the jobs of the others could not report.
 */
export function readiness(places: readonly WatchedPlace[]): string | undefined {
  if (places.some(({ watches }) => watches.every(({ health }) => health.synced))) {
    return undefined;
  }
  const behind = places.flatMap(({ watches }) => watches).find(({ health }) => !health.synced);
  return behind && `${behind.health.resource} not listed yet`;
}
