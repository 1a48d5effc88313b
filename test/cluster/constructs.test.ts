/** What constructs synthesize, as a real API server with strict field validation sees it. Nothing is kept: every request is a dry run. */
import { Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { clusterAccess, mustRequest, type TestObject } from './support/cluster';
import { installCrds } from './support/crds';
import { withNamespace } from './support/namespace';
import { ResourcePaths } from './support/resource-paths';
import {
  Checkpoint, CleanPodPolicy, Framework, Gpu, LogLevel, MetricsScrape, ProcessesPerNode, RestartPolicy, SuccessPolicy, TolerationEffect, TrainingJob,
  TrainingOperator, type TrainingOperatorProps,
} from '../../src';
import { DashboardAuth, TrainyardDashboard, type TrainyardDashboardProps } from '../../src/constructs/dashboard';
import { TrainyardNotifier } from '../../src/constructs/notifications';
import { constructTrainingJobCrd } from '../../src/manifests/mltrainingjob-crd';
import { upstreamCrds } from '../support/upstream-definitions';

/** Applies an object strictly without keeping it. @returns warnings of the API server */
async function tryApply(object: TestObject): Promise<string[]> {
  const url = `${await new ResourcePaths(clusterAccess()).of(object)}?dryRun=All&fieldValidation=Strict&fieldManager=constructs-test&force=true`;
  return [...(await mustRequest('PATCH', url, object, 'application/apply-patch+yaml')).warnings];
}

async function tryApplyAll(objects: readonly TestObject[]): Promise<void> {
  for (const object of objects) {
    expect({ [`${object.kind} ${object.metadata.name}`]: await tryApply(object) }).toEqual({ [`${object.kind} ${object.metadata.name}`]: [] });
  }
}

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('prometheus-operator', 'gateway-api')]);
});

test('the API server accepts all objects of a TrainingOperator', async () => {
  await withNamespace(async (namespace) => {
    const chart = Testing.chart();
    new TrainingOperator(chart, 'Operator', {
      namespace,
      watchNamespaces: [namespace],
      workers: 4,
      logLevel: LogLevel.DEBUG,
      nodeSelector: { pool: 'system' },
      tolerations: [{ key: 'system', value: 'true', effect: TolerationEffect.NO_EXECUTE, evictAfter: Duration.minutes(1) }],
    });
    const objects = Testing.synth(chart) as TestObject[];
    expect(objects.length).toBeGreaterThan(10);
    await tryApplyAll(objects);
  });
});

test('the API server accepts what a TrainingOperator installs for Prometheus and Grafana', async () => {
  await withNamespace(async (namespace) => {
    const monitorings: readonly NonNullable<TrainingOperatorProps['monitoring']>[] = [
      { labels: { release: 'prometheus' }, dashboardFolder: 'Training', trainingOperatorNames: true }, { scrape: MetricsScrape.POD_MONITOR, interval: Duration.minutes(5) },
    ];
    const kinds = ['ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'ConfigMap'];
    const objects = monitorings.flatMap((monitoring) => {
      const chart = Testing.chart();
      new TrainingOperator(chart, 'Operator', { namespace, monitoring });
      return Testing.synth(chart) as TestObject[];
    }).filter(({ kind }) => kinds.includes(kind!));
    expect(new Set(objects.map(({ kind }) => kind)).size).toBe(kinds.length);
    await tryApplyAll(objects);
  });
});

test('the operator\'s pod keeps the restricted standard that its namespace enforces', async () => {
  await withNamespace(async (namespace) => {
    await mustRequest('PATCH', `/api/v1/namespaces/${namespace}`,
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }, 'application/merge-patch+json');
    const chart = Testing.chart();
    new TrainingOperator(chart, 'Operator', { namespace });
    const { template } = (Testing.synth(chart) as TestObject[]).find((object) => object.kind === 'Deployment')!.spec;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'operator', namespace }, spec: template.spec };
    // The account that the pod names has to be there, dry run or not.
    await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: template.spec.serviceAccountName } });
    await tryApplyAll([pod]);
  });
});

