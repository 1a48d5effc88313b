/**
 * Objects of all of Spark's constructs, accepted by the real API server with the operator's definitions, strictly and without a warning; the
 * driver's rights, used.
 */
import { ApiObject, Chart, Duration, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator } from '../../../src';
import {
  ScheduledSparkApplication, SparkApplication, SparkConcurrency, SparkConnect, SparkEventLog, SparkHistoryServer, SparkIdentity, SparkMonitoring,
  SparkProgram, SparkRestartPolicy, SparkScheduler, type SparkApplicationProps, type SparkPodOptions,
} from '../../../src/constructs/spark';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { mayNow, untilGranted } from '../support/rights';
import { create, judge } from '../support/submit';

const COLLECTIONS: { readonly [kind: string]: string } = {
  SparkApplication: '/apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/sparkapplications',
  ScheduledSparkApplication: '/apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/scheduledsparkapplications',
  SparkConnect: '/apis/sparkoperator.k8s.io/v1alpha1/namespaces/NAMESPACE/sparkconnects',
  ServiceAccount: '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  ConfigMap: '/api/v1/namespaces/NAMESPACE/configmaps',
  Service: '/api/v1/namespaces/NAMESPACE/services',
  Deployment: '/apis/apps/v1/namespaces/NAMESPACE/deployments',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('spark');
  await installCrds(upstreamCrds('spark-operator'));
});
afterAll(async () => deleteNamespace(namespace));

const LEAST: SparkApplicationProps = { image: 'spark:4', program: SparkProgram.python('local:///app/main.py') };

/** All that a pod can be told. */
function pods(chart: Chart, id: string): SparkPodOptions {
  const secret = kplus.Secret.fromSecretName(chart, `Secret${id}`, 'registry');
  return {
    image: 'spark:5', cores: 2, coreRequest: kplus.Cpu.millis(500), coreLimit: kplus.Cpu.units(4), memory: Size.gibibytes(8), memoryOverhead: Size.gibibytes(2), javaOptions: '-XX:+UseG1GC',
    accelerator: Accelerator.NVIDIA_L4.count(2), env: { A: kplus.EnvValue.fromValue('1') }, envFrom: [kplus.Env.fromSecret(secret)],
    volumeMounts: [{ path: '/data', volume: kplus.Volume.fromEmptyDir(chart, `Data${id}`, 'data', { sizeLimit: Size.gibibytes(1) }) }],
    nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }], priorityClassName: 'high', podLabels: { tier: 'x' }, podAnnotations: { note: 'x' },
    podSpec: { terminationGracePeriodSeconds: 60, containers: [{ name: 'proxy', image: 'proxy:1' }] },
  };
}

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least application', (chart) => void new SparkApplication(chart, 'Features', LEAST)],
  ['an application with everything', (chart) => void new SparkApplication(chart, 'Features', {
    ...LEAST,
    program: SparkProgram.scala('gs://jobs/a.jar', 'org.example.Main'),
    arguments: ['--day', '1'],
    dependencies: {
      jars: ['gs://jobs/b.jar'], files: ['gs://jobs/c.json'], pyFiles: ['gs://jobs/d.zip'], archives: ['gs://jobs/e.tar.gz#e'], packages: ['a:b:1'], excludePackages: ['c:d'],
      repositories: ['https://repo.example.org'],
    },
    driver: pods(chart, 'Driver'),
    executor: { ...pods(chart, 'Executor'), gpusPerTask: 1 },
    dynamicAllocation: { initialExecutors: 1, minExecutors: 1, maxExecutors: 4, shuffleTracking: true, shuffleTrackingTimeout: Duration.minutes(1) },
    sparkConf: { 'spark.sql.ansi.enabled': 'true' },
    hadoopConf: { 'fs.gs.project.id': 'p' },
    imagePullPolicy: kplus.ImagePullPolicy.ALWAYS,
    imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'registry')],
    eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs'), 'spark', { compress: true, rolling: Size.mebibytes(128) }),
    monitoring: SparkMonitoring.jmxExporter({ jar: '/opt/jmx.jar', portName: 'metrics' }),
    batchScheduler: SparkScheduler.volcano({ queue: 'team', priorityClassName: 'high' }),
    restart: {
      policy: SparkRestartPolicy.ON_FAILURE, failureRetries: 1, failureRetryInterval: Duration.seconds(10), submissionRetries: 1,
      submissionRetryInterval: Duration.seconds(10),
    },
    ttlAfterFinished: Duration.hours(1),
    suspend: true,
    ui: { port: 80, serviceType: kplus.ServiceType.CLUSTER_IP, annotations: { a: 'b' } },
    driverIngresses: [{ port: 4040, portName: 'ui', urlFormat: '{{$appName}}.example.org' }],
  })],
  ['Spark\'s own metrics, YuniKorn, and a bucket of event logs', (chart) => void new SparkApplication(chart, 'Features', {
    ...LEAST, monitoring: SparkMonitoring.servlet(), batchScheduler: SparkScheduler.yunikorn('root.team'), eventLog: SparkEventLog.at('gs://logs/spark'),
  })],
  ['a schedule', (chart) => void new ScheduledSparkApplication(chart, 'Nightly', {
    ...LEAST, schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrency: SparkConcurrency.REPLACE, successfulRuns: 3, failedRuns: 3, suspendSchedule: true,
  })],
  ['the least server', (chart) => void new SparkConnect(chart, 'Shared', { image: 'spark:4' })],
  ['a server with everything', (chart) => void new SparkConnect(chart, 'Shared', {
    image: 'spark:4', server: pods(chart, 'Server'), executor: { ...pods(chart, 'Executor'), gpusPerTask: 1 }, dynamicAllocation: { minExecutors: 0, maxExecutors: 4 },
    sparkConf: { 'spark.sql.ansi.enabled': 'true' }, hadoopConf: { 'fs.gs.project.id': 'p' }, eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs')),
    serviceType: kplus.ServiceType.LOAD_BALANCER, serviceAnnotations: { a: 'b' },
  })],
  ['a history server', (chart) => void new SparkHistoryServer(chart, 'History', {
    image: 'spark:4', eventLog: SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs')), keep: Duration.days(30), serviceType: kplus.ServiceType.NODE_PORT,
    hadoopConf: { 'fs.gs.project.id': 'p' }, nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
  })],
];

