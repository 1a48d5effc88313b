/**
 * Since when reports of scripts can have arrived. A rule that measures silence (a stall, idle accelerators) must not count time in which nobody
 * could be heard: while no operator ran, while the API server took no status, while this process was stopped. As with a clock that jumps, an outage
 * can delay what a rule does by the rule's own time, and never brings it about.
 *
 * The API server counts as out of reach from a lease that could not be renewed, or a status that could not be sent, until a request succeeds. Other
 * failures say nothing: one object that the API server cannot take, or one webhook that fails, must not hold back the rules for all jobs. An outage
 * of another replica that takes reports is not seen from here.
 */
import { TRAINING_JOBS } from './resources';
import { isApiError, TransportError } from '../runtime/http/api-error';
import { sleep, type Clock } from '../runtime/process/clock';
import type { ClientHooks } from '../runtime/kube-client';
import { LEASES, qualifiedPlural } from '../runtime/resource-kind';

/** How often the process looks whether it was stopped, milliseconds. */
const TICK_MS = 1_000;

/** A longer pause between two looks means that it was stopped, or its event loop blocked; milliseconds. */
const STOPPED_MS = 5_000;

const LEASE = qualifiedPlural(LEASES);
const STATUS = `${qualifiedPlural(TRAINING_JOBS)}/status`;

/** See the top of this file. */
export class Outages {
  private isOut = false;
  private endedAt?: number;
  private tickedAt: number;

  public constructor(private readonly clock: Clock) {
    this.tickedAt = clock.monotonic();
  }

  /** For the client of the leader, that of the lease and that of the endpoint. */
  public readonly afterRequest: NonNullable<ClientHooks['afterRequest']> = ({ method, resource }, error) => {
    if (error === undefined) {
      if (this.isOut) {
        this.isOut = false;
        this.endedAt = this.clock.now();
      }
    } else if (method !== 'GET' && isOutage(resource, error)) {
      this.isOut = true;
    }
  };

  /** When the last outage ended, milliseconds since the epoch: now, while one lasts; undefined when there was none. */
  public lastSeen(): number | undefined {
    this.tick();
    return this.isOut ? this.clock.now() : this.endedAt;
  }

  /** Watches this process until the signal aborts. */
  public async run(signal: AbortSignal): Promise<void> {
    this.tickedAt = this.clock.monotonic();
    while (!signal.aborted) {
      await sleep(this.clock, TICK_MS, signal);
      this.tick();
    }
  }

  private tick(): void {
    const now = this.clock.monotonic();
    if (now - this.tickedAt > STOPPED_MS) {
      this.endedAt = this.clock.now();
    }
    this.tickedAt = now;
  }
}

/** Whether nobody can be heard: somebody else's newer write of the same object is no outage. */
function isOutage(resource: string, error: unknown): boolean {
  return resource === LEASE ? error instanceof TransportError || isApiError(error, 'isRetriable') : resource === STATUS && error instanceof TransportError;
}
