/**
 * Metrics of jobs. Lifecycle counters move when this process has written a status (`job-transitions.ts`); gauges are counted over the cache when
 * somebody asks, so that ten thousand jobs cost nothing in between. Nothing moves before {@link JobMetrics.lead}: a standby sees the same jobs.
 */
import { JOB_FAMILIES, V1_FAMILIES } from './families';
import { JobGroups, type JobGroup } from './job-groups';
import { hasPods, missingReplicas, ReplicaTime, sizeOf, waitingSince } from './replica-time';
import { jobTransition, type JobTransition } from './job-transitions';
import type { Labels, Metrics, MetricsRegistry } from './registry';
import type { TrainingJobObject } from '../resources';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { reasonEntry } from '../../../model/training-job/status/reasons';
import type { Clock } from '../../runtime/process/clock';
import { objectKey } from '../../runtime/kube-object';
import type { Store, StoreChange } from '../../runtime/watch/store';

/** Phase of a job that the operator has not taken up. */
const NO_PHASE = 'None';

/** Counting ten thousand jobs takes a while; after this many milliseconds of it, the jobs themselves get their turn. */
const YIELD_AFTER_MS = 10;

/** Settings of {@link JobMetrics}. */
export interface JobMetricsOptions {
  readonly clock: Clock;
  /** Whether to count by training-operator v1's names too. */
  readonly v1Names: boolean;
}

/** See the top of this file. */
export class JobMetrics {
  private readonly metrics: Metrics<typeof JOB_FAMILIES>;
  private readonly v1?: Metrics<typeof V1_FAMILIES>;
  private readonly time: ReplicaTime;
  private readonly stores: Store<TrainingJobObject>[] = [];
  private holds: (key: string) => boolean = () => true;
  /** Monotonic time of the first pods of jobs that do not run yet, and of restarts that are not over, by uid. */
  private readonly waiting = new Map<string, number>();
  private readonly groups = new JobGroups((labels) => this.introduce(labels));

  public constructor(registry: MetricsRegistry, private readonly options: JobMetricsOptions) {
    this.metrics = registry.add(JOB_FAMILIES);
    this.v1 = options.v1Names ? registry.add(V1_FAMILIES) : undefined;
    this.time = new ReplicaTime();
    registry.beforeAnswer(() => this.collect());
  }

  /** From now on this process leads, and counts the jobs of these caches, of those that it `holds` by their key. */
  public lead(stores: readonly Store<TrainingJobObject>[], holds: (key: string) => boolean = () => true): void {
    this.holds = holds;
    for (const store of stores) {
      this.stores.push(store);
      store.onChange((change) => holds(change.key) && this.changed(change));
    }
  }

  /** From now on others count these jobs. */
  public handOver(jobs: readonly TrainingJobObject[]): void {
    jobs.forEach(({ metadata }) => this.forget(metadata!.uid!));
  }

  /** A status was written. */
  public statusWritten(before: TrainingJobObject, after: TrainingJobObject): void {
    const { clock } = this.options;
    const transition = jobTransition(before.status ?? {}, after.status ?? {}, clock.now());
    const labels = this.labelsOf(after);
    this.count(after, labels, transition);
    this.countWaits(after, labels, transition);
    this.countTrials(labels, before.status ?? {}, after.status ?? {});
    this.time.look(after, labels, clock.monotonic());
  }

  /** Pods of the job were made; the first ones end its time in the queue. */
  public podsCreated(job: TrainingJobObject): void {
    const { clock } = this.options;
    const { metadata, status = {} } = job;
    const uid = metadata!.uid!;
    if ((status.attempt ?? 0) > 0 || status.attemptStarted || hasPods(status) || this.waiting.has(uid)) {
      return;
    }
    this.waiting.set(uid, clock.monotonic());
    const createdAt = Date.parse(metadata!.creationTimestamp ?? '');
    if (!Number.isNaN(createdAt)) {
      this.metrics.queueWait.observe(this.labelsOf(job), Math.max(0, clock.now() - createdAt) / 1000);
    }
  }

