/**
 * One pass over one job: observe from the caches, plan, write decisions, carry out actions, write the status, publish events. Everything
 * that is decided is decided by the planner; this file only keeps the order in which its answers take effect.
 */
import { deleteOrphans } from './children';
import type { Executor } from './executor';
import { conditionOf } from './plan/conditions';
import { observePod } from './plan/observe-pod';
import { plan } from './plan/plan';
import type { Observation, Plan, PlannedEvent, Problem } from './plan/types';
import { BY_OWNER, TRAINING_JOBS, type ChildStores, type PodObject, type TrainingJobObject } from './resources';
import type { StatusWriter } from './status-writer';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, OPERATOR_NAME } from '../../model/labels';
import type { TrainingJobStatus } from '../../model/training-job/status';
import { ApiError, TransportError } from '../runtime/api-error';
import type { Clock } from '../runtime/clock';
import type { ReconcileResult } from '../runtime/controller';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf, splitKey } from '../runtime/kube-object';
import type { Logger } from '../runtime/logger';
import { PODS } from '../runtime/resource-kind';
import type { Store } from '../runtime/store';

/** What a reconciler works with. */
export interface ReconcilerOptions {
  readonly client: KubeClient;
  readonly jobs: Store<TrainingJobObject>;
  readonly children: ChildStores;
  readonly executor: Executor;
  readonly statuses: StatusWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Publishes an event about a job; never fails and never waits. */
  readonly publish: (job: TrainingJobObject, event: PlannedEvent) => void;
}

/**
 * Decisions that may follow each other in one pass: an end after a restart, say. While each is written the pods change, so there can be more, as
 * when somebody deletes hundreds of pods one after the other. After this many the rest is decided together, a moment later.
 */
const MAX_DECISIONS = 4;

/** That moment, milliseconds. */
const DECISIONS_PAUSE_MS = 200;

/** Bounds of the pause before something is tried again that was refused, milliseconds. */
const PROBLEM_PAUSE_MS = { shortest: 1_000, longest: 60_000 };

/** Reconciles training jobs. */
export class TrainingJobReconciler {
  /** Keys of jobs with a write whose outcome nobody knows, because its answer did not come. */
  private readonly inDoubt = new Set<string>();

  public constructor(private readonly options: ReconcilerOptions) {}

  /** Brings the job `namespace/name` one pass further. An error means: try again later. */
  public async reconcile(key: string): Promise<ReconcileResult> {
    const { client, jobs, children, logger, statuses } = this.options;
    if (this.inDoubt.has(key)) {
      await this.readAgain(key);
    }
    const job = jobs.get(key);
    await deleteOrphans(key, job, client, children, logger);
    if (job === undefined) {
      statuses.forget(key);
      return {};
    }
    if (!isOurs(job)) {
      return {};
    }
    if (job.metadata?.deletionTimestamp !== undefined) {
      // Somebody's finalizer holds it. Its pods are removed when it is gone, or by the garbage collector before.
      return {};
    }
    try {
      return await this.pass(job);
    } catch (error) {
      this.noteDoubt(key, error);
      // Planned from an old version, or for a job that is gone. The news may be on their way in the watch; asking is quicker and cannot miss.
      if (error instanceof ApiError && (error.isConflict || error.isNotFound) && !await this.refresh(job)) {
        return {};
      }
      throw error;
    }
  }

  private async pass(read: TrainingJobObject): Promise<ReconcileResult> {
    let job = read;
    for (let decisions = 0; decisions <= MAX_DECISIONS; decisions++) {
      const planned = plan(this.observe(job, []));
      if (planned.decided) {
        job = await this.decided(job, planned);
        continue;
      }
      const { problems, errors } = await this.options.executor.execute(job, planned.actions);
      this.noteDoubt(keyOf(job.metadata?.namespace, job.metadata!.name!), ...errors);
      // What was just created and deleted is in the caches, so one write tells of it and not a second one a little later.
      const told = planned.actions.length > 0 ? plan(this.observe(job, problems)) : planned;
      if (told.decided) {
        job = await this.decided(job, told);
        continue;
      }
      const { job: written, dueInMs } = await this.options.statuses.writeWhenDue(job, told.status);
      this.announce(written, told.events);
      if (errors.length > 0) {
        throw errors.length === 1 ? errors[0] : new Error(`${errors.length} requests failed, the first so: ${String(errors[0])}`, { cause: errors[0] });
      }
      const retryInMs = problems.length > 0 ? pauseAfterProblem(told.status, this.options.clock.now()) : undefined;
      return { requeueAfterMs: earliest(told.requeueAfterMs, dueInMs, retryInMs) };
    }
    return { requeueAfterMs: DECISIONS_PAUSE_MS };
  }

