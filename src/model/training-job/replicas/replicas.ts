/** The replicas of a job: how they are numbered, and who is who among them. */
import { hasHelpers } from './helpers';
import type { Replica, ReplicaContext, ResolvedRole, ResolvedTrainingJob } from '../../frameworks/contract';
import { COORDINATOR_PORT_NAME, isMaster } from '../../frameworks/address-book';
import { podName } from '../../names';
import { MAX_REPLICAS } from '../spec';
import { tpuSlicesOf } from './tpu-slices';

/** More replicas than any job may have. Nothing counts them one by one: one number of a manifest could ask for more than a process can hold. */
export class TooManyReplicasError extends Error {
  public readonly name = 'TooManyReplicasError';

  public constructor(total: number) {
    super(`it has ${total} replicas, and a job has at most ${MAX_REPLICAS}. Lower the numbers.`);
  }
}

/**
 * Numbers the replicas of all roles: ordinals through all of them, ranks through those whose role has ranks.
 * @throws TooManyReplicasError where the spec was not validated, and has more than a job may have
 */
export function numberReplicas(jobName: string, roles: readonly ResolvedRole[]): Replica[] {
  const total = roles.reduce((sum, role) => sum + role.replicas, 0);
  if (total > MAX_REPLICAS) {
    throw new TooManyReplicasError(total);
  }
  const replicas: Replica[] = [];
  let rank = 0;
  for (const role of roles) {
    for (let index = 0; index < role.replicas; index++) {
      replicas.push({
        role: role.name,
        index,
        ordinal: replicas.length,
        rank: role.ranked ? rank++ : undefined,
        podName: podName(jobName, role.name, index, role.singleton),
      });
    }
  }
  return replicas;
}

/** Replicas of one role; empty when the job has no such role. */
export function replicasOfRole(job: ResolvedTrainingJob, role: string): readonly Replica[] {
  return job.replicas.filter((replica) => replica.role === role);
}

export function roleOf(job: ResolvedTrainingJob, replica: Replica): ResolvedRole {
  return job.roles.find((role) => role.name === replica.role)!;
}

/** The replica that the others dial: the first of the first role. */
export function coordinatorOf(job: ResolvedTrainingJob): Replica {
  return job.replicas[0];
}

/** Where the replicas of a job meet: host and port of its coordinator. */
export function coordinatorAddress({ job, addresses }: Pick<ReplicaContext, 'job' | 'addresses'>): { readonly host: string; readonly port: number } {
  const coordinator = coordinatorOf(job);
  return { host: addresses.host(coordinator), port: addresses.port(coordinator, COORDINATOR_PORT_NAME, job.port) };
}

/** Whether the job has a master, which a service of its own is in front of. */
export function hasMaster(job: ResolvedTrainingJob): boolean {
  return isMaster(job.name, coordinatorOf(job));
}

/**
 * Whether replicas are dialled by their own names (`POD.NAME`), so that the job needs a headless service for all of them: where the
 * framework's contract names peers, where the coordinator is not a master, where there are helpers, or where replicas are hosts of TPU slices.
 */
export function needsPeerService(job: ResolvedTrainingJob): boolean {
  return !hasMaster(job) || (job.framework.peersByName && job.replicas.length > 1) || hasHelpers(job) || tpuSlicesOf(job).length > 0;
}