  private count(job: TrainingJobObject, labels: Labels, transition: JobTransition): void {
    const { metrics, v1 } = this;
    const { created, succeeded, failed, restarted, disruptions, rework, lostSeconds } = transition;
    if (created) {
      metrics.created.inc(labels);
      v1?.created.inc(labels);
    }
    if (succeeded) {
      metrics.succeeded.inc(labels);
      v1?.succeeded.inc(labels);
    }
    if (failed !== undefined) {
      metrics.failed.inc({ ...labels, reason: reasonEntry(failed) ? failed : 'Other' });
      v1?.failed.inc(labels);
    }
    if (restarted !== undefined) {
      metrics.restarts.inc({ ...labels, cause: restarted });
      v1?.restarts.inc(labels);
    }
    if (disruptions > 0) {
      metrics.disruptions.inc(labels, disruptions);
    }
    if (lostSeconds > 0) {
      metrics.lostSeconds.inc({ ...labels, cause: (job.status?.lastRestart?.cause ?? 'Other').toLowerCase() }, lostSeconds);
    }
    if (rework !== undefined) {
      const cause = { ...labels, cause: rework.cause };
      const { replicas, gpus = 0 } = sizeOf(job);
      metrics.reworkSeconds.inc(cause, rework.seconds * rework.replicas);
      if (gpus > 0) {
        metrics.reworkGpuSeconds.inc(cause, rework.seconds * rework.replicas * gpus / replicas);
      }
    }
  }

  private countWaits({ metadata, status }: TrainingJobObject, labels: Labels, { restarted, running }: JobTransition): void {
    const uid = metadata!.uid!;
    const now = this.options.clock.monotonic();
    const isOver = status?.phase === 'Completed' || status?.phase === 'Failed' || status?.phase === 'Suspended';
    const isRestart = (status?.restarts ?? 0) + (status?.disruptions ?? 0) > 0;
    if (restarted !== undefined && !this.waiting.has(uid)) {
      this.waiting.set(uid, now);
    }
    const since = this.waiting.get(uid);
    if (running && since !== undefined) {
      (isRestart ? this.metrics.recovery : this.metrics.startup).observe(labels, (now - since) / 1000);
    }
    if (running || isOver) {
      this.waiting.delete(uid);
    }
  }

  private countTrials(labels: Labels, before: TrainingJobStatus, after: TrainingJobStatus): void {
    const [known, now] = [endedTrials(before), endedTrials(after)];
    for (const [outcome, count] of Object.entries(now)) {
      const more = count - (known[outcome] ?? 0);
      if (more > 0) {
        this.metrics.trials.inc({ ...labels, outcome }, more);
      }
    }
  }

  private changed({ previous, current }: StoreChange<TrainingJobObject>): void {
    if (previous === undefined || previous.metadata?.uid === current?.metadata?.uid) {
      return;
    }
    const labels = this.labelsOf(previous);
    // One that we have never taken up is another operator's.
    if (previous.status?.phase !== undefined) {
      this.metrics.deleted.inc(labels);
      this.v1?.deleted.inc(labels);
    }
    this.forget(previous.metadata!.uid!);
  }

  private forget(uid: string): void {
    this.time.forget(uid, this.options.clock.monotonic());
    this.waiting.delete(uid);
  }

