/** How workloads of a kind are read: a function from the object to its pods. */
import { fieldsAt, numberAt, textAt } from '../fields';
import { podDeadline, podNeeds } from '../pod-needs';
import type { Surroundings } from '../surroundings';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import { range, type Range } from '../../../model/cost/ranges';
import type { PodGroup, Workload } from '../../../model/cost/workloads';
import type { JsonRecord } from '../../../model/json-parts';

/** What a reader finds; kind, name and namespace are the object's. */
export type Found = Omit<Workload, 'kind' | 'name' | 'namespace' | 'notes'> & { readonly notes?: readonly string[] };

/** Reads one object; undefined where it runs nothing by itself. */
export type KindReader = (object: ManifestObject, surroundings: Surroundings) => Found | undefined;

/** The same for a workload of a known kind, which says itself whether it ends. */
export type WorkloadReader = (object: ManifestObject, surroundings: Surroundings) => Omit<Found, 'nature'> | undefined;

/** Pods that are alike, of the `spec` of a pod. */
export function group(name: string, pods: number | Range, podSpec: JsonRecord, surroundings: Surroundings, deadlineSeconds?: number): PodGroup {
  const deadline = deadlineSeconds ?? podDeadline(podSpec);
  const atATime = typeof pods === 'number' ? range(pods) : pods;
  surroundings.onPods?.(name, atATime, podSpec);
  return {
    name,
    pods: atATime,
    choices: podNeeds(podSpec, surroundings),
    ...(deadline !== undefined && { deadlineSeconds: deadline }),
  };
}

/** The `spec` of the pod in a template. */
export function podOf(template: unknown): JsonRecord {
  return fieldsAt(template, 'spec');
}

/** Pods of a Job at a time: as many as it may have, and no more than are to complete. */
export function jobPods(spec: JsonRecord): number {
  const parallelism = numberAt(spec, 'parallelism') ?? 1;
  const completions = numberAt(spec, 'completions');
  return completions === undefined ? parallelism : Math.min(parallelism, completions);
}

/** Whether the group of an object's `apiVersion` is this. */
export function isOf(object: ManifestObject, apiGroup: string): boolean {
  return (textAt(object, 'apiVersion') ?? '').startsWith(`${apiGroup}/`);
}
