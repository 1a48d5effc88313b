/** Other objects that affect the price of workloads: pools, compute classes, runtimes, autoscalers. */
import { at, fieldsAt, listAt, numberAt, textAt } from './fields';
import type { Pool } from '../../model/cost/pools';
import { range, type Range } from '../../model/cost/ranges';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { configConnectorPools, computeClassPools } from './pool-objects';
import { isRecord, type JsonRecord } from '../../model/json-parts';

export interface Surroundings {
  /** Pools of all kinds. */
  readonly pools: readonly Pool[];
  /** Choices of each ComputeClass, by its name. */
  readonly classes: ReadonlyMap<string, readonly Pool[]>;
  /** Training and serving runtimes, by kind and name. */
  readonly runtime: (kinds: readonly string[], name: string, namespace: string | undefined) => ManifestObject | undefined;
  /** Called with the pods of each workload. @default - not called */
  readonly onPods?: (name: string, pods: Range, spec: JsonRecord) => void;
  /** Minimum and maximum replicas of an object with an autoscaler. */
  readonly scaled: (object: ManifestObject) => Range | undefined;
}

export function surroundingsOf(objects: readonly ManifestObject[]): Surroundings {
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const nodePools = ofKind('ContainerNodePool').flatMap(configConnectorPools);
  const choices = ofKind('ComputeClass').map((object) => [object.metadata?.name ?? '', computeClassPools(object, nodePools)] as const);
  return {
    pools: [...nodePools, ...choices.flatMap(([, pools]) => pools)],
    classes: new Map(choices),
    runtime: (kinds, name, namespace) => objects.find(({ kind = '', metadata }) => (
      kinds.includes(kind) && metadata?.name === name && (kind.startsWith('Cluster') || (metadata.namespace ?? namespace) === (namespace ?? metadata.namespace)))),
    scaled: (object) => scalerOf(objects, object),
  };
}

/** Kubernetes' autoscaler, or KEDA's. */
function scalerOf(objects: readonly ManifestObject[], { kind, metadata }: ManifestObject): Range | undefined {
  for (const scaler of objects) {
    const target: JsonRecord = fieldsAt(scaler, 'spec', 'scaleTargetRef');
    const isIts = target.name === metadata?.name && (target.kind ?? 'Deployment') === kind && scaler.metadata?.namespace === metadata?.namespace;
    if (isIts && scaler.kind === 'HorizontalPodAutoscaler') {
      return range(numberAt(scaler, 'spec', 'minReplicas') ?? 1, numberAt(scaler, 'spec', 'maxReplicas') ?? 1);
    }
    if (isIts && scaler.kind === 'ScaledObject') {
      return range(numberAt(scaler, 'spec', 'minReplicaCount') ?? 0, numberAt(scaler, 'spec', 'maxReplicaCount') ?? 100);
    }
  }
  return undefined;
}

/** Merges objects by field and lists of named entries by name. */
export function merged(base: unknown, over: unknown): unknown {
  if (over === undefined) {
    return base;
  }
  if (isRecord(base) && isRecord(over)) {
    return Object.fromEntries([...new Set([...Object.keys(base), ...Object.keys(over)])].map((name) => [name, merged(base[name], over[name])]));
  }
  if (Array.isArray(base) && Array.isArray(over) && [...base, ...over].every((item) => textAt(item, 'name') !== undefined)) {
    const names = [...new Set([...base, ...over].map((item) => textAt(item, 'name')!))];
    const named = (list: readonly unknown[], name: string) => list.find((item) => at(item, 'name') === name);
    return names.map((name) => merged(named(base, name), named(over, name)));
  }
  return over;
}

/** The containers of a pod, with the resources of one of them replaced. */
export function withResources(pod: JsonRecord, container: string, resources: unknown): JsonRecord {
  if (resources === undefined) {
    return pod;
  }
  const containers = listAt(pod, 'containers');
  const index = Math.max(0, containers.findIndex(({ name }) => name === container));
  const all = containers.length === 0 ? [{ name: container }] : containers;
  return { ...pod, containers: all.map((each, place) => (place === index ? { ...each, resources } : each)) };
}
