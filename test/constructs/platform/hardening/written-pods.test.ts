/** What the security checks find in the pods of each family, in a namespace with a mesh; and that what a program says of its pods stands. */
import path from 'node:path';
import { App, Chart, Cron, Testing } from 'cdk8s';
import { Framework, RwxBackend, RwxCheckpointStore } from '../../../../src';
import { CronTraining, EventDrivenTraining, EventSource } from '../../../../src/constructs/events';
import { Pipeline, PipelineFile, RecurringRun } from '../../../../src/constructs/pipelines';
import { SecurityChecks } from '../../../../src/constructs/platform';
import { RayAuthentication, RayCluster, RayCronJob, RayJob, RayJobSubmissionMode, RayService } from '../../../../src/constructs/ray';
import { InferenceService, Predictor, ServingMode, ServingProtocol, ServingRuntime } from '../../../../src/constructs/serving';
import {
  ScheduledSparkApplication, SparkApplication, SparkConnect, SparkEventLog, SparkHistoryServer, SparkProgram,
} from '../../../../src/constructs/spark';
import { Notebook, NotebookServer } from '../../../../src/constructs/workbench';

const OF_THE_IMAGE = ['capabilities', 'read-only-root', 'run-as-non-root'];

const RAY = { image: 'rayproject/ray:2.54.0', workerGroups: [{ name: 'w', replicas: 1 }] };
const APPLICATIONS = [{ name: 'chat', importPath: 'app:chat' }];
const SPARK = { image: 'spark:4', program: SparkProgram.python('local:///main.py') };
const JOB = { framework: Framework.plain(), image: 'train:1', command: ['train'], replicas: 1 };
const nightly = PipelineFile.fromFile(path.join(__dirname, '..', '..', '..', '..', 'examples', 'pipelines', 'pipeline.yaml'));

const PROGRAMS: readonly (readonly [string, (chart: Chart) => unknown, readonly string[]])[] = [
  ['RayCluster', (chart) => new RayCluster(chart, 'A', RAY), OF_THE_IMAGE],
  ['RayCluster with an autoscaler', (chart) => new RayCluster(chart, 'A', { image: RAY.image, workerGroups: [{ name: 'w', maxReplicas: 4 }], autoscaler: {} }), [...OF_THE_IMAGE, 'service-account-token']],
  ['RayCluster that takes Kubernetes\' tokens', (chart) => new RayCluster(chart, 'A', { ...RAY, image: 'rayproject/ray:2.55.0', authentication: RayAuthentication.kubernetes() }), [...OF_THE_IMAGE, 'service-account-token']],
  ['RayJob', (chart) => new RayJob(chart, 'A', { cluster: RAY, entrypoint: 'python main.py' }), OF_THE_IMAGE],
  ['RayCronJob', (chart) => new RayCronJob(chart, 'A', { job: { cluster: RAY, entrypoint: 'python main.py' }, schedule: Cron.daily() }), OF_THE_IMAGE],
  ['RayService', (chart) => new RayService(chart, 'A', { cluster: RAY, applications: APPLICATIONS }), OF_THE_IMAGE],
  ['SparkApplication', (chart) => new SparkApplication(chart, 'A', SPARK), OF_THE_IMAGE],
  ['ScheduledSparkApplication', (chart) => new ScheduledSparkApplication(chart, 'A', { ...SPARK, schedule: '@daily' }), OF_THE_IMAGE],
  ['SparkConnect', (chart) => new SparkConnect(chart, 'A', { image: 'spark:4' }), OF_THE_IMAGE],
  ['SparkHistoryServer', (chart) => new SparkHistoryServer(chart, 'A', { image: 'spark:4', eventLog: SparkEventLog.at('gs://logs') }), []],
  ['Notebook', (chart) => new Notebook(chart, 'A', { server: NotebookServer.jupyter('jupyter:1') }), [...OF_THE_IMAGE, 'privilege-escalation', 'resource-requests']],
  ['InferenceService with an image', (chart) => new InferenceService(chart, 'A', { mode: ServingMode.KNATIVE, predictor: Predictor.container({ image: 'server:1' }) }), [...OF_THE_IMAGE, 'resource-requests']],
  ['ServingRuntime', (chart) => new ServingRuntime(chart, 'A', { formats: [{ name: 'mine' }], protocols: [ServingProtocol.V2], image: 'server:1' }), [...OF_THE_IMAGE, 'resource-requests', 'service-account-token']],
  ['RecurringRun', (chart) => new RecurringRun(chart, 'A', { version: new Pipeline(chart, 'P').addVersion('v1', nightly), schedule: '@daily', parameters: { table: 'clicks' } }), []],
  ['CronTraining', (chart) => new CronTraining(chart, 'A', { job: JOB, schedule: '@daily' }), []],
  ['EventDrivenTraining', (chart) => new EventDrivenTraining(chart, 'A', { job: JOB, source: EventSource.pubSub('projects/my-project/subscriptions/datasets') }), []],
  ['the cleanup of a store', (chart) => new RwxCheckpointStore(chart, 'A', { backend: RwxBackend.nfs('nfs.example', '/runs') }).addRetention({ keepLast: 1 }), []],
];

function chartWith(program: (chart: Chart) => unknown): Chart {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  program(chart);
  return chart;
}

