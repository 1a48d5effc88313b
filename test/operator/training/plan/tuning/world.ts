/**
 * A small world for the planner of searches: an API server with a job and the jobs of its trials, a cache that is behind, and an operator that can
 * die between any two of its requests. Trials run, fail and report as chance wants.
 */
import type { Random } from '../simulation/random';
import { timeText } from '../../../../../src/model/timestamps';
import type { AutoTuningSpec } from '../../../../../src/model/training-job/features';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status';
import { loggedObjective, type ObjectiveReading } from '../../../../../src/model/tuning/objective';
import { encodePoint } from '../../../../../src/model/tuning/search-space';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { ObservedTrial, TrialAction } from '../../../../../src/operator/training/plan/tuning/types';
import type { Action } from '../../../../../src/operator/training/plan/types';

/** The job of a trial on the server. */
interface TrialJob {
  readonly uid: string;
  readonly number: number;
  readonly name: string;
  readonly point: string;
  suspended: boolean;
  status: TrainingJobStatus;
  version: number;
}

/** The planner, or one with a mistake. */
export type Planner = typeof plan;

/** The operator died. */
class Crash extends Error {}

const MAX_PASSES = 12;

/** See the top of this file. */
export class TuningWorld {
  /** What broke a promise. */
  public readonly broken: string[] = [];
  public readonly spec: { -readonly [field in keyof TrainingJobSpec]: TrainingJobSpec[field] };
  /** As it stands on the server. */
  public status: TrainingJobStatus = {};
  public readonly trials = new Map<string, TrialJob>();
  /** Numbers of all trials that ever had a job. */
  public readonly begun = new Map<number, string>();
  public now = Date.parse('2026-01-01T00:00:00Z');
  public crashes = 0;
  private version = 1;
  private created = 0;
  private logged = new Map<string, ObjectiveReading>();
  /** What the operator sees: moments of the server's past, the trials' never from before what it wrote itself. */
  private cached: { status: TrainingJobStatus; version: number; trials: TrialJob[] } = { status: {}, version: 1, trials: [] };

  public constructor(
    private readonly random: Random,
    autoTuning: AutoTuningSpec,
    private readonly crashRate: number,
    private readonly planner: Planner = plan,
  ) {
    this.spec = { framework: 'plain', image: 'image', replicas: 1, autoTuning };
  }

  public get ended(): boolean {
    return isFinished(this.status);
  }

  /** Brings the cache up to now. */
  public refresh(): void {
    this.cached = { status: this.status, version: this.version, trials: [...this.trials.values()].map((trial) => ({ ...trial })) };
  }

  /** One pass of the operator, from a cache that may be behind. */
  public reconcile(): void {
    try {
      for (let passes = 0; passes < MAX_PASSES; passes++) {
        const planned = this.planner(this.observe());
        if (planned.decided) {
          this.write(planned.status);
          continue;
        }
        for (const action of shuffled(planned.actions, this.random)) {
          this.mayCrash();
          this.execute(action);
          this.mayCrash();
        }
        const told = planned.actions.length > 0 ? this.planner(this.observe()) : planned;
        this.write(told.status);
        if (!told.decided) {
          return;
        }
      }
    } catch (error) {
      if (!(error instanceof Crash)) {
        throw error;
      }
      // The next operator reads everything anew, and remembers nothing.
      this.crashes++;
      this.logged = new Map();
      this.refresh();
    }
  }

  /** Something happens to a trial. */
  public live(): void {
    for (const trial of this.trials.values()) {
      const { phase } = trial.status;
      if (phase === 'Completed' || phase === 'Failed' || trial.suspended || !this.random.chance(0.6)) {
        continue;
      }
      trial.version++;
      if (phase === undefined) {
        trial.status = { phase: 'Running' };
      } else if (this.random.chance(0.3)) {
        const progressPercentage = 10 * this.random.between(0, 9);
        const point = { time: timeText(this.now), progressPercentage, metrics: { y: String(this.random.between(0, 99)) } };
        trial.status = { ...trial.status, progressHistory: [...trial.status.progressHistory ?? [], point] };
      } else if (this.random.chance(0.15)) {
        trial.status = { phase: 'Failed', conditions: [] };
      } else {
        const value = this.random.chance(0.1) ? 'nan' : String(this.random.between(0, 999));
        trial.status = { ...trial.status, phase: 'Completed', ...(this.random.chance(0.5) && { trainerStatus: { metrics: [{ name: 'y', value }] } }) };
      }
    }
  }

