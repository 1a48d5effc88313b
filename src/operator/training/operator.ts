/**
 * The operator of training jobs, put together: caches of jobs, pods and services, one controller over them, leader election, health. A standby
 * keeps its caches warm, so that it acts at once when it becomes the leader.
 */
import { addressBooks } from './addresses';
import { LEASE_NAME, type OperatorConfig } from './config';
import { Executor } from './executor';
import { ForcedDeletion } from './forced-deletion';
import { liveness, readiness } from './health-checks';
import { OperatorMetrics } from './metrics/operator-metrics';
import { Observers } from './observers';
import { ProgressServer } from './progress/server';
import { JobQueues, queueSource } from './job-queues';
import { ChildJobs } from './child-jobs';
import { JobCopies } from './job-copies';
import { JobTrials } from './job-trials';
import { NodeCache } from './node-cache';
import { nodeSource } from './nodes';
import { TrainingJobReconciler } from './reconciler';
import {
  CHILD_INDEXES, POD_INDEXES, TRAINING_JOBS, controllingJobKey, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject,
} from './resources';
import { StatusWriter } from './status-writer';
import type { SpanSink } from './tracing/spans';
import { PrometheusUtilization } from './utilization/prometheus';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../model/labels';
import type { JobRef, ProgressEndpoint } from '../../model/progress/contract';
import { QueuePositions } from '../kueue/queue-positions';
import type { Workload } from '../kueue/workload';
import { WorkloadCache } from '../kueue/workload-cache';
import { catchUp } from '../runtime/catch-up';
import { SYSTEM_CLOCK, sleep } from '../runtime/clock';
import { Controller, storeSource } from '../runtime/controller';
import { EventRecorder } from '../runtime/events';
import { HealthServer } from '../runtime/health-server';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf, objectKey, type KubeObject } from '../runtime/kube-object';
import { LeaderElector } from '../runtime/leader-election';
import { ListWatch } from '../runtime/list-watch';
import type { Logger } from '../runtime/logger';
import { PODS, SERVICES, type ResourceKind } from '../runtime/resource-kind';
import { Store, type StoreOptions } from '../runtime/store';

/** Name under which the operator's events appear. */
const COMPONENT = 'trainyard-operator';

/** Selects what the operator created, so that its caches hold no other pods of the cluster. */
const CHILD_SELECTOR = `${MANAGED_BY_LABEL}=${MANAGED_BY_OPERATOR}`;

/** Pause before a new leader tries again to bring its caches up to date, milliseconds. */
const CATCH_UP_PAUSE_MS = 1_000;

/** What an operator needs from outside. */
export interface OperatorOptions {
  readonly client: KubeClient;
  readonly config: OperatorConfig;
  readonly logger: Logger;
  /** Aborts when the operator has to end. */
  readonly signal: AbortSignal;
  /** Called when the leadership is lost: another replica may act already, so the process has to end at once. */
  readonly onLeadershipLost: (reason: string) => void;
  /** @default - counted and shown, without the requests of the client */
  readonly metrics?: OperatorMetrics;
  /** Takes the traces of jobs and passes. @default - there are none */
  readonly spans?: SpanSink;
}

/** A resource type that is kept in memory. */
interface Cache<T extends KubeObject> {
  readonly store: Store<T>;
  readonly watch: ListWatch<T>;
  catchUp(): Promise<void>;
}

/** Caches of one namespace, or of all, and the controller over them. */
interface Yard {
  /** Watches that no job can be run without. */
  readonly watches: readonly ListWatch<never>[];
  /** Watches that jobs are run without where they do not work, as they come and go. */
  readonly furtherWatches: () => readonly ListWatch<never>[];
  readonly jobs: Store<TrainingJobObject>;
  /** Workloads of Kueue; read once a job asks for them. */
  readonly workloads: WorkloadCache;
  /** Absent where only some namespaces are watched. */
  readonly nodes?: NodeCache;
  readonly controller: Controller;
  /** Brings the caches up to this moment. */
  catchUp(): Promise<void>;
}

