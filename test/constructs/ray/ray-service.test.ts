import { Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { parse } from 'yaml';
import { complaints, LEAST, objects, written } from './support';
import {
  RayFaultTolerance, RayService, RayServiceUpgrade, ServeProxyLocation, type RayServiceProps, type ServeApplication,
} from '../../../src/constructs/ray';

const APP: ServeApplication = { name: 'chat', importPath: 'app.main:chat' };

const serviceOf = (props: Partial<RayServiceProps>) => written('RayService', (chart) => {
  new RayService(chart, 'Service', { cluster: LEAST, applications: [APP], ...props });
});
const serveOf = (props: Partial<RayServiceProps>) => parse(serviceOf(props).spec.serveConfigV2);

describe('a RayService', () => {
  test('by default is a cluster and an application behind /', () => {
    const chart = Testing.chart();
    const service = new RayService(chart, 'Service', { cluster: LEAST, applications: [APP], metadata: { name: 'chat' } });
    const [object] = Testing.synth(chart);
    const { rayClusterConfig, ...rest } = object.spec;
    expect(object).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayService', metadata: { name: 'chat' } });
    expect(rest).toEqual({
      serveConfigV2: `applications:
  - name: chat
    route_prefix: "/"
    import_path: app.main:chat
`,
    });
    expect(rayClusterConfig.rayVersion).toBe('2.54.0');
    expect([service.serveServiceName, service.headServiceName, service.serveUrl]).toEqual(['chat-serve-svc', 'chat-head-svc', 'http://chat-serve-svc:8000']);
    expect([service.kind, service.resourceType]).toEqual(['RayService', 'rayservices']);
    expect(service.workerGroups).toEqual([]);
  });

  test('has a generated name that KubeRay takes', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(40));
    expect(new RayService(chart, 'Service'.repeat(5), { cluster: LEAST, applications: [APP] }).name.length).toBeLessThanOrEqual(47);
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('with every option', () => {
    const { metadata, spec: { rayClusterConfig: _cluster, serveConfigV2: _serve, ...rest } } = serviceOf({
      upgrade: RayServiceUpgrade.newCluster(),
      clusterDeletionDelay: Duration.minutes(5),
      excludeHead: true,
      cluster: { ...LEAST, workerGroups: [{ name: 'cpu' }] },
      serviceType: kplus.ServiceType.LOAD_BALANCER,
      serviceAnnotations: { 'networking.gke.io/load-balancer-type': 'Internal' },
      initializingTimeout: Duration.minutes(30),
      suspend: false,
      metadata: { annotations: { team: 'a' } },
    });
    expect(metadata.annotations).toEqual({ 'team': 'a', 'ray.io/initializing-timeout': '1800s' });
    expect(rest).toEqual({
      upgradeStrategy: { type: 'NewCluster' },
      rayClusterDeletionDelaySeconds: 300,
      excludeHeadPodFromServeSvc: true,
      suspend: false,
      serveService: { metadata: { annotations: { 'networking.gke.io/load-balancer-type': 'Internal' } }, spec: { type: 'LoadBalancer' } },
    });
  });

  test('describes applications as Ray spells them', () => {
    expect(serveOf({
      proxyLocation: ServeProxyLocation.EVERY_NODE,
      http: { port: 9000, requestTimeout: Duration.minutes(1), keepAlive: Duration.minutes(2) },
      serveConfig: { logging_config: { encoding: 'JSON' } },
      applications: [{
        ...APP,
        routePrefix: '/chat',
        runtimeEnv: { workingDir: 'https://example.org/chat.zip', envVars: { MODEL: 'small' } },
        args: { size: 3 },
        more: { external_scaler_enabled: false },
        deployments: [
          {
            name: 'Model', autoscaling: { minReplicas: 0, maxReplicas: 4, initialReplicas: 1, targetOngoingRequests: 3, upscaleDelay: Duration.seconds(10), downscaleDelay: Duration.minutes(5) },
            maxOngoingRequests: 8, maxQueuedRequests: 100, cpus: 2, gpus: 0.5, memory: Size.gibibytes(1), customResources: { large: 1 }, acceleratorType: 'L4', userConfig: { threshold: 0.5 },
            healthCheckPeriod: Duration.seconds(5), healthCheckTimeout: Duration.seconds(20), gracefulShutdownTimeout: Duration.minutes(1),
            more: { max_replicas_per_node: 1 },
          },
          { name: 'Router', replicas: 2 },
        ],
      }],
    })).toEqual({
      proxy_location: 'EveryNode',
      http_options: { host: '0.0.0.0', port: 9000, request_timeout_s: 60, keep_alive_timeout_s: 120 },
      logging_config: { encoding: 'JSON' },
      applications: [{
        name: 'chat', route_prefix: '/chat', import_path: 'app.main:chat', args: { size: 3 }, external_scaler_enabled: false,
        runtime_env: { working_dir: 'https://example.org/chat.zip', env_vars: { MODEL: 'small' } },
        deployments: [
          {
            name: 'Model',
            autoscaling_config: {
              min_replicas: 0, max_replicas: 4, initial_replicas: 1, target_ongoing_requests: 3, upscale_delay_s: 10, downscale_delay_s: 300,
            },
            max_ongoing_requests: 8, max_queued_requests: 100, user_config: { threshold: 0.5 }, health_check_period_s: 5, health_check_timeout_s: 20,
            graceful_shutdown_timeout_s: 60, max_replicas_per_node: 1,
            ray_actor_options: { num_cpus: 2, num_gpus: 0.5, memory: 2 ** 30, resources: { large: 1 }, accelerator_type: 'L4' },
          },
          { name: 'Router', num_replicas: 2 },
        ],
      }],
    });
  });

  test('can have its proxy on the head alone', () => {
    expect(serveOf({ proxyLocation: ServeProxyLocation.HEAD_ONLY, applications: [APP] })).toMatchObject({ proxy_location: 'HeadOnly' });
  });

  test('can move its requests step by step, or keep its cluster as it is', () => {
    const grows = { cluster: { ...LEAST, autoscaler: {}, workerGroups: [{ name: 'cpu', maxReplicas: 4 }] } };
    expect(serviceOf({ ...grows, upgrade: RayServiceUpgrade.incremental({ gatewayClassName: 'istio', stepSizePercent: 10, interval: Duration.seconds(30), maxSurgePercent: 40 }) }).spec.upgradeStrategy).toEqual({
      type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions: { gatewayClassName: 'istio', stepSizePercent: 10, intervalSeconds: 30, maxSurgePercent: 40 },
    });
    expect(serviceOf({ upgrade: RayServiceUpgrade.none() }).spec.upgradeStrategy).toEqual({ type: 'None' });
  });

  test('has an address with the port of its own', () => {
    expect(new RayService(Testing.chart(), 'Service', { cluster: LEAST, metadata: { name: 'chat' }, http: { port: 9000 } }).serveUrl).toBe('http://chat-serve-svc:9000');
  });

  test('can survive the loss of its head', () => {
    const made = objects((chart) => {
      new RayService(chart, 'Service', {
        metadata: { name: 'chat' }, applications: [APP],
        cluster: { ...LEAST, faultTolerance: RayFaultTolerance.ownRedis({ password: { secret: kplus.Secret.fromSecretName(chart, 'S', 's'), key: 'p' } }) },
      });
    });
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Service chat-redis', 'StatefulSet chat-redis', 'RayService chat']);
    expect(made[2].spec.rayClusterConfig.gcsFaultToleranceOptions.redisAddress).toBe('redis://chat-redis:6379');
  });

  test('gets applications and workers after it was made, each name once', () => {
    const chart = Testing.chart();
    const service = new RayService(chart, 'Service', { cluster: LEAST, queueName: 'q' });
    service.addApplication(APP);
    service.addApplication({ name: 'admin', importPath: 'app.admin:admin', routePrefix: '/admin' });
    service.addWorkerGroup({ name: 'gpu' });
    expect(() => service.addApplication(APP)).toThrow('RayService at \'test/Service\': already has an application \'chat\'.');
    service.applications.pop();
    const [{ metadata, spec }] = Testing.synth(chart);
    expect(metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'q' });
    expect(parse(spec.serveConfigV2).applications.map(({ name }: ServeApplication) => name)).toEqual(['chat', 'admin']);
    expect(spec.rayClusterConfig.workerGroupSpecs).toHaveLength(1);
  });

  test('is told what is wrong with it and its cluster, with paths of its own object', () => {
    expect(complaints((chart) => {
      new RayService(chart, 'Service', { metadata: { name: 'chat' }, cluster: { ...LEAST, rayVersion: 'new' } });
    })).toEqual([
      'RayService \'chat\': spec.serveConfigV2.applications: []: must have at least one application. Add one.',
      'RayService \'chat\': spec.rayClusterConfig.rayVersion: "new": must be a version of Ray, such as 2.54.0: KubeRay derives the cluster\'s features from it.',
    ]);
  });

  test('looks as it did', () => {
    expect(serviceOf({ metadata: { name: 'chat' }, cluster: { ...LEAST, workerGroups: [{ name: 'cpu' }] } })).toMatchSnapshot();
  });
});
