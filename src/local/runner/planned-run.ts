/**
 * What runs on this machine have in common, of jobs with processes and of jobs with other jobs below them: the same loop as the operator's. Observe,
 * plan, write the status if it is a decision and plan again, else do what the plan says; then wait for a change or for the plan's own time.
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

/** What every run needs. */
export interface PlannedRunSettings {
  readonly job: ResolvedTrainingJob;
  readonly namespace: string;
  readonly state: JobStateFolder;
  readonly reporter: RunReporter;
}

/** The longest time that setTimeout takes, in milliseconds. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export abstract class PlannedRun<S extends PlannedRunSettings> {
  protected uid: string = crypto.randomUUID();
  protected status: TrainingJobStatus = {};
  protected interrupted = false;
  /** Seconds that pods get to end once the run is interrupted; undefined: their own. */
  protected graceSeconds?: number;
  private failure?: Error;
  private hasChanged = false;
  private wakeUp?: () => void;

  public constructor(protected readonly settings: S) {}

  /** Runs the job to its end. Returns its last status; after an interruption that is no final one. */
  public abstract run(): Promise<TrainingJobStatus>;

  /**
   * Ends the run before its time: replicas get SIGTERM and their grace period.
   * @param graceSeconds 0 kills at once; default: what the pods say
   */
  public interrupt(graceSeconds?: number): void {
    this.interrupted = true;
    this.graceSeconds = graceSeconds;
    this.endAll();
    this.wake();
  }

  /** Asks everything that runs to end, also what is already on its way out: a second Ctrl-C means now. */
  protected abstract endAll(): void;

  /** What the planner observes in addition to the job. */
  protected abstract look(): Partial<Observation>;

  /** Does what the planner asks for. */
  protected abstract execute(action: Action): Promise<void>;

  /** Milliseconds until the next pass over the job where nothing changes before; undefined: no limit. */
  protected pauseAfter({ requeueAfterMs }: Plan): number | undefined {
    return requeueAfterMs;
  }

  /** Ends the run with an error that came up outside of the loop; the first one counts. */
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

  /** Waits for a change, or for as long as the plan says. */
  private async wait(ms: number | undefined): Promise<void> {
    if (this.hasChanged || this.interrupted) {
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
      // Of a longer wait, the next plan says how much is left.
      timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS));
    });
    clearTimeout(timer);
  }
}

/** Whether the hook at the end of a finished job is still to run, or runs. */
function isExiting({ hooks }: TrainingJobSpec, status: TrainingJobStatus): boolean {
  return hooks?.onExit !== undefined && !isOver(status.hooks?.onExit);
}