  /** Counts the gauges, brings the sums of time up to now, and forgets namespaces that have had no job for long. */
  private async collect(): Promise<void> {
    const { clock } = this.options;
    const now = clock.now();
    const groups = this.groups.all();
    groups.forEach((group) => clear(group));
    let turn = performance.now();
    for (const job of this.stores.flatMap((store) => store.list())) {
      if (!this.holds(objectKey(job))) {
        continue;
      }
      const monotonic = clock.monotonic();
      const group = this.groups.of(job, monotonic);
      countJob(group, job, now);
      this.time.look(job, group.labels, monotonic);
      if (performance.now() - turn > YIELD_AFTER_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        turn = performance.now();
      }
    }
    [this.metrics.jobs, this.metrics.checkpointAge, this.metrics.queueWaiting].forEach((metric) => metric.reset());
    for (const { labels, phases, oldestCheckpoint, longestWait, replicasDown } of this.groups.all()) {
      phases.forEach((count, phase) => this.metrics.jobs.set({ ...labels, phase }, count));
      this.metrics.replicasDown.set(labels, replicasDown);
      if (longestWait !== undefined) {
        this.metrics.queueWaiting.set(labels, longestWait);
      }
      if (oldestCheckpoint !== undefined) {
        this.metrics.checkpointAge.set(labels, oldestCheckpoint);
      }
    }
    for (const { labels, state, replicaSeconds, gpuSeconds } of this.time.takeSums()) {
      this.metrics.replicaSeconds.inc({ ...labels, state }, replicaSeconds);
      if (gpuSeconds > 0) {
        this.metrics.gpuSeconds.inc({ ...labels, state }, gpuSeconds);
      }
    }
    await this.forgetNamespaces();
  }

  private async forgetNamespaces(): Promise<void> {
    const gone = this.groups.forgetOld(this.options.clock.monotonic());
    if (gone.size === 0) {
      return;
    }
    for (const metric of [...Object.values(this.metrics), ...Object.values(this.v1 ?? {})]) {
      await metric.prune(({ job_namespace: namespace }) => gone.has(namespace));
    }
  }

  private labelsOf(job: TrainingJobObject): Labels {
    return this.groups.of(job, this.options.clock.monotonic()).labels;
  }

  /** Series begin at 0: `increase()` does not see the first step of a series that begins at 1. */
  private introduce(labels: Labels): void {
    const { metrics, v1 } = this;
    [metrics.created, metrics.succeeded, metrics.deleted, metrics.disruptions, ...Object.values(v1 ?? {})].forEach((metric) => metric.inc(labels, 0));
    ['ReplicaFailed', 'BackoffLimitExceeded'].forEach((reason) => metrics.failed.inc({ ...labels, reason }, 0));
    ['failure', 'disruption'].forEach((cause) => {
      metrics.restarts.inc({ ...labels, cause }, 0);
      metrics.lostSeconds.inc({ ...labels, cause }, 0);
      metrics.reworkSeconds.inc({ ...labels, cause }, 0);
    });
  }
}

/** Trials that have ended, by outcome. */
function endedTrials({ tuning }: TrainingJobStatus): { readonly [outcome: string]: number } {
  return { succeeded: tuning?.succeeded ?? 0, failed: tuning?.failed ?? 0, stopped: tuning?.stopped ?? 0 };
}

function clear(group: JobGroup): void {
  group.phases.clear();
  group.oldestCheckpoint = undefined;
  group.longestWait = undefined;
  group.replicasDown = 0;
}

function countJob(group: JobGroup, job: TrainingJobObject, now: number): void {
  const { status = {} } = job;
  const phase = status.phase ?? NO_PHASE;
  group.phases.set(phase, (group.phases.get(phase) ?? 0) + 1);
  const savedAt = phase === 'Running' && status.checkpoint ? Date.parse(status.checkpoint.time) : NaN;
  if (!Number.isNaN(savedAt)) {
    group.oldestCheckpoint = Math.max(group.oldestCheckpoint ?? 0, (now - savedAt) / 1000);
  }
  const waitsSince = waitingSince(job);
  if (waitsSince !== undefined) {
    group.longestWait = Math.max(group.longestWait ?? 0, (now - waitsSince) / 1000);
  }
  if (phase === 'Running' || phase === 'Restarting') {
    group.replicasDown += missingReplicas(status);
  }
}
