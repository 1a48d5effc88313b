/**
 * One pass over one job: observe from the caches, plan, write decisions, carry out actions, write the status, publish events. Everything
 * that is decided is decided by the planner; this file only keeps the order in which its answers take effect.
 */
import { DepartedPods } from './cleanup/departed-pods';
import type { Executor } from './executor';
import { FormerJobs } from './children/former-jobs';
import type { JobCopies } from './children/child-jobs';
import type { JobQueues } from './children/job-queues';
import type { JobTrials } from './children/job-trials';
import type { NodeStates } from './nodes/nodes';
import { deleteOrphans, LiveOwner } from './cleanup/orphans';
import { PassTooLongError, type PassBudget } from './pass-budget';
import { conditionOf, withConditions } from './plan/conditions';
import { isHookPod, observeHookPod, observePod } from './plan/observe/observe-pod';
import { isParent } from './plan/parent-job';
import { plan } from './plan/plan';
import { timeText } from './plan/timestamps';
import type { Observation, Plan, PlannedEvent, Problem, Utilization } from './plan/types';
import { BY_JOB, BY_OWNER, TRAINING_JOBS, ownerKey, type ChildStores, type PodObject, type TrainingJobObject } from './resources';
import type { StatusWriter } from './status-writer';
import { endStuckOrphans, type NodeKnowledge } from './cleanup/stuck-orphans';
import { JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, OPERATOR_NAME, RESUME_ANNOTATION } from '../../model/labels';
import type { ContainerState } from '../../manifests/kubernetes';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { ApiError, TransportError } from '../runtime/http/api-error';
import { ClockWatch, type Clock } from '../runtime/process/clock';
import type { ReconcileResult } from '../runtime/controller';
import type { KubeClient } from '../runtime/kube-client';
import { controllerOf, keyOf, splitKey, type KubeObject } from '../runtime/kube-object';
import type { Logger } from '../runtime/process/logger';
import { PODS } from '../runtime/resource-kind';
import { readAgain } from '../runtime/watch/list-pages';
import type { Store } from '../runtime/watch/store';

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
  /** Queues that jobs wait in. @default - a job with a queue is run as if it had none */
  readonly queues?: JobQueues;
  /** Trials of searches. @default - there are none */
  readonly trials?: JobTrials;
  /** Copies of arrays. @default - there are none */
  readonly copies?: JobCopies;
  /** State of nodes. @default - unknown */
  readonly nodes?: NodeStates;
  /** Pods and jobs that the caches have lost. @default - those that this reconciler sees go */
  readonly departed?: DepartedPods;
  readonly former?: FormerJobs;
  /** Ends pods that deleted jobs left on lost nodes. @default - they are left to Kubernetes */
  readonly nodeKnowledge?: NodeKnowledge;
  /** Use of a job's accelerators, where a monitoring system is asked. @default - only scripts tell of it */
  readonly utilization?: (job: TrainingJobObject, pods: readonly string[]) => Utilization | undefined;
  /** Interrupts planning that takes too long. @default - nothing does */
  readonly budget?: PassBudget;
  /** @default plan */
  readonly planner?: (observation: Observation) => Plan;
  /** Since when reports of scripts can have arrived, milliseconds since the epoch. @default - always */
  readonly heardSince?: () => number | undefined;
  /** Whether pods of some job are being created, or more jobs want a look than there are workers. @default - never */
  readonly isBusy?: () => boolean;
  /** Passes in a second of late, over all jobs. @default - few */
  readonly passesPerSecond?: () => number;
  /** Told when pods of a job were created; for metrics. @default - nobody is told */
  readonly onPodsCreated?: (job: TrainingJobObject) => void;
}

/**
 * Decisions that may follow each other in one pass: an end after a restart, say. While each is written the pods change, so there can be more, as
 * when somebody deletes hundreds of pods one after the other. After this many the rest is decided together, a moment later.
 */
const MAX_DECISIONS = 4;

/** That moment, milliseconds. */
const DECISIONS_PAUSE_MS = 200;

/** Pause before what a vanished job has left behind is removed again, where another job bears its name by now; milliseconds. */
const CLEAR_UP_PAUSE_MS = 5_000;

/** What the owner of a job is told that is put aside. */
const PUT_ASIDE = 'Planning the job took too long twice and was interrupted, because it blocks all other jobs. The operator leaves the job as it is until its '
  + 'spec changes: look for very long texts and very large lists in it, or delete the job.';

