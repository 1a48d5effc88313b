/** What Ray's constructs synthesize, shown to the API server with KubeRay's definitions and strict checks. Nothing is kept. */
import { Chart, Cron, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Gpu, RayBatchScheduler } from '../../../src';
import {
  RayAuthentication, RayAutoscalerVersion, RayCluster, RayClusterUpgrade, RayCronJob, RayDeletionPolicy, RayFaultTolerance, RayIngressPathType,
  RayJob, RayJobEnd, RayJobSubmissionMode, RayService, RayServiceUpgrade, RayStorageDeletion, RayUpscaling, ServeProxyLocation,
  type RayClusterOptions, type RayPodOptions,
} from '../../../src/constructs/ray';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

/** Collections of the kinds, by namespace. */
const COLLECTIONS: { readonly [kind: string]: string } = {
  RayCluster: '/apis/ray.io/v1/namespaces/NAMESPACE/rayclusters',
  RayJob: '/apis/ray.io/v1/namespaces/NAMESPACE/rayjobs',
  RayService: '/apis/ray.io/v1/namespaces/NAMESPACE/rayservices',
  RayCronJob: '/apis/ray.io/v1/namespaces/NAMESPACE/raycronjobs',
  Service: '/api/v1/namespaces/NAMESPACE/services',
  StatefulSet: '/apis/apps/v1/namespaces/NAMESPACE/statefulsets',
};

let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('ray');
  await installCrds(upstreamCrds('kuberay'));
}, 120_000);
afterAll(async () => {
  await deleteNamespace(namespace);
});

/** What the API server says against all that a program writes, as `KIND NAME: what`; every pod template is shown as a pod too. */
async function objections(program: (chart: Chart) => void): Promise<string[]> {
  const chart = new Chart(Testing.app(), 'ray', { namespace });
  program(chart);
  const found: string[] = [];
  for (const object of Testing.synth(chart) as TestObject[]) {
    const shown = [{ collection: COLLECTIONS[object.kind!], object }, ...podsOf(object.spec).map((pod) => ({ collection: '/api/v1/namespaces/NAMESPACE/pods', object: pod }))];
    for (const { collection, object: one } of shown) {
      const { status, message, warnings } = await judge(collection.replace('NAMESPACE', namespace), one);
      found.push(...[...(status === 201 ? [] : [message]), ...warnings].map((text) => `${object.kind} ${object.metadata.name}: ${text}`));
    }
  }
  return found;
}

/** Pods of all templates below a value: the definitions check templates by their schema only. */
function podsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  type Template = { readonly metadata?: object; readonly spec: object };
  const { template: usual, submitterPodTemplate, ...others } = value as { readonly template?: Template; readonly submitterPodTemplate?: Template };
  const template = usual ?? submitterPodTemplate;
  const own = template === undefined ? [] : [{
    apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'pod' },
    // Accounts and classes of the examples are not there; volumes of a StatefulSet come from its claims.
    spec: { ...template.spec, serviceAccountName: undefined, priorityClassName: undefined, ...('volumeClaimTemplates' in value && { volumes: [{ name: 'data', emptyDir: {} }] }) },
  }];
  return [...own, ...Object.values(others).flatMap(podsOf)];
}

/** All that pods can be told. */
function everything(chart: Chart, id: string): RayPodOptions {
  const secret = kplus.Secret.fromSecretName(chart, `Secret-${id}`, 'hub');
  return {
    image: 'ray:2', env: { LEVEL: kplus.EnvValue.fromValue('info'), TOKEN: secret.envValue('token') }, envFrom: [kplus.Env.fromSecret(secret)],
    resources: { gpu: Gpu.nvidia(1), cpu: kplus.Cpu.units(2), memory: Size.gibibytes(8), ephemeralStorage: Size.gibibytes(1), sharedMemory: Size.gibibytes(1), extended: { 'rdma/hca': 1 } },
    volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, `Cache-${id}`, 'cache', { sizeLimit: Size.gibibytes(1) }) }],
    nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }], priorityClassName: 'high', schedulerName: 'packing', podLabels: { tier: 'back' }, podAnnotations: { note: 'x' },
    podSpec: { terminationGracePeriodSeconds: 90, containers: [{ name: 'proxy', image: 'proxy:1' }] }, startParams: { 'object-store-memory': '100000000' }, rayResources: { large: '1' }, rayLabels: { zone: 'a' },
  };
}

