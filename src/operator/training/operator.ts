/**
 * The operator of training jobs, put together: a watch scope (caches) for each watched namespace or one for all, leader election or shards, the
 * workers of who leads, health. A standby keeps its caches warm, so that it acts at once when it becomes the leader.
 */
import type { OperatorConfig } from './config';
import { JobWorker, type JobHolder } from './job-worker';
import { Leadership, ownNamespace } from './leadership';
import { OperatorMetrics } from './metrics/operator-metrics';
import { Observers } from './observers';
import { Outages } from './outages';
import { ProgressServer } from './progress/server';
import { Shards } from './shards';
import type { SpanSink } from './tracing/job-spans';
import { PrometheusUtilization } from './utilization/prometheus';
import { WatchScope } from './watch-scope';
import { EventRecorder } from '../runtime/events';
import { HealthServer } from '../runtime/http/health-server';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf, objectKey } from '../runtime/kube-object';
import { SYSTEM_CLOCK } from '../runtime/process/clock';
import type { Logger } from '../runtime/process/logger';
import type { ListWatchHealth } from '../runtime/watch/list-watch';

/** Name under which the operator's events appear. */
const COMPONENT = 'trainyard-operator';

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

/** What works on jobs at this moment: one for all of them, or one for each shard that this process holds. */
interface Work {
  readonly workers: readonly JobWorker[];
  readonly events: EventRecorder;
}

