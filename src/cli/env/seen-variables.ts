/** The variables of each replica as its training script sees them. Values are expanded like the kubelet does. */
import type { EnvFrom, ValueFrom } from '../../local/process/pod-fields';
import type { EngineDefinition, EngineJob } from '../../manifests/engines/engine';
import type { ConfigMap, EnvVar } from '../../manifests/kubernetes';
import { mergeContainer, mergePodTemplates } from '../../manifests/pod/pod-template';
import { TRAINING_CONTAINER } from '../../model/names';
import { replicasOfRole } from '../../model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { PodTemplateSpec } from '../../model/training-job/spec';
import { expandReferences } from '../../model/variable-references';

/** The source of a value that is secret, or unknown before the pod runs. */
export interface ValueSource {
  readonly kind: 'Secret' | 'ConfigMap' | 'pod' | 'resource';
  /** Of the Secret or ConfigMap. */
  readonly name?: string;
  /** Key in it, field of the pod, or resource of the container; absent for all keys. */
  readonly key?: string;
  readonly optional?: boolean;
}

export interface SeenVariable {
  /** Absent for all keys of an object, each a variable of its own. */
  readonly name?: string;
  /** Absent when it comes {@link from} somewhere. */
  readonly value?: string;
  readonly from?: ValueSource;
}

export interface SeenReplica {
  readonly role: string;
  readonly index: number;
  /** Absent on roles without one, and in elastic jobs, where it changes. */
  readonly rank?: number;
  readonly pod: string;
  readonly variables: readonly SeenVariable[];
}

/** @param configMaps ConfigMaps in the same file, whose values are shown */
export function seenReplicas(engine: EngineDefinition, job: EngineJob, configMaps: readonly ConfigMap[]): SeenReplica[] {
  const resolved = resolveTrainingJob(job.name, job.spec);
  const room = { left: MAX_EXPANDED };
  return engine.environments(job).map(({ role, index, pod, env }) => {
    const container = mergeContainer({ name: TRAINING_CONTAINER, env: [...env] }, templateContainer(job, role));
    const sources = ((container.envFrom ?? []) as readonly EnvFrom[]).flatMap((source) => allKeys(source, configMaps));
    const rank = job.spec.elastic === undefined ? replicasOfRole(resolved, role).find((replica) => replica.index === index)?.rank : undefined;
    return { role, index, rank, pod, variables: withValues([...sources, ...(container.env ?? []) as readonly EnvVar[]], pod, configMaps, room) };
  });
}

function templateContainer({ spec }: EngineJob, role: string) {
  const own = [...spec.roles ?? [], ...spec.helpers ?? []].find(({ name }) => name === role)?.template;
  const written: (PodTemplateSpec | undefined)[] = [spec.template, own];
  const templates = written.filter((template) => template !== undefined);
  return mergePodTemplates(templates).spec.containers?.find(({ name }) => name === TRAINING_CONTAINER);
}

/** Variables of `envFrom`: one for each key of a known ConfigMap, otherwise one for all keys. */
function allKeys({ prefix = '', configMapRef, secretRef }: EnvFrom, configMaps: readonly ConfigMap[]): (SeenVariable | EnvVar)[] {
  const data = configMaps.find(({ metadata }) => metadata.name === configMapRef?.name)?.data;
  if (data !== undefined) {
    return Object.entries(data).map(([key, value]) => ({ name: `${prefix}${key}`, value: value.replaceAll('$', '$$$$') }));
  }
  const ref = configMapRef ?? secretRef;
  return [{ from: { kind: configMapRef ? 'ConfigMap' : 'Secret', name: ref?.name, ...(ref?.optional && { optional: true }) } }];
}

/**
 * Maximum number of characters that references add to the values of all replicas. Otherwise thirty variables, each with two references to the one
 * before it, would need more memory than there is. Further references are not expanded.
 */
const MAX_EXPANDED = 64 * 1024 * 1024;

/** The rest of {@link MAX_EXPANDED}. */
interface Room {
  left: number;
}

function withValues(entries: readonly (SeenVariable | EnvVar)[], pod: string, configMaps: readonly ConfigMap[], room: Room): SeenVariable[] {
  const known = new Map<string, string>();
  const seen = new Map<string, SeenVariable>();
  for (const entry of entries) {
    const variable = 'from' in entry ? entry : valueOf(entry as EnvVar, pod, configMaps, known, room);
    if (variable.name !== undefined && variable.value !== undefined) {
      known.set(variable.name, variable.value);
    }
    seen.set(variable.name ?? JSON.stringify(variable.from), variable);
  }
  return [...seen.values()];
}

function valueOf(
  { name, value, valueFrom }: EnvVar, pod: string, configMaps: readonly ConfigMap[], known: ReadonlyMap<string, string>, room: Room,
): SeenVariable {
  if (valueFrom === undefined) {
    const lookup = (other: string) => {
      const found = known.get(other);
      if (found === undefined || found.length > room.left) {
        return undefined;
      }
      room.left -= found.length;
      return found;
    };
    return { name, value: expandReferences(value ?? '', lookup) };
  }
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom as ValueFrom;
  if (fieldRef !== undefined) {
    // Names with a random end are not known yet.
    const isKnown = fieldRef.fieldPath === 'metadata.name' && !pod.includes('*');
    return isKnown ? { name, value: pod } : { name, from: { kind: 'pod', key: fieldRef.fieldPath } };
  }
  if (resourceFieldRef !== undefined) {
    return { name, from: { kind: 'resource', key: resourceFieldRef.resource } };
  }
  const ref = configMapKeyRef ?? secretKeyRef;
  const data = configMaps.find(({ metadata }) => metadata.name === configMapKeyRef?.name)?.data?.[configMapKeyRef?.key ?? ''];
  return data !== undefined ? { name, value: data }
    : { name, from: { kind: configMapKeyRef ? 'ConfigMap' : 'Secret', name: ref?.name, key: ref?.key, ...(ref?.optional && { optional: true }) } };
}
