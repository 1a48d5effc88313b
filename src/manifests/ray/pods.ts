/**
 * Pod templates of a Ray cluster. KubeRay adds the command, its variables, probes, `/dev/shm` and the labels `ray.io/cluster`, `ray.io/node-type` and
 * `ray.io/group`.
 */
import { statedSharedMemory } from '../../model/accelerators/shared-memory';
import { labelsWithoutSidecar } from '../../model/mesh';
import type { Fields, RayGroupSpec, RayHeadSpec, RayWorkerGroupSpec, Texts } from '../../model/ray/spec';
import { HEAD_PORTS, METRICS_PORT } from '../../model/ray/variables';
import type { Container, ContainerPort, PodSpec, Toleration, Volume, VolumeMount } from '../kubernetes';
import { plainObject, nonEmpty, nonEmptyObject } from '../plain-object';
import { containerWithoutEscalation, withPodDefaults } from '../pod/pod-defaults';
import { mergePodSpec } from '../pod/pod-template';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';
import { typedPodTemplate } from '../pod/typed-pod';

/** Flags of `ray start` on a head that runs no work. */
export const IDLE_HEAD_START_PARAMS = { 'num-cpus': '0', 'num-gpus': '0' } as const;

/** The same in the field that replaces the flags. */
const IDLE_HEAD_RESOURCES = { CPU: '0', GPU: '0' } as const;

/**
 * What KubeRay writes into each group of workers when it writes the object of a cluster, a job or a service back, which it does to add a finalizer.
 * The list of groups is atomic: without these a second server-side apply of the same manifest is a conflict.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/raycluster_types.go
 */
export const WORKER_GROUP_DEFAULTS = { numOfHosts: 1, priority: 0, scaleStrategy: {} } as const;

/** What the pods of a cluster have in common. */
export interface RayPodNeeds {
  /** Whether their programs use the Kubernetes API. */
  readonly token: boolean;
  /** Whether they end with a job, so that a mesh's sidecar would keep them running. */
  readonly end: boolean;
  /** Labels by which other objects select the workers. @default - none */
  readonly labels?: Texts;
}

export function constructHeadTemplate(head: RayHeadSpec, needs: RayPodNeeds): Fields {
  return constructTemplate(head, 'ray-head', Object.entries(HEAD_PORTS).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })), needs);
}

export function constructWorkerTemplate(group: RayWorkerGroupSpec, needs: RayPodNeeds): Fields {
  return constructTemplate(group, 'ray-worker', [{ name: METRICS_PORT.name, containerPort: METRICS_PORT.port, protocol: 'TCP' }], needs);
}

/** Flags and resources of the head. */
export function headCapacity(
  { runsTasks = true, startParams = {}, rayResources }: RayHeadSpec,
): { readonly rayStartParams: Fields; readonly resources?: Fields } {
  if (runsTasks) {
    return { rayStartParams: { ...startParams }, resources: rayResources };
  }
  return rayResources === undefined
    ? { rayStartParams: { ...IDLE_HEAD_START_PARAMS, ...startParams } }
    : { rayStartParams: { ...startParams }, resources: { ...IDLE_HEAD_RESOURCES, ...rayResources } };
}

function constructTemplate(group: RayGroupSpec, container: string, ports: ContainerPort[], needs: RayPodNeeds): Fields {
  const { resources = {}, volumes = [], podSpec = {} } = group;
  // Without a size KubeRay adds a volume as large as the memory.
  const sharedMemory = sharedMemoryParts(statedSharedMemory(resources));
  const base: PodSpec = {
    serviceAccountName: group.serviceAccountName,
    imagePullSecrets: nonEmpty((group.imagePullSecrets ?? []).map((name) => ({ name }))),
    nodeSelector: nonEmptyObject(group.nodeSelector),
    tolerations: nonEmpty([...(group.tolerations ?? []) as readonly Toleration[], ...missing(deviceTolerations(resources), group.tolerations)]),
    priorityClassName: group.priorityClassName,
    schedulerName: group.schedulerName,
    // KubeRay takes the first container for Ray's.
    containers: [constructContainer(group, container, ports, sharedMemory.volumeMounts)],
    volumes: nonEmpty([...volumes as readonly Volume[], ...sharedMemory.volumes]),
  };
  const labels = { ...needs.end ? labelsWithoutSidecar(group) : group.labels, ...needs.labels };
  const metadata = plainObject({ labels: nonEmptyObject(labels), annotations: nonEmptyObject(group.annotations) });
  const spec = mergePodSpec(plainObject(base), podSpec as Partial<PodSpec>);
  return typedPodTemplate({ metadata, spec: rayPodSpec(spec, needs.token) });
}

/** The pod with defaults that every image of Ray works with. Ray's container is the first; the others are left to their author. */
export function rayPodSpec(spec: PodSpec, needsToken: boolean): PodSpec {
  const [ray, ...others] = spec.containers;
  return { ...withPodDefaults(spec, needsToken), containers: [containerWithoutEscalation(ray), ...others] };
}

function constructContainer(
  { image, env = [], envFrom = [], volumeMounts = [], resources = {} }: RayGroupSpec, name: string, ports: ContainerPort[],
  furtherMounts: readonly VolumeMount[],
): Container {
  return {
    name,
    image,
    env: nonEmpty(env),
    envFrom: nonEmpty(envFrom),
    ports,
    resources: constructResources(resources),
    volumeMounts: nonEmpty([...volumeMounts as readonly VolumeMount[], ...furtherMounts]),
  };
}

/** Tolerations of taints that are not tolerated yet. */
function missing(tolerations: readonly Toleration[], written: readonly Fields[] = []): Toleration[] {
  return tolerations.filter(({ key }) => !written.some((toleration) => toleration.key === key && toleration.operator === 'Exists'));
}
