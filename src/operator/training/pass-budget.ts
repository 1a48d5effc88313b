/**
 * A limit for the planning of one job. Planning holds up everything else in the process, also the renewal of the lease: a job whose planning hangs
 * would end one leader after the other, and nobody's jobs would be run. So planning is interrupted after some seconds, by V8, which interrupts
 * regular expressions too. That can be the fault of a busy machine, so the job is tried once more; one that takes too long twice is put aside until
 * its spec changes, and its owner is told.
 *
 * The interruption needs a thread for each call: 50 microseconds on a quiet machine, and milliseconds on a busy one, as the call waits for the end of
 * the thread. So only planning is limited that reads a text which this process has not planned with: the first of each spec, after each report of the
 * script, and while containers say something. Planning that hangs all the same holds up one process, which its probe ends; to the next one every job
 * is new. What is counted is in memory: a new leader tries such a job twice more.
 */
import vm from 'node:vm';
import type { TrainingJobObject } from './resources';
import { objectKey } from '../runtime/kube-object';

/** Longest time of one planning, milliseconds. */
const PASS_LIMIT_MS = 5_000;

/** Interruptions after which a job is put aside. */
const MAX_OVERRUNS = 2;

/** Less of the limit than this was spent on the processor: the process was stopped, and the job is not to blame. Low, as processors are shared. */
const OWN_SHARE = 0.05;

/** Planning was interrupted. */
export class PassTooLongError extends Error {
  public constructor(public readonly limitMs: number) {
    super(`planning took longer than ${limitMs / 1000} s and was interrupted`);
    this.name = 'PassTooLongError';
  }
}

interface Overruns {
  readonly uid?: string;
  readonly generation?: number;
  readonly count: number;
}

/** See the top of this file. */
export class PassBudget {
  private readonly room: { work?: () => unknown } = {};
  private readonly context = vm.createContext(this.room);
  private readonly script = new vm.Script('work()');
  private readonly overruns = new Map<string, Overruns>();
  /** What of each job has been planned with, within the limit. */
  private readonly planned = new Map<string, string>();
  private readonly limitMs: number;

  /** @param leaseSeconds the lease has to outlast a planning that is interrupted */
  public constructor(leaseSeconds: number, limitMs = PASS_LIMIT_MS) {
    this.limitMs = Math.min(limitMs, Math.ceil(leaseSeconds * 333));
  }

  /** Jobs that are put aside. */
  public get putAside(): number {
    return [...this.overruns.values()].filter(({ count }) => count >= MAX_OVERRUNS).length;
  }

  /** Whether the job is put aside. */
  public isPutAside(job: TrainingJobObject): boolean {
    return this.countOf(job) >= MAX_OVERRUNS;
  }

  /**
   * Forgets a job that is gone.
   * @param uid of the job that bears its name now
   * @returns whether it was put aside
   */
  public forget(key: string, uid: string | undefined): boolean {
    if (this.planned.get(key)?.startsWith(`${uid} `) === false) {
      this.planned.delete(key);
    }
    const known = this.overruns.get(key);
    if (known === undefined || known.uid === uid) {
      return false;
    }
    this.overruns.delete(key);
    return known.count >= MAX_OVERRUNS;
  }

  /**
   * Runs the work, which does not wait for anything, for as long as the limit allows.
   * @param hasTexts whether it reads what containers say
   * @throws PassTooLongError when it took too long; what the work throws
   */
  public run<T>(job: TrainingJobObject, work: () => T, hasTexts = true): T {
    const key = objectKey(job);
    const texts = `${job.metadata!.uid} ${job.metadata!.generation} ${job.status?.lastProgressTime ?? ''}`;
    if (!hasTexts && this.planned.get(key) === texts) {
      return work();
    }
    this.planned.delete(key);
    const before = process.cpuUsage();
    this.room.work = work;
    try {
      const result = this.script.runInContext(this.context, { timeout: this.limitMs }) as T;
      this.planned.set(key, texts);
      return result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw error;
      }
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 >= this.limitMs * OWN_SHARE) {
        const { uid, generation } = job.metadata!;
        this.overruns.set(key, { uid, generation, count: this.countOf(job) + 1 });
      }
      throw new PassTooLongError(this.limitMs);
    } finally {
      this.room.work = undefined;
    }
  }

  private countOf(job: TrainingJobObject): number {
    const known = this.overruns.get(objectKey(job));
    const { uid, generation } = job.metadata!;
    return known !== undefined && known.uid === uid && known.generation === generation ? known.count : 0;
  }
}
