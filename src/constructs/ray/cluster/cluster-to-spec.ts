/** Converts the options of a Ray cluster to a spec. Pure; fields that are not given stay undefined. */
import type { RayAutoscaler, RayClusterOptions, RayQueueOptions } from './cluster-options';
import type { RayDashboardIngress } from './dashboard';
import type { RayHead, RayPodOptions, RayWorkerGroup } from './group';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { CredentialUse } from '../../credentials/credential-use';
import { checkConflicts, checkSelector, labelledNodeProblems, withAccelerator } from '../../training-job/job-accelerators';
import { envVars } from '../../training-job/pods/kplus-values';
import { podSettings } from '../../training-job/pods/pod-settings';
import { resources } from '../../training-job/to-spec';
import { HEAD_DEFAULTS } from '../../../manifests/engines/ray/settings';
import { errorsOf } from '../../../model/findings';
import {
  groupsOf, type PlacedGroup, type RayAutoscalerSpec, type RayClusterSpec, type RayGroupSpec, type RayHeadSpec, type RayIngressSpec,
  type RayQueueSpec, type RayWorkerGroupSpec,
} from '../../../model/ray/spec';
import { rayVersionOfImage } from '../../../model/ray/versions';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** A cluster as a spec. @param what owner of the cluster, for messages: `RayCluster at 'chart/Ray'` */
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
  const { imagePullSecrets } = cluster;
  const credentials = [...cluster.credentials ?? [], ...group.credentials ?? []];
  const settings = podSettings(what, { ...group, env: { ...cluster.env, ...group.env }, credentials, imagePullSecrets });
  // KubeRay itself sets the size of `/dev/shm` to the memory.
  return withAccelerator<RayGroupSpec>({
    ...settings as Omit<RayGroupSpec, 'image'>,
    image: group.image ?? cluster.image,
    resources: settings.resources ?? HEAD_DEFAULTS,
    serviceAccountName: cluster.serviceAccount?.name,
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

/** Number of pods of each replica; undefined for one. */
function hostsOfGroup({ hosts, accelerator }: RayWorkerGroup): number | undefined {
  return hosts ?? (accelerator?.hosts !== undefined && accelerator.hosts > 1 ? accelerator.hosts : undefined);
}

/** Violations of a cluster's accelerators. `path` is that of the cluster's spec. */
export function rayAcceleratorProblems(
  { head }: RayClusterOptions, workerGroups: readonly RayWorkerGroup[], cluster: RayClusterSpec, path: string,
): Violation[] {
  const violations = new ViolationCollector();
  const given: readonly (RayPodOptions | undefined)[] = [head, ...workerGroups];
  groupsOf(cluster, path).forEach((placed, index) => {
    const options = given[index];
    if (options?.accelerator === undefined) {
      violations.addAll(selectionProblems(placed));
      return;
    }
    const where = index === 0 ? 'head.accelerator' : `workerGroups[${index - 1}].accelerator`;
    const { accelerator } = options;
    violations.addAll(errorsOf(accelerator._findings(where)));
    checkConflicts(accelerator, options.resources && resources(options.resources), where.replace('.accelerator', '.resources'), where, violations);
    checkSelector(accelerator, { path: `${placed.path}.template.spec.nodeSelector`, labels: options.nodeSelector }, where, violations);
    checkHosts(options as RayWorkerGroup, placed.path, accelerator, violations);
  });
  return violations.violations;
}

/** A replica is a slice: workers in different slices cannot communicate. */
function checkHosts(
  { hosts }: RayWorkerGroup, path: string, { hosts: wanted, accelerator }: AcceleratorRequest, violations: ViolationCollector,
): void {
  if (hosts !== undefined && wanted !== undefined && hosts !== wanted) {
    violations.add(`${path}.numOfHosts`, hosts, `is not the number of hosts of a slice: ${accelerator.type} ${accelerator.topology} has ${wanted}, and each replica is one slice. `
      + 'Remove it, and set the number of slices with replicas.');
  }
}

/** Violations of a group that selects nodes with accelerators by their labels. */
function selectionProblems({ path, group }: PlacedGroup): Violation[] {
  const { hosts = 1 } = group as Partial<RayWorkerGroupSpec>;
  const pod = `${path}.template.spec`;
  return labelledNodeProblems(group, { path: pod, container: `${pod}.containers[0]`, replicas: { count: hosts, path: `${path}.numOfHosts` } });
}
