/**
 * Who may report for a job: its pods. The token says for which pod it was made, by name and uid, and the API server signed that; the cache says whose
 * pod that is. A pod that was created a moment ago may be missing in the cache, of a replica that does not lead more often than of the leader: it is
 * asked for, but never more often than {@link LOOKUPS_PER_SECOND} in a namespace, {@link MAX_LOOKUPS} at a time, and what is no pod of a job is
 * remembered, so that tokens of other pods do not make requests.
 */
import type { Outcome } from './endpoint';
import { controllingJobKey, type PodObject, type TrainingJobObject } from '../resources';
import type { ServiceAccountClaims } from '../../runtime/credentials/token-verifier';
import { TokenBuckets } from '../../runtime/http/token-buckets';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerOf, keyOf } from '../../runtime/kube-object';
import { SYSTEM_CLOCK, type Clock } from '../../runtime/process/clock';
import { PODS } from '../../runtime/resource-kind';
import type { JobRef } from '../../../model/progress/contract';

/** Settings of {@link Reporters}. */
export interface ReportersOptions {
  readonly client: Pick<KubeClient, 'tryGet'>;
  /** The job as the cache has it. */
  readonly findJob: (job: JobRef) => TrainingJobObject | undefined;
  /** The pod as the cache has it. */
  readonly findPod: (namespace: string, name: string) => PodObject | undefined;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** Pods of one namespace that are asked for in a second. */
const LOOKUPS_PER_SECOND = 5;

/** After a rest so many at once: the first reports after a start of the operator. */
const LOOKUPS_BURST = 20;

/** Pods that are asked for at the same time, all namespaces together. */
const MAX_LOOKUPS = 8;

/** Pods that are remembered to be no job's. */
const MAX_STRANGERS = 4_096;

/** See the top of this file. */
export class Reporters {
  private readonly lookups: TokenBuckets;
  private readonly asking = new Map<string, Promise<PodObject | undefined>>();
  /** Uids of pods that are not a job's, or are gone. Neither changes. */
  private readonly strangers = new Set<string>();

  public constructor(private readonly options: ReportersOptions) {
    this.lookups = new TokenBuckets({ perSecond: LOOKUPS_PER_SECOND, burst: LOOKUPS_BURST, clock: options.clock ?? SYSTEM_CLOCK });
  }

  /** Whether the bearer of a token with these claims may report for a job of the same namespace. */
  public async check(job: JobRef, { pod }: ServiceAccountClaims): Promise<Outcome> {
    if (pod === undefined) {
      return forbidden(job, 'the token is not bound to a pod. Report from a pod of the job, with the token in its file KUBEFLOW_TRAINER_SERVER_TOKEN');
    }
    const cached = this.options.findPod(job.namespace, pod.name);
    if (cached?.metadata?.uid === pod.uid) {
      return this.judge(job, cached);
    }
    if (this.strangers.has(pod.uid)) {
      return forbidden(job, `pod "${pod.name}" of the token is not a pod of this job`);
    }
    if (!this.asking.has(pod.uid)) {
      const waitMs = this.lookups.waitMs(job.namespace);
      if (waitMs > 0 || this.asking.size >= MAX_LOOKUPS) {
        return { kind: 'later', message: `Pod "${pod.name}" is not known yet; send the report again.`, seconds: Math.max(1, Math.ceil(waitMs / 1000)) };
      }
      this.lookups.take(job.namespace);
      const request = this.options.client.tryGet<PodObject>(PODS, { namespace: job.namespace, name: pod.name })
        .finally(() => this.asking.delete(pod.uid));
      this.asking.set(pod.uid, request);
    }
    const found = await this.asking.get(pod.uid)!;
    if (found?.metadata?.uid !== pod.uid || controllingJobKey(found) === undefined) {
      this.remember(pod.uid);
      return forbidden(job, `pod "${pod.name}" of the token is not a pod of this job`);
    }
    return this.judge(job, found);
  }

  private judge(job: JobRef, pod: PodObject): Outcome {
    const cached = this.options.findJob(job);
    if (controllingJobKey(pod) !== keyOf(job.namespace, job.name)) {
      return forbidden(job, `pod "${pod.metadata!.name}" of the token is not a pod of this job`);
    }
    if (cached !== undefined && cached.metadata?.uid !== controllerOf(pod)?.uid) {
      return forbidden(job, `pod "${pod.metadata!.name}" of the token belongs to an earlier job of this name`);
    }
    return { kind: 'accepted' };
  }

  private remember(uid: string): void {
    this.strangers.add(uid);
    if (this.strangers.size > MAX_STRANGERS) {
      const [oldest] = this.strangers;
      this.strangers.delete(oldest);
    }
  }
}

function forbidden({ namespace, name }: JobRef, why: string): Outcome {
  return { kind: 'forbidden', message: `Reporting for job "${namespace}/${name}": ${why}.` };
}

/** Reports of one job in a second. Only the newest of five seconds is written, so that more are of no use. */
export const JOB_REPORTS_PER_SECOND = 10;

/** Reports of one job at once, after a rest: every rank of a job may say that it has started. */
export const JOB_REPORTS_BURST = 50;

/** Reports of the jobs of one namespace in a second: a thousand jobs that report every five seconds, as the helpers do. */
const NAMESPACE_REPORTS_PER_SECOND = 200;

/** Reports of the jobs of one namespace at once, after a rest. */
export const NAMESPACE_REPORTS_BURST = 500;

/** How often scripts may report: each job, and all jobs of a namespace together. What is more gets 429, and costs the API server nothing. */
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
