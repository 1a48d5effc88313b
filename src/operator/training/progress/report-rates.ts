/** How often scripts may report: each job, and all jobs of a namespace together. What is more gets 429, and costs the API server nothing. */
import type { Outcome } from './endpoint';
import type { JobRef } from '../../../model/progress/contract';
import { SYSTEM_CLOCK, type Clock } from '../../runtime/process/clock';
import { keyOf } from '../../runtime/kube-object';
import { TokenBuckets } from '../../runtime/http/token-buckets';

/** Reports of one job in a second. Only the newest of five seconds is written, so that more are of no use. */
export const JOB_REPORTS_PER_SECOND = 10;

/** Reports of one job at once, after a rest: every rank of a job may say that it has started. */
export const JOB_REPORTS_BURST = 50;

/** Reports of the jobs of one namespace in a second: a thousand jobs that report every five seconds, as the helpers do. */
const NAMESPACE_REPORTS_PER_SECOND = 200;

/** Reports of the jobs of one namespace at once, after a rest. */
export const NAMESPACE_REPORTS_BURST = 500;

/** See the top of this file. */
export class ReportRates {
  private readonly jobs: TokenBuckets;
  private readonly namespaces: TokenBuckets;

  public constructor(clock: Clock = SYSTEM_CLOCK) {
    this.jobs = new TokenBuckets({ perSecond: JOB_REPORTS_PER_SECOND, burst: JOB_REPORTS_BURST, clock });
    this.namespaces = new TokenBuckets({ perSecond: NAMESPACE_REPORTS_PER_SECOND, burst: NAMESPACE_REPORTS_BURST, clock });
  }

  /** Counts a report of a job, unless there are too many: a job that has used up its own share takes nothing of its namespace's. */
  public take({ namespace, name }: JobRef): Outcome {
    const job = keyOf(namespace, name);
    const waitMs = this.jobs.waitMs(job);
    if (waitMs > 0) {
      return tooMany(`Job "${job}" sends too many reports: at most ${JOB_REPORTS_PER_SECOND} a second are accepted`, waitMs);
    }
    const namespaceWaitMs = this.namespaces.waitMs(namespace);
    if (namespaceWaitMs > 0) {
      return tooMany(`The jobs of namespace "${namespace}" send too many reports: at most ${NAMESPACE_REPORTS_PER_SECOND} a second are accepted`, namespaceWaitMs);
    }
    this.jobs.take(job);
    this.namespaces.take(namespace);
    return { kind: 'accepted' };
  }
}

function tooMany(what: string, waitMs: number): Outcome {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return { kind: 'tooMany', message: `${what}. Report less often; the Retry-After header of the response shows when to send the next one.`, seconds };
}
