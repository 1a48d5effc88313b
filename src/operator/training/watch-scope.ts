/**
 * A watch scope: the caches of one watched namespace, or of all, and the controller over them. Each scope is by itself: one whose namespace is gone,
 * or in which the operator has no rights any more, keeps no other from work. It is asked for again at intervals, and taken up when it answers.
 */
import { addressBooks } from './addresses';
import { ChildJobs, JobCopies } from './children/child-jobs';
import type { OperatorConfig } from './config';
import { Executor } from './executor';
import { ForcedDeletion } from './cleanup/stuck-orphans';
import { JobQueues, queueSource } from './children/job-queues';
import { JobTrials } from './children/job-trials';
import { LargePasses } from './large-passes';
import { NodeCache, nodeSource } from './nodes/nodes';
import type { Observers } from './observers';
import type { Outages } from './outages';
import { PassBudget } from './pass-budget';
import { largeSize, refusalOfLarge } from './plan/resolve-once';
import { TrainingJobReconciler } from './reconciler';
import {
  CHILD_INDEXES, POD_INDEXES, TRAINING_JOBS, controllingJobKey, isNewsOfPod, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject,
} from './resources';
import { StatusWriter } from './status-writer';
import type { PrometheusUtilization } from './utilization/prometheus';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';
import type { ProgressEndpoint } from '../../model/progress/contract';
import { QueuePositions } from '../kueue/queue-positions';
import type { Workload } from '../kueue/workload';
import { WorkloadCache } from '../kueue/workload-cache';
import { isApiError } from '../runtime/http/api-error';
import { Backoff } from '../runtime/process/backoff';
import { catchUp } from '../runtime/watch/list-pages';
import { SYSTEM_CLOCK, sleep } from '../runtime/process/clock';
import { Controller, storeSource } from '../runtime/controller';
import type { EventRecorder } from '../runtime/events';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey, type KubeObject } from '../runtime/kube-object';
import { ListWatch } from '../runtime/watch/list-watch';
import type { Logger } from '../runtime/process/logger';
import { PODS, SERVICES, type ResourceKind } from '../runtime/resource-kind';
import { Store, type StoreChange, type StoreOptions } from '../runtime/watch/store';

/** Selects what the operator created, so that its caches hold no other pods of the cluster. */
const CHILD_SELECTOR = `${MANAGED_BY_LABEL}=${MANAGED_BY_OPERATOR}`;

/** Pause before a new leader tries again to bring its caches up to date, milliseconds. */
const CATCH_UP_PAUSE_MS = 1_000;

/** Bounds of that pause while the API server refuses the lists, milliseconds. */
const REFUSED_BACKOFF = { initialMs: CATCH_UP_PAUSE_MS, maxMs: 30_000 };

/** How often it is looked whether the namespace answers, milliseconds. */
const LOOK_MS = 1_000;

/** What a {@link WatchScope} works with. */
export interface WatchScopeOptions {
  /** Writes as the leader alone may. */
  readonly client: KubeClient;
  readonly config: OperatorConfig;
  readonly logger: Logger;
  /** @default - all namespaces */
  readonly namespace?: string;
  readonly events: EventRecorder;
  readonly observers: Observers;
  readonly outages: Outages;
  /** The endpoint that pods are told of. */
  readonly progress: () => ProgressEndpoint | undefined;
  /** Namespace of the operator's pods, where they have such an endpoint. */
  readonly progressNamespace?: string;
  readonly utilization?: PrometheusUtilization;
}

/** A resource type that is kept in memory. */
interface Cache<T extends KubeObject> {
  readonly store: Store<T>;
  readonly watch: ListWatch<T>;
  catchUp(): Promise<void>;
}

/** See the top of this file. */
export class WatchScope {
  /** Absent for all namespaces. */
  public readonly namespace?: string;
  /** Watches that no job can be run without. */
  public readonly watches: readonly ListWatch<never>[];
  public readonly jobs: Store<TrainingJobObject>;
  public readonly pods: Store<PodObject>;
  public readonly controller: Controller;
  /** Workloads of Kueue; read once a job asks for them. */
  private readonly workloads: WorkloadCache;
  /** Absent where only some namespaces are watched. */
  private readonly nodes?: NodeCache;
  private readonly catchUp: () => Promise<void>;
  /** Since when reports of this namespace's jobs can have arrived, outages aside; milliseconds since the epoch. */
  private heardSince?: number;
  private wasRefused = false;
  private readonly budget: PassBudget;

