import { Duration, Testing } from 'cdk8s';
import { MetricsScrape, TrainingOperator, type OperatorMonitoring, type OperatorTracing } from '../../src/constructs/training-operator';

jest.mock('../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

const MONITORING_KINDS = ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'];

/** What a TrainingOperator installs for its monitoring, by kind; its dashboard under `Dashboard`. */
function synth(monitoring?: OperatorMonitoring, tracing?: OperatorTracing) {
  const chart = Testing.chart();
  new TrainingOperator(chart, 'Operator', { monitoring, tracing });
  const all = Testing.synth(chart);
  const found = all.filter(({ kind, metadata }) => MONITORING_KINDS.includes(kind) || metadata.name === 'trainyard-operator-dashboard');
  return {
    all,
    kinds: found.map(({ kind }) => kind),
    of: (kind: string) => found.find((object) => object.kind === kind)!,
  };
}

describe('a TrainingOperator', () => {
  test('installs nothing for monitoring unless asked to: the definitions may not be there', () => {
    expect(synth().kinds).toEqual([]);
  });

  test('with monitoring has itself scraped, alerts and a dashboard', () => {
    const { kinds, of } = synth({});
    expect(kinds).toEqual(['ServiceMonitor', 'PrometheusRule', 'ConfigMap']);
    expect(of('ServiceMonitor')).toMatchObject({
      metadata: { name: 'trainyard-operator', namespace: 'trainyard-system' },
      spec: { endpoints: [{ port: 'http', path: '/metrics', interval: '30s' }] },
    });
    expect(of('ConfigMap').metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  test('is selected by its monitor: the labels are those of its Service and pods, the port is one of theirs', () => {
    const { all, of } = synth({});
    const { selector, endpoints } = of('ServiceMonitor').spec;
    const service = all.find(({ kind }) => kind === 'Service');
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(endpoints[0].port);
    const pods = synth({ scrape: MetricsScrape.POD_MONITOR }).of('PodMonitor').spec;
    const { template } = all.find(({ kind }) => kind === 'Deployment').spec;
    expect(template.metadata.labels).toMatchObject(pods.selector.matchLabels);
    expect(template.spec.containers[0].ports.map(({ name }: { name: string }) => name)).toContain(pods.podMetricsEndpoints[0].port);
  });

  test('leaves out what is not wanted', () => {
    expect(synth({ scrape: MetricsScrape.NONE, alerts: false, dashboard: false }).kinds).toEqual([]);
    expect(synth({ scrape: MetricsScrape.POD_MONITOR, alerts: false }).kinds).toEqual(['PodMonitor', 'ConfigMap']);
  });

  test('takes labels, intervals and thresholds', () => {
    const { of } = synth({
      interval: Duration.minutes(1), labels: { release: 'kube-prometheus-stack' }, goodputTarget: 0.9, checkpointMaxAge: Duration.minutes(30),
      dashboardLabels: { dashboards: 'ml' }, dashboardFolder: 'Machine learning',
    });
    expect(of('ServiceMonitor').spec.endpoints[0].interval).toBe('60s');
    expect([of('ServiceMonitor'), of('PrometheusRule')].map(({ metadata }) => metadata.labels.release)).toEqual(Array(2).fill('kube-prometheus-stack'));
    const expressions = JSON.stringify(of('PrometheusRule').spec);
    expect(expressions).toContain('trainyard:job_goodput:ratio_rate1h < 0.9');
    expect(expressions).toContain('(trainyard_job_oldest_checkpoint_age_seconds) > 1800');
    expect(of('ConfigMap').metadata).toMatchObject({ labels: { dashboards: 'ml' }, annotations: { grafana_folder: 'Machine learning' } });
  });

  test('believes the GPU exporters of the operator\'s own namespaces of them', () => {
    const rules = (gpuExporterNamespaces?: string[]) => {
      const chart = Testing.chart();
      new TrainingOperator(chart, 'Operator', { monitoring: true, gpuExporterNamespaces });
      return JSON.stringify(Testing.synth(chart).find(({ kind }) => kind === 'PrometheusRule').spec);
    };
    expect(rules()).toContain('namespace=~\\"gpu-operator|nvidia-gpu-operator|gke-managed-system|gpu-monitoring\\"');
    expect(rules(['exporters'])).toContain('namespace=\\"exporters\\"');
  });

  test('counts by training-operator\'s names where they are asked for', () => {
    const variables = (monitoring: OperatorMonitoring) => synth(monitoring).all.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].env;
    expect(variables({ trainingOperatorNames: true })).toContainEqual({ name: 'METRICS_V1_NAMES', value: 'true' });
    expect(variables({}).map(({ name }: { name: string }) => name)).not.toContain('METRICS_V1_NAMES');
  });

  test('refuses values that mean nothing, and says where', () => {
    expect(() => synth({ goodputTarget: 80 }))
      .toThrow('TrainingOperator at \'test/Operator\': monitoring.goodputTarget is 80 and must be a share of the time, from 0 to 1.');
    expect(() => synth({ interval: Duration.millis(500) })).toThrow('monitoring.interval is 500 ms and must be whole seconds, 1 or more.');
    expect(() => synth({ checkpointMaxAge: Duration.seconds(0) })).toThrow('monitoring.checkpointMaxAge is 0 ms and must be whole seconds, 1 or more.');
  });
});

describe('a TrainingOperator that traces', () => {
  const variables = (tracing?: OperatorTracing) => synth(undefined, tracing).all.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].env
    .filter(({ name }: { name: string }) => name.startsWith('OTEL_'));

  test('is told where the collector is, by OpenTelemetry\'s own variables', () => {
    expect(variables()).toEqual([]);
    expect(variables({ endpoint: 'http://collector:4318' })).toEqual([{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' }]);
  });

  test('sends a part of the traces by their ids', () => {
    expect(variables({ endpoint: 'https://collector:4318', sampleRatio: 0.1 }).slice(1)).toEqual([
      { name: 'OTEL_TRACES_SAMPLER', value: 'traceidratio' }, { name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.1' },
    ]);
  });

  test('refuses an endpoint that is no URL, and a part that is none', () => {
    expect(() => variables({ endpoint: 'collector:4318' }))
      .toThrow('TrainingOperator at \'test/Operator\': tracing.endpoint is \'collector:4318\' and must be a URL that starts with http:// or https://.');
    const withPassword = () => variables({ endpoint: 'grpc://writer:fakepassword@collector:4317' });
    expect(withPassword).toThrow('must be a URL that starts with http');
    expect(withPassword).not.toThrow('fakepassword');
    expect(() => variables({ endpoint: 'http://collector:4318', sampleRatio: 10 })).toThrow('tracing.sampleRatio is 10 and must be a share of the traces');
  });
});
