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
import { BY_OWNER, TRAINING_JOBS, type ChildStores, type TrainingJobObject } from './resources';
import type { StatusWriter } from './status-writer';
import { OPERATOR_NAME } from '../../model/labels';
import type { TrainingJobStatus } from '../../model/training-job/status';
import { ApiError } from '../runtime/api-error';
import type { Clock } from '../runtime/clock';
import type { ReconcileResult } from '../runtime/controller';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf } from '../runtime/kube-object';
import type { Logger } from '../runtime/logger';
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

/** Decisions that can follow each other in one pass: an end after a restart, say. More would be a planner that contradicts itself. */
const MAX_DECISIONS = 4;

/** Bounds of the pause before something is tried again that was refused, milliseconds. */
const PROBLEM_PAUSE_MS = { shortest: 1_000, longest: 60_000 };

/** Reconciles training jobs. */
export class TrainingJobReconciler {
  public constructor(private readonly options: ReconcilerOptions) {}

  /** Brings the job `namespace/name` one pass further. An error means: try again later. */
  public async reconcile(key: string): Promise<ReconcileResult> {
    const { client, jobs, children, logger, statuses } = this.options;
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
      const observation = this.observe(job, []);
      const planned = plan(observation);
      if (planned.decided) {
        job = await this.decided(job, planned);
        continue;
      }
      const { problems, errors } = await this.options.executor.execute(job, planned.actions);
      const told = problems.length > 0 ? plan({ ...observation, problems }) : planned;
      if (told.decided) {
        job = await this.decided(job, told);
        continue;
      }
      const { job: written, dueInMs } = await this.options.statuses.writeWhenDue(job, told.status);
      this.announce(written, told.events);
      if (errors.length > 0) {
        throw errors.length === 1 ? errors[0] : new AggregateError(errors, `${errors.length} requests failed, the first so: ${String(errors[0])}`);
      }
      const retryInMs = problems.length > 0 ? pauseAfterProblem(told.status, this.options.clock.now()) : undefined;
      return { requeueAfterMs: earliest(planned.requeueAfterMs, dueInMs, retryInMs) };
    }
    throw new Error(`Planning ${keyOf(job.metadata?.namespace, job.metadata?.name ?? '')}: more than ${MAX_DECISIONS} decisions in one pass; this is a bug of the planner.`);
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

  /** Tells the user by an event, and whoever reads the log by a line. */
  private announce(job: TrainingJobObject, events: readonly PlannedEvent[]): void {
    for (const event of events) {
      this.options.publish(job, event);
      this.options.logger.info(event.message, { job: keyOf(job.metadata?.namespace, job.metadata?.name ?? ''), reason: event.reason });
    }
  }
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
