/** What is installed for monitoring, shown to a real API server with the definitions of the Prometheus Operator and strict checks. */
import { Chart, Cron, Duration, Testing } from 'cdk8s';
import { Monitoring, RequestCounter } from '../../../src/constructs/monitoring';
import { RayCronJob, RayJob } from '../../../src/constructs/ray';
import { InferenceService, LlmInferenceService, ModelFormat, ModelStorage, Predictor, ServingMode } from '../../../src/constructs/serving';
import { SparkApplication, SparkConnect, SparkProgram } from '../../../src/constructs/spark';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

/** Collections of the kinds. Objects of other kinds are those of other tests. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  ServiceMonitor: '/apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/servicemonitors',
  PodMonitor: '/apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/podmonitors',
  PrometheusRule: '/apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/prometheusrules',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
};

let namespace: string;
beforeAll(async () => {
  namespace = await createNamespace('monitoring');
  await installCrds(upstreamCrds('prometheus-operator'));
});
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** What the API server has against the objects of a program, and which kinds it was shown. */
async function shown(program: (chart: Chart) => void): Promise<{ readonly kinds: string[]; readonly objections: string[] }> {
  const chart = new Chart(Testing.app(), 'monitoring', { namespace });
  program(chart);
  const objects = (Testing.synth(chart) as TestObject[]).filter(({ kind }) => kind! in COLLECTIONS);
  const objections: string[] = [];
  for (const object of objects) {
    const { status, message, warnings } = await judge(COLLECTIONS[object.kind!].replace('NAMESPACE', namespace), object);
    objections.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind} ${object.metadata.name}: ${text}`));
  }
  return { kinds: [...new Set(objects.map(({ kind }) => kind!))].sort(), objections };
}

const ALL = ['ConfigMap', 'PodMonitor', 'PrometheusRule'];

const OPTIONS = {
  interval: Duration.minutes(1), labels: { release: 'prometheus' }, dashboardLabels: { dashboards: 'ml' }, dashboardFolder: 'Machine learning',
};

const PROGRAMS: readonly (readonly [string, string[], (chart: Chart) => void])[] = [
  ['all of Ray', ALL, (chart) => Monitoring.forRay(chart, 'Ray', { ...OPTIONS, namespaces: ['ml', 'dev'] })],
  ['all of Spark', ALL, (chart) => Monitoring.forSpark(chart, 'Spark', OPTIONS)],
  ['all model servers, however requests are counted', [...ALL, 'ServiceMonitor'], (chart) => Monitoring.forServing(chart, 'Serving', {
    ...OPTIONS, requests: [RequestCounter.KNATIVE, RequestCounter.ISTIO, RequestCounter.ENVOY_GATEWAY],
  })],
  ['all GPUs', ['ConfigMap', 'PodMonitor', 'PrometheusRule', 'ServiceMonitor'], (chart) => Monitoring.forGpus(chart, 'Gpus', OPTIONS)],
  ['one of each, and the clusters of a job', ALL, (chart) => {
    new RayJob(chart, 'Job', { metadata: { name: 'job' }, entrypoint: 'python train.py', cluster: { image: 'rayproject/ray:2.54.0' }, monitoring: true });
    new SparkApplication(chart, 'Etl', {
      metadata: { name: 'etl' }, sparkVersion: '4.0.1', image: 'spark:4.0.1', program: SparkProgram.python('local:///app.py'), monitoring: true,
    });
    new InferenceService(chart, 'Iris', {
      metadata: { name: 'iris' }, mode: ServingMode.KNATIVE, monitoring: OPTIONS,
      predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris') }),
    });
  }],
  ['jobs of a schedule, a Spark Connect server and a large language model', [...ALL, 'ServiceMonitor'], (chart) => {
    new RayCronJob(chart, 'Nightly', {
      metadata: { name: 'nightly' }, schedule: Cron.daily(), job: { entrypoint: 'python train.py', cluster: { image: 'rayproject/ray:2.54.0' } }, monitoring: OPTIONS,
    });
    new SparkConnect(chart, 'Shared', { metadata: { name: 'shared' }, image: 'spark:4.0.1', monitoring: OPTIONS });
    new LlmInferenceService(chart, 'Qwen', { metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), monitoring: OPTIONS });
  }],
];

describe('the API server accepts, strictly and without a warning, what watches', () => {
  test.each(PROGRAMS)('%s', async (_title, kinds, program) => {
    expect(await shown(program)).toEqual({ kinds, objections: [] });
  });
});