test.each(PROGRAMS)('%s', (_title, program, expected) => {
  const found = new SecurityChecks(chartWith(program), 'Security', { meshNamespaces: ['ml'], failsSynth: false }).report().map(({ check }) => check as string);
  expect([...new Set(found)].sort()).toEqual([...expected].sort());
});

interface Written {
  readonly kind: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly spec: any;
}

const one = (kind: string, program: (chart: Chart) => unknown) => (
  (Testing.synth(chartWith(program)) as Written[]).find((object) => object.kind === kind)!.spec
);

/** What a program says of a pod and of its first container. */
const own = (container: string) => ({
  serviceAccountName: 'mine', securityContext: { seccompProfile: { type: 'Unconfined' } }, containers: [{ name: container, securityContext: { privileged: true } }],
});
const OWN = { serviceAccountName: 'mine', securityContext: { seccompProfile: { type: 'Unconfined' } } };

describe('what a program says of its pods stands', () => {
  test.each<[string, string, string, (chart: Chart, podSpec: object) => unknown, (spec: Written['spec']) => object]>([
    ['a head of Ray', 'RayCluster', 'ray-head', (chart, podSpec) => new RayCluster(chart, 'A', { ...RAY, head: { podSpec: { ...podSpec } } }), (spec) => spec.headGroupSpec.template.spec],
    ['workers of Ray', 'RayCluster', 'ray-worker', (chart, podSpec) => new RayCluster(chart, 'A', { image: RAY.image, workerGroups: [{ name: 'w', replicas: 1, podSpec: { ...podSpec } }] }),
      (spec) => spec.workerGroupSpecs[0].template.spec],
    ['the submitter of a RayJob', 'RayJob', 'ray-job-submitter', (chart, podSpec) => new RayJob(chart, 'A', { cluster: RAY, entrypoint: 'e', submitter: { podSpec: { ...podSpec } } }),
      (spec) => spec.submitterPodTemplate.spec],
  ])('%s', (_title, kind, container, program, podOf) => {
    const pod = podOf(one(kind, (chart) => program(chart, own(container))));
    expect(pod).toMatchObject({ ...OWN, containers: [{ name: container, securityContext: { privileged: true } }] });
    expect(pod).not.toHaveProperty('automountServiceAccountToken');
    expect(pod).not.toHaveProperty('containers.0.securityContext.allowPrivilegeEscalation');
  });

  test('a driver of Spark', () => {
    const { serviceAccountName: _account, ...podSpec } = own('spark-kubernetes-driver');
    const { driver } = one('SparkApplication', (chart) => new SparkApplication(chart, 'A', { ...SPARK, driver: { podSpec } }));
    expect(driver.template.spec).toMatchObject(podSpec);
    expect(driver.template.spec).not.toHaveProperty('containers.0.securityContext.allowPrivilegeEscalation');
  });

  test('a notebook', () => {
    const podSpec = { serviceAccountName: 'mine', securityContext: { seccompProfile: { type: 'Unconfined' } } };
    const { template } = one('Notebook', (chart) => new Notebook(chart, 'A', { server: NotebookServer.jupyter('jupyter:1'), podSpec }));
    expect(template.spec).toMatchObject(OWN);
    expect(template.spec).not.toHaveProperty('automountServiceAccountToken');
  });

  test('a server of KServe', () => {
    const { predictor } = one('InferenceService', (chart) => new InferenceService(chart, 'A', { mode: ServingMode.STANDARD, predictor: Predictor.container({ image: 'server:1', podSpec: { ...OWN } }) }));
    expect(predictor).toMatchObject({ ...OWN, containers: [{ securityContext: { allowPrivilegeEscalation: false } }] });
    expect(predictor).not.toHaveProperty('automountServiceAccountToken');
    expect(predictor.containers[0].securityContext).not.toHaveProperty('seccompProfile');
  });

  test('sidecars in pods of Ray and Spark', () => {
    const label = { 'sidecar.istio.io/inject': 'true' };
    const ray = one('RayJob', (chart) => new RayJob(chart, 'A', { cluster: { image: RAY.image, head: { podLabels: label } }, entrypoint: 'e' }));
    expect([ray.rayClusterSpec.headGroupSpec.template.metadata.labels, ray.submitterPodTemplate.metadata.labels]).toEqual([label, label]);
    const spark = one('SparkApplication', (chart) => new SparkApplication(chart, 'A', { ...SPARK, driver: { podAnnotations: label } }));
    expect([spark.driver.template.metadata, spark.executor.template.metadata]).toEqual([{ annotations: label, labels: label }, { labels: { 'sidecar.istio.io/inject': 'false' } }]);
  });
});

describe('the pod that submits a RayJob', () => {
  const submitterOf = (props: object) => one('RayJob', (chart) => new RayJob(chart, 'A', { entrypoint: 'e', ...props })).submitterPodTemplate;

  test('is written out, with the image of the head', () => {
    expect(submitterOf({ cluster: { ...RAY, head: { image: 'head:1' } } })).toMatchObject({ spec: { restartPolicy: 'Never', containers: [{ name: 'ray-job-submitter', image: 'head:1' }] } });
  });

  test('is KubeRay\'s where its image is not known, and is none where none submits', () => {
    expect(submitterOf({ onCluster: RayCluster.fromRayClusterName(new Chart(new App(), 'c'), 'C', 'there') })).toBeUndefined();
    expect(submitterOf({ cluster: RAY, submissionMode: RayJobSubmissionMode.HTTP })).toBeUndefined();
  });
});
