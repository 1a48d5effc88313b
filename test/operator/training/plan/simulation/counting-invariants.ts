/** What metrics count, in every history: each job once as created and once as ended, and reasons that are in the list. */
import type { Hold } from './recovery-invariants';
import { reasonEntry } from '../../../../../src/model/training-job/status/reasons';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { jobTransition } from '../../../../../src/operator/training/metrics/job-transitions';

/** See the top of this file. */
export class CountingInvariants {
  private readonly created = new Set<string>();
  private readonly ended = new Set<string>();

  public constructor(private readonly hold: Hold) {}

  /** A status was written. @param now milliseconds since the epoch */
  public onStatus(uid: string, before: TrainingJobStatus, after: TrainingJobStatus, now: number): void {
    const { created, succeeded, failed, restarted, disruptions, rework, lostSeconds } = jobTransition(before, after, now);
    this.hold('a job is counted as created once', !created || !this.created.has(uid), () => JSON.stringify(after));
    this.hold('a job is counted as ended once', !(succeeded || failed !== undefined) || !this.ended.has(uid), () => JSON.stringify(after));
    this.hold('nothing is counted of a finished job', !this.ended.has(uid) || (restarted === undefined && disruptions === 0), () => JSON.stringify(after));
    this.hold('counters do not go back', disruptions >= 0 && lostSeconds >= 0 && (rework === undefined || (rework.seconds >= 0 && rework.replicas > 0)),
      () => JSON.stringify({ disruptions, lostSeconds, rework }));
    for (const { type, reason } of after.conditions ?? []) {
      // Why a job waits in a queue is said in Kueue's own words.
      this.hold('reasons of conditions are in the list', type === 'Admitted' || reasonEntry(reason)?.places.includes('condition') === true, () => reason);
    }
    if (created) {
      this.created.add(uid);
    }
    if (succeeded || failed !== undefined) {
      this.ended.add(uid);
    }
  }
}
