import { WorkQueue } from '../../../../src/operator/runtime/work-queue';
import type { ListWatchHealth } from '../../../../src/operator/runtime/watch/list-watch';
import { FAMILIES, JOB_FAMILIES } from '../../../../src/operator/training/metrics/families';
import { OperatorMetrics, type Machinery } from '../../../../src/operator/training/metrics/operator-metrics';
import { MetricsRegistry } from '../../../../src/operator/training/metrics/registry';
import { Samples } from '../support/prometheus-samples';

const scrape = async (metrics: OperatorMetrics) => new Samples((await metrics.answer()).body);

const health = (resource: string, counts: Partial<ListWatchHealth> = {}): ListWatchHealth => ({
  resource, state: 'watching', synced: true, refused: false, consecutiveFailures: 0, idleMs: 0, alive: true, lists: 0, watches: 0, watchdogEnds: 0, ...counts,
});

describe('metrics of the machinery', () => {
  test('count requests by verb, resource and code, each attempt', async () => {
    const metrics = new OperatorMetrics();
    const request = { verb: 'create', resource: 'pods', seconds: 0.2 };
    metrics.request({ ...request, code: '201' });
    metrics.request({ ...request, code: '201' });
    metrics.request({ ...request, code: 'ECONNREFUSED' });
    const samples = await scrape(metrics);
    expect(samples.value('trainyard_operator_api_requests_total', { verb: 'create', resource: 'pods', code: '201' })).toBe(2);
    expect(samples.value('trainyard_operator_api_requests_total', { verb: 'create', resource: 'pods', code: 'ECONNREFUSED' })).toBe(1);
    expect(samples.value('trainyard_operator_api_request_seconds_count', { verb: 'create', resource: 'pods' })).toBe(3);
  });

  test('count passes by result, and as errors only what is one', async () => {
    const metrics = new OperatorMetrics();
    const pass = { controller: 'c', key: 'k', seconds: 0.01, conflict: false };
    metrics.reconciled({ ...pass, outcome: 'success' });
    metrics.reconciled({ ...pass, outcome: 'error', conflict: true });
    expect((await scrape(metrics)).value('trainyard_operator_reconcile_errors_total', {})).toBe(0);
    metrics.reconciled({ ...pass, outcome: 'error' });
    metrics.reconciled({ ...pass, outcome: 'terminal' });
    const samples = await scrape(metrics);
    expect(samples.value('trainyard_operator_reconcile_errors_total', {})).toBe(2);
    expect(samples.value('trainyard_operator_reconcile_seconds_count', { result: 'error' })).toBe(2);
  });

  test('read queues and watches when somebody asks, those of several namespaces added up', async () => {
    const metrics = new OperatorMetrics();
    const queues = [new WorkQueue(), new WorkQueue()];
    queues.forEach((queue) => queue.add('ns/net'));
    queues[0].add('ns/net');
    const machinery: Machinery = {
      queues: () => queues,
      watches: () => [
        { health: health('pods', { lists: 1, watches: 3, consecutiveFailures: 2 }), store: { size: 4 } },
        { health: health('pods', { lists: 2, watches: 4, watchdogEnds: 1 }), store: { size: 5 } },
      ],
      events: () => [{ dropped: 6 }],
      requestLimit: () => 64,
      scopes: [
        { namespace: 'team-a', unavailable: undefined, putAside: 1 },
        { namespace: 'team-b', unavailable: 'list pods: Forbidden', putAside: 2, nodes: { states: { outage: { lasts: true } } } },
      ],
    };
    metrics.observe(machinery);
    const samples = await scrape(metrics);
    expect(samples.value('trainyard_operator_queue_depth', {})).toBe(2);
    expect(samples.value('trainyard_operator_queue_adds_total', {})).toBe(2);
    const pods = (name: string) => samples.value(`trainyard_operator_${name}`, { resource: 'pods' });
    expect(['lists_total', 'watch_restarts_total', 'watch_hangs_total', 'watch_failures', 'cached_objects'].map(pods)).toEqual([3, 7, 1, 2, 9]);
    expect(samples.value('trainyard_operator_events_dropped_total', {})).toBe(6);
    expect(samples.value('trainyard_operator_jobs_put_aside', {})).toBe(3);
    expect(samples.value('trainyard_operator_api_request_limit', {})).toBe(64);
    expect(samples.value('trainyard_operator_node_outage', {})).toBe(1);
    const unavailable = (namespace: string) => samples.value('trainyard_operator_namespace_unavailable', { job_namespace: namespace });
    expect(['team-a', 'team-b'].map(unavailable)).toEqual([0, 1]);
    // Read again, not added again.
    expect((await scrape(metrics)).value('trainyard_operator_watch_restarts_total', { resource: 'pods' })).toBe(7);
  });

  test('keep what queues and recorders of events have counted that are gone', async () => {
    const metrics = new OperatorMetrics();
    const queues = [new WorkQueue(), new WorkQueue()];
    const recorders = [{ dropped: 2 }, { dropped: 3 }];
    queues.forEach((queue) => queue.add('ns/net'));
    metrics.observe({ queues: () => queues, watches: () => [], events: () => recorders, requestLimit: () => 128 });
    const counts = async () => {
      const samples = await scrape(metrics);
      return ['queue_adds_total', 'events_dropped_total'].map((name) => samples.value(`trainyard_operator_${name}`, {}));
    };
    expect(await counts()).toEqual([2, 5]);
    queues.pop();
    recorders.pop();
    queues[0].add('ns/other');
    expect(await counts()).toEqual([3, 5]);
  });

  test('say nothing of a watch that is no longer there', async () => {
    const metrics = new OperatorMetrics();
    const watches = [{ health: health('workloads.kueue.x-k8s.io', { lists: 1 }), store: { size: 4 } }];
    metrics.observe({ queues: () => [], watches: () => watches, events: () => [], requestLimit: () => 128 });
    expect((await scrape(metrics)).value('trainyard_operator_cached_objects', { resource: 'workloads.kueue.x-k8s.io' })).toBe(4);
    watches.pop();
    expect((await metrics.answer()).body).not.toContain('workloads.kueue.x-k8s.io');
  });

  test('say who leads', async () => {
    const metrics = new OperatorMetrics();
    metrics.leads(false);
    expect((await scrape(metrics)).value('trainyard_operator_leader', {})).toBe(0);
    metrics.leads(true);
    expect((await scrape(metrics)).value('trainyard_operator_leader', {})).toBe(1);
  });

  test('of two operators in one process do not mix', async () => {
    const [one, other] = [new OperatorMetrics(), new OperatorMetrics()];
    one.leads(true);
    other.leads(false);
    expect((await scrape(one)).value('trainyard_operator_leader', {})).toBe(1);
    expect((await scrape(other)).value('trainyard_operator_leader', {})).toBe(0);
  });
});

