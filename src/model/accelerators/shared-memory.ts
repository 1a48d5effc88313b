/**
 * `/dev/shm` of containers. Data loaders and NCCL share buffers in it, and a container runtime gives it 64 MiB, which ends a run with a bus error: so
 * containers with whole GPUs get more unless the job says otherwise, however their GPUs are asked for.
 */
import { GPU_RESOURCE, NODE_LABELS } from './labels';
import { GFD_LABELS } from '../gpu-operator/plugin-requests';
import { tryParseQuantity } from '../quantities';

/** GiB for each GPU. */
const SHARED_MEMORY_PER_GPU_GIB = 8;

/** Where containers find it. */
export const SHARED_MEMORY_PATH = '/dev/shm';

const DIVIDED_LABELS: readonly string[] = [NODE_LABELS.partitionSize, NODE_LABELS.sharingStrategy, GFD_LABELS.sharing, GFD_LABELS.migStrategy];

/** Names of resources that count partitions and shares. */
const DIVIDED_RESOURCE = /^nvidia\.com\/mig-|\.shared$/;

/** What a container asks for, as far as it matters here. */
export interface SharedMemoryNeeds {
  readonly gpu?: number;
  readonly gpuResourceName?: string;
  readonly memory?: string;
  readonly sharedMemory?: string;
}

/** A container, and the pod that it is in. */
export interface SharedMemoryUser {
  readonly resources: SharedMemoryNeeds;
  readonly nodeSelector?: { readonly [label: string]: unknown };
  readonly volumeMounts?: readonly { readonly mountPath?: unknown }[];
}

/** GiB that so many GPUs want. */
export function sharedMemoryGiBOf(gpus: number): number {
  return SHARED_MEMORY_PER_GPU_GIB * gpus;
}

/** Size of the volume at `/dev/shm` that is asked for; undefined if none is, or if it is 0. */
export function statedSharedMemory({ sharedMemory }: SharedMemoryNeeds): string | undefined {
  return sharedMemory === undefined || tryParseQuantity(sharedMemory) === 0 ? undefined : sharedMemory;
}

/**
 * Size of the volume at `/dev/shm`: what is asked for, or with whole GPUs 8 GiB for each, and at most half of the memory, which it counts against.
 * @returns undefined where there is none, and the container has the runtime's 64 MiB
 */
export function sharedMemoryFor({ resources, nodeSelector = {}, volumeMounts = [] }: SharedMemoryUser): string | undefined {
  const { gpu = 0, gpuResourceName = GPU_RESOURCE, memory, sharedMemory } = resources;
  const isWhole = !DIVIDED_RESOURCE.test(gpuResourceName) && !DIVIDED_LABELS.some((label) => Object.hasOwn(nodeSelector, label));
  if (sharedMemory !== undefined || gpu === 0 || !isWhole || volumeMounts.some(isAtSharedMemory)) {
    return statedSharedMemory(resources);
  }
  const wanted = sharedMemoryGiBOf(gpu);
  const bytes = memory === undefined ? undefined : tryParseQuantity(memory);
  return bytes === undefined || bytes / 2 >= wanted * 2 ** 30 ? `${wanted}Gi` : `${Math.floor(bytes / 2 / 2 ** 20)}Mi`;
}

/** Whether a volume is mounted there. */
export function isAtSharedMemory({ mountPath }: { readonly mountPath?: unknown }): boolean {
  return mountPath === SHARED_MEMORY_PATH || mountPath === `${SHARED_MEMORY_PATH}/`;
}
