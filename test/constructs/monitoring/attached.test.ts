/** The `monitoring` property of constructs that are watched one by one. */
import { Chart, Cron, Duration, Testing } from 'cdk8s';
import { TrainingOperator } from '../../../src';
import { RequestCounter } from '../../../src/constructs/monitoring';
import { RayCluster, RayCronJob, RayJob, RayService, type RayClusterProps } from '../../../src/constructs/ray';
import {
  InferenceService, LlmInferenceService, ModelFormat, ModelStorage, Predictor, ServingMode, type InferenceServiceOptions,
  type LlmInferenceServiceProps,
} from '../../../src/constructs/serving';
import {
  ScheduledSparkApplication, SparkApplication, SparkConnect, SparkMonitoring, SparkProgram, type SparkApplicationProps, type SparkConnectProps,
} from '../../../src/constructs/spark';

jest.mock('../../../src/constructs/training-operator/operator-bundle', () => ({ readOperatorBundle: () => Buffer.from('a bundle') }));

interface Written {
  readonly kind: string;
  // Tests look deep into objects of many kinds, and check what they find.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

const MONITORING_KINDS = ['ServiceMonitor', 'PodMonitor', 'PrometheusRule'];

/** What a program installs for monitoring. */
function synth(program: (chart: Chart) => void): Written[] {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
  program(chart);
  return (Testing.synth(chart) as Written[]).filter(({ kind, metadata }) => MONITORING_KINDS.includes(kind) || metadata.labels?.grafana_dashboard);
}

const names = (objects: readonly Written[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
const rules = (objects: readonly Written[]) => JSON.stringify(objects.find(({ kind }) => kind === 'PrometheusRule')!.spec);
const byService = (name: string) => [`ServiceMonitor ml/${name}`, `PrometheusRule ml/${name}`, `ConfigMap ml/${name}-dashboard`];
const all = (name: string) => [`PodMonitor ml/${name}`, `PrometheusRule ml/${name}`, `ConfigMap ml/${name}-dashboard`];

const ray = (options: Partial<RayClusterProps> = {}) => synth((chart) => {
  new RayCluster(chart, 'Net', { metadata: { name: 'net' }, image: 'rayproject/ray:2.54.0', ...options });
});
const program = SparkProgram.python('local:///app.py');
const etl = (options: Partial<SparkApplicationProps> = {}) => synth((chart) => {
  new SparkApplication(chart, 'Etl', { metadata: { name: 'etl' }, sparkVersion: '4.0.1', image: 'spark:4.0.1', program, ...options });
});
const iris = (options: Partial<InferenceServiceOptions> = {}) => synth((chart) => {
  new InferenceService(chart, 'Iris', {
    metadata: { name: 'iris' }, mode: ServingMode.STANDARD,
    predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris') }), ...options,
  });
});
const shared = (options: Partial<SparkConnectProps> = {}) => synth((chart) => {
  new SparkConnect(chart, 'Shared', { metadata: { name: 'shared' }, sparkVersion: '4.0.1', image: 'spark:4.0.1', ...options });
});
const qwen = (options: Partial<LlmInferenceServiceProps> = {}) => synth((chart) => {
  new LlmInferenceService(chart, 'Qwen', { metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), ...options });
});

describe('a construct', () => {
  test('installs nothing for monitoring unless it is asked to', () => {
    for (const objects of [
      ray(), ray({ monitoring: false }), etl(), etl({ monitoring: false }), iris(), iris({ monitoring: false }),
      shared(), shared({ monitoring: false }), qwen(), qwen({ monitoring: false }),
    ]) {
      expect(objects).toEqual([]);
    }
  });

  test('with `monitoring: true` has itself scraped, alerts and a dashboard', () => {
    expect(names(ray({ monitoring: true }))).toEqual(all('net-ray'));
    expect(names(etl({ monitoring: true }))).toEqual(all('etl-spark'));
    expect(names(iris({ monitoring: true }))).toEqual(all('iris-serving'));
    expect(names(shared({ monitoring: true }))).toEqual(byService('shared-spark-connect'));
    expect(names(qwen({ monitoring: true }))).toEqual(byService('qwen-llm'));
  });

  test('is the only one that its monitor and its alerts are about', () => {
    const [monitor] = ray({ monitoring: true });
    expect(monitor.spec.selector).toEqual({ matchLabels: { 'ray.io/is-ray-node': 'yes', 'ray.io/cluster': 'net' } });
    expect(monitor.spec).not.toHaveProperty('namespaceSelector');
    expect(rules(ray({ monitoring: true }))).toContain('ray_object_store_memory{namespace=\\"ml\\",ray_io_cluster=\\"net\\",');
    expect(etl({ monitoring: true })[0].spec.selector.matchLabels).toEqual({ 'spark-role': 'driver', 'sparkoperator.k8s.io/app-name': 'etl' });
    expect(iris({ monitoring: true })[0].spec.selector.matchLabels).toEqual({ 'serving.kserve.io/inferenceservice': 'iris' });
  });

  test('takes options, and says of wrong ones where they are', () => {
    expect(names(ray({ monitoring: { dashboard: false, scrape: false } }))).toEqual(['PrometheusRule ml/net-ray']);
    expect(names(iris({ monitoring: { alerts: false, scrape: false } }))).toEqual(['ConfigMap ml/iris-serving-dashboard']);
    expect(() => ray({ monitoring: { errorRatio: 2 } })).toThrow('RayCluster at \'test/Net\': monitoring.errorRatio is 2 and must be a share of the requests, from 0 to 1.');
    expect(() => iris({ monitoring: { waitingRequests: -1 } })).toThrow('InferenceService at \'test/Iris\': monitoring.waitingRequests is -1 and must be a number, 0 or more.');
  });
});

describe('an owner whose operator makes what is watched', () => {
  test('a RayJob and a RayService watch their clusters, whose names begin with theirs', () => {
    const cluster = { image: 'rayproject/ray:2.54.0' };
    const job = synth((chart) => {
      new RayJob(chart, 'Job', { metadata: { name: 'job' }, entrypoint: 'python train.py', cluster, monitoring: true });
    });
    expect(names(job)).toEqual(all('job-ray'));
    expect(job[0].spec.podMetricsEndpoints[0].relabelings).toEqual([{ action: 'keep', sourceLabels: ['__meta_kubernetes_pod_label_ray_io_cluster'], regex: 'job-[a-z0-9]{5}' }]);
    expect(rules(job)).toContain('ray_io_cluster=~\\"job-[a-z0-9]{5}\\"');
    expect(names(synth((chart) => {
      new RayService(chart, 'App', { metadata: { name: 'app' }, cluster, applications: [{ name: 'chat', importPath: 'app.main:chat' }], monitoring: { alerts: false } });
    }))).toEqual(['PodMonitor ml/app-ray', 'ConfigMap ml/app-ray-dashboard']);
  });

  test('a RayCronJob watches the clusters of its jobs, and tells of these jobs', () => {
    const objects = synth((chart) => {
      new RayCronJob(chart, 'Nightly', {
        metadata: { name: 'nightly' }, schedule: Cron.daily(), job: { entrypoint: 'python train.py', cluster: { image: 'rayproject/ray:2.54.0' } }, monitoring: true,
      });
    });
    expect(names(objects)).toEqual(all('nightly-ray'));
    const { regex } = objects[0].spec.podMetricsEndpoints[0].relabelings[0];
    const matching = ['nightly-x7k2p-9fz4q', 'nightly-29381760-9fz4q', 'nightly-x7k2p', 'nightly', 'nightly-2-x7k2p-9fz4q', 'other-x7k2p-9fz4q']
      .filter((name) => new RegExp(`^(${regex})$`).test(name));
    expect(matching).toEqual(['nightly-x7k2p-9fz4q', 'nightly-29381760-9fz4q', 'nightly-x7k2p']);
    expect(rules(objects)).toContain(`ray_io_cluster=~\\"${regex}\\"`);
    expect(rules(objects)).toContain(`name=~\\"nightly|${regex}\\"`);
  });

  test('jobs on a cluster that is not their own have nothing to watch', () => {
    const job = { entrypoint: 'python train.py' };
    const onNet = (chart: Chart) => ({ ...job, onCluster: RayCluster.fromRayClusterName(chart, 'Cluster', 'net') });
    const rest = 'sets \'monitoring\', but runs on a cluster that it does not own. Monitor that cluster instead, or all with Monitoring.forRay.';
    expect(() => synth((chart) => new RayJob(chart, 'Job', { ...onNet(chart), monitoring: true }))).toThrow(`RayJob at 'test/Job': ${rest}`);
    expect(() => synth((chart) => new RayCronJob(chart, 'Job', { schedule: Cron.daily(), job: onNet(chart), monitoring: {} }))).toThrow(`RayCronJob at 'test/Job': ${rest}`);
  });

  test('a ScheduledSparkApplication watches each of its runs', () => {
    const objects = synth((chart) => {
      new ScheduledSparkApplication(chart, 'Nightly', {
        metadata: { name: 'nightly' }, schedule: '@daily', sparkVersion: '4.0.1', image: 'spark:4.0.1', program, monitoring: true,
      });
    });
    expect(names(objects)).toEqual(all('nightly-spark'));
    expect(rules(objects)).toContain('sparkoperator_k8s_io_app_name=~\\"nightly-[0-9]+\\"');
  });
});

describe('a SparkApplication', () => {
  test('with `monitoring: true` shows Spark\'s own pages, which are what is scraped', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    new SparkApplication(chart, 'Etl', { metadata: { name: 'etl' }, sparkVersion: '4.0.1', image: 'spark:4.0.1', program, monitoring: true });
    const application = (Testing.synth(chart) as Written[]).find(({ kind }) => kind === 'SparkApplication')!;
    expect(application.spec.sparkConf).toMatchObject({ 'spark.ui.prometheus.enabled': 'true' });
  });

  test('with metrics of one\'s own choice installs what is asked for', () => {
    expect(names(etl({ monitoring: SparkMonitoring.servlet() }))).toEqual([]);
    expect(names(etl({ monitoring: SparkMonitoring.servlet(), monitoringObjects: { alerts: false } }))).toEqual(['PodMonitor ml/etl-spark', 'ConfigMap ml/etl-spark-dashboard']);
    expect(etl({ monitoring: true, monitoringObjects: false })).toEqual([]);
  });

  test('refuses alerts over pages that it does not show', () => {
    expect(() => etl({ monitoring: SparkMonitoring.jmxExporter({ jar: '/jmx.jar' }), monitoringObjects: true }))
      .toThrow('SparkApplication at \'test/Etl\': sets \'monitoringObjects\', whose alerts use Spark\'s own metrics pages, but has the JMX exporter instead.');
    expect(() => etl({ monitoringObjects: true })).toThrow('but exposes no metrics. Set monitoring to true or SparkMonitoring.servlet(), or remove it.');
  });
});

describe('an InferenceService', () => {
  const groups = (options: Partial<InferenceServiceOptions>) => iris(options).find(({ kind }) => kind === 'PrometheusRule')!.spec.groups.map(({ name }: { name: string }) => name);

  test('has requests counted by what stands in front of it in its mode, or by whom it is told', () => {
    expect(groups({ monitoring: true })).toEqual(['trainyard-serving-requests-envoy-gateway', 'trainyard-serving-models']);
    expect(groups({ mode: ServingMode.KNATIVE, monitoring: true })).toEqual(['trainyard-serving-requests-knative', 'trainyard-serving-models']);
    expect(groups({ monitoring: { requests: [RequestCounter.ISTIO] } })).toEqual(['trainyard-serving-requests-istio', 'trainyard-serving-models']);
  });
});

describe('a SparkConnect', () => {
  test('with `monitoring` shows Spark\'s own pages, and is scraped through its server\'s Service', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    new SparkConnect(chart, 'Shared', { metadata: { name: 'shared' }, image: 'spark:4.0.1', monitoring: { alerts: false } });
    const [connect, monitor] = ['SparkConnect', 'ServiceMonitor'].map((wanted) => (Testing.synth(chart) as Written[]).find(({ kind }) => kind === wanted)!);
    expect(connect.spec.sparkConf).toMatchObject({ 'spark.ui.prometheus.enabled': 'true' });
    expect(monitor.spec).toEqual({
      selector: { matchLabels: { 'sparkoperator.k8s.io/connect-name': 'shared' } },
      podTargetLabels: ['sparkoperator.k8s.io/connect-name'],
      endpoints: [{ port: 'web-ui', path: '/metrics/executors/prometheus', interval: '30s' }],
    });
  });

  test('may be without executors, and has the other alerts of an application, by its own label', () => {
    const written = rules(shared({ monitoring: { failedTaskRatio: 0.5 } }));
    expect([...written.matchAll(/"alert":"(\w+)"/g)].map(([, name]) => name)).toEqual(['SparkDriverDown', 'SparkTasksFail', 'SparkGarbageCollection']);
    expect(written).toContain('sparkoperator_k8s_io_connect_name=\\"shared\\"');
    expect(written).toContain('> 0.5');
  });

  test('says of wrong options where they are', () => {
    expect(() => shared({ monitoring: { garbageCollectionRatio: 2 } }))
      .toThrow('SparkConnect at \'test/Shared\': monitoring.garbageCollectionRatio is 2 and must be a share of the tasks\' time, from 0 to 1.');
  });
});

