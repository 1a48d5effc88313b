import { ApiObject, Chart, Duration, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { complaints, LEAST, objects, written } from './support';
import { Accelerator, Gpu, RayBatchScheduler, TolerationEffect, Tpu } from '../../../src';
import {
  RayAuthentication, RayCluster, RayClusterUpgrade, RayFaultTolerance, RayIngressPathType, type RayClusterProps, type RayWorkerGroup,
} from '../../../src/constructs/ray';

const clusterOf = (props: Partial<RayClusterProps>) => written('RayCluster', (chart) => {
  new RayCluster(chart, 'Ray', { ...LEAST, ...props });
});
const groupOf = (group: Partial<RayWorkerGroup>, props: Partial<RayClusterProps> = {}) => clusterOf({ workerGroups: [{ name: 'g', ...group }], ...props }).spec.workerGroupSpecs[0];
const complaintsOf = (props: Partial<RayClusterProps>) => complaints((chart) => {
  new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'ray' }, ...props });
});
const COMPUTE = { requests: { cpu: '1', memory: '4Gi' }, limits: { cpu: '1', memory: '4Gi' } };

/** What every pod of Ray has by default. */
const HARDENED = { automountServiceAccountToken: false, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } };
const NO_ESCALATION = { allowPrivilegeEscalation: false };

describe('a RayCluster by default', () => {
  test('is a head with Ray\'s ports by name, of the release that its image is', () => {
    const chart = Testing.chart();
    const cluster = new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'ray', namespace: 'ml' } });
    expect(Testing.synth(chart)).toEqual([{
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { name: 'ray', namespace: 'ml' },
      spec: {
        rayVersion: '2.54.0',
        headGroupSpec: {
          rayStartParams: {},
          template: {
            metadata: {},
            spec: {
              ...HARDENED,
              containers: [{
                name: 'ray-head',
                securityContext: NO_ESCALATION,
                image: 'rayproject/ray:2.54.0',
                ports: [
                  { name: 'gcs-server', containerPort: 6379, protocol: 'TCP' }, { name: 'dashboard', containerPort: 8265, protocol: 'TCP' },
                  { name: 'client', containerPort: 10001, protocol: 'TCP' }, { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
                  { name: 'as-metrics', containerPort: 44217, protocol: 'TCP' }, { name: 'dash-metrics', containerPort: 44227, protocol: 'TCP' },
                  { name: 'serve', containerPort: 8000, protocol: 'TCP' },
                ],
                resources: COMPUTE,
              }],
            },
          },
        },
      },
    }]);
    expect([cluster.name, cluster.kind, cluster.resourceType]).toEqual(['ray', 'RayCluster', 'rayclusters']);
    expect([cluster.headServiceName, cluster.clientAddress, cluster.dashboardUrl]).toEqual(['ray-head-svc', 'ray://ray-head-svc:10001', 'http://ray-head-svc:8265']);
    expect(cluster.workerGroups).toEqual([]);
  });

  test('has groups of one replica that nothing changes, with a port for metrics', () => {
    expect(groupOf({})).toEqual({
      groupName: 'g', replicas: 1, minReplicas: 1, maxReplicas: 1, numOfHosts: 1, priority: 0, scaleStrategy: {}, rayStartParams: {},
      template: { metadata: {}, spec: { ...HARDENED, containers: [{ name: 'ray-worker', securityContext: NO_ESCALATION, image: 'rayproject/ray:2.54.0', ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }], resources: COMPUTE }] } },
    });
  });

  test('does not tell the release of an image that it does not know', () => {
    expect(clusterOf({ image: 'registry.example/ray-app:1' }).spec.rayVersion).toBeUndefined();
  });

  test('has a generated name that KubeRay takes', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(40));
    const cluster = new RayCluster(chart, 'Ray'.repeat(10), LEAST);
    expect(cluster.name.length).toBeLessThanOrEqual(53);
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('can be changed by its default child', () => {
    const chart = Testing.chart();
    ApiObject.of(new RayCluster(chart, 'Ray', LEAST)).addJsonPatch(JsonPatch.add('/spec/networkPolicy', { mode: 'DenyAll' }));
    expect(Testing.synth(chart)[0].spec.networkPolicy).toEqual({ mode: 'DenyAll' });
  });
});