const LEAST: RayClusterOptions = { image: 'rayproject/ray:2.54.0' };
const password = (chart: Chart) => ({ secret: kplus.Secret.fromSecretName(chart, 'Redis', 'redis'), key: 'password' });

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least cluster', (chart) => {
    new RayCluster(chart, 'Ray', LEAST);
  }],
  ['a cluster with everything, a Redis and a Service of the dashboard', (chart) => {
    new RayCluster(chart, 'Ray', {
      image: 'ray:2', rayVersion: '2.56.0',
      head: { ...everything(chart, 'head'), runsTasks: false, serviceType: kplus.ServiceType.NODE_PORT, serviceAnnotations: { note: 'x' } },
      workerGroups: [
        { name: 'gpu', ...everything(chart, 'gpu'), replicas: 1, minReplicas: 1, maxReplicas: 4, hosts: 2, idleTimeout: Duration.minutes(1), priority: 10 },
        { name: 'tpu', accelerator: Accelerator.tpuV6e('4x4').perHost(), maxReplicas: 1 },
        { name: 'h100', accelerator: Accelerator.NVIDIA_H100_80GB.count(8), maxReplicas: 1 },
      ],
      autoscaler: {
        version: RayAutoscalerVersion.V2, idleTimeout: Duration.minutes(5), upscaling: RayUpscaling.AGGRESSIVE, image: 'scaler:1', env: { LEVEL: kplus.EnvValue.fromValue('debug') },
        resources: { cpu: kplus.Cpu.millis(200) },
      },
      faultTolerance: RayFaultTolerance.ownRedis({ password: password(chart), storageClassName: 'fast' }),
      authentication: RayAuthentication.kubernetes(),
      tls: true,
      dashboardIngress: { className: 'nginx', host: 'ray.example.org', path: '/', pathType: RayIngressPathType.PREFIX, tlsSecret: kplus.Secret.fromSecretName(chart, 'Cert', 'cert'), annotations: { a: 'b' } },
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Pull', 'pull')],
      upgrade: RayClusterUpgrade.RECREATE,
      queueName: 'q', queuePriorityClassName: 'high', multiKueue: true, gang: { scheduler: RayBatchScheduler.VOLCANO, queue: 'q', priorityClassName: 'high' },
    }).exposeDashboard({ serviceType: kplus.ServiceType.LOAD_BALANCER, sourceRanges: ['10.0.0.0/8'] });
  }],
  ['clusters with state elsewhere', (chart) => {
    const user = kplus.EnvValue.fromValue('ray');
    new RayCluster(chart, 'Away', { ...LEAST, suspend: true, faultTolerance: RayFaultTolerance.redis('redis.data:6379', { username: user, password: kplus.EnvValue.fromSecretValue(password(chart)), namespace: 'prod' }) });
    new RayCluster(chart, 'Made', { ...LEAST, faultTolerance: RayFaultTolerance.embedded({ size: Size.gibibytes(5), storageClassName: 'fast', subPath: 'ray', deletion: RayStorageDeletion.RETAIN }) });
    new RayCluster(chart, 'There', { ...LEAST, faultTolerance: RayFaultTolerance.embedded({ claim: kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'state') }) });
  }],
  ['a job with everything', (chart) => {
    new RayJob(chart, 'Job', {
      entrypoint: 'python train.py', cluster: { ...LEAST, workerGroups: [{ name: 'cpu', replicas: 2 }], authentication: RayAuthentication.token(kplus.Secret.fromSecretName(chart, 'Token', 'token')) },
      runtimeEnv: { workingDir: 'gs://code/app.zip', pip: ['torch'], envVars: { DEBUG: '1' } },
      entrypointResources: { cpus: 1.5, gpus: 0.5, custom: { large: 1 } },
      retries: 2, activeDeadline: Duration.hours(1), preRunningDeadline: Duration.minutes(10), ttlAfterFinished: Duration.minutes(1),
      submitter: { image: 'ray:1', resources: { cpu: kplus.Cpu.millis(200) }, retries: 3, podSpec: { nodeSelector: { pool: 'system' } } }, jobMetadata: { team: 'a' }, suspend: true,
    });
  }],
  ['a job with rules for its end', (chart) => {
    new RayJob(chart, 'Job', {
      entrypoint: 'python train.py', cluster: LEAST, submissionMode: RayJobSubmissionMode.SIDECAR,
      deletionRules: [
        { policy: RayDeletionPolicy.WORKERS, end: RayJobEnd.SUCCEEDED },
        { policy: RayDeletionPolicy.CLUSTER, end: RayJobEnd.SUCCEEDED, after: Duration.minutes(1) },
        { policy: RayDeletionPolicy.NONE, end: RayJobEnd.FAILED },
        { policy: RayDeletionPolicy.JOB, end: RayJobEnd.GIVEN_UP, after: Duration.days(1) },
      ],
    });
  }],
  ['jobs by other ways', (chart) => {
    new RayJob(chart, 'Interactive', { cluster: LEAST, submissionMode: RayJobSubmissionMode.INTERACTIVE });
    new RayJob(chart, 'There', { entrypoint: 'python train.py', onCluster: RayCluster.fromRayClusterName(chart, 'Shared', 'shared'), submissionMode: RayJobSubmissionMode.HTTP, jobId: 'mine' });
    new RayJob(chart, 'Queued', { entrypoint: 'python train.py', cluster: LEAST, queueName: 'q' });
  }],
  ['a schedule', (chart) => {
    new RayCronJob(chart, 'Cron', { schedule: Cron.daily(), timeZone: 'Europe/Berlin', suspend: true, job: { entrypoint: 'python train.py', cluster: LEAST, retries: 1 } });
  }],
  ['a service with everything', (chart) => {
    new RayService(chart, 'Service', {
      cluster: { ...LEAST, autoscaler: {}, workerGroups: [{ name: 'l4', accelerator: Accelerator.NVIDIA_L4.count(1), maxReplicas: 4 }], faultTolerance: RayFaultTolerance.ownRedis({ password: password(chart) }) },
      applications: [{ name: 'chat', importPath: 'app:chat', deployments: [{ name: 'Model', autoscaling: { maxReplicas: 4 }, gpus: 1 }] }],
      upgrade: RayServiceUpgrade.incremental({ gatewayClassName: 'istio', stepSizePercent: 10, interval: Duration.seconds(30), maxSurgePercent: 50 }),
      clusterDeletionDelay: Duration.minutes(5), excludeHead: true,
      proxyLocation: ServeProxyLocation.EVERY_NODE, http: { requestTimeout: Duration.minutes(1) },
      serviceType: kplus.ServiceType.LOAD_BALANCER, serviceAnnotations: { a: 'b' }, initializingTimeout: Duration.minutes(30), suspend: true,
    });
  }],
  ['the least service', (chart) => {
    new RayService(chart, 'Service', { cluster: LEAST, applications: [{ name: 'chat', importPath: 'app:chat' }], upgrade: RayServiceUpgrade.none() });
  }],
];

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    expect(await objections(program)).toEqual([]);
  });
});

