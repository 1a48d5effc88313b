/**
 * A watch scope: the caches of one watched namespace, or of all. Each scope is by itself: one whose namespace is gone, or in which the operator has
 * no rights any more, keeps no other from work. It is asked for again at intervals, and taken up when it answers.
 */
import type { OperatorConfig } from './config';
import { FormerJobs } from './children/former-jobs';
import { loggedObjectives } from './children/job-trials';
import { DepartedPods } from './cleanup/departed-pods';
import { NodeCache } from './nodes/nodes';
import type { Observers } from './observers';
import type { Outages } from './outages';
import { PassBudget } from './pass-budget';
import { CHILD_INDEXES, POD_INDEXES, TRAINING_JOBS, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject } from './resources';
import type { PrometheusUtilization } from './utilization/prometheus';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';
import type { ProgressEndpoint } from '../../model/progress/contract';
import { QueuePositions } from '../kueue/queue-positions';
import { WorkloadCache } from '../kueue/workload-cache';
import { isApiError } from '../runtime/http/api-error';
import { Backoff } from '../runtime/process/backoff';
import { catchUp } from '../runtime/watch/list-pages';
import { SYSTEM_CLOCK, sleep } from '../runtime/process/clock';
import type { KubeClient } from '../runtime/kube-client';
import type { KubeObject } from '../runtime/kube-object';
import { ListWatch } from '../runtime/watch/list-watch';
import type { Logger } from '../runtime/process/logger';
import { PODS, SERVICES, type ResourceKind } from '../runtime/resource-kind';
import { Store, type StoreOptions } from '../runtime/watch/store';

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
  readonly client: KubeClient;
  readonly config: OperatorConfig;
  readonly logger: Logger;
  /** @default - all namespaces */
  readonly namespace?: string;
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
  public readonly services: Store<KubeObject>;
  /** Workloads of Kueue; read once a job asks for them. */
  public readonly workloads: WorkloadCache;
  public readonly positions: QueuePositions;
  /** Absent where only some namespaces are watched. */
  public readonly nodes?: NodeCache;
  /** What the caches have lost, and is wanted still. */
  public readonly departed: DepartedPods;
  public readonly former: FormerJobs;
  public readonly logged: ReturnType<typeof loggedObjectives>;
  public readonly budget: PassBudget;
  private readonly catchUp: () => Promise<void>;
  private catchingUp: Promise<void> = Promise.resolve();
  private nextCatchUp?: Promise<void>;
  private refusedUntil?: number;
  private wasRefused = false;

  public constructor(public readonly options: WatchScopeOptions) {
    const { client, config, logger, namespace } = options;
    this.budget = new PassBudget(config.leaseSeconds);
    const jobs = cache<TrainingJobObject>(options, TRAINING_JOBS, { transform: trimJob, indexes: CHILD_INDEXES });
    const pods = cache<PodObject>(options, PODS, { transform: trimPod, indexes: POD_INDEXES }, CHILD_SELECTOR);
    const services = cache<KubeObject>(options, SERVICES, { transform: trimService, indexes: CHILD_INDEXES }, CHILD_SELECTOR);
    // Nodes belong to no namespace: who may act in some only has no right to read them.
    const nodes = namespace === undefined ? new NodeCache(options) : undefined;
    this.namespace = namespace;
    this.workloads = new WorkloadCache({ client, logger, clock: SYSTEM_CLOCK, namespace, resyncMs: config.resyncSeconds * 1000 });
    this.positions = new QueuePositions(client, SYSTEM_CLOCK, logger);
    this.nodes = nodes;
    this.jobs = jobs.store;
    this.pods = pods.store;
    this.services = services.store;
    this.departed = new DepartedPods(pods.store);
    this.former = new FormerJobs(jobs.store);
    this.logged = loggedObjectives(jobs.store);
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

  /** Since when reports of this namespace's jobs can have been written, milliseconds since the epoch; undefined when they always could. */
  public get writableSince(): number | undefined {
    return latest(this.refusedUntil, this.options.outages.lastSeen());
  }

  private look(): void {
    const { unavailable, options: { logger, namespace } } = this;
    if (unavailable !== undefined && !this.wasRefused) {
      logger.error('a namespace is unavailable; its jobs wait, those of other namespaces continue', { namespace, why: unavailable });
    } else if (unavailable === undefined && this.wasRefused) {
      logger.info('a namespace is available again', { namespace });
    }
    if (this.wasRefused) {
      // Nobody could write what its scripts reported.
      this.refusedUntil = SYSTEM_CLOCK.now();
    }
    this.wasRefused = unavailable !== undefined;
  }

  /** Resolves when the caches have had their first lists, or the signal aborts. */
  public async waitForSync(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.watches.map(async (watch) => watch.waitForSync(signal)));
  }

  /** Tries until the caches are up to this moment or the signal aborts. */
  public async untilCaughtUp(signal: AbortSignal): Promise<void> {
    const { logger, namespace } = this.options;
    const backoff = new Backoff(REFUSED_BACKOFF);
    while (!signal.aborted) {
      try {
        await this.catchUpFromNow();
        return;
      } catch (error) {
        const isRefused = isApiError(error, 'isForbidden') || isApiError(error, 'isNotFound');
        logger.warn('the caches could not be updated, will be retried', { namespace, error });
        await sleep(SYSTEM_CLOCK, isRefused ? backoff.next() : CATCH_UP_PAUSE_MS, signal);
      }
    }
  }

  /** Lists everything. Who comes while that is under way waits for the next time: what is being listed may be older than the question. */
  private catchUpFromNow(): Promise<void> {
    this.nextCatchUp ??= this.catchingUp.catch(() => undefined).then(() => {
      this.nextCatchUp = undefined;
      this.catchingUp = this.catchUp();
      return this.catchingUp;
    });
    return this.nextCatchUp;
  }
}

/** The latest of these moments. */
export function latest(...times: readonly (number | undefined)[]): number | undefined {
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
