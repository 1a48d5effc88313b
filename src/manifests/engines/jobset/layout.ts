/**
 * How the replicas of a job are distributed over the child Jobs of a JobSet.
 *
 * One Indexed Job per role needs the fewest objects, and works if everything follows from the index in the role. Ranks do not if a master precedes
 * the workers: then each replica of a ranked role is its own Job, and its number in a JobSet group that spans all roles is the rank. If the
 * coordinator of a role differs from the others (PaddlePaddle's), it gets its own replicated job. So no layout needs a shell before the program.
 */
import { podAddresses } from '../indexed/engine-pods';
import type { IndexGrid, IndexVariable } from '../indexed/indexed-text';
import { COMPLETION_INDEX } from '../job';
import type { AddressBook } from '../../../model/frameworks/address-book';
import type { Replica, ResolvedRole } from '../../../model/frameworks/contract';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { tpuSlicesOf, type TpuSlices } from '../../../model/training-job/replicas/tpu-slices';

/** Replicas of a role with one template: an entry of `replicatedJobs`. */
export interface ReplicatedJob {
  readonly name: string;
  readonly role: ResolvedRole;
  readonly replicas: readonly Replica[];
  /** Whether each replica is its own child Job. Otherwise one Indexed Job has all of them, or those of a slice. */
  readonly perReplica: boolean;
  /** TPU slices of the replicas: each is its own Indexed Job with exclusive placement. @default - no slices of several hosts */
  readonly slices?: TpuSlices;
  /** Group in which JobSet numbers its child Jobs. @default - none */
  readonly group?: string;
  /** Number of its first child Job in the group. */
  readonly firstInGroup: number;
}

/** All replicas, in the order in which the JobSet names them. */
export type Layout = readonly ReplicatedJob[];

/** A role that waits for another one. */
export interface RoleDependency {
  readonly role: string;
  readonly on: string;
}

/** Number of a child Job in its replicated job. */
const JOB_INDEX: IndexVariable = { name: 'JOBSET_JOB_INDEX', plus: 0, fieldPath: 'metadata.labels[\'jobset.sigs.k8s.io/job-index\']' };

/** Number of a pod across all slices of its role. No field holds it. */
const POD_NUMBER: IndexVariable = { name: 'TRAINYARD_POD_NUMBER', plus: 0, fieldPath: '' };

/** Field of a pod with the number of restarts of its JobSet. */
export const RESTART_ATTEMPT = 'metadata.labels[\'jobset.sigs.k8s.io/restart-attempt\']';

/** Group of the Jobs whose number is a rank. */
const RANKS = 'ranks';

/** One Indexed Job per role. */
export function layoutByRole(job: ResolvedTrainingJob, dependencies: readonly RoleDependency[]): Layout {
  return inOrder(job.roles, dependencies).map((role) => ({
    name: role.name, role, replicas: replicasOfRole(job, role.name), perReplica: false, firstInGroup: 0, ...slicesOf(job, role),
  }));
}

/** Slices of a role. Slices that span several roles are rejected. */
function slicesOf(job: ResolvedTrainingJob, role: ResolvedRole): Pick<ReplicatedJob, 'slices'> {
  const slices = tpuSlicesOf(job).find(({ roles }) => roles.length === 1 && roles[0] === role);
  return { ...(slices && { slices }) };
}

/** One child Job per replica for roles with ranks. @param apart whether the coordinator has its own template */
export function layoutByReplica(job: ResolvedTrainingJob, dependencies: readonly RoleDependency[], apart: boolean): Layout {
  const parts = layoutByRole(job, dependencies).flatMap((part): Omit<ReplicatedJob, 'firstInGroup'>[] => {
    const { role, replicas } = part;
    const perReplica = role.ranked && replicas.length > 1;
    const isSplit = apart && replicas.length > 1 && replicas[0].ordinal === 0;
    return (isSplit ? [
      { ...part, name: unusedName(job, `${role.name}-coordinator`), replicas: replicas.slice(0, 1) },
      { ...part, replicas: replicas.slice(1), perReplica },
    ] : [{ ...part, perReplica }]).map((entry) => ({ ...entry, group: role.ranked ? RANKS : undefined }));
  });
  let jobs = 0;
  return parts.map((part) => {
    const firstInGroup = part.group === undefined ? 0 : jobs;
    jobs += part.group === undefined ? 0 : childJobs(part);
    return { ...part, firstInGroup };
  });
}

export function childJobs({ perReplica, replicas, slices }: Pick<ReplicatedJob, 'perReplica' | 'replicas' | 'slices'>): number {
  return perReplica ? replicas.length : slices?.count ?? 1;
}

export function podsOfChild(part: Pick<ReplicatedJob, 'perReplica' | 'replicas' | 'slices'>): number {
  return part.replicas.length / childJobs(part);
}

/** How pods of several slices compute their number; undefined if one number is enough. */
export function gridOf({ slices }: ReplicatedJob): IndexGrid | undefined {
  return slices === undefined || slices.count === 1 ? undefined : { row: JOB_INDEX, place: COMPLETION_INDEX, width: slices.hosts };
}

/** Numbers in a pod's metadata. */
export function indexesOf(part: ReplicatedJob): readonly [IndexVariable, ...IndexVariable[]] {
  const { perReplica, group, firstInGroup } = part;
  if (!perReplica) {
    return [gridOf(part) === undefined ? COMPLETION_INDEX : POD_NUMBER];
  }
  return group === undefined ? [JOB_INDEX] : [JOB_INDEX, {
    name: 'JOBSET_JOB_GROUP_INDEX', plus: firstInGroup, fieldPath: 'metadata.labels[\'jobset.sigs.k8s.io/job-group-index\']',
  }];
}

/** Host name of the pod at a position of a replicated job, as JobSet and Kubernetes set it. */
export function hostname(jobSet: string, part: ReplicatedJob, position: number): string {
  const pods = podsOfChild(part);
  return `${jobSet}-${part.name}-${Math.floor(position / pods)}-${position % pods}`;
}

/** Addresses of the replicas in the JobSet's service. */
export function addressesOf(jobSet: string, layout: Layout): AddressBook {
  const hosts = new Map(layout.flatMap((part) => part.replicas.map(
    ({ ordinal }, position) => [ordinal, `${hostname(jobSet, part, position)}.${jobSet}`] as const,
  )));
  return podAddresses(({ ordinal }) => hosts.get(ordinal)!);
}

/** Roles in the order of their ranks, but each after those that it waits for, because JobSet requires that order. */
function inOrder(roles: readonly ResolvedRole[], dependencies: readonly RoleDependency[]): ResolvedRole[] {
  const ordered: ResolvedRole[] = [];
  let left = [...roles];
  while (left.length > 0) {
    const waits = (role: ResolvedRole) => dependencies.some(({ role: name, on }) => name === role.name && left.some((other) => other.name === on));
    // A cycle has no first role; the rules of the engine report it.
    const next = left.find((role) => !waits(role)) ?? left[0];
    ordered.push(next);
    left = left.filter((role) => role !== next);
  }
  return ordered;
}

/** The name, with a suffix if a role has it. */
function unusedName(job: ResolvedTrainingJob, name: string): string {
  return job.roles.some((role) => role.name === name) ? unusedName(job, `${name}-0`) : name;
}