/** Runs the operator until its signal aborts. Never rejects for reasons that pass. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { client, config, logger, signal } = options;
  const events = new EventRecorder({ client, component: COMPONENT, instance: config.identity, logger });
  const namespaces = config.watchNamespaces.length > 0 ? config.watchNamespaces : [undefined];
  const metrics = options.metrics ?? new OperatorMetrics({ v1Names: config.v1MetricNames });
  const observers = new Observers(metrics, options.spans);
  let progress: ProgressServer | undefined;
  const utilization = config.prometheus && new PrometheusUtilization({
    config: config.prometheus,
    clock: SYSTEM_CLOCK,
    logger,
    isWanted: () => yards.some(({ jobs }) => jobs.list().some(({ spec }) => spec.idle !== undefined)),
  });
  const yards: Yard[] = namespaces.map((namespace) => buildYard(options, events, observers, namespace, () => progress?.endpoint, utilization));
  const watches = yards.flatMap((yard) => yard.watches);
  const allWatches = () => [...watches, ...yards.flatMap((yard) => yard.furtherWatches())];
  metrics.observe({ queues: yards.map(({ controller }) => controller.queue), watches: allWatches, events });
  metrics.leads(false);
  const health = new HealthServer({
    logger,
    host: config.healthHost,
    port: config.healthPort,
    liveness: { watches: () => liveness(allWatches()) },
    readiness: { caches: () => readiness(watches) },
    metrics: metrics.answer,
  });
  logger.info('operator starts', { healthPort: await health.listen(), namespaces: config.watchNamespaces, leaderElect: config.leaderElect });

  // Caches outlive the controllers: their last passes still read and write through them.
  const end = new AbortController();
  const further = yards.flatMap(({ workloads, nodes }) => (nodes ? [workloads, nodes] : [workloads]));
  const running = [...watches, ...further].map((watch) => watch.run(end.signal));
  try {
    // Before the first pod, which is told of it.
    progress = await serveProgress(options, yards);
    await lead(options, async () => {
      if (config.leaderElect) {
        await untilDone(() => Promise.all(yards.map((yard) => yard.catchUp())), signal, logger);
      }
      void utilization?.run(end.signal);
      observers.lead(yards.map(({ jobs }) => jobs));
      await Promise.all(yards.map((yard) => yard.controller.run(signal)));
    });
  } finally {
    await progress?.close();
    end.abort();
    await Promise.all(running);
    await events.flush();
    await health.close();
  }
}

function buildYard(
  options: OperatorOptions, events: EventRecorder, observers: Observers, namespace: string | undefined, progress: () => ProgressEndpoint | undefined,
  utilization: PrometheusUtilization | undefined,
): Yard {
  const { client, config, logger } = options;
  const jobs = cache<TrainingJobObject>(options, namespace, TRAINING_JOBS, { transform: trimJob, indexes: CHILD_INDEXES });
  const pods = cache<PodObject>(options, namespace, PODS, { transform: trimPod, indexes: POD_INDEXES }, CHILD_SELECTOR);
  const services = cache<KubeObject>(options, namespace, SERVICES, { transform: trimService, indexes: CHILD_INDEXES }, CHILD_SELECTOR);
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
  const executor = new Executor(client, children, addressBooks(config.addresses), logger, progress, queues, trials, forced, copies);
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
    utilization: utilization && (({ metadata }, podNames) => utilization.of(metadata?.namespace ?? '', podNames)),
    executor,
    statuses: new StatusWriter(client, jobs.store, SYSTEM_CLOCK, observers.statusWritten, isBusy, config.statusCountsSeconds * 1000),
    clock: SYSTEM_CLOCK,
    logger,
    publish: (job, event) => events.record(job, event),
    isBusy,
    onPodsCreated: observers.podsCreated,
  });
  const controller: Controller = new Controller({
    name: 'training-job',
    logger,
    concurrency: config.workers,
    reconcile: (key) => reconciler.reconcile(key),
    onReconcile: observers.reconciled,
    sources: [
      source('jobs', jobs, (job) => [objectKey(job), ...childKeys(job)]),
      source('pods', pods, childKeys),
      source('services', services, childKeys),
      ...(nodes ? [nodeSource(nodes.store, children)] : []),
      queueSource(workloads, jobs.store),
      // Never waited for: most clusters have none.
      storeSource<Workload>({ name: 'workloads', store: workloads.store, waitForSync: async () => undefined, keysOf: childKeys }),
    ],
  });
  return {
    controller,
    workloads,
    nodes,
    jobs: jobs.store,
    watches: [jobs.watch, pods.watch, services.watch] as unknown as readonly ListWatch<never>[],
    furtherWatches: () => [nodes?.watch, workloads.watch].filter((watch) => watch !== undefined) as unknown as readonly ListWatch<never>[],
    catchUp: async () => { await Promise.all([jobs.catchUp(), pods.catchUp(), services.catchUp(), nodes?.catchUp()]); },
  };
}

/** The endpoint for reports of progress, where the settings ask for one. */
async function serveProgress({ client, config, logger, signal }: OperatorOptions, yards: readonly Yard[]): Promise<ProgressServer | undefined> {
  const storeOf = ({ namespace }: JobRef) => yards[config.watchNamespaces.length > 0 ? config.watchNamespaces.indexOf(namespace) : 0]?.jobs;
  return config.progress && ProgressServer.start({
    client,
    config: config.progress,
    namespace: ownNamespace(client, config, 'Keeping the certificates of the progress endpoint', 'remove PROGRESS_URL'),
    logger,
    find: (job) => storeOf(job)?.get(keyOf(job.namespace, job.name)),
    watches: (namespace) => config.watchNamespaces.length === 0 || config.watchNamespaces.includes(namespace),
    written: (job) => storeOf({ namespace: job.metadata!.namespace!, name: job.metadata!.name! })?.applyWritten(job),
  }, signal);
}

