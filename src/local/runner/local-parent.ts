/**
 * A job on this machine that has no processes of its own but jobs below it: the planner's loop, with local runs as those jobs. Each of them has a
 * folder and logs of its own.
 *
 * One that was interrupted goes on where it was when the same job is run again: its status says which jobs have ended and which were under way, and
 * those begin again from their checkpoints.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { VISIBLE_DEVICES_VARIABLE, visibleGpus, wantedGpus } from './gpu-slices';
import { LocalRun, type LocalRunSettings } from './local-run';
import { PlannedRun } from './planned-run';
import type { RunReporter } from './run-reporter';
import { JobStateFolder } from './state-folder';
import type { PodLine } from '../process/pod-process';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { Replica } from '../../model/frameworks/contract';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { isSameJson } from '../../operator/runtime/json-equality';
import { isFinished } from '../../operator/training/plan/finished';
import { timeText } from '../../operator/training/plan/timestamps';
import type { Observation, Plan } from '../../operator/training/plan/types';

/** What such a job needs: what a run of it would, and the folder below which all runs keep their files. */
export interface LocalParentSettings extends LocalRunSettings {
  readonly root: string;
}

/** A job below it that was begun. */
export interface LocalChild {
  readonly number: number;
  readonly name: string;
  readonly uid: string;
  readonly run: LocalRun;
  /** Which of the places of those that run at a time it has; decides on its GPUs. */
  readonly place: number;
  status: TrainingJobStatus;
  ended?: Promise<void>;
}

/** What {@link LocalParent.begin} needs to know. */
export interface ChildOptions {
  readonly number: number;
  readonly name: string;
  readonly spec: TrainingJobSpec;
  /** Folder for its checkpoints, below the job's own. */
  readonly checkpoints: string;
  /** How messages call it: `trial 3`. */
  readonly title: string;
}

export abstract class LocalParent<C extends LocalChild = LocalChild> extends PlannedRun<LocalParentSettings> {
  protected readonly children = new Map<number, C>();

  public constructor(settings: LocalParentSettings) {
    super(settings);
    const interrupted = interruptedRun(settings);
    const status = interrupted && this.resumed(interrupted.status);
    if (status !== undefined) {
      this.uid = interrupted!.uid;
      // As with a job that was suspended, the pause does not use the deadline up.
      this.status = { ...status, startTime: timeText(Date.now()) };
    }
  }

  public async run(): Promise<TrainingJobStatus> {
    this.settings.reporter.started(this.settings.job);
    this.introduce();
    try {
      await this.reconcileUntilFinished();
    } finally {
      this.endAll();
      await Promise.all([...this.children.values()].map(({ ended }) => ended));
    }
    return this.status;
  }

  protected endAll(): void {
    this.children.forEach(({ run }) => run.interrupt(this.graceSeconds));
  }

  /** The status with which a run continues that was interrupted with this one; undefined if it has to restart. */
  protected abstract resumed(status: TrainingJobStatus): TrainingJobStatus | undefined;

  /** Tells the user what is about to happen. */
  protected abstract introduce(): void;

  protected abstract override look(): Pick<Observation, 'trials' | 'copies'>;

  /** After something was done the planner is asked again at once: jobs below are there, or gone, without telling. */
  protected override pauseAfter({ actions, requeueAfterMs }: Plan): number | undefined {
    return actions.length > 0 ? 0 : requeueAfterMs;
  }

  /** A job that was begun, with what the subclass keeps of it. */
  protected abstract childOf(child: LocalChild): C;

  /** A line of a job below. */
  protected onLine(_child: C | undefined, _replica: Replica, _line: PodLine): void {
    // Most need no more of it than the terminal shows.
  }

  /** Begins a job. */
  protected async begin({ number, name, spec, checkpoints, title }: ChildOptions): Promise<void> {
    const { root, state } = this.settings;
    const job = resolveTrainingJob(name, spec);
    const folder = await JobStateFolder.open(root, name, false, path.join(state.checkpoints, checkpoints));
    const taken = new Set([...this.children.values()].filter(({ status }) => !isFinished(status)).map(({ place }) => place));
    const place = [...Array(taken.size + 1).keys()].find((candidate) => !taken.has(candidate))!;
    const run = new LocalRun({ ...this.settings, job, state: folder, env: this.environmentOf(job, place), reporter: this.reporterOf(number, title) });
    const child = this.childOf({ number, name, uid: crypto.randomUUID(), run, place, status: {} });
    this.children.set(number, child);
    child.ended = run.run()
      .then((status) => { child.status = status; }, (error: Error) => { child.status = brokenStatus(error.message); })
      .finally(() => {
        folder.close();
        this.wake();
      });
  }

  /** Ends a job and removes what is left of it. */
  protected async remove(uid: string): Promise<void> {
    const child = [...this.children.values()].find((candidate) => candidate.uid === uid);
    if (child) {
      child.run.interrupt(this.graceSeconds);
      await child.ended;
      this.children.delete(child.number);
      fs.rmSync(path.join(this.settings.root, 'jobs', child.name), { recursive: true, force: true });
    }
  }

  /** Jobs side by side get GPUs of their own where there are enough for all of them. */
  private environmentOf(job: ResolvedTrainingJob, place: number): NodeJS.ProcessEnv {
    const { env } = this.settings;
    const [gpus, wanted] = [visibleGpus(env), wantedGpus(job)];
    const mine = gpus.slice(place * wanted, (place + 1) * wanted);
    return wanted > 0 && mine.length === wanted ? { ...env, [VISIBLE_DEVICES_VARIABLE]: mine.join(',') } : env;
  }

  private reporterOf(number: number, title: string): RunReporter {
    const { reporter } = this.settings;
    return {
      started: () => undefined,
      line: (replica, line) => {
        this.onLine(this.children.get(number), replica, line);
        // The replica's name says which job it is of.
        reporter.line(replica, line);
      },
      notice: (message) => reporter.notice(`${title}: ${message}`),
      warning: (message) => reporter.warning(`${title}: ${message}`),
      status: (status) => {
        const child = this.children.get(number);
        // The last word comes when no process is left.
        if (child && !isFinished(status)) {
          child.status = status;
          this.wake();
        }
      },
    };
  }
}

/** The run of this very job that was left unfinished. */
function interruptedRun({ job, state }: LocalParentSettings): { readonly uid: string; readonly status: TrainingJobStatus } | undefined {
  const { metadata, spec, status } = (state.previous ?? {}) as { metadata?: { uid?: string }; spec?: unknown; status?: TrainingJobStatus };
  return metadata?.uid === undefined || status === undefined || isFinished(status) || !isSameJson(spec, job.spec)
    ? undefined : { uid: metadata.uid, status };
}

/** A job that could not be run at all. */
function brokenStatus(message: string): TrainingJobStatus {
  return {
    phase: 'Failed',
    conditions: [{ type: 'Failed', status: 'True', reason: 'Error', message, lastTransitionTime: timeText(Date.now()) }],
  };
}
