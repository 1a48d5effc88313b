/** A small world for the planner of searches, whose trials run, fail and report as chance wants. */
import { ParentWorld, isAlive, type ChildJob, type Planner } from '../simulation/parent-world';
import type { Random } from '../simulation/random';
import { timeText } from '../../../../../src/model/text/times';
import type { AutoTuningSpec } from '../../../../../src/model/training-job/fields/features';
import { loggedObjective, type ObjectiveReading } from '../../../../../src/model/tuning/objective';
import { encodePoint } from '../../../../../src/model/tuning/search-space';
import type { Action, Observation } from '../../../../../src/operator/training/plan/types';
import type { ObservedTrial } from '../../../../../src/operator/training/plan/tuning/types';

/** The job of a trial on the server. */
interface TrialJob extends ChildJob {
  readonly number: number;
  readonly point: string;
}

/** See the top of this file. */
export class TuningWorld extends ParentWorld<TrialJob> {
  /** Numbers of all trials that ever had a job. */
  public readonly begun = new Map<number, string>();
  private logged = new Map<string, ObjectiveReading>();

  public constructor(random: Random, autoTuning: AutoTuningSpec, crashRate: number, planner?: Planner) {
    super(random, { autoTuning }, crashRate, planner);
  }

  /** Something happens to trials. */
  public live(): void {
    for (const trial of this.children.values()) {
      if (!isAlive(trial) || trial.suspended || !this.random.chance(0.6)) {
        continue;
      }
      if (trial.status.phase === undefined) {
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
    this.deleteOneOf([...this.children.values()].filter(({ number }) => seen.has(number)));
  }

  protected observeChildren(cached: readonly TrialJob[]): Partial<Observation> {
    return {
      trials: cached.map(({ number, name, uid, suspended, status }): ObservedTrial => ({
        number, name, uid, suspended, status, deleting: false, logged: this.logged.get(uid),
      })),
    };
  }

  protected override forget(): void {
    this.logged = new Map();
  }

  protected execute(action: Action): void {
    switch (action.type) {
      case 'createTrial': return this.create(action);
      case 'deleteTrial': return this.remove(action);
      case 'suspendTrial': return this.suspend(action);
      case 'readObjective':
        this.logged.set(action.uid, loggedObjective(this.random.chance(0.7) ? `y=${this.random.between(0, 999)}` : 'done', 'y'));
        return;
      default:
        this.broken.push(`a search asks for ${action.type}`);
    }
  }

  private create({ trial }: Extract<Action, { type: 'createTrial' }>): void {
    const name = `net-trial-${trial.number}`;
    let job = this.children.get(name);
    const point = encodePoint(trial.point);
    if (job === undefined) {
      if (this.begun.has(trial.number)) {
        this.broken.push(`trial ${trial.number} is begun twice`);
      }
      this.begun.set(trial.number, point);
      job = { uid: this.newUid(), number: trial.number, name, point, suspended: false, status: {} };
      this.children.set(name, job);
    }
    if (job.point !== point) {
      this.broken.push(`trial ${trial.number} has other values the second time`);
    }
    this.see(job);
  }
}
