/**
 * What must hold of stalls and of checks before training, at every moment of every history. Silence is measured here by a clock that never jumps.
 */
import type { ApiServer } from './api-server';
import type { Nodes } from './nodes';
import type { Hold } from './recovery-invariants';
import { JOB_NAME } from './random-job';
import { PREFLIGHT_LIMIT } from '../../../../../src/model/training-job/preflight';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { timeText } from '../../../../../src/operator/training/plan/timestamps';

/** See the top of this file. */
export class HealthInvariants {
  /** Since when all replicas have run, as far as the status says; of the clock that never jumps. */
  private runningSince = -Infinity;
  private lastReport = -Infinity;
  /** When the wall clock was set, and by how much. */
  private readonly jumps: { readonly at: number; readonly by: number }[] = [];
  private operatorBorn = 0;

  public constructor(
    private readonly server: ApiServer, private readonly nodes: Nodes, private readonly clock: { readonly now: number; readonly monotonic: number },
    private readonly hold: Hold,
  ) {}

  /** An operator begins to look at its clock. */
  public onOperator(): void {
    this.operatorBorn = this.clock.monotonic;
  }

  /** The wall clock was set. @param by milliseconds */
  public onJump(by: number): void {
    this.jumps.push({ at: this.clock.monotonic, by });
  }

  /** Whether so many milliseconds have gone by since a moment of the clock that never jumps, or the operator cannot know better. */
  public hasLasted(since: number, ms: number): boolean {
    return this.isFooledSince(since) || this.clock.monotonic - since >= ms;
  }

  /** Whether the wall clock was set since a moment of the clock that never jumps. */
  public hasJumpedSince(since: number): boolean {
    return this.jumps.some(({ at }) => at >= since);
  }

  /** A clock that was set while nobody looked at it deceives whoever looks next; and so does one that was set back before anybody looked. */
  public isFooledSince(since: number): boolean {
    return this.jumps.some(({ at, by }, index) => at >= since
      && (at <= this.operatorBorn || [this.jumps[index - 1], this.jumps[index + 1]].some((other) => other?.by === -by)));
  }

  /** The script reports its progress, and the endpoint writes it down. */
  public report(): void {
    const job = this.server.jobs.get(JOB_NAME);
    if (job?.status?.phase === 'Running') {
      this.lastReport = this.clock.monotonic;
      this.server.replaceStatus(job, { ...job.status, lastProgressTime: timeText(this.clock.now) });
    }
  }

  /** A status was written. Answers whether a stall or failed checks explain the attempt that ends, or the pods that are replaced. */
  public explains(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): boolean {
    const isNews = JSON.stringify(before.lastFailure) !== JSON.stringify(after.lastFailure);
    const explains = isNews && after.completionTime === undefined
      && (this.isStall(job, before, after) || this.isPreflight(job, jobUid, before, after));
    const isRunning = (status: TrainingJobStatus) => status.conditions?.some(({ type, status: holds }) => type === 'Running' && holds === 'True') === true;
    if (isRunning(after) && !isRunning(before)) {
      this.runningSince = this.clock.monotonic;
    }
    if (explains) {
      const replaced = new Set(after.replacing?.map(({ uid }) => uid));
      [...this.nodes.truth.values()]
        .filter((pod) => pod.jobUid === jobUid && (after.attempt === before.attempt ? replaced.has(pod.uid) : pod.attempt === (before.attempt ?? 0)))
        .forEach((pod) => { pod.counted = true; });
    }
    return explains;
  }

  /** Holds the end of a job against its cause. */
  public holdEnd(job: ResolvedTrainingJob, status: TrainingJobStatus): void {
    const { stall } = job.runPolicy;
    if (status.lastFailure?.reason === 'Stalled') {
      this.holdSilence(job, status);
      this.hold('a failed job names its cause', stall?.action === 'Fail' || (status.restarts ?? 0) >= job.runPolicy.backoffLimit, () => JSON.stringify(status));
    } else {
      this.hold('checks are tried again, and not for ever', status.preflight?.failures === PREFLIGHT_LIMIT + 1, () => JSON.stringify(status));
    }
  }

  private isStall(job: ResolvedTrainingJob, before: TrainingJobStatus, after: TrainingJobStatus): boolean {
    if (after.lastFailure?.reason !== 'Stalled') {
      return false;
    }
    this.holdSilence(job, after);
    this.hold('a stall is counted once', (after.restarts ?? 0) === (before.restarts ?? 0) + 1 && (after.attempt ?? 0) === (before.attempt ?? 0) + 1,
      () => `${before.restarts} became ${after.restarts}`);
    return true;
  }

  private holdSilence(job: ResolvedTrainingJob, status: TrainingJobStatus): void {
    const since = Math.max(this.runningSince, this.lastReport);
    const silence = this.clock.monotonic - since;
    this.hold('a stall is silence', this.hasLasted(since, (job.runPolicy.stall?.timeoutSeconds ?? Infinity) * 1000),
      () => `${silence} ms of ${job.runPolicy.stall?.timeoutSeconds} s: ${status.lastFailure?.message}`);
  }

  private isPreflight(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): boolean {
    const failures = after.preflight?.failures ?? 0;
    if (after.lastFailure?.reason !== 'PreflightFailed' || failures <= (before.preflight?.failures ?? 0)) {
      return false;
    }
    const pods = [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === (before.attempt ?? 0));
    const { unfit, begun } = this.nodes.checks;
    this.hold('checks fail for a reason', after.preflight?.unexplained === true
      ? pods.filter((pod) => begun.has(pod.uid)).length >= job.trainers : pods.some((pod) => unfit.has(pod.uid) || begun.has(pod.uid)),
    () => JSON.stringify(after.lastFailure));
    this.hold('failed checks are nobody\'s failure', after.restarts === (before.restarts ?? 0) && after.disruptions === (before.disruptions ?? 0),
      () => `${before.restarts} and ${before.disruptions} became ${after.restarts} and ${after.disruptions}`);
    this.hold('checks are tried again, and not for ever', failures <= PREFLIGHT_LIMIT, () => `${failures} failures in a row`);
    return true;
  }
}
