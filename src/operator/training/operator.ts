/**
 * The operator of training jobs, put together: a watch scope (caches and a controller) for each watched namespace or one for all, leader election,
 * health. A standby keeps its caches warm, so that it acts at once when it becomes the leader.
 */
import type { OperatorConfig } from './config';
import { Leadership, ownNamespace } from './leadership';
import { OperatorMetrics } from './metrics/operator-metrics';
import { Observers } from './observers';
import { Outages } from './outages';
import { ProgressServer } from './progress/server';
import type { SpanSink } from './tracing/job-spans';
import { PrometheusUtilization } from './utilization/prometheus';
import { WatchScope } from './watch-scope';
import { EventRecorder } from '../runtime/events';
import { HealthServer } from '../runtime/http/health-server';
import type { KubeClient } from '../runtime/kube-client';
import { keyOf } from '../runtime/kube-object';
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

/** Runs the operator until its signal aborts. Never rejects for reasons that pass. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { config, logger, signal, onLeadershipLost } = options;
  const outages = new Outages(SYSTEM_CLOCK);
  const leadership = new Leadership({ client: options.client, config, logger, onLost: onLeadershipLost, afterRequest: outages.afterRequest });
  const { client } = leadership;
  const events = new EventRecorder({ client, component: COMPONENT, instance: config.identity, logger });
  const namespaces = config.watchNamespaces.length > 0 ? config.watchNamespaces : [undefined];
  const metrics = options.metrics ?? new OperatorMetrics({ v1Names: config.v1MetricNames });
  const observers = new Observers(metrics, options.spans);
  let progress: ProgressServer | undefined;
  const utilization = config.prometheus && new PrometheusUtilization({
    config: config.prometheus,
    clock: SYSTEM_CLOCK,
    logger,
    isWanted: () => scopes.some(({ jobs }) => jobs.list().some(({ spec }) => spec.idle !== undefined)),
  });
  const progressNamespace = config.progress && ownNamespace(client, config, 'Keeping the certificates of the progress endpoint', 'remove PROGRESS_URL');
  const scopes: WatchScope[] = namespaces.map((namespace) => new WatchScope({
    client, config, logger, namespace, events, observers, outages, progress: () => progress?.endpoint, progressNamespace, utilization,
  }));
  const allWatches = () => scopes.flatMap((scope) => [...scope.watches, ...scope.furtherWatches]);
  metrics.observe({
    queues: scopes.map(({ controller }) => controller.queue),
    watches: allWatches,
    events,
    scopes,
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
  logger.info('operator starts', { healthPort: await health.listen(), namespaces: config.watchNamespaces, leaderElect: config.leaderElect });

  // Caches outlive the controllers: their last passes still read and write through them.
  const end = new AbortController();
  const running = [outages.run(end.signal), ...scopes.map(async (scope) => scope.follow(end.signal))];
  try {
    // Before the first pod, which is told of it.
    progress = await serveProgress(options, progressNamespace, outages, scopes, metrics);
    await leadership.run(async () => {
      void utilization?.run(end.signal);
      observers.lead(scopes.map(({ jobs }) => jobs));
      await Promise.all(scopes.map(async (scope) => scope.run(signal)));
      // As the leader still.
      await events.flush();
    }, signal);
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
