/** Readers of workloads: functions from an object to its pods. */
import { fieldsAt, numberAt } from '../fields';
import { podNeeds } from '../pod-needs';
import type { Surroundings } from '../surroundings';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import { range, type Range } from '../../../model/cost/ranges';
import type { PodGroup, Workload } from '../../../model/cost/workloads';
import type { JsonRecord } from '../../../model/json-parts';

/** The result of a reader, without kind, name and namespace. */
export type Found = Omit<Workload, 'kind' | 'name' | 'namespace' | 'notes'> & { readonly notes?: readonly string[] };

/** Reads an object; undefined if it runs nothing itself. */
export type KindReader = (object: ManifestObject, surroundings: Surroundings) => Found | undefined;

/** A reader for a known kind, whose definition has the nature. */
export type WorkloadReader = (object: ManifestObject, surroundings: Surroundings) => Omit<Found, 'nature'> | undefined;

/** A group of equal pods. */
export function group(name: string, pods: number | Range, podSpec: JsonRecord, surroundings: Surroundings, deadlineSeconds?: number): PodGroup {
  const deadline = deadlineSeconds ?? numberAt(podSpec, 'activeDeadlineSeconds');
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