describe('the API server refuses', () => {
  test('a field that no definition has, so that the tests above can fail', async () => {
    expect(await objections((chart) => {
      new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'ray' }, head: { podSpec: { nodeSelectors: {} } } });
    })).toEqual([expect.stringContaining('unknown field "spec.headGroupSpec.template.spec.nodeSelectors"'), expect.stringContaining('unknown field "spec.nodeSelectors"')]);
  });

  test('what KubeRay\'s own rules (CEL) exclude: no rule, and rules without a condition', async () => {
    const job = (deletionStrategy: object) => ({
      apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'job' }, spec: { entrypoint: 'a', clusterSelector: { 'ray.io/cluster': 'a' }, deletionStrategy },
    });
    const said = async (deletionStrategy: object) => (await judge(COLLECTIONS.RayJob.replace('NAMESPACE', namespace), job(deletionStrategy))).message;
    // Definitions that are made of facts have the rules, and say them as they are.
    expect(await said({})).toMatch(/deletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field|failed rule: .*has\(self\.onFailure\)\) \|\| has\(self\.deletionRules\)/);
    expect(await said({ deletionRules: [{ policy: 'DeleteSelf', condition: { ttlSeconds: 1 } }] }))
      .toMatch(/the deletion condition requires either the JobStatus or the JobDeploymentStatus field|failed rule: has\(self\.jobStatus\) \|\| has\(self\.jobDeploymentStatus\)/);
  });
});
