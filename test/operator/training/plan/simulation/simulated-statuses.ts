/** How the simulated operator writes statuses: as `status-writer.ts` does. */
import type { ApiClient } from './api-client';
import type { ApiServer } from './api-server';
import type { Caches } from './caches';
import type { Clock, OperatorVariant } from './operator-variant';
import { compact } from './requests';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { isSameJson } from '../../../../../src/operator/runtime/json-equality';
import type { TrainingJobObject } from '../../../../../src/operator/training/resources';

/** As in `status-writer.ts`. */
const COUNTS_INTERVAL_MS = 10_000;

/** See the top of this file. */
export class SimulatedStatuses {
  private lastWrite = -Infinity;

  public constructor(
    private readonly server: ApiServer,
    private readonly client: ApiClient,
    private readonly clock: Clock,
    private readonly jobName: string,
    private readonly variant: OperatorVariant,
    private readonly caches: Caches,
  ) {}

  /** Writes the status unless it stands already. */
  public write(job: TrainingJobObject, status: TrainingJobStatus): TrainingJobObject {
    if (isSameJson(job.status ?? {}, status)) {
      return job;
    }
    const written = compact(status);
    const answer = this.client.write(`write the status: ${written.phase}, attempt ${written.attempt ?? 0}`, () =>
      this.server.replaceStatus(this.variant.locksStatus ? job : this.server.jobs.get(this.jobName) ?? job, written));
    this.caches.jobs.applyWritten(answer);
    this.lastWrite = this.clock.monotonic;
    return answer;
  }

  /** As {@link write}, but a change of mere numbers waits; answers how many milliseconds it still has to. */
  public writeWhenDue(job: TrainingJobObject, status: TrainingJobStatus): number | undefined {
    if (isSameJson(job.status ?? {}, status)) {
      return undefined;
    }
    const dueInMs = this.lastWrite + COUNTS_INTERVAL_MS - this.clock.monotonic;
    if (dueInMs > 0 && isSameJson(newsOf(job.status ?? {}), newsOf(status))) {
      return dueInMs;
    }
    this.write(job, status);
    return undefined;
  }
}

function newsOf(status: TrainingJobStatus): unknown {
  const { workerStatuses: _counts, worldSize: _size, ready: _ready, replacing: _replacing, conditions, ...news } = status;
  return { ...news, conditions: conditions?.map(({ message: _message, ...condition }) => condition) };
}