/** Bounds of the pause before something is tried again that was refused, milliseconds. */
const PROBLEM_PAUSE_MS = { shortest: 1_000, longest: 60_000 };

/**
 * Milliseconds of rest after a pass for each pod of the job, or for each job below it. A pass looks at all of them, and each of them changes
 * several times while it starts: without a rest a job of n pods would look at n * n. About ten times as long as the pass itself takes, so that
 * one large job leaves time for the others; below a millisecond for jobs of ordinary size.
 */
const REST_MS_PER_POD = 0.02;

/**
 * Least rest while jobs wait for a worker or for their pods, milliseconds: the pods of a job start within moments of each other, and one look at all
 * of them says as much as one at each. Not so of a job below another one that comes and goes in between: nobody would have seen it.
 */
const BUSY_REST_MS = 250;

/** From so many passes in a second on, over all jobs, jobs rest too. */
const MANY_PASSES = 100;

/**
 * Least rest then, milliseconds. Pods that were created together are bound to nodes and start within less, and with that rest they are one look. A
 * job that is alone, or one of a few that lost a pod, does not rest.
 */
const BRISK_REST_MS = 100;

/** Reconciles training jobs. */
export class TrainingJobReconciler {
  /** Keys of jobs with a write whose outcome is unknown, because its answer did not come. */
  private readonly inDoubt = new Set<string>();
  private readonly departed: DepartedPods;
  private readonly former: FormerJobs;
  private readonly clockWatch: ClockWatch;

  public constructor(private readonly options: ReconcilerOptions) {
    this.departed = options.departed ?? new DepartedPods(options.children.pods);
    this.former = options.former ?? new FormerJobs(options.jobs);
    this.clockWatch = new ClockWatch(options.clock);
  }

  /** Brings the job `namespace/name` one pass further. An error means: try again later. */
  public async reconcile(key: string): Promise<ReconcileResult> {
    const { jobs, logger, statuses, budget } = this.options;
    if (this.inDoubt.has(key)) {
      await this.readAgain(key);
    }
    const job = jobs.get(key);
    if (budget?.forget(key, job?.metadata?.uid)) {
      // What it had would be looked up in its spec. The garbage collector removes it.
      this.former.forget(key);
    }
    const { failure, againInMs } = await this.clearUp(key, job);
    if (job === undefined) {
      statuses.forget(key);
    }
    if (failure !== undefined && job === undefined) {
      throw failure;
    }
    // Somebody's finalizer may hold it. Its pods are removed when it is gone, or by the garbage collector before.
    if (job === undefined || !isOurs(job) || job.metadata?.deletionTimestamp !== undefined) {
      return failure === undefined ? { requeueAfterMs: againInMs } : { requeueAfterMs: CLEAR_UP_PAUSE_MS };
    }
    const result = budget?.isPutAside(job) ? await this.putAside(job) : await this.passOver(key, job);
    if (failure === undefined) {
      return { ...result, requeueAfterMs: earliest(result.requeueAfterMs, againInMs) };
    }
    // What another job of this name has left behind keeps nobody from going on.
    logger.warn('leftovers of a deleted job could not be removed, will be retried', { job: key, error: failure });
    return { ...result, requeueAfterMs: earliest(result.requeueAfterMs, CLEAR_UP_PAUSE_MS) };
  }