describe('an LlmInferenceService', () => {
  test('is scraped through its Service, by the protocol that it has', () => {
    expect(qwen({ monitoring: true })[0].spec).toEqual({
      selector: { matchLabels: { 'app.kubernetes.io/part-of': 'llminferenceservice', 'app.kubernetes.io/name': 'qwen' } },
      podTargetLabels: ['app.kubernetes.io/name'],
      endpoints: [
        { port: 'https', path: '/metrics', interval: '30s', scheme: 'https', tlsConfig: { insecureSkipVerify: true } },
        { port: 'http', path: '/metrics', interval: '30s' },
      ],
    });
  });

  test('takes thresholds, and says of wrong ones where they are', () => {
    const written = rules(qwen({ monitoring: { errorRatio: 0.02, firstTokenWithin: Duration.millis(1500), waitingRequests: 99 } }));
    for (const part of ['> 0.02', '> 1.5', '> 99', 'app_kubernetes_io_name=\\"qwen\\"']) {
      expect(written).toContain(part);
    }
    expect(() => qwen({ monitoring: { errorRatio: -1 } })).toThrow('LlmInferenceService at \'test/Qwen\': monitoring.errorRatio is -1 and must be a share of the requests, from 0 to 1.');
    expect(() => qwen({ monitoring: { firstTokenWithin: Duration.millis(0) } })).toThrow('monitoring.firstTokenWithin is 0 ms and must be greater than zero.');
    expect(() => qwen({ monitoring: { waitingRequests: NaN } })).toThrow('monitoring.waitingRequests is NaN and must be a number, 0 or more.');
  });
});

test('a TrainingOperator takes `monitoring: true` for all of it, and `false` for nothing', () => {
  const operator = (monitoring: boolean) => names(synth((chart) => {
    new TrainingOperator(chart, 'Operator', { monitoring });
  })).map((name) => name.split(' ')[0]);
  expect(operator(true)).toEqual(['ServiceMonitor', 'PrometheusRule', 'ConfigMap']);
  expect(operator(false)).toEqual([]);
});
