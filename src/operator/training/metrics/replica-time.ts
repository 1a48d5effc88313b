/**
 * Adds up what replicas do with their time: queued, starting, running, restarting; the parts that goodput is made of. Between two looks at a job
 * its state is the one that its status had at the first, so the sums are as exact as the status is: each written status is looked at, and so
 * is every unfinished job before the metrics are read. A job that this process sees for the first time counts from then on, which keeps two
 * leaders, one after the other, from counting the same seconds.
 */
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { isParent } from '../plan/parent-job';
import { largeSize, resolvedLately, resolveOnce } from '../plan/resolve-once';
import type { TrainingJobObject } from '../resources';
import type { Labels } from './registry';

/** What replicas do. */
export type ReplicaState = 'queued' | 'starting' | 'running' | 'restarting';

/** Time that has passed in one state, of all replicas of some jobs together. */
export interface PassedTime {
  readonly labels: Labels;
  readonly state: ReplicaState;
  readonly replicaSeconds: number;
  readonly gpuSeconds: number;
}

interface Unfinished {
  readonly status?: TrainingJobStatus;
  readonly labels: Labels;
  readonly state: ReplicaState;
  readonly replicas: number;
  /** Undefined until the first pass over a large job. */
  readonly gpus?: number;
  /** Monotonic milliseconds. */
  since: number;
}

type Sum = { -readonly [field in keyof PassedTime]: PassedTime[field] };

/** See the top of this file. */
export class ReplicaTime {
  private readonly unfinished = new Map<string, Unfinished>();
  /** By the labels' object, of which there is one for all jobs that are counted together, and the state. */
  private sums = new Map<Labels, Map<ReplicaState, Sum>>();

  /**
   * Looks at a job.
   * @param labels the same object for all jobs that are counted together
   * @param now monotonic milliseconds
   */
  public look(job: TrainingJobObject, labels: Labels, now: number): void {
    const uid = job.metadata!.uid!;
    const before = this.unfinished.get(uid);
    if (before !== undefined) {
      this.pass(before, now);
      if (before.status === job.status && before.labels === labels && before.gpus !== undefined) {
        before.since = now;
        return;
      }
    }
    const state = replicaState(job.status ?? {});
    if (state === undefined) {
      this.unfinished.delete(uid);
    } else {
      this.unfinished.set(uid, { status: job.status, labels, state, since: now, ...sizeOf(job) });
    }
  }

  /** A job is gone. */
  public forget(uid: string, now: number): void {
    const before = this.unfinished.get(uid);
    if (before !== undefined) {
      this.pass(before, now);
      this.unfinished.delete(uid);
    }
  }

  /** What has passed since this was last asked. */
  public takeSums(): PassedTime[] {
    const sums = [...this.sums.values()].flatMap((states) => [...states.values()]);
    this.sums = new Map();
    return sums;
  }

  private pass({ labels, state, replicas, gpus = 0, since }: Unfinished, now: number): void {
    const seconds = Math.max(0, now - since) / 1000;
    let states = this.sums.get(labels);
    if (states === undefined) {
      this.sums.set(labels, states = new Map());
    }
    let sum = states.get(state);
    if (sum === undefined) {
      states.set(state, sum = { labels, state, replicaSeconds: 0, gpuSeconds: 0 });
    }
    sum.replicaSeconds += seconds * replicas;
    sum.gpuSeconds += seconds * gpus;
  }
}

/** What the replicas of a job do; undefined when it is finished, or not taken up. */
function replicaState(status: TrainingJobStatus): ReplicaState | undefined {
  switch (status.phase) {
    case 'Running': return 'running';
    case 'Restarting': return 'restarting';
    case 'Suspended': return 'queued';
    case 'Pending': return hasPods(status) ? 'starting' : 'queued';
    default: return undefined;
  }
}

/** Whether the status tells of pods. */
export function hasPods({ workerStatuses = [] }: TrainingJobStatus): boolean {
  return workerStatuses.some(({ pending, running, succeeded, failed }) => pending + running + succeeded + failed > 0);
}

/**
 * Since when a job waits for pods, in milliseconds; undefined when it does not. A job that its author has suspended waits for nobody, one that Kueue
 * holds waits since it was last told so.
 */
export function waitingSince({ metadata, status = {} }: TrainingJobObject): number | undefined {
  if (replicaState(status) !== 'queued' || (status.phase === 'Suspended' && status.queue === undefined)) {
    return undefined;
  }
  const refused = status.conditions?.find(({ type, status: value }) => type === 'Admitted' && value === 'False');
  const since = Date.parse(refused?.lastTransitionTime ?? metadata?.creationTimestamp ?? '');
  return Number.isNaN(since) ? undefined : since;
}

/** Replicas that a job wants and that neither run nor have succeeded. */
export function missingReplicas({ workerStatuses = [] }: TrainingJobStatus): number {
  return workerStatuses.reduce((sum, { replicas, running, succeeded }) => sum + Math.max(0, replicas - running - succeeded), 0);
}

/** GPUs of large jobs: their specs are not read again for this. */
const gpusOfLarge = new WeakMap<TrainingJobSpec, number>();

/**
 * Replicas of a job, and the GPUs of all of them. A search or an array has none of its own: its trials or copies are jobs that count for
 * themselves. The GPUs of a large job are known from its first pass on: reading the specs of all of them at once would hold up everything else.
 */
export function sizeOf({ metadata, spec, status }: TrainingJobObject): { replicas: number; gpus?: number } {
  if (isParent(spec)) {
    return { replicas: 0, gpus: 0 };
  }
  const known = gpusOfLarge.get(spec);
  if (known !== undefined) {
    return { replicas: status?.replicas ?? 1, gpus: known };
  }
  const isLarge = largeSize(spec) > 0;
  const entry = isLarge ? resolvedLately(spec) : resolveOnce(metadata!.name!, spec);
  if (entry === undefined) {
    return { replicas: status?.replicas ?? 1 };
  }
  const gpus = entry.resolved === undefined ? 0 : gpusOf(entry.resolved);
  if (isLarge) {
    gpusOfLarge.set(spec, gpus);
  }
  return { replicas: status?.replicas ?? entry.resolved?.replicas.length ?? 1, gpus };
}

/** An elastic job is counted with the replicas that it would have in full. */
function gpusOf({ roles }: ResolvedTrainingJob): number {
  return roles.reduce((sum, { replicas, resources }) => sum + replicas * (resources.gpu ?? 0), 0);
}
