/**
 * A small world for planners of jobs that have jobs below them: an API server with the job and those below it, a cache that is behind, and an
 * operator that can die between any two of its requests. What becomes of the jobs below is for subclasses to say.
 */
import type { Random } from './random';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { isFinished } from '../../../../../src/operator/training/plan/finished';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Action, Observation } from '../../../../../src/operator/training/plan/types';

/** A job on the server that the world's job controls. */
export interface ChildJob {
  readonly uid: string;
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
export abstract class ParentWorld<C extends ChildJob> {
  /** What broke a promise. */
  public readonly broken: string[] = [];
  public readonly spec: { -readonly [field in keyof TrainingJobSpec]: TrainingJobSpec[field] };
  /** As it stands on the server. */
  public status: TrainingJobStatus = {};
  public readonly children = new Map<string, C>();
  public now = Date.parse('2026-01-01T00:00:00Z');
  public crashes = 0;
  private version = 1;
  private created = 0;
  /** What the operator sees: moments of the server's past, the children's never from before what it wrote itself. */
  private cached: { status: TrainingJobStatus; version: number; children: C[] } = { status: {}, version: 1, children: [] };

  public constructor(
    protected readonly random: Random, spec: Partial<TrainingJobSpec>, private readonly crashRate: number, private readonly planner: Planner = plan,
  ) {
    this.spec = { framework: 'plain', image: 'image', replicas: 1, ...spec };
  }

  public get ended(): boolean {
    return isFinished(this.status);
  }

  /** Children whose jobs are not over. */
  public get alive(): number {
    return [...this.children.values()].filter(isAlive).length;
  }

  /** Brings the cache up to now. */
  public refresh(): void {
    this.cached = { status: this.status, version: this.version, children: [...this.children.values()].map((child) => ({ ...child })) };
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
      this.forget();
      this.refresh();
    }
  }

  /** What the planner sees of the children. */
  protected abstract observeChildren(cached: readonly C[]): Partial<Observation>;

  /** Carries out an action. */
  protected abstract execute(action: Action): void;

  /** Loses what only the operator's memory had. */
  protected forget(): void {
    // Most operators have nothing there.
  }

  protected newUid(): string {
    return `uid-${++this.created}`;
  }

  /** Deletes a child, if it is still the one that is meant. */
  protected remove({ name, uid }: { readonly name: string; readonly uid: string }): void {
    if (this.children.get(name)?.uid === uid) {
      this.children.delete(name);
    }
    this.cached.children = this.cached.children.filter((child) => child.uid !== uid);
  }

  /** Suspends a child, or lets it run again. */
  protected suspend({ name, suspend }: { readonly name: string; readonly suspend: boolean }): void {
    const child = this.children.get(name);
    if (child !== undefined) {
      child.suspended = suspend;
      this.see(child);
    }
  }

  /** The answer of a write goes into the cache. */
  protected see(child: C): void {
    this.cached.children = [...this.cached.children.filter(({ name }) => name !== child.name), { ...child }];
  }

  /** Somebody deletes one of these. */
  protected deleteOneOf(children: readonly C[]): void {
    const [victim] = shuffled(children, this.random);
    if (victim) {
      this.children.delete(victim.name);
    }
  }

  private observe(): Observation {
    return {
      job: { name: 'net', uid: 'uid', generation: 1, spec: this.spec, status: this.cached.status },
      pods: [],
      services: [],
      problems: [],
      ...this.observeChildren(this.cached.children),
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

  private mayCrash(): void {
    if (this.random.chance(this.crashRate)) {
      throw new Crash();
    }
  }
}

/** Whether a child's job is not over. */
export function isAlive({ status: { phase } }: ChildJob): boolean {
  return phase !== 'Completed' && phase !== 'Failed';
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items.map((item) => ({ item, at: random.next() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}
