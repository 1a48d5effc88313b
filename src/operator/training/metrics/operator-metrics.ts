/** Metrics of the operator's machinery: requests, passes, queue, watches, leadership. Counts that others keep are read when somebody asks. */
import { OPERATOR_FAMILIES } from './families';
import { JobMetrics } from './job-metrics';
import { MetricsRegistry, type Metrics } from './registry';
import { SYSTEM_CLOCK, type Clock } from '../../runtime/process/clock';
import type { ReconcileRecord } from '../../runtime/controller';
import type { ListWatchHealth } from '../../runtime/watch/list-watch';
import type { RequestRecord } from '../../runtime/http/request-sender';
import type { WorkQueue } from '../../runtime/work-queue';

/** Settings of {@link OperatorMetrics}. */
export interface OperatorMetricsOptions {
  /** Whether to add metrics of the process: CPU, memory, event loop. Once per process. @default false */
  readonly process?: boolean;
  /** Whether to count jobs by training-operator v1's names too. @default false */
  readonly v1Names?: boolean;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A watched namespace, or all together. */
interface ScopeHealth {
  readonly namespace?: string;
  /** Why its jobs cannot be worked on; undefined when they can. */
  readonly unavailable: string | undefined;
  /** How many of its jobs are put aside. */
  readonly putAside: number;
  /** @default - nodes are not watched */
  readonly nodes?: { readonly states: { readonly outage: { readonly lasts: boolean } } };
}

/** What is looked at before each answer. */
export interface Machinery {
  /** Those that there are at this moment. */
  readonly queues: () => readonly Pick<WorkQueue, 'depth' | 'delayedCount' | 'processingCount' | 'longestRunningMs' | 'adds' | 'retries'>[];
  /** Those that there are at this moment. */
  readonly watches: () => readonly { readonly health: ListWatchHealth; readonly store: { readonly size: number } }[];
  /** Those that there are at this moment. */
  readonly events: () => readonly { readonly dropped: number }[];
  /** Watched namespaces. @default - all are watched together */
  readonly scopes?: readonly ScopeHealth[];
  /** How many requests may be in flight at this moment. */
  readonly requestLimit: () => number;
  /** Open connections to the endpoint for reports of progress. @default - there is no such endpoint */
  readonly progressConnections?: () => number;
}

/** All metrics of an operator. */
export class OperatorMetrics {
  /** Metrics of jobs. */
  public readonly jobs: JobMetrics;
  private readonly registry = new MetricsRegistry();
  private readonly counted = new WeakMap<object, { readonly [name: string]: number }>();
  private readonly metrics: Metrics<typeof OPERATOR_FAMILIES>;

  public constructor({ process = false, v1Names = false, clock = SYSTEM_CLOCK }: OperatorMetricsOptions = {}) {
    this.metrics = this.registry.add(OPERATOR_FAMILIES);
    this.jobs = new JobMetrics(this.registry, { clock, v1Names });
    if (process) {
      this.registry.addProcessMetrics();
    }
  }

  /** For a client's `onRequest`. */
  public readonly request = ({ verb, resource, code, seconds }: RequestRecord): void => {
    this.metrics.requests.inc({ verb, resource, code });
    this.metrics.requestSeconds.observe({ verb, resource }, seconds);
  };

  /** For a controller's `onReconcile`. */
  public readonly reconciled = ({ outcome, seconds, conflict }: ReconcileRecord): void => {
    this.metrics.reconciles.observe({ result: outcome }, seconds);
    if ((outcome === 'error' && !conflict) || outcome === 'terminal') {
      this.metrics.reconcileErrors.inc({});
    }
  };

  /** For the progress endpoint's `onAnswer`. */
  public progressAnswered(status: number): void {
    this.metrics.progressReports.inc({ code: String(status) });
  }

  /** For the progress endpoint's `onRefused`. */
  public progressRefused(reason: string): void {
    this.metrics.progressRefused.inc({ reason });
  }

  /** Whether this process leads. */
  public leads(leads: boolean): void {
    this.metrics.leader.set({}, leads ? 1 : 0);
  }

  /** Says where the counts of the machinery are. */
  public observe(machinery: Machinery): void {
    this.registry.beforeAnswer(() => this.collect(machinery));
  }

  /** The answer of `/metrics`. */
  public readonly answer = async (): Promise<{ contentType: string; body: string }> => this.registry.answer();

  /** By how much a count has grown since this was last asked. */
  private growth(counts: object, name: string, count: number): number {
    const before = this.counted.get(counts) ?? {};
    this.counted.set(counts, { ...before, [name]: count });
    return count - (before[name] ?? 0);
  }

  private collect({ queues: currentQueues, watches: currentWatches, events, scopes = [], requestLimit, progressConnections }: Machinery): void {
    const { metrics } = this;
    const [queues, watches] = [currentQueues(), currentWatches()];
    // A watch that has ended for good (Kueue was removed) has no numbers any more.
    [metrics.lists, metrics.watches, metrics.watchHangs, metrics.watchFailures, metrics.cached].forEach((metric) => metric.reset());
    const sum = (count: (queue: typeof queues[number]) => number) => queues.reduce((total, queue) => total + count(queue), 0);
    metrics.queueDepth.set({}, sum((queue) => queue.depth));
    metrics.queueDelayed.set({}, sum((queue) => queue.delayedCount));
    metrics.queueRunning.set({}, sum((queue) => queue.processingCount));
    // Queues and recorders of events come and go with shards; what they have counted stays.
    queues.forEach((queue) => {
      metrics.queueAdds.inc({}, this.growth(queue, 'adds', queue.adds));
      metrics.queueRetries.inc({}, this.growth(queue, 'retries', queue.retries));
    });
    events().forEach((recorder) => metrics.eventsDropped.inc({}, this.growth(recorder, 'dropped', recorder.dropped)));
    metrics.queueLongest.set({}, Math.max(0, ...queues.map((queue) => queue.longestRunningMs)) / 1000);
    metrics.putAside.set({}, scopes.reduce((total, scope) => total + scope.putAside, 0));
    for (const { namespace, unavailable } of scopes.filter((scope) => scope.namespace !== undefined)) {
      metrics.namespaceUnavailable.set({ job_namespace: namespace! }, unavailable === undefined ? 0 : 1);
    }
    metrics.requestLimit.set({}, requestLimit());
    metrics.nodeOutage.set({}, scopes.some(({ nodes }) => nodes?.states.outage.lasts) ? 1 : 0);
    metrics.progressConnections.set({}, progressConnections?.() ?? 0);
    // One resource has a watch for each namespace in a namespaced installation.
    for (const resource of new Set(watches.map(({ health }) => health.resource))) {
      const same = watches.filter(({ health }) => health.resource === resource);
      const total = (count: (health: ListWatchHealth) => number) => same.reduce((all, { health }) => all + count(health), 0);
      metrics.lists.set({ resource }, total((health) => health.lists));
      metrics.watches.set({ resource }, total((health) => health.watches));
      metrics.watchHangs.set({ resource }, total((health) => health.watchdogEnds));
      metrics.watchFailures.set({ resource }, Math.max(...same.map(({ health }) => health.consecutiveFailures)));
      metrics.cached.set({ resource }, same.reduce((all, { store }) => all + store.size, 0));
    }
  }
}