describe('the pods of a group', () => {
  test('with every option', () => {
    const chart = Testing.chart();
    const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
    new RayCluster(chart, 'Ray', {
      ...LEAST,
      env: { LEVEL: kplus.EnvValue.fromValue('info'), MODE: kplus.EnvValue.fromValue('all') },
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
      imagePullSecrets: [secret],
      workerGroups: [{
        name: 'gpu',
        image: 'rayproject/ray:2.54.0-gpu',
        replicas: 2,
        hosts: 2,
        env: { LEVEL: kplus.EnvValue.fromValue('debug'), TOKEN: secret.envValue('token') },
        envFrom: [kplus.Env.fromSecret(secret)],
        resources: { gpu: Gpu.nvidia(1), cpu: kplus.Cpu.units(8), memory: Size.gibibytes(32), sharedMemory: Size.gibibytes(8) },
        volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }],
        nodeSelector: { pool: 'gpu' },
        tolerations: [{ key: 'spot', value: 'true', effect: TolerationEffect.NO_SCHEDULE }],
        priorityClassName: 'high',
        schedulerName: 'packing',
        podLabels: { tier: 'back' },
        podAnnotations: { note: 'x' },
        podSpec: { terminationGracePeriodSeconds: 90, containers: [{ name: 'proxy', image: 'proxy:1' }] },
        startParams: { 'object-store-memory': '1000000000' },
        rayResources: { large: '1' },
        rayLabels: { zone: 'a' },
        suspend: true,
      }],
    });
    expect(Testing.synth(chart)[0].spec.workerGroupSpecs).toEqual([{
      groupName: 'gpu', replicas: 2, minReplicas: 2, maxReplicas: 2, numOfHosts: 2, priority: 0, scaleStrategy: {}, suspend: true,
      rayStartParams: { 'object-store-memory': '1000000000' },
      resources: { large: '1' },
      labels: { zone: 'a' },
      template: {
        metadata: { labels: { tier: 'back' }, annotations: { note: 'x' } },
        spec: {
          serviceAccountName: 'trainer',
          securityContext: HARDENED.securityContext,
          imagePullSecrets: [{ name: 'hub' }],
          nodeSelector: { pool: 'gpu' },
          tolerations: [{ key: 'spot', operator: 'Equal', value: 'true', effect: 'NoSchedule' }, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
          priorityClassName: 'high',
          schedulerName: 'packing',
          terminationGracePeriodSeconds: 90,
          containers: [{
            name: 'ray-worker',
            securityContext: NO_ESCALATION,
            image: 'rayproject/ray:2.54.0-gpu',
            env: [
              { name: 'LEVEL', value: 'debug' }, { name: 'MODE', value: 'all' }, { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } },
            ],
            envFrom: [{ secretRef: { name: 'hub' } }],
            ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
            resources: { requests: { cpu: '8', memory: '32Gi' }, limits: { 'cpu': '8', 'memory': '32Gi', 'nvidia.com/gpu': '1' } },
            volumeMounts: [{ name: 'cache', mountPath: '/cache' }, { name: 'shared-memory', mountPath: '/dev/shm' }],
          }, { name: 'proxy', image: 'proxy:1', resources: {} }],
          volumes: [{ name: 'cache', emptyDir: {} }, { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } }],
        },
      },
    }]);
  });

  test('can be those of an accelerator, with its selector, network and tolerations', () => {
    const { template: { spec } } = groupOf({ accelerator: Accelerator.NVIDIA_H100_MEGA_80GB.count(8), resources: { cpu: kplus.Cpu.units(200) } });
    expect(spec.nodeSelector).toEqual({ 'cloud.google.com/gke-accelerator': 'nvidia-h100-mega-80gb' });
    expect(spec.containers[0].resources.limits).toEqual({ 'cpu': '200', 'nvidia.com/gpu': '8' });
    expect(spec.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });

  test('of a TPU slice are as many for each replica as it has hosts', () => {
    const group = groupOf({ accelerator: Accelerator.tpuV6e('4x4').perHost(), replicas: 2 });
    expect(group).toMatchObject({ replicas: 2, numOfHosts: 4 });
    expect(group.template.spec.containers[0].resources.limits).toMatchObject({ 'google.com/tpu': '4' });
    expect(group.template.spec.nodeSelector).toEqual({ 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' });
  });

  test.each<[string, Partial<RayWorkerGroup>, string]>([
    ['GPUs twice', { accelerator: Accelerator.NVIDIA_L4.count(1), resources: { gpu: Gpu.nvidia(1) } }, 'workerGroups[0].resources.gpu: 1: cannot be combined with \'workerGroups[0].accelerator\''],
    ['another accelerator by a label', { accelerator: Accelerator.NVIDIA_L4.count(1), nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-tesla-t4' } },
      'spec.workerGroupSpecs[0].template.spec.nodeSelector[\'cloud.google.com/gke-accelerator\']: "nvidia-tesla-t4": conflicts with \'workerGroups[0].accelerator\''],
    ['a count that no machine has', { accelerator: Accelerator.NVIDIA_L4.count(3) }, 'workerGroups[0].accelerator'],
    ['hosts of no slice', { accelerator: Accelerator.tpuV6e('4x4').perHost(), hosts: 2 }, 'spec.workerGroupSpecs[0].numOfHosts: 2: is not the number of hosts of a slice: tpu-v6e-slice 4x4 has 4'],
    ['labels of a slice and one host of it', { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' }, resources: { tpu: Tpu.chips(4) } },
      'spec.workerGroupSpecs[0].numOfHosts: 1: is not a number of complete slices'],
  ])('with %s are an error', (_what, group, line) => {
    expect(complaintsOf({ workerGroups: [{ name: 'g', ...group }] })).toEqual([expect.stringContaining(`RayCluster 'ray': ${line}`)]);
  });
});

describe('the head', () => {
  test('can be kept free of tasks', () => {
    expect(clusterOf({ head: { runsTasks: false }, workerGroups: [{ name: 'g' }] }).spec.headGroupSpec.rayStartParams).toEqual({ 'num-cpus': '0', 'num-gpus': '0' });
    expect(clusterOf({ head: { runsTasks: false, rayResources: { control: '1' } }, workerGroups: [{ name: 'g' }] }).spec.headGroupSpec).toMatchObject({
      rayStartParams: {}, resources: { CPU: '0', GPU: '0', control: '1' },
    });
  });

  test('can have a Service of another type, and an Ingress to the dashboard', () => {
    const chart = Testing.chart();
    new RayCluster(chart, 'Ray', {
      ...LEAST,
      head: { serviceType: kplus.ServiceType.NODE_PORT, serviceAnnotations: { note: 'x' } },
      dashboardIngress: {
        className: 'nginx', host: 'ray.example.org', path: '/', pathType: RayIngressPathType.PREFIX, tlsSecret: kplus.Secret.fromSecretName(chart, 'Cert', 'cert'),
        annotations: { 'nginx.ingress.kubernetes.io/auth-url': 'https://login' },
      },
    });
    const [{ metadata, spec: { headGroupSpec } }] = Testing.synth(chart);
    expect(headGroupSpec).toMatchObject({
      serviceType: 'NodePort',
      headService: { metadata: { annotations: { note: 'x' } } },
      enableIngress: true,
      ingressOptions: { host: 'ray.example.org', path: '/', pathType: 'Prefix', tls: [{ hosts: ['ray.example.org'], secretName: 'cert' }] },
    });
    expect(metadata.annotations).toEqual({ 'kubernetes.io/ingress.class': 'nginx', 'nginx.ingress.kubernetes.io/auth-url': 'https://login' });
  });

  test.each([
    [RayIngressPathType.EXACT, 'Exact'], [RayIngressPathType.PREFIX, 'Prefix'], [RayIngressPathType.IMPLEMENTATION_SPECIFIC, 'ImplementationSpecific'],
  ])('can have an Ingress whose path is matched as %s', (pathType, written) => {
    expect(clusterOf({ dashboardIngress: { className: 'nginx', path: '/', pathType } }).spec.headGroupSpec.ingressOptions).toEqual({ path: '/', pathType: written });
  });

  test('can show its dashboard, and no other port', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'ray' } }).exposeDashboard({
      serviceType: kplus.ServiceType.LOAD_BALANCER, port: 8265, annotations: { 'networking.gke.io/load-balancer-type': 'Internal' }, sourceRanges: ['10.0.0.0/8'],
    });
    expect(Testing.synth(chart)[1]).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'ray-dashboard', namespace: 'ml', annotations: { 'networking.gke.io/load-balancer-type': 'Internal' } },
      spec: {
        type: 'LoadBalancer', selector: { 'ray.io/cluster': 'ray', 'ray.io/node-type': 'head' }, ports: [{ name: 'dashboard', port: 8265, targetPort: 8265 }],
        loadBalancerSourceRanges: ['10.0.0.0/8'],
      },
    });
  });

  test('cannot let addresses in where nobody keeps others out', () => {
    const cluster = new RayCluster(Testing.chart(), 'Ray', LEAST);
    expect(() => cluster.exposeDashboard({ sourceRanges: ['10.0.0.0/8'] })).toThrow(
      'RayCluster at \'test/Ray\': sourceRanges (10.0.0.0/8) are addresses that a load balancer admits, but the Service of the dashboard is a ClusterIP.');
  });
});

