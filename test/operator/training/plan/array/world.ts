/**
 * A small world for the planner of arrays: an API server with a job and the jobs of its copies, a cache that is behind, and an operator that can die
 * between any two of its requests. Copies run and end as chance wants.
 */
import type { Random } from '../simulation/random';
import type { ArraySpec } from '../../../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status';
import type { CopyAction, ObservedCopy } from '../../../../../src/operator/training/plan/array/types';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Action } from '../../../../../src/operator/training/plan/types';

/** The job of a copy on the server. */
interface CopyJob {
  readonly uid: string;
  readonly index: number;
  readonly name: string;
  suspended: boolean;
  status: TrainingJobStatus;
}

/** The planner, or one with a mistake. */
export type Planner = typeof plan;

/** The operator died. */
class Crash extends Error {}

const MAX_PASSES = 12;

/** See the top of this file. */
export class ArrayWorld {
  /** What broke a promise. */
  public readonly broken: string[] = [];
  public readonly spec: { -readonly [field in keyof TrainingJobSpec]: TrainingJobSpec[field] };
  /** As it stands on the server. */
  public status: TrainingJobStatus = {};
  public readonly copies = new Map<string, CopyJob>();
  /** Indexes that ever had a job, and those that came to a good end. */
  public readonly begun = new Set<number>();
  public readonly succeeded = new Set<number>();
  public now = Date.parse('2026-01-01T00:00:00Z');
  public crashes = 0;
  private version = 1;
  private created = 0;
  /** What the operator sees: moments of the server's past, the copies' never from before what it wrote itself. */
  private cached: { status: TrainingJobStatus; version: number; copies: CopyJob[] } = { status: {}, version: 1, copies: [] };

  public constructor(
    private readonly random: Random, array: ArraySpec, private readonly crashRate: number, private readonly planner: Planner = plan,
  ) {
    this.spec = { framework: 'plain', image: 'image', replicas: 1, array };
  }

  public get ended(): boolean {
    return isFinished(this.status);
  }

  /** Copies whose jobs are not over. */
  public get alive(): number {
    return [...this.copies.values()].filter(isAlive).length;
  }

  /** Brings the cache up to now. */
  public refresh(): void {
    this.cached = { status: this.status, version: this.version, copies: [...this.copies.values()].map((copy) => ({ ...copy })) };
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
      this.refresh();
    }
  }

  /** Something happens to copies. */
  public live(): void {
    for (const copy of this.copies.values()) {
      if (!isAlive(copy) || copy.suspended || !this.random.chance(0.6)) {
        continue;
      }
      if (copy.status.phase === undefined) {
        copy.status = { phase: 'Running' };
      } else if (this.random.chance(0.2)) {
        copy.status = { phase: 'Failed', conditions: [] };
      } else {
        copy.status = { phase: 'Completed' };
        if (this.succeeded.has(copy.index)) {
          this.broken.push(`copy ${copy.index} succeeds a second time`);
        }
        this.succeeded.add(copy.index);
      }
    }
  }

  /** Somebody deletes a copy. */
  public deleteCopy(): void {
    const [victim] = shuffled([...this.copies.values()].filter((copy) => isAlive(copy) && !this.isUnseen(copy.index)), this.random);
    if (victim) {
      this.copies.delete(victim.name);
    }
  }

  /** One that the status does not know yet is made again. */
  private isUnseen(index: number): boolean {
    return (this.status.array?.unseenIndexes ?? '').split(',').some((part) => {
      const [from, to = from] = part.split('-').map(Number);
      return part !== '' && from <= index && index <= to;
    });
  }

  private observe() {
    return {
      job: { name: 'net', uid: 'uid', generation: 1, spec: this.spec, status: this.cached.status },
      pods: [],
      services: [],
      problems: [],
      copies: this.cached.copies.map(({ index, name, uid, suspended, status }): ObservedCopy => ({
        index, name, uid, suspended, status, deleting: false,
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
    const { type } = action as CopyAction;
    const known = 'name' in action ? this.copies.get(action.name) : undefined;
    switch (type) {
      case 'createCopy': return this.create((action as Extract<Action, { type: 'createCopy' }>).index);
      case 'deleteCopy':
        if (known?.uid === (action as CopyAction & { uid: string }).uid) {
          this.copies.delete(known.name);
        }
        this.cached.copies = this.cached.copies.filter(({ uid }) => uid !== (action as { uid?: string }).uid);
        return;
      case 'suspendCopy':
        if (known) {
          known.suspended = (action as Extract<Action, { type: 'suspendCopy' }>).suspend;
          this.see(known);
        }
        return;
      default:
        this.broken.push(`an array asks for ${String(type)}`);
    }
  }

  private create(index: number): void {
    const name = `net-${index}`;
    let job = this.copies.get(name);
    if (job === undefined) {
      if (this.begun.has(index)) {
        this.broken.push(`copy ${index} is begun twice`);
      }
      this.begun.add(index);
      job = { uid: `uid-${++this.created}`, index, name, suspended: false, status: {} };
      this.copies.set(name, job);
    }
    this.see(job);
  }

  /** The answer of a write goes into the cache. */
  private see(job: CopyJob): void {
    this.cached.copies = [...this.cached.copies.filter(({ name }) => name !== job.name), { ...job }];
  }

  private mayCrash(): void {
    if (this.random.chance(this.crashRate)) {
      throw new Crash();
    }
  }
}

function isAlive({ status: { phase } }: CopyJob): boolean {
  return phase !== 'Completed' && phase !== 'Failed';
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.next() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}
