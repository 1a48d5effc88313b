import { Chart, Duration, Testing } from 'cdk8s';
import { Monitoring, RequestCounter, type RayMonitoringProps, type ServingMonitoringProps } from '../../../src/constructs/monitoring';

interface Written {
  readonly kind: string;
  // Tests look deep into objects of many kinds, and check what they find.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

function synth(program: (chart: Chart) => void): Written[] {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'monitoring' });
  program(chart);
  return Testing.synth(chart);
}

const ray = (props?: RayMonitoringProps) => synth((chart) => Monitoring.forRay(chart, 'Ray', props));
const serving = (props?: ServingMonitoringProps) => synth((chart) => Monitoring.forServing(chart, 'Serving', props));
const names = (objects: readonly Written[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const expressions = (objects: readonly Written[]) => JSON.stringify(objects.find(({ kind }) => kind === 'PrometheusRule')!.spec);

describe('Monitoring', () => {
  test('of Ray is monitors of nodes and of their operator, alerts and a dashboard', () => {
    expect(names(ray())).toEqual([
      'PodMonitor trainyard-ray', 'PodMonitor trainyard-ray-operator', 'PrometheusRule trainyard-ray', 'ConfigMap trainyard-ray-dashboard',
    ]);
  });

  test('of Spark, of model servers and of GPUs is the same', () => {
    expect(names(synth((chart) => Monitoring.forSpark(chart, 'Spark')))).toEqual([
      'PodMonitor trainyard-spark', 'PodMonitor trainyard-spark-operator', 'PrometheusRule trainyard-spark', 'ConfigMap trainyard-spark-dashboard',
    ]);
    expect(names(serving())).toEqual([
      'PodMonitor trainyard-serving', 'ServiceMonitor trainyard-serving-llm', 'PrometheusRule trainyard-serving', 'ConfigMap trainyard-serving-dashboard',
    ]);
    expect(names(synth((chart) => Monitoring.forGpus(chart, 'Gpus')))).toEqual([
      'ServiceMonitor trainyard-gpus-gpu-operator', 'PodMonitor trainyard-gpus-gke-managed', 'ServiceMonitor trainyard-gpus-chart', 'PrometheusRule trainyard-gpus', 'ConfigMap trainyard-gpus-dashboard',
    ]);
  });

  test('looks into all namespaces, or those that are named', () => {
    const selector = (props: RayMonitoringProps) => ray(props)[0].spec.namespaceSelector;
    expect(selector({})).toEqual({ any: true });
    expect(selector({ namespaces: ['ml', 'dev'] })).toEqual({ matchNames: ['ml', 'dev'] });
    expect(expressions(ray({ namespaces: ['ml', 'dev'] }))).toContain('namespace=~\\"ml|dev\\"');
  });

  test('takes labels as they are from namespaces of GPU exporters alone', () => {
    const gpus = (exporterNamespaces?: string[]) => synth((chart) => Monitoring.forGpus(chart, 'Gpus', { exporterNamespaces }));
    const selectors = (objects: readonly Written[]) => objects.filter(({ kind }) => kind.endsWith('Monitor')).map(({ spec }) => spec.namespaceSelector);
    expect(selectors(gpus())).toEqual([{ matchNames: ['gpu-operator', 'nvidia-gpu-operator'] }, { matchNames: ['gke-managed-system'] }, { matchNames: ['gpu-monitoring'] }]);
    expect(selectors(gpus(['exporters']))).toEqual(Array(3).fill({ matchNames: ['exporters'] }));
    expect(expressions(gpus(['exporters']))).toContain('exported_pod!=\\"\\",namespace=\\"exporters\\"');
    expect(JSON.stringify(gpus(['exporters']).at(-1))).toContain('exporters');

    const spark = synth((chart) => Monitoring.forSpark(chart, 'Spark'));
    const honoured = [...gpus(), ...ray(), ...spark, ...serving()].filter((object) => JSON.stringify(object).includes('"honorLabels":true'));
    expect(honoured.map(({ metadata, spec }) => [metadata.name, spec.namespaceSelector.any])).toEqual([
      ['trainyard-gpus-gpu-operator', undefined], ['trainyard-gpus-gke-managed', undefined], ['trainyard-gpus-chart', undefined],
    ]);
  });

  test('puts its objects where they are wanted', () => {
    expect(ray({ namespace: 'prometheus' }).map(({ metadata }) => metadata.namespace)).toEqual(Array(4).fill('prometheus'));
    expect(ray().map(({ metadata }) => metadata.namespace)).toEqual(Array(4).fill('monitoring'));
  });

  test('leaves out what is not wanted', () => {
    expect(names(ray({ scrape: false, dashboard: false }))).toEqual(['PrometheusRule trainyard-ray']);
    expect(names(ray({ alerts: false, scrape: false }))).toEqual(['ConfigMap trainyard-ray-dashboard']);
  });

  test('takes labels, intervals and a folder', () => {
    const objects = ray({ labels: { release: 'prometheus' }, interval: Duration.minutes(1), dashboardLabels: { dashboards: 'ml' }, dashboardFolder: 'ML' });
    expect(objects.map(({ metadata }) => metadata.labels)).toEqual([
      ...Array(3).fill({ 'release': 'prometheus', 'app.kubernetes.io/managed-by': 'trainyard' }), { 'dashboards': 'ml', 'app.kubernetes.io/managed-by': 'trainyard' },
    ]);
    expect(objects[0].spec.podMetricsEndpoints[0].interval).toBe('60s');
    expect(objects[3].metadata.annotations).toEqual({ grafana_folder: 'ML' });
  });

  test('takes thresholds', () => {
    const written = expressions(ray({ errorRatio: 0.01, latency: Duration.millis(250), gpuIdleBelowPercent: 20, pendingFor: Duration.hours(1) }));
    for (const part of ['> 0.01', '> 250', '< 20', '"for":"1h"']) {
      expect(written).toContain(part);
    }
    const spark = expressions(synth((chart) => (
      Monitoring.forSpark(chart, 'Spark', { failedTaskRatio: 0.5, garbageCollectionRatio: 0.4, startWithin: Duration.hours(1) }))));
    for (const part of ['> 0.5', '> 0.4', '> 3600']) {
      expect(spark).toContain(part);
    }
    const gpus = expressions(synth((chart) => Monitoring.forGpus(chart, 'Gpus', { idleBelowPercent: 30, idleFor: Duration.hours(2), maxTemperature: 70 })));
    for (const part of ['< 30', '"for":"2h"', '> 70']) {
      expect(gpus).toContain(part);
    }
    expect(expressions(serving({ errorRatio: 0.02, latency: Duration.seconds(3), waitingRequests: 99 }))).toContain('> 99');
  });

  test('has requests to models counted by whom it is told', () => {
    const groups = (requests?: RequestCounter[]) => serving({ requests }).find(({ kind }) => kind === 'PrometheusRule')!.spec.groups.map(({ name }: { name: string }) => name);
    expect(groups()).toEqual(['trainyard-serving-requests-knative', 'trainyard-serving-requests-envoy-gateway', 'trainyard-serving-models']);
    expect(groups([RequestCounter.ISTIO])).toEqual(['trainyard-serving-requests-istio', 'trainyard-serving-models']);
    expect(groups([])).toEqual(['trainyard-serving-models']);
  });

  test('tells the names of its alerts, each once', () => {
    const chart = Testing.chart();
    expect(Monitoring.forServing(chart, 'Serving').alertNames).toEqual([
      'ServingErrors', 'ServingSlow', 'ServingPodDown', 'ServingModelSlow', 'LlmRequestsWait', 'LlmCacheFull',
    ]);
    expect(Monitoring.forServing(chart, 'Silent', { alerts: false }).alertNames).toEqual([]);
  });

  test.each<readonly [string, (chart: Chart) => void, string]>([
    ['namespaces', (chart) => Monitoring.forRay(chart, 'M', { namespaces: [] }), 'namespaces is [] and must be at least one namespace. Leave it out for all of them.'],
    ['interval', (chart) => Monitoring.forRay(chart, 'M', { interval: Duration.millis(1500) }), 'interval is 1500 ms and must be whole seconds, 1 or more.'],
    ['errorRatio', (chart) => Monitoring.forRay(chart, 'M', { errorRatio: 5 }), 'errorRatio is 5 and must be a share of the requests, from 0 to 1.'],
    ['latency', (chart) => Monitoring.forRay(chart, 'M', { latency: Duration.seconds(0) }), 'latency is 0 ms and must be greater than zero.'],
    ['gpuIdleBelowPercent', (chart) => Monitoring.forRay(chart, 'M', { gpuIdleBelowPercent: 0 }), 'gpuIdleBelowPercent is 0 and must be more than 0 and at most 100, in percent.'],
    ['pendingFor', (chart) => Monitoring.forRay(chart, 'M', { pendingFor: Duration.millis(1) }), 'pendingFor is 1 ms and must be whole seconds, 1 or more.'],
    ['failedTaskRatio', (chart) => Monitoring.forSpark(chart, 'M', { failedTaskRatio: -1 }), 'failedTaskRatio is -1 and must be a share of the tasks, from 0 to 1.'],
    ['garbageCollectionRatio', (chart) => Monitoring.forSpark(chart, 'M', { garbageCollectionRatio: 20 }), 'garbageCollectionRatio is 20 and must be a share of the tasks\' time, from 0 to 1.'],
    ['startWithin', (chart) => Monitoring.forSpark(chart, 'M', { startWithin: Duration.seconds(0) }), 'startWithin is 0 ms and must be whole seconds, 1 or more.'],
    ['errorRatio of models', (chart) => Monitoring.forServing(chart, 'M', { errorRatio: NaN }), 'errorRatio is NaN and must be a share of the requests, from 0 to 1.'],
    ['waitingRequests', (chart) => Monitoring.forServing(chart, 'M', { waitingRequests: -1 }), 'waitingRequests is -1 and must be a number, 0 or more.'],
    ['requests', (chart) => Monitoring.forServing(chart, 'M', { requests: [RequestCounter.ISTIO, RequestCounter.ISTIO] }), 'requests is [istio, istio] and must be a list that names \'istio\' once.'],
    ['idleBelowPercent', (chart) => Monitoring.forGpus(chart, 'M', { idleBelowPercent: 101 }), 'idleBelowPercent is 101 and must be more than 0 and at most 100, in percent.'],
    ['idleFor', (chart) => Monitoring.forGpus(chart, 'M', { idleFor: Duration.millis(10) }), 'idleFor is 10 ms and must be whole seconds, 1 or more.'],
    ['exporterNamespaces', (chart) => Monitoring.forGpus(chart, 'M', { exporterNamespaces: [] }), 'exporterNamespaces is [] and must be at least one namespace. Leave it out for the default.'],
    ['maxTemperature', (chart) => Monitoring.forGpus(chart, 'M', { maxTemperature: 0 }), 'maxTemperature is 0 and must be a number, 1 or more.'],
  ])('refuses a value of %s that means nothing, and says where', (_field, program, message) => {
    expect(() => program(Testing.chart())).toThrow(`Monitoring at 'test/M': ${message}`);
  });

  test('does not change unnoticed, with its dashboard', () => {
    expect(synth((chart) => Monitoring.forGpus(chart, 'Gpus', { namespace: 'prometheus', dashboardFolder: 'ML' }))).toMatchSnapshot();
  });

  test('does not change unnoticed', () => {
    expect(synth((chart) => Monitoring.forServing(chart, 'Serving', { dashboard: false, requests: [RequestCounter.KNATIVE] }))).toMatchSnapshot();
  });
});
