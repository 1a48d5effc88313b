/**
 * The variables that a pod gives to one of its containers, in the kubelet's order: `envFrom`, then `env`, each value expanded with the variables
 * before it.
 */
import { PodConfigError } from './pod-config-error';
import { podField, resourceField, type ResourceFieldRef } from './pod-fields';
import type { ObjectData, ObjectSource } from './object-source';
import type { Container, EnvVar, Pod } from '../../manifests/kubernetes';
import { expandReferences } from '../../model/variable-references';

interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

/** The variables of a container, without those that its process inherits. Throws {@link PodConfigError} where a reference leads nowhere. */
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
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = entry.valueFrom as {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: ResourceFieldRef;
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
  };
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
