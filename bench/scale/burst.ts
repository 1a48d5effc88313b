/**
 * A burst: many jobs at once, on an idle cluster. Measured from the first request on: until all pods exist, until all run, and, with an operator,
 * until each job says so. The bare client creates the same pods and services as fast as it can and has no jobs, no statuses, and nobody who looks
 * after the pods.
 */
import type { BenchPlane } from './bench-plane';
import { sumOf, totalOf, type RequestCounts } from './audit-log';
import type { Measured } from './operator-under-test';
import { used } from './process-stats';
import { median, percentile, rounded } from './statistics';
import { bareObjects, jobJson, jobName, jobOfPod, jobSpec, jobsPath, podsPath, servicesPath, type Size } from './workload';

/** A pod's end as the kubelet would tell it. */
const SUCCEEDED = JSON.stringify({
  status: {
    phase: 'Succeeded',
    containerStatuses: [{
      name: 'training', image: 'example/train:1', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } },
    }],
  },
});

/** How long all of it may take; a limit for something that hangs, milliseconds. */
const PATIENCE_MS = 240_000;

/** The same for each pod of a large burst: the scheduler alone takes some milliseconds. */
const PATIENCE_PER_POD_MS = 100;

/** How long a burst of a size may take, milliseconds. */
export function patienceFor({ jobs, pods }: Size): number {
  return Math.max(PATIENCE_MS, jobs * pods * PATIENCE_PER_POD_MS);
}

/** What else happens in a burst with an operator. */
export interface OperatorBurstOptions {
  /** Done when all jobs run, before their pods succeed. @default - nothing */
  readonly whileRunning?: (namespace: string) => Promise<void>;
  /** Whether what it has made may stay. @default false */
  readonly isLast?: boolean;
}

/** Seconds, each from the first request of the burst. */
export interface BurstTimes {
  readonly toAllPods: number;
  readonly toAllPodsRunning: number;
  /** From the request for a job (or its first object) to the last of its pods, over all jobs. */
  readonly perJobP50: number;
  readonly perJobP99: number;
  /** CPU seconds until all ran, by program. */
  readonly cpu: { readonly [program: string]: number };
}

/** A burst with an operator. */
export interface OperatorBurst extends BurstTimes {
  /** Until the last job said that it runs. */
  readonly toAllJobsRunning: number;
  /** From the last pod's success to the last job that said so. */
  readonly toAllSucceeded: number;
  /** Requests of the operator from the creation of the jobs to their success, for a job on average. */
  readonly requestsPerJob: number;
  readonly requests: RequestCounts;
  /** Services of a job: with the pods and 4 they are the limit of requests. */
  readonly servicesPerJob: number;
  /** MiB at the end. */
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** Creates all objects of all jobs without an operator. */
export async function bareBurst(plane: BenchPlane, size: Size): Promise<BurstTimes> {
  const { session } = plane;
  const namespace = await plane.namespace();
  const jobs = Array.from({ length: size.jobs }, (_, index) => bareObjects(namespace, index, jobSpec(size.pods)));
  const services = jobs.flatMap((job) => job.services);
  const pods = jobs.flatMap((job, index) => job.pods.map((json) => ({ json, job: index })));
  const watch = await PodWatch.start(plane, namespace, size.jobs * size.pods);
  const cpu = plane.cpu();
  const startedAt = performance.now();
  const begun: number[] = [];
  await session.each(services.length, async (index) => session.create(servicesPath(namespace), services[index]));
  await session.each(pods.length, async (index) => {
    begun[pods[index].job] ??= performance.now();
    await session.create(podsPath(namespace), pods[index].json);
  });
  await patient('all pods to run', watch.allRunning);
  const times = watch.times(startedAt, begun, used(cpu, plane.cpu()));
  watch.close();
  await plane.clear(namespace);
  return times;
}

/** Creates all jobs, lets their pods succeed, and waits for the operator to say so. */
export async function operatorBurst(
  plane: BenchPlane, operator: Measured, size: Size, { whileRunning, isLast = false }: OperatorBurstOptions = {},
): Promise<OperatorBurst> {
  const { session, audit } = plane;
  const patience = patienceFor(size);
  const namespace = await plane.namespace();
  const spec = jobSpec(size.pods);
  const bodies = Array.from({ length: size.jobs }, (_, index) => jobJson(namespace, index, spec));
  const watch = await PodWatch.start(plane, namespace, size.jobs * size.pods);
  const phases = await PhaseWatch.start(plane, namespace, size.jobs);
  await plane.auditSettled();
  const position = audit.position();
  const cpu = plane.cpu(operator);
  const startedAt = performance.now();
  const begun: number[] = [];
  await session.each(size.jobs, async (index) => {
    begun[index] = performance.now();
    await session.create(jobsPath(namespace), bodies[index]);
  });
  await patient('all pods to run', watch.allRunning, patience);
  const runningAt = await patient('all jobs to run', phases.all('Running'), patience);
  const times = watch.times(startedAt, begun, used(cpu, plane.cpu(operator)));
  const counts: RequestCounts[] = [];
  let from = position;
  if (whileRunning !== undefined) {
    await plane.auditSettled();
    counts.push(audit.requestsSince(position, plane.operatorUser));
    await whileRunning(namespace);
    from = audit.position();
  }
  for (const names of watch.namesInOrderOfEnd()) {
    await session.each(names.length, async (index) => session.merge(`${podsPath(namespace)}/${names[index]}/status`, SUCCEEDED));
  }
  const endedAt = performance.now();
  const succeededAt = await patient('all jobs to succeed', phases.all('Completed'), patience);
  await plane.auditSettled();
  const requests = sumOf([...counts, audit.requestsSince(from, plane.operatorUser)]);
  const { residentMiB, peakMiB } = operator.stats();
  watch.close();
  phases.close();
  if (!isLast) {
    await plane.clear(namespace);
  }
  return {
    ...times,
    toAllJobsRunning: rounded((runningAt - startedAt) / 1000),
    toAllSucceeded: rounded(Math.max(0, succeededAt - endedAt) / 1000),
    requestsPerJob: rounded(totalOf(requests) / size.jobs),
    requests,
    servicesPerJob: bareObjects(namespace, 0, spec).services.length,
    residentMiB: Math.round(residentMiB),
    peakMiB: Math.round(peakMiB),
  };
}

/** When each pod came and ran. */
class PodWatch {
  public static async start(plane: BenchPlane, namespace: string, expected: number): Promise<PodWatch> {
    const watch = new PodWatch(expected);
    await Promise.all([
      watch.follow(plane, namespace, undefined, watch.created),
      watch.follow(plane, namespace, 'status.phase=Running', watch.running),
    ]);
    return watch;
  }