describe('a cluster', () => {
  test('can ask for a token', () => {
    expect(clusterOf({ authentication: RayAuthentication.token() }).spec.authOptions).toEqual({ mode: 'token' });
    expect(clusterOf({ authentication: RayAuthentication.token(kplus.Secret.fromSecretName(Testing.chart(), 'S', 'ray-token')) }).spec.authOptions).toEqual({ mode: 'token', secretName: 'ray-token' });
    expect(clusterOf({ image: 'ray:1', rayVersion: '2.55.0', authentication: RayAuthentication.kubernetes() }).spec.authOptions).toEqual({ mode: 'token', enableK8sTokenAuth: true });
  });

  test('can talk by TLS, be suspended and be made anew', () => {
    expect(clusterOf({ tls: true, suspend: true, upgrade: RayClusterUpgrade.RECREATE }).spec).toMatchObject({ tlsOptions: { enabled: true }, suspend: true, upgradeStrategy: { type: 'Recreate' } });
    expect(clusterOf({ upgrade: RayClusterUpgrade.NONE }).spec.upgradeStrategy).toEqual({ type: 'None' });
  });

  test('can wait in a queue, and grow there', () => {
    const { metadata, spec } = clusterOf({ queueName: 'q', queuePriorityClassName: 'high', multiKueue: true, autoscaler: {}, workerGroups: [{ name: 'g', maxReplicas: 2 }] });
    expect(metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'q', 'kueue.x-k8s.io/priority-class': 'high' });
    expect(metadata.annotations).toEqual({ 'kueue.x-k8s.io/elastic-job': 'true' });
    expect(spec.managedBy).toBe('kueue.x-k8s.io/multikueue');
  });

  test.each([
    [RayBatchScheduler.VOLCANO, { 'volcano.sh/queue-name': 'q', 'ray.io/priority-class-name': 'high' }],
    [RayBatchScheduler.YUNIKORN, { 'ray.io/gang-scheduling-enabled': 'true', 'yunikorn.apache.org/queue': 'q' }],
    [RayBatchScheduler.KAI, { 'kai.scheduler/queue': 'q' }],
  ])('can be a gang of %s', (scheduler, labels) => {
    expect(clusterOf({ gang: { scheduler, queue: 'q', priorityClassName: 'high' } }).metadata.labels).toEqual(labels);
  });

  test('gets groups after it was made, each name once', () => {
    const chart = Testing.chart();
    const cluster = new RayCluster(chart, 'Ray', { ...LEAST, workerGroups: [{ name: 'a' }] });
    cluster.addWorkerGroup({ name: 'b', replicas: 3 });
    expect(() => cluster.addWorkerGroup({ name: 'b' })).toThrow('RayCluster at \'test/Ray\': already has a group \'b\'.');
    cluster.workerGroups.push({ name: 'c' });
    expect(Testing.synth(chart)[0].spec.workerGroupSpecs.map(({ groupName, replicas }: { groupName: string; replicas: number }) => `${groupName} ${replicas}`)).toEqual(['a 1', 'b 3']);
  });

  test('that is there already is known by its name', () => {
    const cluster = RayCluster.fromRayClusterName(Testing.chart(), 'Ray', 'shared');
    expect([cluster.name, cluster.resourceName, cluster.headServiceName]).toEqual(['shared', 'shared', 'shared-head-svc']);
    expect([cluster.kind, cluster.apiVersion, cluster.apiGroup, cluster.resourceType]).toEqual(['RayCluster', 'ray.io/v1', 'ray.io', 'rayclusters']);
  });

  test('with several mistakes is told all of them at once', () => {
    expect(complaintsOf({ metadata: { name: 'Ray' }, image: 'ray:1', authentication: RayAuthentication.token(), workerGroups: [{ name: 'A' }] }).map((line) => line.slice(0, 60))).toEqual([
      'RayCluster \'Ray\': metadata.name: "Ray": must be a DNS-1035 label, becaus',
      'RayCluster \'Ray\': spec.workerGroupSpecs[0].groupName: "A": is part of t',
      'RayCluster \'Ray\': spec.rayVersion: must be 2.52.0 or later with authe',
    ].map((line) => line.slice(0, 60)));
  });

  test('looks as it did', () => {
    expect(objects((chart) => {
      new RayCluster(chart, 'Ray', {
        ...LEAST, metadata: { name: 'ray' }, head: { runsTasks: false }, autoscaler: { idleTimeout: Duration.minutes(2) },
        faultTolerance: RayFaultTolerance.ownRedis({ password: { secret: kplus.Secret.fromSecretName(chart, 'Secret', 'redis'), key: 'password' } }),
        workerGroups: [{ name: 'l4', accelerator: Accelerator.NVIDIA_L4.count(1), maxReplicas: 4 }, { name: 'tpu', accelerator: Accelerator.tpuV6e('4x4').perHost(), maxReplicas: 1 }],
      });
    })).toMatchSnapshot();
  });
});
