/** Which replicas `trainyard env` shows. */
import type { SeenReplica } from './seen-variables';
import { CliError } from '../cli-error';
import { didYouMean } from '../../model/violations';

/** What the user asks for. */
export interface ReplicaChoice {
  readonly rank?: number;
  readonly role?: string;
}

/** Replicas that were asked for. @throws CliError when there are none */
export function chooseReplicas(replicas: readonly SeenReplica[], { rank, role }: ReplicaChoice): readonly SeenReplica[] {
  const roles = [...new Set(replicas.map((replica) => replica.role))];
  if (role !== undefined && !roles.includes(role)) {
    throw new CliError(`--role ${role}: the job has no such role. Roles: ${roles.join(', ')}.${didYouMean(role, roles)}`);
  }
  const ofRole = replicas.filter((replica) => role === undefined || replica.role === role);
  if (rank === undefined) {
    return ofRole;
  }
  const chosen = ofRole.filter((replica) => replica.rank === rank);
  if (chosen.length === 0) {
    const ranks = ofRole.flatMap((replica) => replica.rank ?? []);
    throw new CliError(`--rank ${rank}: ${ranks.length === 0
      ? 'these replicas have no fixed ranks: in an elastic job they change, and some roles have none. Use --role.'
      : `${role === undefined ? 'the job' : `the role ${role}`} has the ranks ${Math.min(...ranks)} to ${Math.max(...ranks)}.`}`);
  }
  return chosen;
}

/** Most replicas that stand side by side. */
const MAX_SIDE_BY_SIDE = 4;

/** A few of many: the first two and the last of each role. */
export function exampleReplicas(replicas: readonly SeenReplica[]): readonly SeenReplica[] {
  if (replicas.length <= MAX_SIDE_BY_SIDE) {
    return replicas;
  }
  const lastOf = new Map(replicas.map((replica) => [replica.role, replica.index]));
  return replicas.filter(({ role, index }) => index <= 1 || index === lastOf.get(role));
}
