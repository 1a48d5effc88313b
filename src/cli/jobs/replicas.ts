/** The replicas of a job: pods with role, index and rank. */
import type { PodObject } from './objects';
import { CliError } from '../cli-error';
import type { WorkloadKind } from '../../model/kinds/workload-kind';
import { RANK_ANNOTATION } from '../../model/labels';
import { didYouMean } from '../../model/violations';
import { wholeNumber } from '../text';

export interface Replica {
  readonly pod: PodObject;
  readonly name: string;
  /** @default - its kind has no roles */
  readonly role?: string;
  readonly index?: number;
  /** @default - it has none, or its controller does not set it */
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
    const index = wholeNumber(indexLabel === undefined ? undefined : labels[indexLabel] ?? annotations[indexLabel]);
    return { pod, name, role: roleLabel === undefined ? undefined : labels[roleLabel], index, rank: wholeNumber(annotations[RANK_ANNOTATION]) };
  });
  // If no controller sets ranks and all pods have one role, the indexes are the ranks.
  const isOneRole = new Set(replicas.map(({ role }) => role)).size === 1;
  const hasRanks = replicas.some(({ rank }) => rank !== undefined);
  const ranked = hasRanks || !isOneRole ? replicas : replicas.map((replica) => ({ ...replica, rank: replica.index }));
  return [...ranked].sort((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || (one.role ?? '').localeCompare(other.role ?? '')
    || (one.index ?? 0) - (other.index ?? 0) || ageOf(one) - ageOf(other) || one.name.localeCompare(other.name));
}

function ageOf({ pod }: Replica): number {
  return Date.parse(pod.metadata?.creationTimestamp ?? '') || 0;
}

/** The replicas that the flags select. @throws CliError when there are none */
export function chooseReplicas(replicas: readonly Replica[], { rank, role }: ReplicaFlags): readonly Replica[] {
  const roles = [...new Set(replicas.flatMap((replica) => replica.role ?? []))];
  if (role !== undefined && !roles.includes(role)) {
    throw unknownRole(role, roles, 'pods');
  }
  const ofRole = replicas.filter((replica) => role === undefined || replica.role === role);
  if (rank === undefined) {
    return ofRole;
  }
  // Without ranks, users count by the indexes of a role.
  const numbers = ofRole.map((replica) => replica.rank ?? (role === undefined ? undefined : replica.index));
  const chosen = ofRole.filter((_replica, at) => numbers[at] === rank);
  if (chosen.length === 0) {
    const known = [...new Set(numbers.filter((number) => number !== undefined))];
    throw new CliError(`--rank ${rank}: ${known.length === 0 ? 'no pod of it has a rank. Use --role, or leave --rank out.' : `there are pods of the ranks ${Math.min(...known)} to ${Math.max(...known)}.`}`);
  }
  return chosen;
}

/** The error for a role that does not exist. */
export function unknownRole(role: string, roles: readonly string[], what: 'pods' | 'replicas'): CliError {
  const rule = roles.length === 0 ? `its ${what} have no roles. Leave it out.` : `there is no such role. Roles: ${roles.join(', ')}.${didYouMean(role, roles)}`;
  return new CliError(`--role ${role}: ${rule}`);
}

/** The container that trains: one with a known name, otherwise the first. */
export function mainContainer({ spec }: PodObject): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  return MAIN_CONTAINERS.find((name) => names.includes(name)) ?? names[0] ?? '';
}

/** Name of a replica without its job's. */
export function shortName(job: string, { name }: Replica): string {
  return name.startsWith(`${job}-`) ? name.slice(job.length + 1) : name;
}
