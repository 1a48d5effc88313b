import { App, Chart } from 'cdk8s';
import { TrainingOperator } from '../../../src';
import { readConfig } from '../../../src/operator/training/config';

describe('the operator\'s settings', () => {
  test('have defaults that suit a pod of a Deployment', () => {
    expect(readConfig({ POD_NAME: 'trainyard-operator-x', POD_NAMESPACE: 'trainyard-system' })).toEqual({
      watchNamespaces: [],
      workers: 64,
      shards: 1,
      maxRequests: 128,
      leaderElect: true,
      leaseSeconds: 15,
      namespace: 'trainyard-system',
      identity: 'trainyard-operator-x',
      healthPort: 8081,
      // All addresses: the kubelet probes the pod's.
      healthHost: undefined,
      logLevel: 'info',
      resyncSeconds: 600,
      statusCountsSeconds: 10,
      addresses: 'pods',
      v1MetricNames: false,
      traces: false,
    });
  });

  test('are read from the environment', () => {
    const config = readConfig({
      WATCH_NAMESPACES: 'team-a, team-b,', WORKERS: '4', MAX_REQUESTS: '8', LEADER_ELECT: 'false', HEALTH_PORT: '0', HEALTH_HOST: '127.0.0.1',
      LOG_LEVEL: 'debug', RESYNC_SECONDS: '30', TRAINYARD_ADDRESSES: 'loopback', METRICS_V1_NAMES: 'true',
      LEASE_SECONDS: '60', STATUS_COUNTS_SECONDS: '1',
    });
    expect(config).toMatchObject({
      watchNamespaces: ['team-a', 'team-b'], workers: 4, maxRequests: 8, leaderElect: false, healthPort: 0, healthHost: '127.0.0.1',
      logLevel: 'debug', resyncSeconds: 30, addresses: 'loopback', v1MetricNames: true, leaseSeconds: 60, statusCountsSeconds: 1,
    });
  });

  test('send traces to a collector that is named, unless OpenTelemetry is switched off', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(readConfig(endpoint).traces).toBe(true);
    expect(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }).traces).toBe(true);
    expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).traces).toBe(false);
    expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).traces).toBe(false);
  });

  test.each([
    [{ WORKERS: 'many' }, 'WORKERS is "many", but must be a whole number of at least 1'],
    [{ WORKERS: '0' }, 'WORKERS is "0", but must be a whole number of at least 1'],
    [{ HEALTH_PORT: '-1' }, 'HEALTH_PORT is "-1", but must be a whole number of at least 0'],
    [{ RESYNC_SECONDS: '1.5' }, 'RESYNC_SECONDS is "1.5"'],
    [{ LEADER_ELECT: 'yes' }, 'LEADER_ELECT is "yes", but must be one of true, false'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud", but must be one of info, debug, warn, error'],
    [{ SHARDS: '0' }, 'SHARDS is "0", but must be a whole number of at least 1'],
    [{ SHARDS: '4', LEADER_ELECT: 'false' }, 'SHARDS is "4" and LEADER_ELECT is "false", but shards are held by Leases. Remove one of the two.'],
    [{ TRAINYARD_ADDRESSES: 'lan' }, 'TRAINYARD_ADDRESSES is "lan", but must be one of pods, loopback'],
  ])('that cannot be read are named: %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  test('that the construct writes are those that the operator reads', () => {
    const chart = new Chart(new App(), 'operator');
    new TrainingOperator(chart, 'Operator', {
      watchNamespaces: ['team-a', 'team-b'], workers: 5, shards: 6, prometheusUrl: 'http://prometheus:9090',
      gpuExporterNamespaces: ['exporters', 'gpus'],
    });
    const deployment = chart.toJson().find((object) => object.kind === 'Deployment');
    const entries: { name: string; value?: string }[] = deployment.spec.template.spec.containers[0].env;
    const env = Object.fromEntries(entries.map(({ name, value }) => [name, value ?? `from the pod: ${name}`]));
    expect(readConfig(env)).toMatchObject({
      watchNamespaces: ['team-a', 'team-b'], workers: 5, shards: 6, leaderElect: true, healthPort: 8081, healthHost: undefined, logLevel: 'info',
      namespace: 'from the pod: POD_NAMESPACE', identity: 'from the pod: POD_NAME', addresses: 'pods', prometheus: { url: 'http://prometheus:9090', exporterNamespaces: ['exporters', 'gpus'] },
    });
  });
});
