/** What a node offers to pods: `nvidia.com/gpu` counts GPUs, partitions of GPUs, or the clients that share them. */
import type { GpuAccelerator } from './types';

/** Fewest and most clients that one GPU, or one partition, is shared by. */
export const SHARED_CLIENTS = { min: 2, max: 48 } as const;

/** How the GPUs of a node are divided. */
export interface GpuDivision {
  /** Physical GPUs of the node. */
  readonly gpus: number;
  /** Partitions of each GPU. @default 1 */
  readonly partitionsPerGpu?: number;
  /** Clients that share each GPU or each partition. @default 1 */
  readonly clientsPerDevice?: number;
}

/** `nvidia.com/gpu` that a node has to give: GPUs x partitions x clients, as GKE's autoscaler counts. */
export function allocatableGpus({ gpus, partitionsPerGpu = 1, clientsPerDevice = 1 }: GpuDivision): number {
  return gpus * partitionsPerGpu * clientsPerDevice;
}

/** Partitions of a size that one GPU gives; undefined when it has none of the size. */
export function partitionsPerGpu(gpu: GpuAccelerator, size: string): number | undefined {
  return gpu.migProfiles.find(({ profile }) => profile === size)?.perGpu;
}