/** Runs the operator until its signal aborts. Never rejects for reasons that pass. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { config, logger, signal, onLeadershipLost } = options;
  const outages = new Outages(SYSTEM_CLOCK);
  const election = {
    client: options.client,
    config,
    logger,
    onLost: onLeadershipLost,
    afterRequest: outages.afterRequest,
    // A silent leader may have been lost with its node, and so may pods of jobs. The successor then knows already how long that node has been silent.
    onSilent: async (leader: { readonly namespace: string; readonly name: string }) => {
      await Promise.all(scopes.map(async ({ nodes }) => nodes?.lookAtNodeOf(leader)));
    },
  };
  const shards = config.shards === 1 ? undefined : new Shards({
    ...election,
    count: config.shards,
    work: async ({ index, client, owns }, end) => {
      logger.info('took a shard', { shard: index, held: shards!.held });
      await work(prepare({ client, owns, part: 1 / config.shards }), end);
      observers.handOver(scopes.flatMap(({ jobs }) => jobs.list().filter((job) => owns(objectKey(job)))));
      logger.info('gives a shard back', { shard: index });
    },
  });
  const leadership = new Leadership(election);
  const { client } = shards ?? leadership;
  const namespaces = config.watchNamespaces.length > 0 ? config.watchNamespaces : [undefined];
  const metrics = options.metrics ?? new OperatorMetrics({ v1Names: config.v1MetricNames });
  const observers = new Observers(metrics, options.spans);
  let progress: ProgressServer | undefined;
  const utilization = config.prometheus && new PrometheusUtilization({
    config: config.prometheus,
    clock: SYSTEM_CLOCK,
    logger,
    isWanted: () => works.size > 0 && scopes.some(({ jobs }) => jobs.list().some(({ spec }) => spec.idle !== undefined)),
  });
  const progressNamespace = config.progress && ownNamespace(client, config, 'Keeping the certificates of the progress endpoint', 'remove PROGRESS_URL');
  const scopes: WatchScope[] = namespaces.map((namespace) => new WatchScope({
    client, config, logger, namespace, observers, outages, progress: () => progress?.endpoint, progressNamespace, utilization,
  }));
  const works = new Set<Work>();
  const prepare = (holder: Omit<JobHolder, 'events'>): Work => {
    const events = new EventRecorder({ client: holder.client, component: COMPONENT, instance: config.identity, logger });
    const prepared = { events, workers: scopes.map((scope) => new JobWorker(scope, { ...holder, events })) };
    works.add(prepared);
    return prepared;
  };
  const work = async (prepared: Work, end: AbortSignal): Promise<void> => {
    observers.leads(true);
    await Promise.all(prepared.workers.map(async (worker) => worker.run(end)));
    // As the leader still.
    await prepared.events.flush();
    works.delete(prepared);
    observers.leads(works.size > 0);
  };
  // What happens while it is on standby waits for it.
  const all = shards === undefined ? prepare({ client }) : undefined;
  const allWatches = () => scopes.flatMap((scope) => [...scope.watches, ...scope.furtherWatches]);
  metrics.observe({
    queues: () => [...works].flatMap(({ workers }) => workers.map(({ queue }) => queue)),
    watches: allWatches,
    events: () => [...works].map(({ events }) => events),
    scopes,
    requestLimit: () => client.limit,
    progressConnections: () => progress?.connections ?? 0,
  });
  metrics.leads(false);
  const health = new HealthServer({
    logger,
    host: config.healthHost,
    port: config.healthPort,
    liveness: { watches: () => liveness(allWatches()) },
    readiness: { caches: () => readiness(scopes) },
    metrics: metrics.answer,
  });
  logger.info('operator starts', {
    healthPort: await health.listen(), namespaces: config.watchNamespaces, leaderElect: config.leaderElect, ...(shards && { shards: config.shards }),
  });

  // Caches outlive the controllers: their last passes still read and write through them.
  const end = new AbortController();
  const running = [outages.run(end.signal), ...scopes.map(async (scope) => scope.follow(end.signal))];
  try {
    // Before the first pod, which is told of it.
    progress = await serveProgress(options, progressNamespace, outages, scopes, metrics);
    const lead = (): void => {
      void utilization?.run(end.signal);
      observers.lead(scopes.map(({ jobs }) => jobs), shards && ((key) => shards.holds(key)));
    };
    if (shards === undefined) {
      await leadership.run(async () => {
        lead();
        await work(all!, signal);
      }, signal);
    } else {
      lead();
      await shards.run(signal);
    }
  } finally {
    await progress?.close();
    end.abort();
    await Promise.all(running);
    await health.close();
  }
}

/** The endpoint for reports of progress, where the settings ask for one. */
async function serveProgress(
  { client: anybody, config, logger, signal }: OperatorOptions, namespace: string | undefined, outages: Outages, scopes: readonly WatchScope[],
  metrics: OperatorMetrics,
): Promise<ProgressServer | undefined> {
  const client = anybody.with({ afterRequest: outages.afterRequest });
  const scopeOf = (namespace: string) => scopes[config.watchNamespaces.length > 0 ? config.watchNamespaces.indexOf(namespace) : 0];
  return config.progress && ProgressServer.start({
    client,
    config: config.progress,
    namespace: namespace!,
    logger,
    find: (job) => scopeOf(job.namespace)?.jobs.get(keyOf(job.namespace, job.name)),
    findPod: (namespace, name) => scopeOf(namespace)?.pods.get(keyOf(namespace, name)),
    boundTokens: config.addresses === 'pods',
    watches: (namespace) => config.watchNamespaces.length === 0 || config.watchNamespaces.includes(namespace),
    written: (job) => scopeOf(job.metadata!.namespace!)?.jobs.applyWritten(job),
    metrics,
  }, signal);
}

interface Watched {
  readonly health: Pick<ListWatchHealth, 'resource' | 'alive' | 'synced'>;
}

/** The first watch whose loop hangs, which only a restart of the process cures; undefined when none does. */
export function liveness(watches: readonly Watched[]): string | undefined {
  const hanging = watches.find(({ health }) => !health.alive);
  return hanging && `${hanging.health.resource} hangs`;
}

/** What is watched of one namespace, or of all. */
interface WatchedPlace {
  readonly watches: readonly Watched[];
}

/**
 * The first watch that has listed nothing yet; undefined when all of one namespace have. One namespace that was lost makes no replica unready: no
 * rollout would go on, and the jobs of the others could not report.
 */
export function readiness(places: readonly WatchedPlace[]): string | undefined {
  if (places.some(({ watches }) => watches.every(({ health }) => health.synced))) {
    return undefined;
  }
  const behind = places.flatMap(({ watches }) => watches).find(({ health }) => !health.synced);
  return behind && `${behind.health.resource} not listed yet`;
}
