/**
 * Gives each replica its own GPUs with `CUDA_VISIBLE_DEVICES`, like a device plugin. If the machine has too few, all replicas can use all GPUs: that
 * is slow, but works for tests of a script.
 */
import fs from 'node:fs';
import type { Replica } from '../../model/frameworks/contract';
import { DEFAULT_GPU_RESOURCE, type ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

export const VISIBLE_DEVICES_VARIABLE = 'CUDA_VISIBLE_DEVICES';

export interface GpuSlices {
  /** Value of {@link VISIBLE_DEVICES_VARIABLE}; undefined if it is not set. */
  visibleDevices(replica: Replica): string | undefined;
  readonly warning?: string;
}

/** CUDA's numbers of the GPUs: those in the user's environment, else all. */
export function visibleGpus(env: NodeJS.ProcessEnv): string[] {
  if (env[VISIBLE_DEVICES_VARIABLE] !== undefined) {
    return env[VISIBLE_DEVICES_VARIABLE].split(',').map((id) => id.trim()).filter((id) => id !== '' && id !== '-1');
  }
  // A container may have any of the machine's devices. CUDA numbers them from 0.
  const devices = fs.existsSync('/dev') ? fs.readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)) : [];
  return devices.map((_name, index) => String(index));
}

/** Number of GPUs that all replicas request. */
export function wantedGpus(job: ResolvedTrainingJob): number {
  const counts = new Map(job.roles.map((role) => [role.name, countOf(role.resources)]));
  return job.replicas.reduce((sum, replica) => sum + counts.get(replica.role)!, 0);
}

/** Assigns the GPUs in the order of the replicas. */
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
    // A replica without a request gets no GPU, as in a cluster.
    slices.set(replica.ordinal, gpus.slice(next, next + count).join(','));
    next += count;
  }
  return { visibleDevices: (replica) => slices.get(replica.ordinal) };
}

function countOf(resources: { readonly gpu?: number; readonly gpuResourceName?: string }): number {
  return (resources.gpuResourceName ?? DEFAULT_GPU_RESOURCE) === DEFAULT_GPU_RESOURCE ? resources.gpu ?? 0 : 0;
}
