/**
 * The loop of all runs on this machine, like that of the operator: observe, plan, write the status, and execute the actions, or plan again if the
 * plan is a decision. Then wait for a change or for the time of the plan.
 */
import crypto from 'node:crypto';
import type { RunReporter } from './run-reporter';
import type { JobStateFolder } from './state-folder';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { isFinished } from '../../operator/training/plan/finished';
import { isOver } from '../../operator/training/plan/hooks/advance';
import { plan } from '../../operator/training/plan/plan';
import type { Action, Observation, Plan } from '../../operator/training/plan/types';

export interface PlannedRunSettings {
  readonly job: ResolvedTrainingJob;
  readonly namespace: string;
  readonly state: JobStateFolder;
  readonly reporter: RunReporter;
}

/** Maximum milliseconds of setTimeout. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export abstract class PlannedRun<S extends PlannedRunSettings> {
  protected uid: string = crypto.randomUUID();
  protected status: TrainingJobStatus = {};
  protected interrupted = false;
  /** Grace period in seconds after an interruption. @default - those of the pods */
  protected graceSeconds?: number;
  private failure?: Error;
  private hasChanged = false;
  private wakeUp?: () => void;

  public constructor(protected readonly settings: S) {}

  /** Runs the job to its end. @returns its last status, which is not final after an interruption */
  public abstract run(): Promise<TrainingJobStatus>;

  /**
   * Interrupts the run: replicas get SIGTERM and their grace period.
   * @param graceSeconds 0 kills at once @default - those of the pods
   */
  public interrupt(graceSeconds?: number): void {
    this.interrupted = true;
    this.graceSeconds = graceSeconds;
    this.endAll();
    this.wake();
  }

  /** Ends everything that runs, also if it is already ending: the second Ctrl-C kills. */
  protected abstract endAll(): void;

  /** What the planner observes in addition to the job. */
  protected abstract look(): Partial<Observation>;

  protected abstract execute(action: Action): Promise<void>;

  /** Maximum milliseconds until the next plan; undefined for no limit. */
  protected pauseAfter({ requeueAfterMs }: Plan): number | undefined {
    return requeueAfterMs;
  }

  /** Ends the run with an error from outside of the loop. The first one counts. */
  protected fail(error: Error): void {
    this.failure ??= error;
    this.wake();
  }

  protected async reconcileUntilFinished(): Promise<void> {
    while (!this.interrupted) {
      if (this.failure !== undefined) {
        throw this.failure;
      }
      this.hasChanged = false;
      const planned = plan(this.observe());
      this.setStatus(planned.status);
      planned.events.forEach((event) => this.settings.reporter[event.type === 'Warning' ? 'warning' : 'notice'](event.message));
      if (planned.decided) {
        continue;
      }
      for (const action of planned.actions) {
        await this.execute(action);
      }
      if (isFinished(this.status) && !isExiting(this.settings.job.spec, this.status)) {
        return;
      }
      await this.wait(this.pauseAfter(planned));
    }
  }

  protected observe(): Observation {
    const { job } = this.settings;
    return {
      job: { name: job.name, uid: this.uid, generation: 1, spec: job.spec, status: this.status },
      pods: [],
      services: [],
      problems: [],
      now: Date.now(),
      ...this.look(),
    };
  }

  protected setStatus(status: TrainingJobStatus): void {
    const { job, namespace, state, reporter } = this.settings;
    if (JSON.stringify(status) !== JSON.stringify(this.status)) {
      this.status = status;
      const metadata = { name: job.name, namespace, uid: this.uid, generation: 1 };
      state.writeStatus({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata, spec: job.spec, status });
    }
    reporter.status(status);
  }

  protected wake(): void {
    this.hasChanged = true;
    this.wakeUp?.();
  }

  /** Waits for a change, or for the time of the plan. */
  private async wait(ms: number | undefined): Promise<void> {
    if (this.hasChanged || this.interrupted) {
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
      // The next plan has the rest of a longer wait.
      timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS));
    });
    clearTimeout(timer);
  }
}

/** Whether the last hook of a finished job has not ended. */
function isExiting({ hooks }: TrainingJobSpec, status: TrainingJobStatus): boolean {
  return hooks?.onExit !== undefined && !isOver(status.hooks?.onExit);
}