test('the API server accepts all objects of a TrainyardDashboard, and its pods keep the restricted standard', async () => {
  await withNamespace(async (namespace) => {
    await mustRequest('PATCH', `/api/v1/namespaces/${namespace}`,
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }, 'application/merge-patch+json');
    await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'trainyard-dashboard' } });
    const host = 'trainyard.example.com';
    const dashboards: readonly TrainyardDashboardProps[] = [
      {
        replicas: 2, auth: DashboardAuth.token({ sessionKeySecretName: 'session' }), ingress: { host, tlsSecretName: 'tls', className: 'nginx' }, path: '/trainyard/',
        service: { type: 'NodePort' }, nodeSelector: { pool: 'system' }, allowChanges: true,
      },
      { auth: DashboardAuth.headers({ userHeader: 'X-User', groupsHeader: 'X-Groups', groups: ['ml'], proxyNamespaces: ['auth'], proxyAddresses: ['10.8.0.0/16'] }) },
      { auth: DashboardAuth.kubeflow(), gateway: { host, name: 'gateway', namespace: 'infra', sectionName: 'https' }, image: 'registry.example/trainyard:1' },
    ];
    for (const props of dashboards) {
      const chart = Testing.chart();
      new TrainyardDashboard(chart, 'Dashboard', { namespace, ...props });
      const objects = Testing.synth(chart) as TestObject[];
      expect(objects.length).toBeGreaterThan(4);
      const { template } = objects.find((object) => object.kind === 'Deployment')!.spec;
      await tryApplyAll([...objects, { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'dashboard', namespace }, spec: template.spec }]);
    }
  });
});

test('the API server accepts all objects of a TrainyardNotifier, and the pod keeps the restricted standard', async () => {
  await withNamespace(async (namespace) => {
    await mustRequest('PATCH', `/api/v1/namespaces/${namespace}`,
      { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }, 'application/merge-patch+json');
    await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'trainyard-notifier' } });
    const chart = new Chart(Testing.app(), 'test', { namespace });
    new TrainyardNotifier(chart, 'Notifier', { allowedAddresses: ['10.8.0.0/16'], clusterName: 'west' });
    const objects = Testing.synth(chart) as TestObject[];
    const { template } = objects.find((object) => object.kind === 'Deployment')!.spec;
    await tryApplyAll([...objects, { apiVersion: 'v1', kind: 'Pod', metadata: { ...template.metadata, name: 'notifier', namespace }, spec: template.spec }]);
  });
});

test('the API server accepts a TrainingJob with every property', async () => {
  await withNamespace(async (namespace) => {
    const chart = new Chart(Testing.app(), 'test', { namespace });
    const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs');
    const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
    const common = {
      image: 'trainer:1',
      command: ['torchrun'],
      args: ['train.py'],
      workingDir: '/workspace',
      env: { TOKEN: secret.envValue('token') },
      envFrom: [kplus.Env.fromSecret(secret)],
      hyperparameters: { LR: '0.1' },
      checkpoint: Checkpoint.onClaim(claim, { folder: 'run-1', resumeFrom: '/checkpoints/1', gracePeriod: Duration.minutes(2) }),
      port: 12345,
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
      imagePullSecrets: [secret],
      podTemplate: { metadata: { labels: { team: 'a' } }, spec: { hostIPC: true, containers: [{ name: 'sidecar', image: 'sidecar:1' }] } },
      runPolicy: {
        restartPolicy: RestartPolicy.ON_FAILURE,
        backoffLimit: 3,
        backoff: { initial: Duration.seconds(5), max: Duration.minutes(1), resetAfter: Duration.hours(1) },
        exitCodes: { recover: [42], retry: [1], fail: [2] },
        disruptionLimit: 10,
        activeDeadline: Duration.days(1),
        ttlAfterFinished: Duration.hours(2),
        cleanPodPolicy: CleanPodPolicy.ALL,
        successPolicy: SuccessPolicy.ALL_WORKERS,
      },
      scheduling: {
        priorityClassName: 'high',
        schedulerName: 'bin-packing',
        nodeSelector: { pool: 'gpu' },
        tolerations: [{ key: 'nvidia.com/gpu' }],
      },
      suspend: true,
    };
    const short = new TrainingJob(chart, 'Short', {
      ...common,
      framework: Framework.pytorch({ nprocPerNode: ProcessesPerNode.of(8) }),
      replicas: 4,
      resources: {
        gpu: Gpu.mig('1g.5gb', 8), cpu: kplus.Cpu.millis(500), memory: Size.gibibytes(64), ephemeralStorage: Size.gibibytes(1), sharedMemory: Size.gibibytes(8),
        extended: { 'rdma/hca': 8 },
      },
    });
    short.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data', { sizeLimit: Size.gibibytes(10) }));
    new TrainingJob(chart, 'Long', {
      ...common,
      checkpoint: Checkpoint.onClaim(claim, { folder: 'run-2' }),
      framework: Framework.tensorflow(),
      roles: [
        { name: 'chief' },
        {
          name: 'worker', replicas: 3, image: 'other:1', command: ['a'], args: ['b'], env: { A: kplus.EnvValue.fromValue('1') },
          resources: { gpu: Gpu.amd(1) }, restartPolicy: RestartPolicy.EXIT_CODE, podTemplate: { spec: { hostNetwork: true } },
        },
      ],
    });
    await tryApplyAll(Testing.synth(chart) as TestObject[]);
  });
});
