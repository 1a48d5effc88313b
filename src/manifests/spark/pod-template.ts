/**
 * Pods of Spark as templates. The operator has many pod fields next to the template, but applies them with a webhook, and only to pods without a
 * template. Spark itself applies its settings (image, command, cores, memory) to a template, with or without a webhook. So everything that Spark has
 * no setting for is written in the template.
 */
import type { Container, PodSpec, ResourceRequirements, Toleration, Volume, VolumeMount } from '../kubernetes';
import { plainObject } from '../plain-object';
import { mergePodSpec } from '../pod/pod-template';
import { containerWithoutEscalation, withPodDefaults } from '../pod/pod-defaults';
import { noneIfEmpty } from '../pod/pod-parts';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';
import { labelsWithoutSidecar } from '../../model/mesh';
import type { Fields, SparkPodSpec } from '../../model/spark/spec';

/** What is added to a pod in addition to its author's fields. */
export interface SparkPodExtras {
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly volumes?: readonly Fields[];
  readonly volumeMounts?: readonly Fields[];
  /** For a pod whose cores and memory Spark does not set. */
  readonly resources?: ResourceRequirements;
  /** Whether its programs use the Kubernetes API, as drivers do for executors. */
  readonly token?: boolean;
  /** Whether it completes, so that a mesh's sidecar would keep it running. */
  readonly ends?: boolean;
}

/** Devices and the node's disk, for a container whose cpu and memory Spark requests. */
export function furtherResources(resources: ResourceRequirements | undefined): { readonly resources?: ResourceRequirements } {
  const further = (amounts: { readonly [resource: string]: string } = {}) => (
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory')));
  const [limits, requests] = [further(resources?.limits), further(resources?.requests)];
  const found = { ...(Object.keys(limits).length > 0 && { limits }), ...(Object.keys(requests).length > 0 && { requests }) };
  return Object.keys(found).length > 0 ? { resources: found } : {};
}

/** Template of a pod. @param container name of the container that is Spark's */
export function constructSparkTemplate(pod: SparkPodSpec, container: string, extras: SparkPodExtras = {}): Fields {
  const { devices = {}, annotations } = pod;
  const labels = extras.ends ? labelsWithoutSidecar(pod) : pod.labels;
  const sharedMemory = sharedMemoryParts(devices.sharedMemory);
  const main: Container = {
    name: container,
    ...noneIfEmpty('env', pod.env ?? []),
    ...noneIfEmpty('envFrom', pod.envFrom ?? []),
    ...(extras.resources === undefined ? furtherResources(constructResources(devices)) : { resources: extras.resources }),
    ...noneIfEmpty('volumeMounts', [...pod.volumeMounts ?? [], ...extras.volumeMounts ?? [], ...sharedMemory.volumeMounts] as VolumeMount[]),
  };
  const spec: PodSpec = {
    containers: [main],
    ...noneIfEmpty('volumes', [...pod.volumes ?? [], ...extras.volumes ?? [], ...sharedMemory.volumes] as Volume[]),
    ...noneIfEmpty('imagePullSecrets', (extras.imagePullSecrets ?? []).map((name) => ({ name }))),
    ...(pod.nodeSelector && { nodeSelector: { ...pod.nodeSelector } }),
    ...noneIfEmpty('tolerations', [...deviceTolerations(devices), ...pod.tolerations ?? []] as Toleration[]),
    ...(pod.priorityClassName !== undefined && { priorityClassName: pod.priorityClassName }),
    ...(extras.schedulerName !== undefined && { schedulerName: extras.schedulerName }),
    ...(extras.serviceAccountName !== undefined && { serviceAccountName: extras.serviceAccountName }),
  };
  const { containers, ...rest } = mergePodSpec(spec, (pod.podSpec ?? {}) as Partial<PodSpec>);
  return {
    ...((labels ?? annotations) !== undefined && { metadata: { labels, annotations } }),
    spec: plainObject(withPodDefaults({
      containers: containers.map((each) => (each.name === container ? containerWithoutEscalation(each) : each)), ...rest,
    }, extras.token)),
  };
}
