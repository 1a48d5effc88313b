import { elastic, group, growing, head, saidOfObject, standalone } from './clusters';
import { constructRayClusterSpec } from '../../../src/manifests/ray/cluster';
import type { RayClusterSpec, StandaloneRayCluster } from '../../../src/model/ray/spec';
import { validateRayCluster } from '../../../src/model/ray/validation';
import { formatViolation } from '../../../src/model/violations';

const long = (length: number) => 'a'.repeat(length);
const ofHead = (changes: Parameters<typeof head>[0], more: Partial<RayClusterSpec> = {}) => standalone({ head: head(changes), ...more });
const ofGroup = (changes: Parameters<typeof group>[0], more: Partial<RayClusterSpec> = {}) => standalone({ workerGroups: [group(changes)], ...more });
const growingWith = (changes: Parameters<typeof group>[0], more: Partial<RayClusterSpec> = {}) => ({ name: 'ray', cluster: elastic({ workerGroups: [growing(changes)], ...more }) });
const named = (name: string, value = 'x') => ({ env: [{ name, value }] });
const REDIS = { backend: 'redis', address: 'redis:6379' } as const;
const ROCKSDB = { backend: 'rocksdb' } as const;

/** What is wrong, the cluster, how the line begins that says so. One broken rule each. */
const BROKEN: readonly (readonly [string, StandaloneRayCluster, string])[] = [
  // Names.
  ['a name of 54 characters', standalone({}, { name: long(54) }), `metadata.name: "${long(54)}": has 54 characters, and KubeRay allows a RayCluster 53, because a Service of it is NAME-serve-svc.`],
  ['a name with capitals', standalone({}, { name: 'Ray' }), 'metadata.name: "Ray": must be a DNS-1035 label'],
  ['a name that starts with a digit', standalone({}, { name: '1ray' }), 'metadata.name: "1ray": must be a DNS-1035 label'],
  ['a group with capitals', ofGroup({ name: 'GPU' }), 'spec.workerGroupSpecs[0].groupName: "GPU": is part of the names of pods'],
  ['a group that is called like the head\'s', ofGroup({ name: 'headgroup' }), 'spec.workerGroupSpecs[0].groupName: "headgroup": is the group name of the head'],

  // What a node has.
  ['an image that is empty', ofHead({ image: ' ' }), 'spec.headGroupSpec.template.spec.containers[0].image: " ": must not be empty: the image of the head'],
  ['what a node has, said twice', ofGroup({ startParams: { 'num-cpus': '2' }, rayResources: { CPU: '2' } }),
    'spec.workerGroupSpecs[0].rayStartParams[\'num-cpus\']: "2": sets the resources of a node, and so does rayResources'],
  ['custom resources as a flag beside the field', ofHead({ startParams: { resources: '{"a":1}' }, rayResources: { b: '1' } }), 'spec.headGroupSpec.rayStartParams[\'resources\']: "{\\"a\\":1}": sets the resources of a node'],
  ['labels as a flag', ofHead({ startParams: { labels: 'a=b' } }), 'spec.headGroupSpec.rayStartParams[\'labels\']: "a=b": is not a flag that KubeRay passes on. Use rayLabels.'],
  ['a flag with dashes', ofHead({ startParams: { '--num-cpus': '1' } }), 'spec.headGroupSpec.rayStartParams[\'--num-cpus\']: "1": must be written without dashes, because KubeRay adds them. Use \'num-cpus\'.'],
  ['a flag with underscores', ofHead({ startParams: { num_cpus: '1' } }), 'spec.headGroupSpec.rayStartParams[\'num_cpus\']: "1": is not a flag of \'ray start\'. Did you mean \'num-cpus\'?'],
  ['the head\'s address as a flag', ofGroup({ startParams: { address: 'head:6379' } }), 'spec.workerGroupSpecs[0].rayStartParams[\'address\']: "head:6379": is the address of the head'],
  ['a resource of Ray in small letters', ofGroup({ rayResources: { cpu: '4' } }), 'spec.workerGroupSpecs[0].resources.cpu: "4": is spelled \'CPU\' in Ray.'],
  ['a resource that is not a number', ofGroup({ rayResources: { large: 'many' } }), 'spec.workerGroupSpecs[0].resources.large: "many": must be a number'],
  ['GPUs that KubeRay does not count', ofGroup({ resources: { cpu: '1', gpu: 1, gpuResourceName: 'gpu.intel.com/i915' } }),
    'spec.workerGroupSpecs[0].template.spec.containers[0].resources: "gpu.intel.com/i915": is not a resource that KubeRay counts as GPUs'],
  ['a label\'s name that is none', ofGroup({ rayLabels: { 'a b': 'c' } }), 'spec.workerGroupSpecs[0].labels[\'a b\']: "a b": must be a Kubernetes label name'],
  ['a label of Ray\'s own', ofGroup({ rayLabels: { 'ray.io/node-id': 'a' } }), 'spec.workerGroupSpecs[0].labels[\'ray.io/node-id\']: "ray.io/node-id": is set by Ray'],
  ['a label\'s value that is none', ofGroup({ rayLabels: { tier: 'a b' } }), 'spec.workerGroupSpecs[0].labels.tier: "a b": must be a Kubernetes label value'],
  ['a variable of KubeRay', ofGroup(named('RAY_ADDRESS')), 'spec.workerGroupSpecs[0].template.spec.containers[0].env[\'RAY_ADDRESS\']: "x": is set by KubeRay, so that Ray\'s nodes find each other. Rename it.'],
  ['cores on a head without tasks', ofHead({ runsTasks: false, startParams: { 'num-cpus': '4' } }), 'spec.headGroupSpec.rayStartParams[\'num-cpus\']: "4": allows tasks on the head'],
  ['nobody who runs tasks', ofHead({ runsTasks: false }, { workerGroups: [] }), 'spec.workerGroupSpecs: []: has no group, and the head runs no tasks'],

  // How many.
  ['part of a replica', ofGroup({ replicas: 1.5 }), 'spec.workerGroupSpecs[0].replicas: 1.5: must be a whole number, 0 or more.'],
  ['fewer than no hosts', ofGroup({ hosts: 0 }), 'spec.workerGroupSpecs[0].numOfHosts: 0: must be a whole number, 1 or more'],
  ['a range that nothing moves in', ofGroup({ replicas: 2, maxReplicas: 4 }), 'spec.workerGroupSpecs[0].maxReplicas: 4: differs from replicas (2), and without an autoscaler nothing would ever change'],
  ['no limit for an autoscaler', growingWith({ maxReplicas: undefined }), 'spec.workerGroupSpecs[0].maxReplicas: is required with an autoscaler: KubeRay\'s default of 2147483647 is no limit'],
  ['more at least than at most', growingWith({ minReplicas: 5 }), 'spec.workerGroupSpecs[0].minReplicas: 5: is more than maxReplicas (4). Swap them.'],
  ['replicas beyond the limits', growingWith({ replicas: 9 }), 'spec.workerGroupSpecs[0].replicas: 9: is not between minReplicas (0) and maxReplicas (4)'],
  ['a suspended group that would be started again', growingWith({ suspend: true }), 'spec.workerGroupSpecs[0].suspend: true: cannot be combined with an autoscaler'],

  // The autoscaler.
  ['an idle time of a group without autoscaler', ofGroup({ idleTimeoutSeconds: 60 }), 'spec.workerGroupSpecs[0].idleTimeoutSeconds: 60: is supported only by version 2 of the autoscaler, and this cluster does not have it.'],
  ['an idle time of a group with the first version', growingWith({ idleTimeoutSeconds: 60 }, { autoscaler: { version: 'v1' } }), 'spec.workerGroupSpecs[0].idleTimeoutSeconds: 60: is supported only by version 2 of the autoscaler.'],
  ['an idle time of a group with a Ray whose autoscaler is the first', growingWith({ idleTimeoutSeconds: 60 }, { rayVersion: '2.46.0' }), 'spec.workerGroupSpecs[0].idleTimeoutSeconds: 60: is supported only'],
  ['an idle time of a group with a Ray that nobody knows', growingWith({ idleTimeoutSeconds: 60 }, { rayVersion: undefined }),
    'spec.workerGroupSpecs[0].idleTimeoutSeconds: 60: is supported only by version 2 of the autoscaler, and the version of this cluster is unknown.'],
  ['an idle time below none', growingWith({ idleTimeoutSeconds: -1 }), 'spec.workerGroupSpecs[0].idleTimeoutSeconds: -1: must be whole seconds, 0 or more.'],
  ['a priority with a Ray that is too old', growingWith({ priority: 1 }), 'spec.workerGroupSpecs[0].priority: 1: needs Ray 2.56.0 or later, and this is 2.54.0.'],
  ['a priority with a Ray that nobody knows', growingWith({ priority: 1 }, { rayVersion: undefined }), 'spec.workerGroupSpecs[0].priority: 1: needs Ray 2.56.0 or later, and KubeRay must know the version'],
  ['a priority with the first version', growingWith({ priority: 1 }, { rayVersion: '2.56.0', autoscaler: { version: 'v1' } }), 'spec.workerGroupSpecs[0].priority: 1: is supported only by version 2 of the autoscaler.'],
  ['the second version with a Ray before it', growingWith({}, { rayVersion: '2.9.3', autoscaler: { version: 'v2' } }), 'spec.autoscalerOptions.version: "v2": was added in Ray 2.10.0, but this is 2.9.3.'],
  ['pods that restart under the second version', growingWith({ podSpec: { restartPolicy: 'OnFailure' } }), 'spec.workerGroupSpecs[0].template.spec.restartPolicy: "OnFailure": must be Never or left out for group \'cpu\''],
  ['a head that restarts under the second version', growingWith({}, { head: head({ podSpec: { restartPolicy: 'Always' } }) }), 'spec.headGroupSpec.template.spec.restartPolicy: "Always": must be Never or left out for the head'],
  ['the variable that chooses a version', growingWith({}, { head: head(named('RAY_enable_autoscaler_v2', '1')) }),
    'spec.headGroupSpec.template.spec.containers[0].env[\'RAY_enable_autoscaler_v2\']: "1": duplicates autoscaler.version'],
  ['the variable without an autoscaler', ofHead(named('RAY_enable_autoscaler_v2', 'true')), 'spec.headGroupSpec.template.spec.containers[0].env[\'RAY_enable_autoscaler_v2\']: "true": chooses an autoscaler version, but there is no autoscaler.'],
  ['the autoscaler\'s own command', growingWith({}, { autoscaler: named('KUBERAY_GEN_AUTOSCALER_START_CMD') }), 'spec.autoscalerOptions.env[\'KUBERAY_GEN_AUTOSCALER_START_CMD\']: "x": is set by KubeRay.'],
  ['an idle time of part of a second', growingWith({}, { autoscaler: { idleTimeoutSeconds: 0.5 } }), 'spec.autoscalerOptions.idleTimeoutSeconds: 0.5: must be whole seconds'],
  ['workers whose cores nobody knows', growingWith({ resources: { memory: '4Gi' } }), 'spec.workerGroupSpecs[0].template.spec.containers[0].resources: must set the number of cores of group \'cpu\''],
  ['a sidecar that is called like the autoscaler', growingWith({}, { head: head({ podSpec: { containers: [{ name: 'autoscaler' }] } }) }), 'spec.headGroupSpec.template.spec.containers[1].name: "autoscaler": is the name of a container that KubeRay adds.'],

  // What survives the head.
  ['the old annotation of fault tolerance', standalone({}, { annotations: { 'ray.io/ft-enabled': 'true' } }), 'metadata.annotations[\'ray.io/ft-enabled\']: "true": is deprecated.'],
  ['the old annotation of the namespace', standalone({ faultTolerance: REDIS }, { annotations: { 'ray.io/external-storage-namespace': 'a' } }), 'metadata.annotations[\'ray.io/external-storage-namespace\']: "a": is deprecated.'],
  ['Redis as a variable', ofHead(named('RAY_REDIS_ADDRESS')), 'spec.headGroupSpec.template.spec.containers[0].env[\'RAY_REDIS_ADDRESS\']: "x": is set by KubeRay from faultTolerance.'],
  ['its user as a variable', ofHead(named('REDIS_USERNAME'), { faultTolerance: REDIS }), 'spec.headGroupSpec.template.spec.containers[0].env[\'REDIS_USERNAME\']: "x": is set by KubeRay from faultTolerance.'],
  ['its password as a variable', ofHead({ env: [{ name: 'REDIS_PASSWORD', valueFrom: {} }] }, { faultTolerance: REDIS }), 'spec.headGroupSpec.template.spec.containers[0].env[\'REDIS_PASSWORD\']: is set by KubeRay'],
  ['its password as a flag', ofHead({ startParams: { 'redis-password': 'x' } }, { faultTolerance: REDIS }), 'spec.headGroupSpec.rayStartParams[\'redis-password\']: "x": appears in plain text in the head\'s command'],
  ['its user as a flag', ofHead({ startParams: { 'redis-username': 'x' } }), 'spec.headGroupSpec.rayStartParams[\'redis-username\']: "x": appears in plain text in the head\'s command'],
  ['an address without port', standalone({ faultTolerance: { backend: 'redis', address: 'redis' } }), 'spec.gcsFaultToleranceOptions.redisAddress: "redis": must be HOST:PORT or redis://HOST:PORT'],
  ['several addresses', standalone({ faultTolerance: { backend: 'redis', address: 'a:6379,b:6379' } }), 'spec.gcsFaultToleranceOptions.redisAddress: "a:6379,b:6379": must be HOST:PORT or redis://HOST:PORT of one Redis instance'],
  ['a claim that is there and has a size', standalone({ faultTolerance: { ...ROCKSDB, claimName: 'state', size: '1Gi' } }), 'spec.gcsFaultToleranceOptions.storage.size: "1Gi": belongs to a claim that KubeRay creates, but \'state\' is an existing claim.'],
  ['a claim that nobody can write to', standalone({ faultTolerance: { ...ROCKSDB, accessModes: ['ReadOnlyMany'] } }), 'spec.gcsFaultToleranceOptions.storage.accessModes: "ReadOnlyMany": does not allow writing.'],
  ['the embedded store as a variable', ofHead(named('RAY_GCS_STORAGE'), { faultTolerance: ROCKSDB }), 'spec.headGroupSpec.template.spec.containers[0].env[\'RAY_GCS_STORAGE\']: "x": is set by KubeRay from faultTolerance.'],
  ['a mount where the embedded store is', ofHead({ volumeMounts: [{ name: 'v', mountPath: '/data/gcs' }] }, { faultTolerance: ROCKSDB }), 'spec.headGroupSpec.template.spec.containers[0].volumeMounts: "/data/gcs": is where KubeRay mounts'],

  // Versions, tokens, TLS, the way in.
  ['a version that is none', standalone({ rayVersion: 'latest' }), 'spec.rayVersion: "latest": must be a version of Ray, such as 2.54.0'],
  ['an image of another release', ofGroup({ image: 'rayproject/ray:2.53.0-gpu' }, { rayVersion: '2.54.0' }),
    'spec.workerGroupSpecs[0].template.spec.containers[0].image: "rayproject/ray:2.53.0-gpu": has Ray 2.53.0, but the cluster uses 2.54.0: group \'cpu\' could not join it.'],
  ['tokens of a Ray that nobody knows', standalone({ auth: {} }), 'spec.rayVersion: must be 2.52.0 or later with authentication'],
  ['tokens of a Ray that is too old', standalone({ auth: {}, rayVersion: '2.51.2' }), 'spec.rayVersion: "2.51.2": must be 2.52.0 or later with authentication: older releases of Ray do not require a token'],
  ['tokens of Kubernetes with a Ray that is too old', standalone({ auth: { kubernetes: true }, rayVersion: '2.54.0' }), 'spec.rayVersion: "2.54.0": must be 2.55.0 or later with authentication'],
  ['a variable of tokens', ofGroup(named('RAY_AUTH_MODE'), { auth: {}, rayVersion: '2.54.0' }), 'spec.workerGroupSpecs[0].template.spec.containers[0].env[\'RAY_AUTH_MODE\']: "x": is set by KubeRay from authentication.'],
  ['a variable of TLS', ofHead(named('RAY_USE_TLS'), { tls: true }), 'spec.headGroupSpec.template.spec.containers[0].env[\'RAY_USE_TLS\']: "x": is set by KubeRay, which creates the certificates'],
  ['a variable of TLS for the autoscaler', growingWith({}, { tls: true, autoscaler: named('RAY_TLS_CA_CERT') }), 'spec.autoscalerOptions.env[\'RAY_TLS_CA_CERT\']: "x": is set by KubeRay, which creates the certificates'],
  ['a mount where the certificates are', ofGroup({ volumeMounts: [{ name: 'v', mountPath: '/etc/ray/tls' }] }, { tls: true }), 'spec.workerGroupSpecs[0].template.spec.containers[0].volumeMounts: "/etc/ray/tls": is volume \'v\''],
  ['a host with a scheme', ofHead({ ingress: { host: 'https://ray' } }), 'spec.headGroupSpec.ingressOptions.host: "https://ray": must be a host name'],
  ['a path without a slash', ofHead({ ingress: { path: 'ray' } }), 'spec.headGroupSpec.ingressOptions.path: "ray": must start with \'/\'.'],
  ['a certificate of no host', ofHead({ ingress: { tlsSecretName: 'cert' } }), 'spec.headGroupSpec.ingressOptions.tls: "cert": is a host certificate, but no host is set.'],

  // Queues and gangs.
  ['suspension in a queue', standalone({}, { queue: { queueName: 'q' }, suspend: true }), 'spec.suspend: true: is decided by Kueue'],
  ['a priority of Kueue in no queue', standalone({}, { queue: { queuePriorityClassName: 'high' } }), 'metadata.labels[\'kueue.x-k8s.io/priority-class\']: "high": applies to Kueue, but the object is not in a queue.'],
  ['another cluster without a queue', standalone({}, { queue: { multiKueue: true } }), 'spec.managedBy: true: applies to Kueue, but the object is not in a queue.'],
  ['more groups than Kueue counts', standalone({ workerGroups: Array.from({ length: 18 }, (_group, index) => group({ name: `g${index}` })) }, { queue: { queueName: 'q' } }),
    'spec.workerGroupSpecs: 18: are too many groups for a queue: Kueue supports 17 in addition to the head.'],
  ['a gang\'s queue without a scheduler', standalone({}, { queue: { schedulerQueue: 'q' } }), 'gang.queue: "q": applies to a batch scheduler, and none is set.'],
  ['a gang\'s queue that its scheduler does not know', standalone({}, { queue: { schedulerQueue: 'q', batchScheduler: 'scheduler-plugins' } }), 'gang.queue: "q": is not supported by scheduler-plugins.'],
];

