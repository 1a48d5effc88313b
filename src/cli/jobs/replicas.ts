/** Pods of a job as its replicas: role, index, rank, and which of them a command is about. */
import type { PodObject } from './objects';
import { CliError } from '../cli-error';
import type { WorkloadKind } from '../../model/kinds/workload-kind';
import { RANK_ANNOTATION } from '../../model/labels';
import { didYouMean } from '../../model/violations';

/** A pod and what it is in its job. */
export interface Replica {
  readonly pod: PodObject;
  readonly name: string;
  /** @default - its kind has no roles */
  readonly role?: string;
  readonly index?: number;
  /** @default - it has none, or its kind does not say */
  readonly rank?: number;
}

export interface ReplicaFlags {
  readonly rank?: number;
  readonly role?: string;
}

/** Container of the training script in pods of our own and Trainer's jobs. */
const MAIN_CONTAINERS = ['training', 'hook', 'node', 'trainer', 'pytorch', 'tensorflow', 'ray-head', 'ray-worker', 'kserve-container'];

/** Replicas of the pods, by role, index and name; a replaced pod comes before its replacement. */
export function replicasOf({ roleLabel, indexLabel }: WorkloadKind, pods: readonly PodObject[]): readonly Replica[] {
  const replicas = pods.map((pod): Replica => {
    const { name = '', labels = {}, annotations = {} } = pod.metadata ?? {};
    const index = numberOf(indexLabel === undefined ? undefined : labels[indexLabel] ?? annotations[indexLabel]);
    return { pod, name, role: roleLabel === undefined ? undefined : labels[roleLabel], index, rank: numberOf(annotations[RANK_ANNOTATION]) };
  });
  // Where no controller says ranks, and all pods are alike, their indexes are the ranks.
  const isOneRole = new Set(replicas.map(({ role }) => role)).size === 1;
  const ranked = replicas.some(({ rank }) => rank !== undefined) ? replicas
    : isOneRole ? replicas.map((replica) => ({ ...replica, rank: replica.index })) : replicas;
  return [...ranked].sort((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || (one.role ?? '').localeCompare(other.role ?? '')
    || (one.index ?? 0) - (other.index ?? 0) || ageOf(one) - ageOf(other) || one.name.localeCompare(other.name));
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\d{1,9}$/.test(text) ? undefined : Number(text);
}

function ageOf({ pod }: Replica): number {
  return Date.parse(pod.metadata?.creationTimestamp ?? '') || 0;
}

/** Those that are asked for. @throws CliError when there are none */
export function chooseReplicas(replicas: readonly Replica[], { rank, role }: ReplicaFlags): readonly Replica[] {
  const roles = [...new Set(replicas.flatMap((replica) => replica.role ?? []))];
  if (role !== undefined && !roles.includes(role)) {
    throw new CliError(`--role ${role}: ${roles.length === 0 ? 'its pods have no roles. Leave it out.' : `there is no such role. Roles: ${roles.join(', ')}.${didYouMean(role, roles)}`}`);
  }
  const ofRole = replicas.filter((replica) => role === undefined || replica.role === role);
  if (rank === undefined) {
    return ofRole;
  }
  // In a role, its own numbers are what people count by where there are no ranks.
  const numbers = ofRole.map((replica) => replica.rank ?? (role === undefined ? undefined : replica.index));
  const chosen = ofRole.filter((_replica, at) => numbers[at] === rank);
  if (chosen.length === 0) {
    const known = [...new Set(numbers.filter((number) => number !== undefined))];
    throw new CliError(`--rank ${rank}: ${known.length === 0 ? 'no pod of it has a rank. Use --role, or leave --rank out.' : `there are pods of the ranks ${Math.min(...known)} to ${Math.max(...known)}.`}`);
  }
  return chosen;
}

/** Container that does the work of a pod: by its name, else the first. */
export function mainContainer({ spec }: PodObject): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  return MAIN_CONTAINERS.find((name) => names.includes(name)) ?? names[0] ?? '';
}

/** Name of a replica without its job's. */
export function shortName(job: string, { name }: Replica): string {
  return name.startsWith(`${job}-`) ? name.slice(job.length + 1) : name;
}