test('two who ask at the same time get one answer, for which everything is counted once', async () => {
  const registry = new MetricsRegistry();
  let counted = 0;
  registry.beforeAnswer(async () => {
    counted++;
    await new Promise((resolve) => setImmediate(resolve));
  });
  const [one, other] = await Promise.all([registry.answer(), registry.answer()]);
  expect(one).toBe(other);
  expect(counted).toBe(1);
  await registry.answer();
  expect(counted).toBe(2);
});

describe('the list of metrics', () => {
  test('has names, units and labels as Prometheus wants them', () => {
    for (const { name, type, help, labels, buckets } of FAMILIES) {
      expect(name).toMatch(/^(trainyard|training_operator)_[a-z0-9_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect([name, type !== 'histogram' || name.endsWith('_seconds')]).toEqual([name, true]);
      expect([name, buckets !== undefined]).toEqual([name, type === 'histogram']);
      expect(help).toMatch(/^[A-Z0-9].*\.$/);
      // Nothing that grows with jobs, pods or nodes, and not the label that the scraper sets itself.
      expect(labels.filter((label) => ['job', 'pod', 'node', 'name', 'message', 'uid', 'namespace'].includes(label))).toEqual([]);
    }
    expect(new Set(FAMILIES.map(({ name }) => name)).size).toBe(FAMILIES.length);
  });

  test('refuses a use that does not fit the type of a metric', () => {
    const metrics = new MetricsRegistry().add(JOB_FAMILIES);
    expect(() => metrics.jobs.observe({}, 1)).toThrow('trainyard_jobs: observe does not fit its type');
    expect(() => metrics.startup.inc({})).toThrow('trainyard_job_startup_seconds: inc does not fit its type');
  });
});
