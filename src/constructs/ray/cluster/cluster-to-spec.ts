/** From what a Ray cluster was given to the model's terms. Pure; fields that were not given stay undefined. */
import { hostsOfGroup, withRayAccelerator } from './accelerators';
import type { RayAutoscaler } from './autoscaler';
import type { RayClusterOptions, RayQueueOptions } from './cluster-options';
import type { RayDashboardIngress } from './dashboard';
import type { RayHead, RayPodOptions, RayWorkerGroup } from './group';
import { HEAD_DEFAULTS } from '../../../manifests/engines/ray/settings';
import type {
  RayAutoscalerSpec, RayClusterSpec, RayGroupSpec, RayHeadSpec, RayIngressSpec, RayQueueSpec, RayWorkerGroupSpec,
} from '../../../model/ray/spec';
import { rayVersionOfImage } from '../../../model/ray/versions';
import type { CredentialUse } from '../../credentials/credential-use';
import { withCredentials } from '../../credentials/with-credentials';
import { containerMount, envFromSource, envVars, podVolume } from '../../training-job/pods/kplus-values';
import { toleration } from '../../training-job/pods/kubernetes-toleration';
import { resources } from '../../training-job/to-spec';

/**
 * A cluster in the model's terms.
 * @param what whose cluster it is, for messages: `RayCluster at 'chart/Ray'`
 */
export function rayClusterSpec(what: string, options: RayClusterOptions, workerGroups: readonly RayWorkerGroup[]): RayClusterSpec {
  const { image, rayVersion, head = {}, autoscaler, faultTolerance, authentication, tls, dashboardIngress } = options;
  return {
    rayVersion: rayVersion ?? rayVersionOfImage(image),
    head: headSpec(what, options, head, dashboardIngress),
    workerGroups: workerGroups.map((group) => workerGroupSpec(what, options, group)),
    autoscaler: autoscaler && autoscalerSpec(autoscaler),
    faultTolerance: faultTolerance?._toSpec(),
    auth: authentication?._toSpec(),
    tls,
  };
}

/** Credentials of all pods. */
export function rayCredentialUses({ credentials = [], head }: RayClusterOptions, workerGroups: readonly RayWorkerGroup[]): CredentialUse[] {
  return [...credentials, ...head?.credentials ?? [], ...workerGroups.flatMap((group) => group.credentials ?? [])];
}

/** Queue and gang. */
export function rayQueueSpec({ queueName, queuePriorityClassName, multiKueue, gang }: RayQueueOptions): RayQueueSpec {
  return {
    queueName,
    queuePriorityClassName,
    multiKueue,
    batchScheduler: gang?.scheduler,
    schedulerQueue: gang?.queue,
    schedulerPriorityClassName: gang?.priorityClassName,
  };
}

function headSpec(what: string, options: RayClusterOptions, head: RayHead, ingress: RayDashboardIngress | undefined): RayHeadSpec {
  return {
    ...groupSpec(`${what}, head`, options, head),
    runsTasks: head.runsTasks,
    serviceType: head.serviceType,
    serviceAnnotations: head.serviceAnnotations,
    ingress: ingress && ingressSpec(ingress),
  };
}

function workerGroupSpec(what: string, options: RayClusterOptions, group: RayWorkerGroup): RayWorkerGroupSpec {
  return {
    ...groupSpec(`${what}, group '${group.name}'`, options, group),
    name: group.name,
    replicas: group.replicas,
    minReplicas: group.minReplicas,
    maxReplicas: group.maxReplicas,
    hosts: hostsOfGroup(group),
    idleTimeoutSeconds: group.idleTimeout?.toSeconds(),
    priority: group.priority,
    suspend: group.suspend,
  };
}

function groupSpec(what: string, cluster: RayClusterOptions, group: RayPodOptions): RayGroupSpec {
  const { env, volumeMounts } = withCredentials(what, { env: { ...cluster.env, ...group.env }, volumeMounts: group.volumeMounts },
    [...cluster.credentials ?? [], ...group.credentials ?? []]);
  return withRayAccelerator<RayGroupSpec>({
    image: group.image ?? cluster.image,
    env: envVars(env),
    envFrom: (group.envFrom ?? []).map(envFromSource),
    resources: group.resources === undefined ? HEAD_DEFAULTS : resources(group.resources),
    volumes: [...new Set(volumeMounts.map(({ volume }) => volume))].map((volume) => ({ ...podVolume(volume) })),
    volumeMounts: volumeMounts.map((mount) => ({ ...containerMount(mount) })),
    serviceAccountName: cluster.serviceAccount?.name,
    imagePullSecrets: (cluster.imagePullSecrets ?? []).map(({ name }) => name),
    nodeSelector: group.nodeSelector,
    tolerations: (group.tolerations ?? []).map((one) => ({ ...toleration(one) })),
    priorityClassName: group.priorityClassName,
    schedulerName: group.schedulerName,
    labels: group.podLabels,
    annotations: group.podAnnotations,
    podSpec: group.podSpec,
    startParams: group.startParams,
    rayResources: group.rayResources,
    rayLabels: group.rayLabels,
  }, group.accelerator);
}

function autoscalerSpec({ version, idleTimeout, upscaling, image, env = {}, resources: compute }: RayAutoscaler): RayAutoscalerSpec {
  return {
    version,
    idleTimeoutSeconds: idleTimeout?.toSeconds(),
    upscalingMode: upscaling,
    image,
    env: envVars(env),
    resources: compute && resources(compute),
  };
}

function ingressSpec({ className, host, path, pathType, tlsSecret, annotations }: RayDashboardIngress): RayIngressSpec {
  return { className, host, path, pathType, tlsSecretName: tlsSecret?.name, annotations };
}