  public constructor(private readonly options: WatchScopeOptions) {
    const { client, config, logger, namespace, progress, events, observers, utilization, outages } = options;
    this.budget = new PassBudget(config.leaseSeconds);
    const jobs = cache<TrainingJobObject>(options, TRAINING_JOBS, { transform: trimJob, indexes: CHILD_INDEXES });
    const pods = cache<PodObject>(options, PODS, { transform: trimPod, indexes: POD_INDEXES }, CHILD_SELECTOR);
    const services = cache<KubeObject>(options, SERVICES, { transform: trimService, indexes: CHILD_INDEXES }, CHILD_SELECTOR);
    const children = { pods: pods.store, services: services.store };
    // Nodes belong to no namespace: who may act in some only has no right to read them.
    const nodes = namespace === undefined ? new NodeCache(options) : undefined;
    const workloads = new WorkloadCache({ client, logger, clock: SYSTEM_CLOCK, namespace, resyncMs: config.resyncSeconds * 1000 });
    const queues = new JobQueues({
      client, cache: workloads, positions: new QueuePositions(client, SYSTEM_CLOCK, logger), clock: SYSTEM_CLOCK, logger,
    });
    const trials = new JobTrials(client, jobs.store, logger);
    const copies = new JobCopies(jobs.store, new ChildJobs(client, jobs.store, logger));
    const forced = nodes && new ForcedDeletion(nodes, pods.store, SYSTEM_CLOCK);
    const executor = new Executor(
      client, children, addressBooks(config.addresses), logger, progress, queues, trials, forced, copies, nodes?.leases, options.progressNamespace,
    );
    // Many jobs wait for a worker, or some for their pods: those come first.
    const isCrowded = (): boolean => controller.queue.depth > config.workers;
    const isBusy = (): boolean => executor.creatingJobs > 0 || isCrowded();
    const reconciler = new TrainingJobReconciler({
      client,
      queues,
      trials,
      copies,
      jobs: jobs.store,
      children,
      nodes: nodes?.states,
      ...(nodes && forced && { nodeKnowledge: { states: nodes.states, leases: nodes.leases, forced } }),
      utilization: utilization && (({ metadata }, podNames) => utilization.of(metadata?.namespace ?? '', podNames)),
      executor,
      statuses: new StatusWriter(client, jobs.store, SYSTEM_CLOCK, observers.statusWritten, isBusy, config.statusCountsSeconds * 1000),
      clock: SYSTEM_CLOCK,
      logger,
      publish: (job, event) => events.record(job, event),
      budget: this.budget,
      isBusy,
      passesPerSecond: () => controller.queue.takenPerSecond,
      onPodsCreated: observers.podsCreated,
      heardSince: () => latest(this.heardSince, outages.lastSeen()),
    });
    const largePasses = new LargePasses((key) => controller.queue.add(key));
    const controller: Controller = new Controller({
      name: 'training-job',
      logger,
      concurrency: config.workers,
      reconcile: async (key) => largePasses.run(key, placeOf(jobs.store.get(key)), async () => reconciler.reconcile(key)),
      onReconcile: observers.reconciled,
      sources: [
        source('jobs', jobs, (job) => [objectKey(job), ...childKeys(job)]),
        source('pods', pods, childKeys, (change) => isNewsOfPod(change, jobs.store)),
        source('services', services, childKeys),
        ...(nodes ? [nodeSource(nodes.store, children)] : []),
        queueSource(workloads, jobs.store),
        // Never waited for: most clusters have none.
        storeSource<Workload>({ name: 'workloads', store: workloads.store, waitForSync: async () => undefined, keysOf: childKeys }),
      ],
    });
    this.namespace = namespace;
    this.controller = controller;
    this.workloads = workloads;
    this.nodes = nodes;
    this.jobs = jobs.store;
    this.pods = pods.store;
    this.watches = [jobs.watch, pods.watch, services.watch] as unknown as readonly ListWatch<never>[];
    this.catchUp = async () => { await Promise.all([jobs.catchUp(), pods.catchUp(), services.catchUp(), nodes?.catchUp()]); };
  }

