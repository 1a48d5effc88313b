/**
 * A job on this machine whose children are local runs, each with its own folder and logs.
 *
 * An interrupted job continues when it is run again: its status has the children that have ended and those that were active, which start again from
 * their checkpoints.
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

export interface LocalParentSettings extends LocalRunSettings {
  readonly root: string;
}

/** A child that has started. */
export interface LocalChild {
  readonly number: number;
  readonly name: string;
  readonly uid: string;
  readonly run: LocalRun;
  /** Its number among the children that run at the same time, which determines its GPUs. */
  readonly place: number;
  status: TrainingJobStatus;
  ended?: Promise<void>;
}

export interface ChildOptions {
  readonly number: number;
  readonly name: string;
  readonly spec: TrainingJobSpec;
  /** Folder for its checkpoints, below the job's own. */
  readonly checkpoints: string;
  /** Its name in messages: `trial 3`. */
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
      // As for a suspended job, the pause does not count for the deadline.
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

  /** The status for continuing after an interruption; undefined if the run must restart. */
  protected abstract resumed(status: TrainingJobStatus): TrainingJobStatus | undefined;

  /** Reports the plan to the user. */
  protected abstract introduce(): void;

  protected abstract override look(): Pick<Observation, 'trials' | 'copies'>;

  /** Plans again immediately after actions: children start and end without an event. */
  protected override pauseAfter({ actions, requeueAfterMs }: Plan): number | undefined {
    return actions.length > 0 ? 0 : requeueAfterMs;
  }

  /** Adds the subclass's fields to a child. */
  protected abstract childOf(child: LocalChild): C;

  /** Called with each line of a child. */
  protected onLine(_child: C | undefined, _replica: Replica, _line: PodLine): void {
    // Not needed by default.
  }

  /** Starts a child. */
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

  /** Ends a child and removes its files. */
  protected async remove(uid: string): Promise<void> {
    const child = [...this.children.values()].find((candidate) => candidate.uid === uid);
    if (child) {
      child.run.interrupt(this.graceSeconds);
      await child.ended;
      this.children.delete(child.number);
      fs.rmSync(path.join(this.settings.root, 'jobs', child.name), { recursive: true, force: true });
    }
  }

  /** Children that run at the same time get their own GPUs, if there are enough. */
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
        // The replica's name has the child's name.
        reporter.line(replica, line);
      },
      notice: (message) => reporter.notice(`${title}: ${message}`),
      warning: (message) => reporter.warning(`${title}: ${message}`),
      status: (status) => {
        const child = this.children.get(number);
        // The final status is set when all processes have ended.
        if (child && !isFinished(status)) {
          child.status = status;
          this.wake();
        }
      },
    };
  }
}

/** The interrupted run of the same job. */
function interruptedRun({ job, state }: LocalParentSettings): { readonly uid: string; readonly status: TrainingJobStatus } | undefined {
  const { metadata, spec, status } = (state.previous ?? {}) as { metadata?: { uid?: string }; spec?: unknown; status?: TrainingJobStatus };
  return metadata?.uid === undefined || status === undefined || isFinished(status) || !isSameJson(spec, job.spec)
    ? undefined : { uid: metadata.uid, status };
}

/** The status of a job that could not run. */
function brokenStatus(message: string): TrainingJobStatus {
  return {
    phase: 'Failed',
    conditions: [{ type: 'Failed', status: 'True', reason: 'Error', message, lastTransitionTime: timeText(Date.now()) }],
  };
}
