import { application, cluster, deployed, elastic, saidOfObject, service, serving } from './clusters';
import { constructRayServiceSpec } from '../../../src/manifests/ray/service';
import type { NamedRayService, RayServiceUpgradeSpec } from '../../../src/model/ray/service';
import type { RayClusterSpec } from '../../../src/model/ray/spec';
import { validateRayService } from '../../../src/model/ray/validation';
import { formatViolation } from '../../../src/model/violations';

const long = (length: number) => 'a'.repeat(length);
const incremental = (changes: Partial<RayServiceUpgradeSpec>, on: RayClusterSpec = elastic()) => service({
  cluster: on, upgrade: { type: 'NewClusterWithIncrementalUpgrade', gatewayClassName: 'istio', stepSizePercent: 10, intervalSeconds: 10, ...changes },
});
const SERVE = 'spec.serveConfigV2.applications[0]';
const DEPLOYMENT = `${SERVE}.deployments[0]`;

/** An annotation, which the construct writes apart. */
const ONLY_IN_CODE: readonly string[] = ['no time to start'];

/** What is wrong, the service, how the line begins that says so. One broken rule each. */
const BROKEN: readonly (readonly [string, NamedRayService, string])[] = [
  ['a name of 48 characters', service({}, { name: long(48) }), `metadata.name: "${long(48)}": has 48 characters, and KubeRay allows a RayService 47, because its clusters are NAME-xxxxx.`],
  ['a cluster that is wrong', service({ cluster: cluster({ rayVersion: 'new' }) }), 'spec.rayClusterConfig.rayVersion: "new": must be a version of Ray'],
  ['tokens of Kubernetes', service({ cluster: cluster({ rayVersion: '2.55.0', auth: { kubernetes: true } }) }), 'spec.rayClusterConfig.authOptions.enableK8sTokenAuth: true: is not supported for a RayService'],
  ['an autoscaler in a queue', service({ cluster: elastic() }, { queue: { queueName: 'q' } }), 'spec.rayClusterConfig.enableInTreeAutoscaling: true: cannot be combined with a queue'],

  // Applications.
  ['no application', serving(), 'spec.serveConfigV2.applications: []: must have at least one application.'],
  ['an application without name', serving(application({ name: '' })), `${SERVE}.name: "": must not be empty.`],
  ['two applications of one name', serving(application(), application({ routePrefix: '/b' })), 'spec.serveConfigV2.applications[1].name: "app": is the name of another application.'],
  ['two applications at one path', serving(application(), application({ name: 'b' })), 'spec.serveConfigV2.applications[1].route_prefix: "/": is already used by another application.'],
  ['a program without name', serving(application({ importPath: 'main' })), `${SERVE}.import_path: "main": must be MODULE:NAME`],
  ['a path without slash', serving(application({ routePrefix: 'a' })), `${SERVE}.route_prefix: "a": must start with '/'`],
  ['a path with a slash at its end', serving(application({ routePrefix: '/a/' })), `${SERVE}.route_prefix: "/a/": must start with '/' and not end with it`],
  ['a path with a wildcard', serving(application({ routePrefix: '/{a}' })), `${SERVE}.route_prefix: "/{a}": must start with '/'`],
  ['files that are only here', serving(application({ runtimeEnv: { workingDir: '/app' } })), `${SERVE}.runtime_env.working_dir: "/app": must be the URL of an archive`],
  ['a field that has a property', serving(application({ more: { deployments: [] } })), `${SERVE}.deployments: []: has its own property.`],
  ['a field of the whole that has a property', service({ serve: { applications: [application()], more: { proxy_location: 'EveryNode' } } }), 'spec.serveConfigV2.proxy_location: "EveryNode": has its own property.'],
  ['options of HTTP twice', service({ serve: { applications: [application()], httpPort: 80, more: { http_options: {} } } }), 'spec.serveConfigV2.http_options: {}: has its own property.'],
  ['a port that is none', service({ serve: { applications: [application()], httpPort: 70000 } }), 'spec.serveConfigV2.http_options.port: 70000: must be a whole number from 1 to 65535'],

  // Deployments.
  ['a deployment without name', serving(deployed({ name: '' })), `${DEPLOYMENT}.name: "": must not be empty`],
  ['a deployment twice', serving(application({ deployments: [{ name: 'M' }, { name: 'M' }] })), `${SERVE}.deployments[1].name: "M": is the name of another deployment`],
  ['a fixed number that changes', serving(deployed({ replicas: 2, autoscaling: { maxReplicas: 3 } })), `${DEPLOYMENT}.num_replicas: 2: is a fixed number, and autoscaling changes it.`],
  ['no replica', serving(deployed({ replicas: 0 })), `${DEPLOYMENT}.num_replicas: 0: must be a whole number, 1 or more.`],
  ['no request', serving(deployed({ maxOngoingRequests: 0 })), `${DEPLOYMENT}.max_ongoing_requests: 0: must be a whole number, 1 or more.`],
  ['a queue below no limit', serving(deployed({ maxQueuedRequests: -2 })), `${DEPLOYMENT}.max_queued_requests: -2: must be a whole number, -1`],
  ['fewer than no GPUs', serving(deployed({ gpus: -1 })), `${DEPLOYMENT}.ray_actor_options.num_gpus: -1: must be a number, 0 or more.`],
  ['a field of a deployment that has a property', serving(deployed({ more: { num_replicas: 2 } })), `${DEPLOYMENT}.num_replicas: 2: has its own property.`],
  ['fewest replicas below none', serving(deployed({ autoscaling: { minReplicas: -1, maxReplicas: 2 } })), `${DEPLOYMENT}.autoscaling_config.min_replicas: -1: must be a whole number`],
  ['most replicas of none', serving(deployed({ autoscaling: { minReplicas: 0, maxReplicas: 0 } })), `${DEPLOYMENT}.autoscaling_config.max_replicas: 0: must be a whole number, 1 or more.`],
  ['fewer at most than at least', serving(deployed({ autoscaling: { minReplicas: 3, maxReplicas: 2 } })), `${DEPLOYMENT}.autoscaling_config.max_replicas: 2: is less than min_replicas (3). Give more.`],
  ['Ray\'s default of one at most', serving(deployed({ autoscaling: { minReplicas: 3 } })), `${DEPLOYMENT}.autoscaling_config.max_replicas: 1: is less than min_replicas (3), because Ray's default is 1.`],
  ['a start outside of the limits', serving(deployed({ autoscaling: { initialReplicas: 5, maxReplicas: 2 } })), `${DEPLOYMENT}.autoscaling_config.initial_replicas: 5: must be between min_replicas (1) and max_replicas (2).`],
  ['a target of nothing', serving(deployed({ autoscaling: { maxReplicas: 2, targetOngoingRequests: 0 } })), `${DEPLOYMENT}.autoscaling_config.target_ongoing_requests: 0: must be more than 0.`],
  ['a target that is never reached', serving(deployed({ maxOngoingRequests: 4, autoscaling: { maxReplicas: 2, targetOngoingRequests: 5 } })), `${DEPLOYMENT}.autoscaling_config.target_ongoing_requests: 5: is never reached: a replica accepts 4 requests`],

  // How it is run, and how a new cluster takes over.
  ['a delay below none', service({ clusterDeletionDelaySeconds: -1 }), 'spec.rayClusterDeletionDelaySeconds: -1: must be whole seconds, 0 or more.'],
  ['no time to start', service({ initializingTimeoutSeconds: 0 }), 'metadata.annotations[\'ray.io/initializing-timeout\']: 0: must be whole seconds, 1 or more.'],
  ['a time to start in words', service({}, { annotations: { 'ray.io/initializing-timeout': 'soon' } }), 'metadata.annotations[\'ray.io/initializing-timeout\']: "soon": must be seconds or a duration'],
  ['nobody who serves', service({ excludeHead: true, cluster: cluster({ workerGroups: [] }) }), 'spec.excludeHeadPodFromServeSvc: true: leaves no pod to serve traffic'],
  ['requests on a head that gets none', service({ excludeHead: true, serve: { applications: [application()], proxyLocation: 'HeadOnly' } }), 'spec.serveConfigV2.proxy_location: "HeadOnly": accepts requests only on the head'],
  ['steps without an autoscaler', incremental({}, cluster()), 'spec.upgradeStrategy.type: "NewClusterWithIncrementalUpgrade": moves traffic as fast as the new cluster grows'],
  ['steps without a gateway', incremental({ gatewayClassName: '' }), 'spec.upgradeStrategy.clusterUpgradeOptions.gatewayClassName: "": is required'],
  ['steps of more than all', incremental({ stepSizePercent: 101, maxSurgePercent: 100 }), 'spec.upgradeStrategy.clusterUpgradeOptions.stepSizePercent: 101: must be a whole number from 0 to 100.'],
  ['growth of more than all', incremental({ maxSurgePercent: 101 }), 'spec.upgradeStrategy.clusterUpgradeOptions.maxSurgePercent: 101: must be a whole number from 0 to 100.'],
  ['steps that are larger than the growth', incremental({ stepSizePercent: 20, maxSurgePercent: 10 }), 'spec.upgradeStrategy.clusterUpgradeOptions.stepSizePercent: 20: is more than the new cluster may grow in one step'],
  ['steps at once', incremental({ intervalSeconds: 0 }), 'spec.upgradeStrategy.clusterUpgradeOptions.intervalSeconds: 0: must be whole seconds, 1 or more.'],
];

