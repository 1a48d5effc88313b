/**
 * One pass over one job: observe from the caches, plan, write decisions, carry out actions, write the status, publish events. Everything
 * that is decided is decided by the planner; this file only keeps the order in which its answers take effect.
 */
import { deleteOrphans } from './children';
import type { Executor, ChildStores } from './executor';
import { observePod } from './plan/observe-pod';
import { plan } from './plan/plan';
import type { Observation, Plan, PlannedEvent, Problem } from './plan/types';
import { BY_OWNER, TRAINING_JOBS, type TrainingJobObject } from './resources';
import type { StatusWriter } from './status-writer';
import { OPERATOR_NAME } from '../../model/labels';
import { ApiError } from '../runtime/api-error';
import type { Clock } from '../runtime/clock';
import type { ReconcileResult } from '../runtime/controller';
import type { KubeClient } from '../runtime/kube-client';
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

/** Reconciles training jobs. */
export class TrainingJobReconciler {
  public constructor(private readonly options: ReconcilerOptions) {}

  /** Brings the job `namespace/name` one pass further. An error means: try again later. */
  public async reconcile(key: string): Promise<ReconcileResult> {
    const { client, jobs, children, logger } = this.options;
    const job = jobs.get(key);
    await deleteOrphans(key, job, client, children, logger);
    if (job === undefined || !isOurs(job)) {
      return {};
    }
    if (job.metadata?.deletionTimestamp !== undefined) {
      // Somebody's finalizer holds it. Its pods are removed when it is gone, or by the garbage collector before.
      return {};
    }
    try {
      return await this.pass(job);
    } catch (error) {
      if (error instanceof ApiError && error.isConflict) {
        // Planned from an old version. The newest one may be on its way in the watch; asking for it is quicker and cannot miss.
        await this.refresh(job);
        return { requeueAfterMs: 1 };
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
      this.publishAll(written, told.events);
      if (errors.length > 0 || problems.length > 0) {
        throw failure(problems, errors);
      }
      return { requeueAfterMs: earliest(planned.requeueAfterMs, dueInMs) };
    }
    throw new Error(`Planning ${job.metadata?.namespace}/${job.metadata?.name}: more than ${MAX_DECISIONS} decisions in one pass; this is a bug of the planner.`);
  }

  private async decided(job: TrainingJobObject, planned: Plan): Promise<TrainingJobObject> {
    const written = await this.options.statuses.write(job, planned.status);
    this.publishAll(written, planned.events);
    for (const event of planned.events) {
      this.options.logger.info(event.message, { job: `${job.metadata?.namespace}/${job.metadata?.name}`, reason: event.reason });
    }
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

  private async refresh(job: TrainingJobObject): Promise<void> {
    const { client, jobs } = this.options;
    const { namespace, name, uid } = job.metadata!;
    const live = await client.tryGet<TrainingJobObject>(TRAINING_JOBS, { namespace, name: name! });
    if (live === undefined) {
      jobs.markDeleted({ namespace, name: name!, uid });
    } else {
      jobs.applyWritten(live);
    }
  }

  private publishAll(job: TrainingJobObject, events: readonly PlannedEvent[]): void {
    events.forEach((event) => this.options.publish(job, event));
  }
}

/** Whether this operator acts on the job: Kueue's MultiKueue, say, runs it elsewhere and says so. */
function isOurs(job: TrainingJobObject): boolean {
  return job.spec.managedBy === undefined || job.spec.managedBy === OPERATOR_NAME;
}

function failure(problems: readonly Problem[], errors: readonly unknown[]): Error {
  const first = errors[0] ?? new Error(problems.map((problem) => `${problem.reason}: ${problem.message}`).join('; '));
  const more = errors.length + problems.length - 1;
  return new Error(`${first instanceof Error ? first.message : String(first)}${more > 0 ? ` (and ${more} more)` : ''}`, { cause: first });
}

function earliest(...times: (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}