  /** Deletes what jobs of this name that are gone have left behind. Answers what went wrong, and when to look again. */
  private async clearUp(key: string, job: TrainingJobObject | undefined): Promise<{ readonly failure: unknown; readonly againInMs?: number }> {
    const { client, children: stores, clock, logger, nodeKnowledge, queues, trials } = this.options;
    if (this.isTidy(key, job)) {
      return { failure: undefined };
    }
    const owner = new LiveOwner(client, key);
    const [stuck, ...others] = await Promise.allSettled([
      nodeKnowledge && endStuckOrphans(key, job, { ...nodeKnowledge, client, stores, owner, clock, logger, former: this.former }),
      deleteOrphans(key, job, { client, stores, owner, logger, former: this.former }),
      queues?.deleteOrphans(key, job, owner),
      trials?.deleteOrphans(key, job, owner),
    ]);
    const [failure] = [stuck, ...others].flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []));
    return { failure, ...(stuck.status === 'fulfilled' && { againInMs: stuck.value }) };
  }

  /** Whether all that is known under the name belongs to the job that bears it, and that job stays: so it is in nearly every pass. */
  private isTidy(key: string, job: TrainingJobObject | undefined): boolean {
    const { children: { pods, services }, jobs, queues } = this.options;
    const isItsOwn = (object: KubeObject): boolean => controllerOf(object)?.uid === job?.metadata?.uid;
    return job?.metadata?.deletionTimestamp === undefined && this.former.of(key) === undefined
      && [pods, services, jobs].every((store) => store.byIndex(BY_JOB, key).every(isItsOwn))
      && (queues?.workloadsOf(key).every(isItsOwn) ?? true);
  }

  private async passOver(key: string, job: TrainingJobObject): Promise<ReconcileResult> {
    try {
      return await this.pass(job);
    } catch (error) {
      this.noteDoubt(key, error);
      if (error instanceof PassTooLongError && this.options.budget?.isPutAside(job)) {
        return this.putAside(job);
      }
      // Planned from an old version, or for a job that is gone. The news may be on their way in the watch; asking is quicker and cannot miss.
      if (error instanceof ApiError && (error.isConflict || error.isNotFound) && !await this.refresh(job)) {
        return {};
      }
      throw error;
    }
  }

  private async pass(read: TrainingJobObject): Promise<ReconcileResult> {
    let job = read;
    const forged = new Set<string>();
    for (let decisions = 0; decisions <= MAX_DECISIONS; decisions++) {
      const planned = this.plan(job, [], forged);
      if (planned.laterPods !== undefined) {
        // Whoever may create pods can make one that names the job as its controller, and any attempt. An attempt is written before its pods are made.
        const isThere = await this.refresh(job);
        const now = this.options.jobs.get(keyOf(job.metadata?.namespace, job.metadata!.name!));
        if (!isThere || now === undefined || now.metadata?.deletionTimestamp !== undefined) {
          return {};
        }
        job = now;
        planned.laterPods.forEach((uid) => forged.add(uid));
        continue;
      }
      if (planned.decided) {
        job = await this.decided(job, planned);
        continue;
      }
      const { problems, errors } = await this.options.executor.execute(job, planned.actions);
      this.noteDoubt(keyOf(job.metadata?.namespace, job.metadata!.name!), ...errors);
      if (problems.length + errors.length === 0 && planned.actions.some((action) => action.type === 'createPod')) {
        this.options.onPodsCreated?.(job);
      }
      // What was just created and deleted is in the caches, so one write tells of it and not a second one a little later.
      const told = planned.actions.length > 0 ? this.plan(job, problems, forged) : planned;
      if (told.decided) {
        job = await this.decided(job, told);
        continue;
      }
      const { job: written, dueInMs } = await this.options.statuses.writeWhenDue(job, told.status);
      this.announce(written, told.events);
      if (errors.length > 0) {
        throw errors.length === 1 ? errors[0] : new Error(`${errors.length} requests failed, the first with: ${String(errors[0])}`, { cause: errors[0] });
      }
      const retryInMs = problems.length > 0 ? pauseAfterProblem(told.status, this.options.clock.now()) : undefined;
      return { requeueAfterMs: earliest(told.requeueAfterMs, dueInMs, retryInMs), restMs: this.restMs(job) };
    }
    return { requeueAfterMs: DECISIONS_PAUSE_MS };
  }

  /** @param forged uids of pods that the job was read after; those of attempts that it has not come to are not the operator's */
  private plan(job: TrainingJobObject, problems: readonly Problem[], forged: ReadonlySet<string>): Plan {
    const { budget, planner = plan } = this.options;
    const work = (): Plan => planner(this.observe(job, problems, forged));
    const pods = this.options.children.pods.byIndex(BY_OWNER, ownerKey(job.metadata!));
    return budget === undefined ? work() : budget.run(job, work, pods.some(saysSomething));
  }

  /** Tells the owner of a job why nothing is done about it, once. */
  private async putAside(job: TrainingJobObject): Promise<ReconcileResult> {
    const { conditions } = job.status ?? {};
    const { generation = 0 } = job.metadata!;
    const created = conditionOf(job.status ?? {}, 'Created');
    if (created?.reason !== 'PassTooLong' || created.observedGeneration !== generation) {
      const told = { type: 'Created', status: 'False', reason: 'PassTooLong', message: PUT_ASIDE } as const;
      const written = await this.options.statuses.write(job, {
        ...job.status, conditions: withConditions(conditions, [told], timeText(this.options.clock.now()), generation),
      });
      this.announce(written, [{ type: 'Warning', reason: 'PassTooLong', message: PUT_ASIDE }]);
    }
    return {};
  }

  private restMs(job: TrainingJobObject): number {
    const { children: { pods }, jobs, isBusy, passesPerSecond } = this.options;
    const key = ownerKey(job.metadata!);
    const forItsSize = Math.floor((pods.byIndex(BY_OWNER, key).length + jobs.byIndex(BY_OWNER, key).length) * REST_MS_PER_POD);
    if (isParent(job.spec)) {
      return forItsSize;
    }
    const forOthers = isBusy?.() ? BUSY_REST_MS : (passesPerSecond?.() ?? 0) >= MANY_PASSES ? BRISK_REST_MS : 0;
    return Math.max(forItsSize, forOthers);
  }

  private async decided(job: TrainingJobObject, planned: Plan): Promise<TrainingJobObject> {
    const written = await this.options.statuses.write(job, planned.status);
    this.announce(written, planned.events);
    return written;
  }

  private observe(job: TrainingJobObject, problems: readonly Problem[], forged: ReadonlySet<string>): Observation {
    const { name, uid, generation, annotations } = job.metadata!;
    const { children: { pods, services }, nodes, utilization } = this.options;
    const resume = annotations?.[RESUME_ANNOTATION];
    const key = ownerKey(job.metadata!);
    const all = pods.byIndex(BY_OWNER, key);
    const hooks = all.filter(isHookPod);
    const replicas = hooks.length === 0 ? all : all.filter((pod) => !isHookPod(pod));
    const observed = replicas.map((pod) => observePod(pod, nodes?.of(pod.spec?.nodeName), (node) => nodes?.of(node)))
      .map((pod) => (forged.has(pod.uid) ? { ...pod, forged: true } : pod));
    return {
      job: { name: name!, uid: uid!, generation: generation ?? 0, spec: job.spec, status: job.status ?? {}, ...(resume !== undefined && { resume }) },
      pods: observed,
      ...(hooks.length > 0 && { hookPods: hooks.map((pod) => observeHookPod(pod, nodes?.of(pod.spec?.nodeName))) }),
      departed: this.departed.of(key),
      utilization: job.spec.idle && utilization?.(job, observed.map((pod) => pod.name)),
      clockSteadySince: this.clockWatch.steadySince(),
      heardSince: this.options.heardSince?.(),
      services: services.byIndex(BY_OWNER, key).map((service) => service.metadata!.name!),
      queue: this.options.queues?.observe(job),
      trials: this.options.trials?.observe(job),
      copies: this.options.copies?.observe(job),
      problems,
      now: this.options.clock.now(),
    };
  }

  /** Reads the job again; false when it is gone, also when another one bears its name by now. */
  private async refresh(job: TrainingJobObject): Promise<boolean> {
    const { client, jobs } = this.options;
    const live = await readAgain(client, TRAINING_JOBS, jobs, job.metadata!);
    return live?.metadata?.uid === job.metadata!.uid;
  }

  /**
   * Reads again what a write without a response may have changed. A pod may exist that is not in the cache, a decision may be written that is not
   * read yet, or a Workload may be deleted that the cache shows as admitted. A plan without them could start the next attempt of a gang next to a
   * pod of the last, or count pods that were created without admission as a lost quota.
   */
  private async readAgain(key: string): Promise<void> {
    const { client, jobs, children } = this.options;
    const { namespace, name } = splitKey(key);
    const job = jobs.get(key);
    if (job !== undefined) {
      await this.refresh(job);
      await this.options.queues?.readAgain(job);
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

/** Whether this operator acts on the job: Kueue's MultiKueue, say, runs it elsewhere. */
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

/** Whether a pod or a container of it says something in words of its own: a kubelet, or the program through its termination message. */
function saysSomething({ status }: PodObject): boolean {
  const says = ({ waiting, terminated }: ContainerState = {}) => Boolean(waiting?.message) || Boolean(terminated?.message);
  const containers = [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
  return Boolean(status?.message) || containers.some(({ state, lastState }) => says(state) || says(lastState));
}
