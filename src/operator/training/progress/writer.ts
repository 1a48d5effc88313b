/**
 * Writes what scripts report to the status of their jobs. Any replica of the operator may do so, also one that does not lead: the fields are the
 * report's alone, applied on the server's side under a name of their own, so that the leader's own writes and these do not undo each other.
 *
 * A script may report after each step. The first report is written at once, then one every few seconds, the newest; each is answered as soon as it is
 * known that the job is there. Two kinds are written before they are answered, whatever came before: a checkpoint that is new, because the script
 * may delete the one before it next, and the first 100 %, because the job may be over a moment later.
 */
import type { Outcome } from './endpoint';
import { TRAINING_JOBS, type TrainingJobObject } from '../resources';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { JobRef } from '../../../model/progress/contract';
import { checkpointStatus, withProgress } from '../../../model/progress/progress-status';
import type { ProgressReport } from '../../../model/progress/report';
import type { TrainingJobStatus } from '../../../model/training-job/status';
import { isApiError } from '../../runtime/api-error';
import { SYSTEM_CLOCK, type Clock, type Timer } from '../../runtime/clock';
import type { KubeClient } from '../../runtime/kube-client';
import { keyOf } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/logger';

/** Owner of what Kubeflow Trainer's server owns too. */
export const PROGRESS_FIELD_MANAGER = 'trainer-status';

/** Owner of the checkpoint: a later report without one must not take it away. */
export const CHECKPOINT_FIELD_MANAGER = 'trainyard-checkpoint';

/** Least time between two writes for one job, milliseconds. */
export const PROGRESS_INTERVAL_MS = 5_000;

type TrainerReport = NonNullable<ProgressReport['trainerStatus']>;

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

/** See the top of this file. */
export class ProgressWriter {
  private readonly clock: Clock;
  private readonly paced = new Map<string, Paced>();

  public constructor(private readonly options: ProgressWriterOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Takes in a report. @throws ApiError, TransportError when the API server has trouble of its own */
  public async accept(ref: JobRef, report: ProgressReport): Promise<Outcome> {
    if (this.options.watches?.(ref.namespace) === false) {
      return { kind: 'noSuchJob' };
    }
    const job = this.options.find(ref) ?? await this.options.client.tryGet<TrainingJobObject>(TRAINING_JOBS, ref);
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
    await Promise.all([...this.paced.keys()].map((key) => this.due(key, false)));
  }

  private async writeCheckpoint(job: TrainingJobObject, checkpoint: NonNullable<ProgressReport['checkpoint']>): Promise<void> {
    const known = job.status?.checkpoint;
    if (known?.path !== checkpoint.path || known.step !== checkpoint.step) {
      await this.write(job, CHECKPOINT_FIELD_MANAGER, { checkpoint: checkpointStatus(checkpoint, this.clock.now()) });
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
