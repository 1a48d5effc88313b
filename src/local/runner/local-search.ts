/**
 * A search on this machine: the planner of searches, with local runs as trials. Each trial is a job with a folder and logs of its own; as many run at
 * a time as `parallelTrials` says. A trial's objective is what its script reports, or else the last line of its first replica with it.
 *
 * A search that was interrupted goes on where it was when the same job is run again: its status says which trials have ended and which were under
 * way, and those begin again from their checkpoints.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { VISIBLE_DEVICES_VARIABLE, visibleGpus, wantedGpus } from './gpu-slices';
import { LocalRun, type LocalRunSettings } from './local-run';
import type { RunReporter } from './run-reporter';
import { JobStateFolder } from './state-folder';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import { TRAINING_CONTAINER, trialJobName } from '../../model/names';
import { resolveTrainingJob } from '../../model/training-job/resolve';
import type { TrainingJobStatus } from '../../model/training-job/status';
import { OBJECTIVE_LOG_LINES, loggedObjective, type ObjectiveReading } from '../../model/tuning/objective';
import type { Trial } from '../../model/tuning/search';
import { checkpointFolder, searchOf, trialSpec } from '../../model/tuning/trial-spec';
import { isSameJson } from '../../operator/runtime/json-equality';
import { isFinished } from '../../operator/training/plan/finished';
import { plan } from '../../operator/training/plan/plan';
import { timeText } from '../../operator/training/plan/timestamps';
import { endedTrials } from '../../operator/training/plan/tuning/tuning-status';
import type { Action, Observation } from '../../operator/training/plan/types';

/** What a search needs: what a run of its job would, and the folder below which all runs keep their files. */
export interface LocalSearchSettings extends LocalRunSettings {
  readonly root: string;
}

/** A trial that was begun. */
interface LocalTrial {
  readonly number: number;
  readonly name: string;
  readonly uid: string;
  readonly run: LocalRun;
  /** Which of the places that `parallelTrials` gives it has; decides on its GPUs. */
  readonly place: number;
  /** The last lines of the first replica. */
  readonly lines: string[];
  status: TrainingJobStatus;
  logged?: ObjectiveReading;
  ended?: Promise<void>;
}

/** See the top of this file. */
export class LocalSearch {
  private readonly uid: string;
  private readonly trials = new Map<number, LocalTrial>();
  private status: TrainingJobStatus = {};
  private hasChanged = false;
  private wakeUp?: () => void;
  private interrupted = false;
  private graceSeconds?: number;

  public constructor(private readonly settings: LocalSearchSettings) {
    const interrupted = interruptedSearch(settings);
    this.uid = interrupted?.uid ?? crypto.randomUUID();
    this.status = interrupted?.status ?? {};
  }

  /** Searches to the end. Returns the last status; after an interruption that is no final one. */
  public async run(): Promise<TrainingJobStatus> {
    const { job, reporter } = this.settings;
    const { maxTrials, parallelTrials, algorithm, objective, goal } = searchOf(job.spec, this.uid);
    const atATime = parallelTrials === 1 ? 'one at a time' : `${parallelTrials} at a time`;
    reporter.started(job);
    reporter.notice(`${algorithm} search: ${maxTrials} trials, ${atATime}, to ${goal} ${objective}`);
    if (this.status.tuning !== undefined) {
      reporter.notice(`goes on with the search that was interrupted: ${endedTrials(this.status.tuning)} trials have ended (--fresh begins anew)`);
    }
    try {
      await this.reconcileUntilFinished();
    } finally {
      this.trials.forEach(({ run }) => run.interrupt(this.graceSeconds));
      await Promise.all([...this.trials.values()].map(({ ended }) => ended));
    }
    return this.status;
  }

  /** As {@link LocalRun.interrupt}: ends all trials, and with them the search. */
  public interrupt(graceSeconds?: number): void {
    this.interrupted = true;
    this.graceSeconds = graceSeconds;
    this.trials.forEach(({ run }) => run.interrupt(graceSeconds));
    this.wake();
  }

  private async reconcileUntilFinished(): Promise<void> {
    while (!this.interrupted) {
      this.hasChanged = false;
      const { status, decided, actions, events, requeueAfterMs } = plan(this.observe());
      this.setStatus(status);
      events.forEach((event) => this.settings.reporter[event.type === 'Warning' ? 'warning' : 'notice'](event.message));
      if (decided) {
        continue;
      }
      for (const action of actions) {
        await this.execute(action);
      }
      if (isFinished(this.status)) {
        return;
      }
      await this.wait(actions.length > 0 ? 0 : requeueAfterMs);
    }
  }

  private observe(): Observation {
    const { job } = this.settings;
    return {
      job: { name: job.name, uid: this.uid, generation: 1, spec: job.spec, status: this.status },
      pods: [],
      services: [],
      trials: [...this.trials.values()].map(({ number, name, uid, status, logged }) => ({
        number, name, uid, status, logged, deleting: false, suspended: false,
      })),
      problems: [],
      now: Date.now(),
    };
  }