function synthesize(program: (chart: Chart) => void): TestObject[] {
  const chart = new Chart(Testing.app(), 'spark', { namespace });
  program(chart);
  return Testing.synth(chart) as TestObject[];
}

const collectionOf = (kind: string) => COLLECTIONS[kind].replace('NAMESPACE', namespace);

/** Pods of the templates, which the definitions of Spark take whatever they say. What Spark and the namespace add is made up. */
function podsOf({ spec }: TestObject): object[] {
  const { driver, executor, server } = (spec.template ?? spec) as { readonly [role: string]: { readonly template?: TestObject } | undefined };
  return [driver, executor, server].flatMap((pod) => (pod?.template === undefined ? [] : [{
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod.template.metadata, generateName: 'pod-' },
    spec: {
      ...pod.template.spec, priorityClassName: undefined, serviceAccountName: undefined,
      containers: pod.template.spec.containers.map((container: object) => ({ image: 'spark:4', ...container })),
    },
  }]));
}

async function objections(objects: readonly TestObject[]): Promise<string[]> {
  const found: string[] = [];
  for (const object of objects) {
    const { status, message, warnings } = await judge(collectionOf(object.kind!), object);
    found.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind}: ${text}`));
    for (const pod of object.kind!.includes('Spark') ? podsOf(object) : []) {
      const verdict = await judge(`/api/v1/namespaces/${namespace}/pods`, pod);
      found.push(...[...(verdict.status === 201 ? [] : [verdict.message]), ...verdict.warnings].map((text) => `pod of ${object.kind}: ${text}`));
    }
  }
  return found;
}

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    expect(await objections(synthesize(program))).toEqual([]);
  });

  test('and refuses fields that no definition has, so that the tests above can fail', async () => {
    const objects = synthesize((chart) => {
      const application = new SparkApplication(chart, 'Features', { ...LEAST, driver: { podSpec: { nodeSelectors: {} } } });
      ApiObject.of(application).addJsonPatch(JsonPatch.add('/spec/newField', 'x'));
    });
    expect(await objections(objects)).toEqual([
      expect.stringContaining('unknown field "spec.newField"'), expect.stringMatching(/^pod of SparkApplication: .*unknown field "spec\.nodeSelectors"/),
    ]);
  });
});

test('a driver may do what it does, in its namespace, and nothing else', async () => {
  const objects = synthesize((chart) => new SparkIdentity(chart, 'Spark', { metadata: { name: 'spark' } }));
  for (const object of objects) {
    await create(collectionOf(object.kind!), object);
  }
  const user = `system:serviceaccount:${namespace}:spark`;
  const may = (verb: string, resource: string, where = namespace, group = '') => mayNow({ user, verb, resource, namespace: where, group });
  await untilGranted({ user, verb: 'create', resource: 'pods', namespace });
  for (const resource of ['pods', 'services', 'configmaps', 'persistentvolumeclaims']) {
    for (const verb of ['create', 'get', 'list', 'watch', 'delete', 'deletecollection']) {
      expect([verb, resource, await may(verb, resource)]).toEqual([verb, resource, true]);
    }
  }
  expect(await may('patch', 'pods')).toBe(true);
  for (const [verb, resource, where, group] of [['create', 'pods', 'default', ''], ['get', 'secrets', namespace, ''], ['create', 'jobs', namespace, 'batch'], ['create', 'pods/exec', namespace, '']]) {
    expect([verb, resource, await may(verb, resource, where, group)]).toEqual([verb, resource, false]);
  }
});