  /** Watches that jobs are run without where they do not work, as they come and go. */
  public get furtherWatches(): readonly ListWatch<never>[] {
    return [this.nodes?.watch, this.workloads.watch].filter((watch) => watch !== undefined) as unknown as readonly ListWatch<never>[];
  }

  /** Why the namespace cannot be worked on: the API server refuses to list or watch it, and has more than once. Undefined while it can. */
  public get unavailable(): string | undefined {
    const refused = this.watches.find(({ health }) => health.refused);
    return refused && refused.health.lastError;
  }

  /** Jobs that are put aside because planning them takes too long. */
  public get putAside(): number {
    return this.budget.putAside;
  }

  /** Keeps the caches up to date until the signal aborts, and logs when the namespace is lost and comes back. */
  public async follow(signal: AbortSignal): Promise<void> {
    const feeding = [...this.watches, this.workloads, ...(this.nodes ? [this.nodes] : [])].map((each) => each.run(signal));
    while (!signal.aborted) {
      this.look();
      await sleep(SYSTEM_CLOCK, LOOK_MS, signal);
    }
    await Promise.all(feeding);
  }

  /** Runs the jobs, as the leader, until the signal aborts. */
  public async run(signal: AbortSignal): Promise<void> {
    if (this.options.config.leaderElect) {
      await this.untilCaughtUp(signal);
    }
    await Promise.all(this.watches.map(async (watch) => watch.waitForSync(signal)));
    this.heardSince = SYSTEM_CLOCK.now();
    await this.controller.run(signal);
  }

  private look(): void {
    const { unavailable, options: { logger, namespace } } = this;
    if (unavailable !== undefined && !this.wasRefused) {
      logger.error('a namespace is unavailable; its jobs wait, those of other namespaces continue', { namespace, why: unavailable });
    } else if (unavailable === undefined && this.wasRefused) {
      logger.info('a namespace is available again', { namespace });
    }
    if (this.wasRefused && this.heardSince !== undefined) {
      // Nobody could write what its scripts reported.
      this.heardSince = SYSTEM_CLOCK.now();
    }
    this.wasRefused = unavailable !== undefined;
  }

  /** Tries until the caches are up to this moment or the operator ends. */
  private async untilCaughtUp(signal: AbortSignal): Promise<void> {
    const { logger, namespace } = this.options;
    const backoff = new Backoff(REFUSED_BACKOFF);
    while (!signal.aborted) {
      try {
        await this.catchUp();
        return;
      } catch (error) {
        const isRefused = isApiError(error, 'isForbidden') || isApiError(error, 'isNotFound');
        logger.warn('the caches could not be updated, will be retried', { namespace, error });
        await sleep(SYSTEM_CLOCK, isRefused ? backoff.next() : CATCH_UP_PAUSE_MS, signal);
      }
    }
  }
}

/** Room that a pass over the job takes. A spec that is too large for a job is not read. */
function placeOf(job: TrainingJobObject | undefined): number {
  return job === undefined || refusalOfLarge(job.spec).length > 0 ? 0 : largeSize(job.spec);
}

function latest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

function cache<T extends KubeObject>(
  { client, config, logger, namespace }: WatchScopeOptions,
  kind: ResourceKind,
  storeOptions: StoreOptions<T>,
  labelSelector?: string,
): Cache<T> {
  const store = new Store<T>(storeOptions);
  const watch = new ListWatch<T>({
    client, kind, store, logger, namespace, labelSelector, resyncMs: config.resyncSeconds * 1000,
  });
  return { store, watch, catchUp: () => catchUp(client, kind, store, { namespace, labelSelector }) };
}

function source<T extends KubeObject>(
  name: string, { store, watch }: Cache<T>, keysOf: (object: T) => readonly string[], concerns?: (change: StoreChange<T>) => boolean,
) {
  return storeSource<T>({ name, store, waitForSync: (signal) => watch.waitForSync(signal), keysOf, concerns });
}

function childKeys(child: KubeObject): readonly string[] {
  const key = controllingJobKey(child);
  return key === undefined ? [] : [key];
}
