/**
 * Writes what scripts report to the status of their jobs. Any replica of the operator may do so, also one that does not lead: the fields are the
 * report's alone, applied on the server's side under a name of their own, so that the leader's own writes and these do not undo each other.
 *
 * A script may report after each step. The first report is written at once, then one every few seconds, the newest; each is answered as soon as it is
 * known that the job is there. Two kinds are written before they are answered: a checkpoint that is new, because the script may delete the one before
 * it next, and the first 100 %, because the job may be over a moment later. Checkpoints are written once a second at most: those that come sooner
 * wait for their answer, the newest is written, and all that wait are answered with it.
 */
import type { Outcome } from './endpoint';
import { TRAINING_JOBS, type TrainingJobObject } from '../resources';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { JobRef } from '../../../model/progress/contract';
import { checkpointStatus, withProgress } from '../../../model/progress/progress-status';
import type { ProgressReport } from '../../../model/progress/report';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { isApiError } from '../../runtime/http/api-error';
import { SYSTEM_CLOCK, type Clock, type Timer } from '../../runtime/process/clock';
import type { KubeClient } from '../../runtime/kube-client';
import { keyOf } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';

/** Owner of what Kubeflow Trainer's server owns too. */
export const PROGRESS_FIELD_MANAGER = 'trainer-status';

/** Owner of the checkpoint: a later report without one must not take it away. */
export const CHECKPOINT_FIELD_MANAGER = 'trainyard-checkpoint';

/** Least time between two writes for one job, milliseconds. */
export const PROGRESS_INTERVAL_MS = 5_000;

/** Least time between two writes of checkpoints for one job, milliseconds. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/** For how long the answer about a job that the cache lacks is good, milliseconds. */
const ASKED_MS = 1_000;

/** Most jobs about which answers are remembered. */
const MAX_ASKED = 256;

type TrainerReport = NonNullable<ProgressReport['trainerStatus']>;
type CheckpointReport = NonNullable<ProgressReport['checkpoint']>;

/** Settings of a {@link ProgressWriter}. */
export interface ProgressWriterOptions {
  readonly client: Pick<KubeClient, 'tryGet' | 'apply'>;
  /** The job as the cache has it. */
  readonly find: (job: JobRef) => TrainingJobObject | undefined;
  /** Whether the jobs of a namespace are this operator's; of others it may read none. @default - those of all namespaces are */
  readonly watches?: (namespace: string) => boolean;
  /** Takes in the answer of a write, so that the next plan does not rest on an older status. */
  readonly written: (job: TrainingJobObject) => void;
  readonly logger: Logger;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A job that was written for a short while ago. */
interface Paced {
  /** What came since, of which the newest counts. */
  pending?: TrainerReport;
  /** Whether 100 % were written. */
  complete: boolean;
  timer: Timer;
}

/** A job whose checkpoint was written a moment ago. */
interface PacedCheckpoints {
  readonly timer: Timer;
  /** The write of a moment ago. */
  readonly last: Promise<void>;
  /** What came since. */
  next?: WaitingCheckpoint;
}

/** A checkpoint that will be written, and the end of that for all who reported one until then. */
interface WaitingCheckpoint {
  job: TrainingJobObject;
  checkpoint: CheckpointReport;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** See the top of this file. */
export class ProgressWriter {
  private readonly clock: Clock;
  private readonly paced = new Map<string, Paced>();
  private readonly checkpoints = new Map<string, PacedCheckpoints>();
  private readonly asked = new Map<string, { readonly at: number; readonly job: Promise<TrainingJobObject | undefined> }>();

