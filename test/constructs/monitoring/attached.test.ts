/** The `monitoring` property of constructs that are watched one by one. */
import { Chart, Testing } from 'cdk8s';
import {
  InferenceService, ModelFormat, ModelStorage, Predictor, RayCluster, RayJob, RayService, RequestCounter, ScheduledSparkApplication, ServingMode,
  SparkApplication, SparkMonitoring, SparkProgram, TrainingOperator, type InferenceServiceOptions, type RayClusterProps, type SparkApplicationProps,
} from '../../../src';

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

describe('a construct', () => {
  test('installs nothing for monitoring unless it is asked to', () => {
    for (const objects of [ray(), ray({ monitoring: false }), etl(), etl({ monitoring: false }), iris(), iris({ monitoring: false })]) {
      expect(objects).toEqual([]);
    }
  });

  test('with `monitoring: true` has itself scraped, alerts and a dashboard', () => {
    expect(names(ray({ monitoring: true }))).toEqual(all('net-ray'));
    expect(names(etl({ monitoring: true }))).toEqual(all('etl-spark'));
    expect(names(iris({ monitoring: true }))).toEqual(all('iris-serving'));
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
    expect(() => ray({ monitoring: { errorRatio: 2 } })).toThrow('RayCluster at \'test/Net\': monitoring.errorRatio is 2 and must be a part of the requests, from 0 to 1.');
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

  test('a RayJob on a cluster that is not its own has nothing to watch', () => {
    expect(() => synth((chart) => {
      const onCluster = RayCluster.fromRayClusterName(chart, 'Cluster', 'net');
      new RayJob(chart, 'Job', { metadata: { name: 'job' }, entrypoint: 'python train.py', onCluster, monitoring: true });
    })).toThrow('RayJob at \'test/Job\': gives \'monitoring\', and runs on a cluster that is not its own. Watch that cluster instead, or all with Monitoring.forRay.');
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
      .toThrow('SparkApplication at \'test/Etl\': gives \'monitoringObjects\', whose alerts ask for Spark\'s own pages, and has the JMX exporter instead.');
    expect(() => etl({ monitoringObjects: true })).toThrow('and shows no metrics. Set monitoring to true or SparkMonitoring.servlet(), or remove it.');
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

test('a TrainingOperator takes `monitoring: true` for all of it, and `false` for nothing', () => {
  const operator = (monitoring: boolean) => names(synth((chart) => {
    new TrainingOperator(chart, 'Operator', { monitoring });
  })).map((name) => name.split(' ')[0]);
  expect(operator(true)).toEqual(['ServiceMonitor', 'PrometheusRule', 'ConfigMap']);
  expect(operator(false)).toEqual([]);
});