  private async execute(action: Action): Promise<void> {
    switch (action.type) {
      case 'createTrial': return this.begin(action.trial);
      case 'deleteTrial': return this.remove(action.uid);
      case 'readObjective': {
        const trial = this.trials.get(action.trial)!;
        trial.logged = loggedObjective(trial.lines.join('\n'), this.settings.job.spec.autoTuning!.objective);
        return undefined;
      }
      // Nothing is suspended here, and the other actions are those of jobs that have pods.
      default: return undefined;
    }
  }

  private async begin(trial: Trial): Promise<void> {
    const { job, root, state } = this.settings;
    const name = trialJobName(job.name, trial.number);
    const resolved = resolveTrainingJob(name, trialSpec(job.spec, searchOf(job.spec, this.uid), trial));
    const folder = await JobStateFolder.open(root, name, false, path.join(state.checkpoints, checkpointFolder(trial)));
    const taken = new Set([...this.trials.values()].filter(({ status }) => !isFinished(status)).map(({ place }) => place));
    const place = [...Array(taken.size + 1).keys()].find((candidate) => !taken.has(candidate))!;
    const lines: string[] = [];
    const run = new LocalRun({
      ...this.settings, job: resolved, state: folder, env: this.environmentOf(place), reporter: this.reporterOf(trial.number, lines),
    });
    const live: LocalTrial = { number: trial.number, name, uid: crypto.randomUUID(), run, place, lines, status: {} };
    this.trials.set(trial.number, live);
    live.ended = run.run()
      .then((status) => { live.status = status; }, (error: Error) => { live.status = brokenStatus(error.message); })
      .finally(() => {
        folder.close();
        this.wake();
      });
  }

  private async remove(uid: string): Promise<void> {
    const trial = [...this.trials.values()].find((candidate) => candidate.uid === uid);
    if (trial) {
      trial.run.interrupt(this.graceSeconds);
      await trial.ended;
      this.trials.delete(trial.number);
      fs.rmSync(path.join(this.settings.root, 'jobs', trial.name), { recursive: true, force: true });
    }
  }

  /** Trials side by side get GPUs of their own where there are enough for all of them. */
  private environmentOf(place: number): NodeJS.ProcessEnv {
    const { job, env } = this.settings;
    const [gpus, wanted] = [visibleGpus(env), wantedGpus(job)];
    const mine = gpus.slice(place * wanted, (place + 1) * wanted);
    return wanted > 0 && mine.length === wanted ? { ...env, [VISIBLE_DEVICES_VARIABLE]: mine.join(',') } : env;
  }

  private reporterOf(number: number, lines: string[]): RunReporter {
    const { reporter } = this.settings;
    return {
      started: () => undefined,
      line: (replica, line) => {
        if (replica.ordinal === 0 && line.container === TRAINING_CONTAINER) {
          lines.push(line.text);
          lines.splice(0, lines.length - OBJECTIVE_LOG_LINES);
        }
        // The replica's name says which trial it is of.
        reporter.line(replica, line);
      },
      notice: (message) => reporter.notice(`trial ${number}: ${message}`),
      warning: (message) => reporter.warning(`trial ${number}: ${message}`),
      status: (status) => {
        const trial = this.trials.get(number);
        // The last word comes when no process is left.
        if (trial && !isFinished(status)) {
          trial.status = status;
          this.wake();
        }
      },
    };
  }

  private setStatus(status: TrainingJobStatus): void {
    const { job, namespace, state, reporter } = this.settings;
    if (JSON.stringify(status) !== JSON.stringify(this.status)) {
      this.status = status;
      const metadata = { name: job.name, namespace, uid: this.uid, generation: 1 };
      state.writeStatus({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata, spec: job.spec, status });
    }
    reporter.status(status);
  }

  private wake(): void {
    this.hasChanged = true;
    this.wakeUp?.();
  }

  private async wait(ms: number | undefined): Promise<void> {
    if (this.hasChanged || this.interrupted) {
      return;
    }
    const longest = 2 ** 31 - 1;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
      timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, longest));
    });
    clearTimeout(timer);
  }
}

/** The search that the last run of this very job left unfinished. */
function interruptedSearch({ job, state }: LocalSearchSettings): { readonly uid: string; readonly status: TrainingJobStatus } | undefined {
  const { metadata, spec, status } = (state.previous ?? {}) as { metadata?: { uid?: string }; spec?: unknown; status?: TrainingJobStatus };
  const { tuning } = status ?? {};
  if (metadata?.uid === undefined || status === undefined || tuning === undefined || isFinished(status) || !isSameJson(spec, job.spec)) {
    return undefined;
  }
  // The trials under way have ended with that run: they begin again. As with a search that was suspended, the pause does not use the deadline up.
  const active = tuning.active?.map(({ seen: _seen, ...trial }) => trial);
  return { uid: metadata.uid, status: { ...status, startTime: timeText(Date.now()), tuning: { ...tuning, ...(active && { active }) } } };
}

/** A trial that could not be run at all. */
function brokenStatus(message: string): TrainingJobStatus {
  return {
    phase: 'Failed',
    conditions: [{ type: 'Failed', status: 'True', reason: 'Error', message, lastTransitionTime: timeText(Date.now()) }],
  };
}
