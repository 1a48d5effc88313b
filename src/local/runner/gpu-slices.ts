/**
 * Gives each replica GPUs of its own, as a cluster's device plugin would, through `CUDA_VISIBLE_DEVICES`. A machine with too few leaves all of
 * them visible to everyone: that is slow, but a script that is being written runs.
 */
import fs from 'node:fs';
import type { Replica } from '../../model/frameworks/contract';
import { DEFAULT_GPU_RESOURCE, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** The variable that the CUDA runtime reads. */
export const VISIBLE_DEVICES_VARIABLE = 'CUDA_VISIBLE_DEVICES';

/** How a job's GPUs are shared out. */
export interface GpuSlices {
  /** Value of {@link VISIBLE_DEVICES_VARIABLE}; undefined when it is left as it is. */
  visibleDevices(replica: Replica): string | undefined;
  /** What the user should know. */
  readonly warning?: string;
}

/** GPUs of this machine as CUDA numbers them: those that the user's environment shows, else all. */
export function visibleGpus(env: NodeJS.ProcessEnv): string[] {
  if (env[VISIBLE_DEVICES_VARIABLE] !== undefined) {
    return env[VISIBLE_DEVICES_VARIABLE].split(',').map((id) => id.trim()).filter((id) => id !== '' && id !== '-1');
  }
  // A container may hold any of the machine's devices; CUDA numbers those that it has from 0.
  const devices = fs.existsSync('/dev') ? fs.readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)) : [];
  return devices.map((_name, index) => String(index));
}

/** GPUs that all replicas of the job ask for. */
export function wantedGpus(job: ResolvedTrainingJob): number {
  const counts = new Map(job.roles.map((role) => [role.name, countOf(role.resources)]));
  return job.replicas.reduce((sum, replica) => sum + counts.get(replica.role)!, 0);
}

/** Shares the GPUs out in the order of the replicas. */
export function sliceGpus(job: ResolvedTrainingJob, gpus: readonly string[]): GpuSlices {
  const wanted = new Map(job.roles.map((role) => [role.name, countOf(role.resources)]));
  const total = wantedGpus(job);
  if (total === 0) {
    return { visibleDevices: () => undefined };
  }
  if (gpus.length < total) {
    const has = gpus.length === 0 ? 'has none' : `has ${gpus.length}`;
    return {
      visibleDevices: () => undefined,
      warning: `the job requests ${total} GPUs and this machine ${has}: replicas run with what is available`,
    };
  }
  const slices = new Map<number, string>();
  let next = 0;
  for (const replica of job.replicas) {
    const count = wanted.get(replica.role)!;
    // A replica that asks for none sees none, as in a cluster.
    slices.set(replica.ordinal, gpus.slice(next, next + count).join(','));
    next += count;
  }
  return { visibleDevices: (replica) => slices.get(replica.ordinal) };
}

function countOf(resources: { readonly gpu?: number; readonly gpuResourceName?: string }): number {
  return (resources.gpuResourceName ?? DEFAULT_GPU_RESOURCE) === DEFAULT_GPU_RESOURCE ? resources.gpu ?? 0 : 0;
}
