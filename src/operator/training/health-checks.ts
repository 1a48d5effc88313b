/** What the probes of the operator say of its watches. */
import type { ListWatchHealth } from '../runtime/list-watch';

interface Watched {
  readonly health: Pick<ListWatchHealth, 'resource' | 'alive' | 'synced'>;
}

/** The first watch whose loop hangs, which only a restart of the process cures; undefined when none does. */
export function liveness(watches: readonly Watched[]): string | undefined {
  const hanging = watches.find(({ health }) => !health.alive);
  return hanging && `${hanging.health.resource} hangs`;
}

/** The first watch that has listed nothing yet; undefined when all have. */
export function readiness(watches: readonly Watched[]): string | undefined {
  const behind = watches.find(({ health }) => !health.synced);
  return behind && `${behind.health.resource} not listed yet`;
}