/** Runs `work` as the leader, or at once where nobody else can be. */
async function lead({ client, config, logger, signal, onLeadershipLost }: OperatorOptions, work: () => Promise<void>): Promise<void> {
  if (!config.leaderElect) {
    await work();
    return;
  }
  const namespace = ownNamespace(client, config, 'Electing a leader', 'set LEADER_ELECT=false for a single replica');
  const workEnded = new AbortController();
  let working: Promise<void> | undefined;
  signal.addEventListener('abort', () => {
    // The lease is given back when the last pass has ended, so that the successor finds nothing half done.
    void (working ?? Promise.resolve()).then(() => workEnded.abort());
  }, { once: true });
  await new LeaderElector({
    client,
    logger,
    identity: config.identity,
    lease: { namespace, name: LEASE_NAME },
    // In the proportions of client-go's own: 15, 10 and 2 seconds.
    leaseDurationMs: config.leaseSeconds * 1000,
    renewDeadlineMs: config.leaseSeconds * 667,
    retryPeriodMs: config.leaseSeconds * 133,
    onStarted: () => { working = work(); },
    onLost: onLeadershipLost,
  }).run(workEnded.signal);
  await working;
}

/** Where the operator's own objects are. */
function ownNamespace(client: KubeClient, config: OperatorConfig, what: string, otherwise: string): string {
  const namespace = config.namespace ?? client.connection.namespace;
  if (!namespace) {
    throw new Error(`${what}: the operator's own namespace is unknown; set POD_NAMESPACE, or ${otherwise}.`);
  }
  return namespace;
}

/** Tries until it works or the operator ends. */
async function untilDone(work: () => Promise<unknown>, signal: AbortSignal, logger: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
      return;
    } catch (error) {
      logger.warn('the caches could not be brought up to date, will be tried again', { error });
      await sleep(SYSTEM_CLOCK, CATCH_UP_PAUSE_MS, signal);
    }
  }
}

function cache<T extends KubeObject>(
  { client, config, logger }: OperatorOptions,
  namespace: string | undefined,
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

function source<T extends KubeObject>(name: string, { store, watch }: Cache<T>, keysOf: (object: T) => readonly string[]) {
  return storeSource<T>({
    name,
    store,
    waitForSync: (signal) => watch.waitForSync(signal),
    keysOf,
  });
}

function childKeys(child: KubeObject): readonly string[] {
  const key = controllingJobKey(child);
  return key === undefined ? [] : [key];
}