  public readonly allRunning: Promise<number>;
  private readonly created = new Map<string, number>();
  private readonly running = new Map<string, number>();
  private announce!: (at: number) => void;
  private closed = false;

  private constructor(private readonly expected: number) {
    this.allRunning = new Promise((resolve) => { this.announce = resolve; });
  }

  /** First those who work, then the coordinators: with them a job has succeeded, and its pods that still run then are deleted. */
  public namesInOrderOfEnd(): string[][] {
    const names = [...this.created.keys()];
    const isMaster = (name: string) => name.endsWith('-master');
    return [names.filter((name) => !isMaster(name)), names.filter(isMaster)];
  }

  public close(): void {
    this.closed = true;
  }

  public times(startedAt: number, begun: readonly number[], cpu: { readonly [program: string]: number }): BurstTimes {
    const lastOfJob = new Map<string, number>();
    this.created.forEach((at, pod) => lastOfJob.set(jobOfPod(pod), Math.max(at, lastOfJob.get(jobOfPod(pod)) ?? 0)));
    const perJob = begun.map((at, index) => (lastOfJob.get(jobName(index))! - at) / 1000);
    const seconds = (times: ReadonlyMap<string, number>) => rounded((Math.max(...times.values()) - startedAt) / 1000);
    return {
      toAllPods: seconds(this.created),
      toAllPodsRunning: seconds(this.running),
      perJobP50: rounded(median(perJob)),
      perJobP99: rounded(percentile(perJob, 0.99)),
      cpu,
    };
  }

  private async follow(plane: BenchPlane, namespace: string, fieldSelector: string | undefined, times: Map<string, number>): Promise<void> {
    await plane.session.watch(podsPath(namespace), { fieldSelector, metadataOnly: true }, (type, { metadata: { name } }, at) => {
      if (type === 'ADDED' && !times.has(name) && !this.closed) {
        times.set(name, at);
        if (this.running.size === this.expected) {
          this.announce(at);
        }
      }
    });
  }
}

/** When each job came to a phase for the first time. */
class PhaseWatch {
  public static async start(plane: BenchPlane, namespace: string, expected: number): Promise<PhaseWatch> {
    const watch = new PhaseWatch(expected);
    await plane.session.watch(jobsPath(namespace), {}, (_type, { metadata: { name }, status }, at) => watch.note(name, status?.phase, at));
    return watch;
  }

  private readonly seen = new Map<string, Set<string>>();
  private readonly waiting = new Map<string, (at: number) => void>();
  private closed = false;

  private constructor(private readonly expected: number) {}

  /** Resolves when every job has been in a phase, with the moment. A job that has completed may have skipped the others. */
  public async all(phase: 'Running' | 'Completed'): Promise<number> {
    return this.isComplete(phase) ? performance.now() : new Promise((resolve) => this.waiting.set(phase, resolve));
  }

  public close(): void {
    this.closed = true;
  }

  private note(name: string, phase: string | undefined, at: number): void {
    if (phase === undefined || this.closed) {
      return;
    }
    this.seen.set(phase, (this.seen.get(phase) ?? new Set()).add(name));
    if (this.isComplete(phase)) {
      this.waiting.get(phase)?.(at);
      this.waiting.delete(phase);
    }
  }

  private isComplete(phase: string): boolean {
    return this.seen.get(phase)?.size === this.expected;
  }
}

/** @throws Error when it takes longer than anything here should */
export async function patient<T>(what: string, promise: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${patienceMs / 1000} s for ${what}, in vain`)), patienceMs);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
