/** What the checks before training have to look at, as a job asks for them (`spec.preflight`). */
import { roleOf } from './replicas/replicas';
import type { Replica, ResolvedTrainingJob } from '../frameworks/contract';
import { DEFAULT_GPU_RESOURCE } from './replicas/resolve';

/** Name of the init container that makes the checks. */
export const PREFLIGHT_CONTAINER = 'trainyard-preflight';

/** Seconds that the checks may take, unless the job says otherwise. */
const PREFLIGHT_TIMEOUT_SECONDS = 300;

/** How often in a row the checks may fail before the job fails. */
export const PREFLIGHT_LIMIT = 3;

/** Vendors whose devices can be counted from inside a container. */
const COUNTED = /^(nvidia|amd)\.com\//;

export function hasPreflight(job: Pick<ResolvedTrainingJob, 'spec'>): boolean {
  return job.spec.preflight !== undefined && job.spec.preflight.enabled !== false;
}

export function preflightTimeoutSeconds(job: Pick<ResolvedTrainingJob, 'spec'>): number {
  return job.spec.preflight?.timeoutSeconds ?? PREFLIGHT_TIMEOUT_SECONDS;
}

/**
 * Replicas that check the network together, in the order of their ranks; none where each checks its own node only. Together they can be only where
 * they also start together: a replica that is replaced by itself, or that joins an elastic job later, would find no peer to check with.
 */
export function networkPeers(job: ResolvedTrainingJob): readonly Replica[] {
  const ranked = job.replicas.filter((replica) => replica.rank !== undefined);
  return job.framework.restartScope === 'gang' && job.spec.elastic === undefined && ranked.length > 1 ? ranked : [];
}

/** Whether the replica has anything to check: a rank, or devices. */
export function checksReplica(job: ResolvedTrainingJob, replica: Replica): boolean {
  return hasPreflight(job) && (replica.rank !== undefined || devicesOf(job, replica).count > 0);
}

/** Devices that can be counted, of those that a replica asks for. */
export function devicesOf(job: ResolvedTrainingJob, replica: Replica): { readonly count: number; readonly resource: string } {
  const { gpu = 0, gpuResourceName = DEFAULT_GPU_RESOURCE } = roleOf(job, replica).resources;
  return { count: COUNTED.test(gpuResourceName) ? gpu : 0, resource: gpuResourceName };
}