  private async decided(job: TrainingJobObject, planned: Plan): Promise<TrainingJobObject> {
    const written = await this.options.statuses.write(job, planned.status);
    this.announce(written, planned.events);
    return written;
  }

  private observe(job: TrainingJobObject, problems: readonly Problem[]): Observation {
    const { name, uid, generation } = job.metadata!;
    const { pods, services } = this.options.children;
    return {
      job: { name: name!, uid: uid!, generation: generation ?? 0, spec: job.spec, status: job.status ?? {} },
      pods: pods.byIndex(BY_OWNER, uid!).map(observePod),
      services: services.byIndex(BY_OWNER, uid!).map((service) => service.metadata!.name!),
      problems,
      now: this.options.clock.now(),
    };
  }

  /** Reads the job anew; false when it is gone, also when another one bears its name by now. */
  private async refresh(job: TrainingJobObject): Promise<boolean> {
    const { client, jobs } = this.options;
    const { namespace, name, uid } = job.metadata!;
    const live = await client.tryGet<TrainingJobObject>(TRAINING_JOBS, { namespace, name: name! });
    if (live === undefined) {
      jobs.markDeleted({ namespace, name: name!, uid });
    } else {
      jobs.applyWritten(live);
    }
    return live?.metadata?.uid === uid;
  }

  /**
   * Takes in what a write without an answer may have done. Until then a pod may be there that no cache knows of, or a decision may be written
   * that is not read yet; a plan from before them could start the next attempt of a gang beside a pod of the last.
   */
  private async readAgain(key: string): Promise<void> {
    const { client, jobs, children } = this.options;
    const { namespace, name } = splitKey(key);
    const job = jobs.get(key);
    if (job !== undefined) {
      await this.refresh(job);
    }
    const pods = await client.list<PodObject>(PODS, { namespace, labelSelector: `${JOB_LABEL}=${name},${MANAGED_BY_LABEL}=${MANAGED_BY_OPERATOR}` });
    pods.items.forEach((pod) => children.pods.applyWritten(pod));
    this.inDoubt.delete(key);
  }

  private noteDoubt(key: string, ...errors: readonly unknown[]): void {
    if (errors.some(isInDoubt)) {
      this.inDoubt.add(key);
    }
  }

  /** Tells the user by an event, and whoever reads the log by a line. */
  private announce(job: TrainingJobObject, events: readonly PlannedEvent[]): void {
    for (const event of events) {
      this.options.publish(job, event);
      this.options.logger.info(event.message, { job: keyOf(job.metadata?.namespace, job.metadata?.name ?? ''), reason: event.reason });
    }
  }
}

/** Whether a request that failed so may have been carried out all the same. */
function isInDoubt(error: unknown): boolean {
  return error instanceof TransportError ? error.maybeExecuted : error instanceof ApiError && error.status >= 500;
}

/** Whether this operator acts on the job: Kueue's MultiKueue, say, runs it elsewhere and says so. */
function isOurs(job: TrainingJobObject): boolean {
  return job.spec.managedBy === undefined || job.spec.managedBy === OPERATOR_NAME;
}

/**
 * Milliseconds until something is tried again that only others can mend (a quota, a name that is taken): half as long as it has lasted. Nothing
 * tells us when it is mended.
 */
function pauseAfterProblem(status: TrainingJobStatus, now: number): number {
  const since = Date.parse(conditionOf(status, 'Created')?.lastTransitionTime ?? '') || now;
  return Math.min(PROBLEM_PAUSE_MS.longest, Math.max(PROBLEM_PAUSE_MS.shortest, (now - since) / 2));
}

function earliest(...times: (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}