  /** Somebody deletes a trial. */
  public deleteTrial(): void {
    // One that the status does not know yet is made again, with the same values.
    const seen = new Set((this.status.tuning?.active ?? []).flatMap(({ trial, seen: known }) => (known ? trial : [])));
    const [victim] = shuffled([...this.trials.values()].filter(({ number }) => seen.has(number)), this.random);
    if (victim) {
      this.trials.delete(victim.name);
    }
  }

  /** Trials whose jobs are not over. */
  public get alive(): number {
    return [...this.trials.values()].filter(({ status: { phase } }) => phase !== 'Completed' && phase !== 'Failed').length;
  }

  private observe() {
    return {
      job: { name: 'net', uid: 'uid', generation: 1, spec: this.spec, status: this.cached.status },
      pods: [],
      services: [],
      problems: [],
      trials: this.cached.trials.map(({ number, name, uid, suspended, status }): ObservedTrial => ({
        number, name, uid, suspended, status, deleting: false, logged: this.logged.get(uid),
      })),
      now: this.now,
    };
  }

  private write(status: TrainingJobStatus): void {
    this.mayCrash();
    if (JSON.stringify(status) === JSON.stringify(this.cached.status)) {
      return;
    }
    if (this.cached.version !== this.version) {
      // A conflict: somebody else wrote, or a request of ours that we took for lost.
      throw new Crash();
    }
    this.status = JSON.parse(JSON.stringify(status)) as TrainingJobStatus;
    this.version++;
    // The answer may get lost, which is a crash for who waits for it.
    this.mayCrash();
    this.cached = { ...this.cached, status: this.status, version: this.version };
  }

  private execute(action: Action): void {
    const known = 'name' in action ? this.trials.get(action.name) : undefined;
    switch ((action as TrialAction).type) {
      case 'createTrial': return this.create(action as Extract<Action, { type: 'createTrial' }>);
      case 'deleteTrial':
        if (known?.uid === (action as TrialAction & { uid: string }).uid) {
          this.trials.delete(known.name);
        }
        this.cached.trials = this.cached.trials.filter(({ uid }) => uid !== (action as { uid?: string }).uid);
        return;
      case 'suspendTrial':
        if (known) {
          known.suspended = (action as Extract<Action, { type: 'suspendTrial' }>).suspend;
          this.see(known);
        }
        return;
      case 'readObjective':
        this.logged.set((action as { uid: string }).uid, loggedObjective(this.random.chance(0.7) ? `y=${this.random.between(0, 999)}` : 'done', 'y'));
        return;
      default:
        this.broken.push(`a search asks for ${action.type}`);
    }
  }

  private create({ trial }: Extract<Action, { type: 'createTrial' }>): void {
    const name = `net-trial-${trial.number}`;
    let job = this.trials.get(name);
    const point = encodePoint(trial.point);
    if (job === undefined) {
      if (this.begun.has(trial.number)) {
        this.broken.push(`trial ${trial.number} is begun twice`);
      }
      this.begun.set(trial.number, point);
      job = { uid: `uid-${++this.created}`, number: trial.number, name, point, suspended: false, status: {}, version: 1 };
      this.trials.set(name, job);
    }
    if (job.point !== point) {
      this.broken.push(`trial ${trial.number} has other values the second time`);
    }
    this.see(job);
  }

  /** The answer of a write goes into the cache. */
  private see(job: TrialJob): void {
    this.cached.trials = [...this.cached.trials.filter(({ name }) => name !== job.name), { ...job }];
  }

  private mayCrash(): void {
    if (this.random.chance(this.crashRate)) {
      throw new Crash();
    }
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.next() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}