/** What an object in YAML does not say, or may say: KubeRay's own samples have limits that nothing moves between, and the annotations. */
const ONLY_IN_CODE: readonly string[] = [
  'GPUs that KubeRay does not count', 'cores on a head without tasks', 'a range that nothing moves in', 'no limit for an autoscaler', 'the old annotation of fault tolerance',
  'suspension in a queue', 'a gang\'s queue without a scheduler', 'a gang\'s queue that its scheduler does not know',
];

test.each(BROKEN)('a cluster with %s is told so, and nothing else', (what, broken, line) => {
  const lines = validateRayCluster(broken).map(formatViolation);
  expect(lines).toHaveLength(1);
  expect(lines[0].slice(0, line.length)).toBe(line);
  expect(saidOfObject('RayCluster', broken, constructRayClusterSpec(broken))).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines);
});

test('two groups of one name are both told', () => {
  expect(validateRayCluster(standalone({ workerGroups: [group(), group()] })).map(({ path }) => path)).toEqual([
    'spec.workerGroupSpecs[0].groupName', 'spec.workerGroupSpecs[1].groupName',
  ]);
});

const FINE: readonly (readonly [string, StandaloneRayCluster])[] = [
  ['the least', standalone({ workerGroups: [] })],
  ['the longest name', standalone({}, { name: long(53) })],
  ['an autoscaler of the second version by its release', growingWith({ idleTimeoutSeconds: 0 })],
  ['an autoscaler of the second version by name', growingWith({ idleTimeoutSeconds: 5 }, { rayVersion: undefined, autoscaler: { version: 'v2' } })],
  ['priorities', growingWith({ priority: 3 }, { rayVersion: '2.56.0' })],
  ['a head that restarts under the first version', growingWith({}, { autoscaler: { version: 'v1' }, head: head({ podSpec: { restartPolicy: 'Always' } }) })],
  ['MIG slices', ofGroup({ resources: { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' } })],
  ['GPUs that the author counts', ofGroup({ resources: { gpu: 1, gpuResourceName: 'gpu.intel.com/i915' }, rayResources: { GPU: '1' } })],
  ['cores by a flag', growingWith({ resources: { memory: '4Gi' }, startParams: { 'num-cpus': '2' } })],
  ['tokens of Kubernetes', standalone({ auth: { kubernetes: true }, rayVersion: '2.55.0' })],
  ['an image of the same release', ofGroup({ image: 'rayproject/ray:2.54.0-py311' }, { rayVersion: '2.54' })],
  ['Redis', standalone({ faultTolerance: { ...REDIS, address: 'rediss://redis.data.svc:6380' } })],
  ['a suspended group', ofGroup({ suspend: true })],
];

test.each(FINE)('%s is in order', (_what, fine) => {
  expect(saidOfObject('RayCluster', fine, constructRayClusterSpec(fine))).toEqual([]);
  expect(validateRayCluster(fine)).toEqual([]);
});
