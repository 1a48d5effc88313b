/** A small world for the planner of arrays, whose copies run and end as chance wants. */
import { ParentWorld, isAlive, type ChildJob, type Planner } from '../simulation/parent-world';
import type { Random } from '../simulation/random';
import type { ArraySpec } from '../../../../../src/model/training-job/array';
import type { ObservedCopy } from '../../../../../src/operator/training/plan/array/types';
import type { Action, Observation } from '../../../../../src/operator/training/plan/types';

/** The job of a copy on the server. */
interface CopyJob extends ChildJob {
  readonly index: number;
}

/** See the top of this file. */
export class ArrayWorld extends ParentWorld<CopyJob> {
  /** Indexes that ever had a job, and those that came to a good end. */
  public readonly begun = new Set<number>();
  public readonly succeeded = new Set<number>();

  public constructor(random: Random, array: ArraySpec, crashRate: number, planner?: Planner) {
    super(random, { array }, crashRate, planner);
  }

  /** Something happens to copies. */
  public live(): void {
    for (const copy of this.children.values()) {
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
    this.deleteOneOf([...this.children.values()].filter((copy) => isAlive(copy) && !this.isUnseen(copy.index)));
  }

  protected observeChildren(cached: readonly CopyJob[]): Partial<Observation> {
    return {
      copies: cached.map(({ index, name, uid, suspended, status }): ObservedCopy => ({ index, name, uid, suspended, status, deleting: false })),
    };
  }

  protected execute(action: Action): void {
    switch (action.type) {
      case 'createCopy': return this.create(action.index);
      case 'deleteCopy': return this.remove(action);
      case 'suspendCopy': return this.suspend(action);
      default:
        this.broken.push(`an array asks for ${action.type}`);
    }
  }

  /** One that the status does not know yet is made again. */
  private isUnseen(index: number): boolean {
    return (this.status.array?.unseenIndexes ?? '').split(',').some((part) => {
      const [from, to = from] = part.split('-').map(Number);
      return part !== '' && from <= index && index <= to;
    });
  }

  private create(index: number): void {
    const name = `net-${index}`;
    let job = this.children.get(name);
    if (job === undefined) {
      if (this.begun.has(index)) {
        this.broken.push(`copy ${index} is begun twice`);
      }
      this.begun.add(index);
      job = { uid: this.newUid(), index, name, suspended: false, status: {} };
      this.children.set(name, job);
    }
    this.see(job);
  }
}
