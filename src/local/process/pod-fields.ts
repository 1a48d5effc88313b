/**
 * Values that a pod's environment and files take from the pod itself: `fieldRef` and `resourceFieldRef` of the downward API.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
 */
import os from 'node:os';
import { PodConfigError } from './pod-config-error';
import type { Pod } from '../../manifests/kubernetes';
import { tryParseQuantity } from '../../model/quantities';
import { didYouMean } from '../../model/violations';

/** Address of every local pod. */
export const LOCAL_POD_IP = '127.0.0.1';

const FIELDS: { readonly [path: string]: (pod: Pod) => string | undefined } = {
  'metadata.name': (pod) => pod.metadata?.name,
  'metadata.namespace': (pod) => pod.metadata?.namespace,
  'metadata.uid': (pod) => pod.metadata?.uid,
  'metadata.labels': (pod) => asLines(pod.metadata?.labels),
  'metadata.annotations': (pod) => asLines(pod.metadata?.annotations),
  'spec.nodeName': (pod) => pod.spec?.nodeName ?? os.hostname(),
  'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? 'default',
  'status.podIP': () => LOCAL_POD_IP,
  'status.podIPs': () => LOCAL_POD_IP,
  'status.hostIP': () => LOCAL_POD_IP,
  'status.hostIPs': () => LOCAL_POD_IP,
};

/** Value of a field path such as `metadata.labels['role']`. Throws {@link PodConfigError} for a path that pods do not offer. */
export function podField(pod: Pod, fieldPath: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (keyed) {
    // A label that is not there is the empty string, as the kubelet has it.
    return pod.metadata?.[keyed[1] as 'labels' | 'annotations']?.[keyed[2]] ?? '';
  }
  const read = FIELDS[fieldPath];
  if (read === undefined) {
    throw new PodConfigError(`fieldRef ${fieldPath}: is not a field of a pod that can be referred to.${didYouMean(fieldPath, Object.keys(FIELDS))}`);
  }
  return read(pod) ?? '';
}

/** A `resourceFieldRef`. */
export interface ResourceFieldRef {
  /** @default - the container that has the variable */
  readonly containerName?: string;
  /** `limits.cpu`, `requests.memory` ... */
  readonly resource: string;
  /** Quantity that the value is divided by. @default "1" */
  readonly divisor?: string;
}

/** Value of a container's resource, rounded up. A limit that is not set is what this machine has, as on a node. */
export function resourceField(pod: Pod, containerName: string, ref: ResourceFieldRef): string {
  const name = ref.containerName ?? containerName;
  const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((candidate) => candidate.name === name);
  const match = /^(limits|requests)\.(.+)$/.exec(ref.resource);
  if (container === undefined || match === null) {
    throw new PodConfigError(`resourceFieldRef ${ref.resource} of container ${name}: must be limits.RESOURCE or requests.RESOURCE of a container of the pod.`);
  }
  const [, kind, resource] = match;
  const quantity = tryParseQuantity(container.resources?.[kind as 'limits' | 'requests']?.[resource] ?? '') ?? wholeMachine(kind, resource);
  const divisor = tryParseQuantity(ref.divisor ?? '1') || 1;
  return String(Math.ceil(quantity / divisor));
}

function wholeMachine(kind: string, resource: string): number {
  if (kind === 'requests') {
    return 0;
  }
  return resource === 'cpu' ? os.availableParallelism() : resource === 'memory' ? os.totalmem() : 0;
}

function asLines(entries: { readonly [name: string]: string } | undefined): string {
  return Object.entries(entries ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join('\n');
}