test.each(BROKEN)('a service with %s is told so', (what, broken, line) => {
  const lines = validateRayService(broken).map(formatViolation);
  expect(lines.map((found) => found.slice(0, line.length))).toContain(line);
  // Applications are YAML in a text, which is not read.
  const ofObject = saidOfObject('RayService', broken, constructRayServiceSpec(broken));
  expect(ofObject).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines.filter((found) => !found.startsWith('spec.serveConfigV2')));
  // A share above 100 is also more than the growth of 100.
  expect(lines.length).toBeLessThanOrEqual(2);
});

test.each([
  ['the least', service()],
  ['the longest name', service({}, { name: long(47) })],
  ['steps', incremental({})],
  ['two applications', serving(application(), application({ name: 'b', routePrefix: '/b', importPath: 'pkg.mod.app' }))],
  ['replicas by need from none on', serving(deployed({ autoscaling: { minReplicas: 0, maxReplicas: 4, initialReplicas: 0, targetOngoingRequests: 2 }, maxOngoingRequests: 4, gpus: 0.5 }))],
  ['files from the net', serving(application({ runtimeEnv: { workingDir: 'gs://bucket/app.zip', pyModules: ['https://host/a.whl?version=1'] } }))],
  ['a time to start', service({ initializingTimeoutSeconds: 60 }, { annotations: { 'ray.io/initializing-timeout': '30m' } })],
] as const)('a service with %s is in order', (_what, fine) => {
  expect(validateRayService(fine)).toEqual([]);
  expect(saidOfObject('RayService', fine, constructRayServiceSpec(fine))).toEqual([]);
});