  public constructor(private readonly options: ProgressWriterOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Takes in a report. @throws ApiError, TransportError when the API server has trouble of its own */
  public async accept(ref: JobRef, report: ProgressReport): Promise<Outcome> {
    if (this.options.watches?.(ref.namespace) === false) {
      return { kind: 'noSuchJob' };
    }
    const job = this.options.find(ref) ?? await this.ask(ref);
    if (job === undefined) {
      return { kind: 'noSuchJob' };
    }
    try {
      if (report.checkpoint !== undefined) {
        await this.writeCheckpoint(job, report.checkpoint);
      }
      if (report.trainerStatus !== undefined) {
        await this.writeOrWait(ref, job, report.trainerStatus);
      }
      return { kind: 'accepted' };
    } catch (error) {
      if (isApiError(error, 'isNotFound') || isApiError(error, 'isConflict')) {
        return { kind: 'noSuchJob' };
      }
      if (isApiError(error) && (error.isInvalid || error.isBadRequest)) {
        return { kind: 'invalid', message: error.serverMessage };
      }
      throw error;
    }
  }

  /** Writes what waits, and takes no more time for anything else. */
  public async flush(): Promise<void> {
    await Promise.all([
      ...[...this.checkpoints.keys()].map((key) => this.checkpointsDue(key, false)),
      ...[...this.paced.keys()].map((key) => this.due(key, false)),
    ]);
  }

  /** The job of the API server, which is asked once for all reports of a moment. */
  private ask(ref: JobRef): Promise<TrainingJobObject | undefined> {
    const key = keyOf(ref.namespace, ref.name);
    const at = this.clock.monotonic();
    const known = this.asked.get(key);
    if (known !== undefined && at - known.at < ASKED_MS) {
      return known.job;
    }
    const job = this.options.client.tryGet<TrainingJobObject>(TRAINING_JOBS, ref);
    job.catch(() => this.asked.delete(key));
    this.asked.delete(key);
    this.asked.set(key, { at, job });
    if (this.asked.size > MAX_ASKED) {
      const [oldest] = this.asked.keys();
      this.asked.delete(oldest);
    }
    return job;
  }

  private async writeCheckpoint(job: TrainingJobObject, checkpoint: CheckpointReport): Promise<void> {
    const key = keyOf(job.metadata!.namespace, job.metadata!.name!);
    const paced = this.checkpoints.get(key);
    if (paced?.next !== undefined) {
      paced.next.job = job;
      paced.next.checkpoint = checkpoint;
      await paced.next.written;
    } else if (isNew(job, checkpoint)) {
      if (paced === undefined) {
        await this.writeAndPace(key, job, checkpoint, true);
      } else {
        paced.next = waiting(job, checkpoint);
        await paced.next.written;
      }
    }
  }

  /** From now on checkpoints wait, when there is more to come. */
  private writeAndPace(key: string, job: TrainingJobObject, checkpoint: CheckpointReport, goesOn: boolean): Promise<void> {
    const last = this.write(job, CHECKPOINT_FIELD_MANAGER, { checkpoint: checkpointStatus(checkpoint, this.clock.now()) });
    if (goesOn) {
      this.checkpoints.set(key, { last, timer: this.clock.schedule(() => void this.checkpointsDue(key, true), CHECKPOINT_INTERVAL_MS) });
    }
    return last;
  }

  /** Writes the newest of those that wait. Never rejects: those who wait are told what went wrong. */
  private async checkpointsDue(key: string, goesOn: boolean): Promise<void> {
    const paced = this.checkpoints.get(key)!;
    paced.timer.cancel();
    // Of two writes at a time the older one could be the last.
    await paced.last.catch(() => undefined);
    const { next } = paced;
    if (this.checkpoints.get(key) !== paced) {
      // The end of the process and the timer came together.
      await next?.written.catch(() => undefined);
      return;
    }
    this.checkpoints.delete(key);
    if (next === undefined) {
      return;
    }
    try {
      await this.writeAndPace(key, next.job, next.checkpoint, goesOn);
      next.resolve();
    } catch (error) {
      next.reject(error);
    }
  }

  private async writeOrWait(ref: JobRef, job: TrainingJobObject, report: TrainerReport): Promise<void> {
    const key = keyOf(ref.namespace, ref.name);
    const paced = this.paced.get(key);
    const completes = report.progressPercentage === 100 && paced?.complete !== true && job.status?.trainerStatus?.progressPercentage !== 100;
    if (paced !== undefined && !completes) {
      paced.pending = report;
      return;
    }
    this.pace(key, completes || paced?.complete === true);
    await this.writeProgress(job, report);
  }

  /** From now on reports wait. */
  private pace(key: string, complete: boolean): void {
    this.paced.get(key)?.timer.cancel();
    const timer = this.clock.schedule(() => {
      this.due(key, true).catch((error: unknown) => this.options.logger.warn('progress could not be written', { job: key, error }));
    }, PROGRESS_INTERVAL_MS);
    this.paced.set(key, { complete, timer });
  }

  private async due(key: string, goesOn: boolean): Promise<void> {
    const { pending, timer, complete } = this.paced.get(key)!;
    timer.cancel();
    this.paced.delete(key);
    if (pending === undefined) {
      return;
    }
    if (goesOn) {
      this.pace(key, complete);
    }
    const [namespace, name] = key.split('/');
    const job = this.options.find({ namespace, name });
    try {
      await (job && this.writeProgress(job, pending));
    } catch (error) {
      // Gone, or another job bears its name by now.
      if (isApiError(error, 'isNotFound') || isApiError(error, 'isConflict')) {
        return;
      }
      const paced = this.paced.get(key);
      if (paced !== undefined) {
        paced.pending ??= pending;
      }
      throw error;
    }
  }

  private async writeProgress(job: TrainingJobObject, report: TrainerReport): Promise<void> {
    const known = this.options.find({ namespace: job.metadata!.namespace!, name: job.metadata!.name! }) ?? job;
    await this.write(job, PROGRESS_FIELD_MANAGER, { ...withProgress(known.status ?? {}, report, this.clock.now()) });
  }

  private async write(job: TrainingJobObject, fieldManager: string, status: TrainingJobStatus): Promise<void> {
    const { namespace, name, uid } = job.metadata!;
    const object = { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { namespace, name, uid }, status };
    const answer = await this.options.client.apply(TRAINING_JOBS, object as TrainingJobObject, { fieldManager, subresource: 'status' });
    this.options.written(answer);
  }
}

function isNew(job: TrainingJobObject, { path, step }: CheckpointReport): boolean {
  const known = job.status?.checkpoint;
  return known?.path !== path || known.step !== step;
}

function waiting(job: TrainingJobObject, checkpoint: CheckpointReport): WaitingCheckpoint {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const written = new Promise<void>((onWritten, onError) => {
    resolve = onWritten;
    reject = onError;
  });
  return { job, checkpoint, written, resolve, reject };
}
