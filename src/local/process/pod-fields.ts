/**
 * The downward API, `fieldRef` and `resourceFieldRef`, and the variables of containers.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
 */
import os from 'node:os';
import type { ObjectData, ObjectSource } from './object-source';
import { PodConfigError } from './pod-config-error';
import type { Container, EnvVar, Pod } from '../../manifests/kubernetes';
import { tryParseQuantity } from '../../model/quantities';
import { expandReferences } from '../../model/variable-references';
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

/** Value of a field path such as `metadata.labels['role']`. @throws PodConfigError for an unknown path */
export function podField(pod: Pod, fieldPath: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (keyed) {
    // A missing label is the empty string, as in a kubelet.
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

/** Value of a container's resource, rounded up. The default of a limit is the machine's amount, as on a node. */
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

/** A key of a Secret or ConfigMap. */
interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A source of `envFrom`. */
export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

/** `valueFrom` of a variable. */
export interface ValueFrom {
  readonly fieldRef?: { readonly fieldPath: string };
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
}

/**
 * The variables that a pod gives to a container, in the kubelet's order: `envFrom`, then `env`, each value expanded with the variables before it.
 * @throws PodConfigError for a reference to an object that does not exist
 */
export async function containerEnvironment(pod: Pod, container: Container, objects: ObjectSource): Promise<Map<string, string>> {
  const variables = new Map<string, string>();
  for (const source of (container.envFrom ?? []) as readonly EnvFrom[]) {
    for (const [key, value] of await allKeys(container, source, objects)) {
      variables.set(`${source.prefix ?? ''}${key}`, value.toString('utf8'));
    }
  }
  for (const entry of container.env ?? []) {
    const value = entry.valueFrom
      ? await referredValue(pod, container, entry, objects)
      : expandReferences(entry.value ?? '', (name) => variables.get(name));
    if (value !== undefined) {
      variables.set(entry.name, value);
    }
  }
  return variables;
}

async function allKeys(container: Container, source: EnvFrom, objects: ObjectSource): Promise<ObjectData> {
  const ref = source.configMapRef ?? source.secretRef;
  if (!ref?.name) {
    throw new PodConfigError(`container ${container.name}: envFrom names neither a config map nor a secret.`);
  }
  const data = source.configMapRef ? await objects.configMap(ref.name) : await objects.secret(ref.name);
  if (data === undefined && !ref.optional) {
    throw missing(container, 'envFrom', source.configMapRef ? 'config map' : 'secret', ref.name);
  }
  return data ?? new Map();
}

async function referredValue(pod: Pod, container: Container, entry: EnvVar, objects: ObjectSource): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = entry.valueFrom as ValueFrom;
  if (fieldRef) {
    return podField(pod, fieldRef.fieldPath);
  }
  if (resourceFieldRef) {
    return resourceField(pod, container.name, resourceFieldRef);
  }
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) {
    throw new PodConfigError(`container ${container.name}: variable ${entry.name}: this machine cannot fill it from ${Object.keys(entry.valueFrom ?? {})}.`);
  }
  const what = configMapKeyRef ? 'config map' : 'secret';
  const data = configMapKeyRef ? await objects.configMap(ref.name ?? '') : await objects.secret(ref.name ?? '');
  const value = data?.get(ref.key);
  if (value === undefined && !ref.optional) {
    throw data === undefined
      ? missing(container, `variable ${entry.name}`, what, ref.name ?? '')
      : new PodConfigError(`container ${container.name}: variable ${entry.name}: the ${what} '${ref.name}' has no key '${ref.key}'; it has ${[...data.keys()].join(', ')}.`);
  }
  return value?.toString('utf8');
}

function missing(container: Container, where: string, what: string, name: string): PodConfigError {
  return new PodConfigError(`container ${container.name}: ${where}: there is no ${what} '${name}'. `
    + 'Put it in the same file as the job, or mark the reference as optional.');
}
