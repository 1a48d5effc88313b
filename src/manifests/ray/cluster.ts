/**
 * KubeRay's `RayClusterSpec`, which RayClusters, RayJobs and RayServices all contain.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/config.html
 */
import { constructHeadTemplate, constructWorkerTemplate, headCapacity, WORKER_GROUP_DEFAULTS, type RayPodNeeds } from './pods';
import { ownRedisName } from '../../model/ray/names';
import type {
  Fields, RayAutoscalerSpec, RayClusterSpec, RayFaultToleranceSpec, RayHeadSpec, RayIngressSpec, RayWorkerGroupSpec, StandaloneRayCluster,
} from '../../model/ray/spec';
import { HEAD_PORTS } from '../../model/ray/variables';
import { autoscalerVersion } from '../../model/ray/validation';
import { plainObject, nonEmptyObject } from '../plain-object';
import { constructResources } from '../pod/resources';
import { MULTI_KUEUE_CONTROLLER } from '../../model/kueue-names';

/** `apiVersion` of all kinds of KubeRay. */
export const RAY_API_VERSION = 'ray.io/v1';

/** Annotation by which KubeRay gives its Ingress a class. */
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** `RayCluster.spec`. */
export function constructRayClusterSpec({ name, cluster, suspend, upgradeStrategy, queue = {} }: StandaloneRayCluster): Fields {
  return plainObject({
    ...constructClusterFields(name, cluster),
    suspend: queue.queueName === undefined ? suspend : undefined,
    upgradeStrategy: upgradeStrategy && { type: upgradeStrategy },
    managedBy: managedBy(queue.multiKueue),
  });
}

/**
 * The part that is the same in all kinds.
 * @param name of the object that contains the cluster
 * @param place what its pods get from that object
 */
export function constructClusterFields(name: string, cluster: RayClusterSpec, place: Partial<Omit<RayPodNeeds, 'token'>> = {}): Fields {
  const { rayVersion, head, workerGroups, autoscaler, faultTolerance, auth, tls } = cluster;
  // Where Ray uses Kubernetes' tokens, every pod presents its own.
  const needs = { end: false, ...place, token: auth?.kubernetes === true };
  return plainObject({
    rayVersion,
    enableInTreeAutoscaling: autoscaler === undefined ? undefined : true,
    autoscalerOptions: autoscaler && nonEmptyObject(constructAutoscaler(autoscaler, cluster)),
    authOptions: auth && { mode: 'token', secretName: auth.secretName, enableK8sTokenAuth: auth.kubernetes || undefined },
    tlsOptions: tls ? { enabled: true } : undefined,
    gcsFaultToleranceOptions: faultTolerance && constructFaultTolerance(name, faultTolerance),
    // The autoscaler, a container of the head, uses the Kubernetes API; KubeRay creates an account for it.
    headGroupSpec: constructHead(head, { end: needs.end, token: needs.token || autoscaler !== undefined }),
    workerGroupSpecs: workerGroups.length === 0 ? undefined
      : workerGroups.map((group) => constructWorkerGroup(group, autoscaler !== undefined, needs)),
  });
}

/** Annotations of an object whose cluster has an Ingress: KubeRay copies them. */
export function ingressAnnotations({ head: { ingress } }: RayClusterSpec): { readonly [name: string]: string } {
  return { ...ingress?.annotations, ...(ingress?.className !== undefined && { [INGRESS_CLASS_ANNOTATION]: ingress.className }) };
}

/** `managedBy` of an object that Kueue sends elsewhere. */
export function managedBy(multiKueue: boolean | undefined): string | undefined {
  return multiKueue ? MULTI_KUEUE_CONTROLLER : undefined;
}

function constructHead(head: RayHeadSpec, needs: RayPodNeeds): Fields {
  const { serviceType, serviceAnnotations, ingress, rayLabels } = head;
  return {
    ...headCapacity(head),
    labels: rayLabels,
    serviceType,
    headService: serviceAnnotations && { metadata: { annotations: serviceAnnotations } },
    enableIngress: ingress === undefined ? undefined : true,
    ingressOptions: ingress && nonEmptyObject(constructIngress(ingress)),
    template: constructHeadTemplate(head, needs),
  };
}

function constructIngress({ host, path, pathType, tlsSecretName }: RayIngressSpec): Fields {
  const tls = tlsSecretName === undefined ? undefined : [{ hosts: host === undefined ? undefined : [host], secretName: tlsSecretName }];
  return plainObject({ host, path, pathType, tls });
}

function constructWorkerGroup(group: RayWorkerGroupSpec, scales: boolean, needs: RayPodNeeds): Fields {
  // An autoscaler starts from this. Without a number the API server writes 0, which KubeRay raises to the least number.
  const minReplicas = group.minReplicas ?? (scales ? 0 : group.replicas ?? 1);
  const replicas = group.replicas ?? (scales ? minReplicas : 1);
  return {
    groupName: group.name,
    replicas,
    minReplicas,
    maxReplicas: group.maxReplicas ?? replicas,
    ...WORKER_GROUP_DEFAULTS,
    ...plainObject({ numOfHosts: group.hosts, priority: group.priority }),
    idleTimeoutSeconds: group.idleTimeoutSeconds,
    suspend: group.suspend,
    rayStartParams: { ...group.startParams },
    resources: group.rayResources,
    labels: group.rayLabels,
    template: constructWorkerTemplate(group, needs),
  };
}

function constructAutoscaler(
  { idleTimeoutSeconds, upscalingMode, image, env = [], resources = {} }: RayAutoscalerSpec, cluster: RayClusterSpec,
): Fields {
  return plainObject({
    version: autoscalerVersion(cluster),
    idleTimeoutSeconds,
    upscalingMode,
    image,
    env: env.length === 0 ? undefined : env,
    resources: constructResources(resources),
  });
}

function constructFaultTolerance(name: string, faultTolerance: RayFaultToleranceSpec): Fields {
  if (faultTolerance.backend === 'rocksdb') {
    const { backend, ...storage } = faultTolerance;
    return { backend, storage: nonEmptyObject(plainObject(storage)) };
  }
  const { address, username, password, namespace, own } = faultTolerance;
  const ownPassword = own && { valueFrom: { secretKeyRef: { ...own.passwordSecret } } };
  return {
    redisAddress: own === undefined ? address : `redis://${ownRedisName(name)}:${HEAD_PORTS['gcs-server']}`,
    redisUsername: username,
    redisPassword: ownPassword ?? password,
    externalStorageNamespace: namespace,
  };
}
