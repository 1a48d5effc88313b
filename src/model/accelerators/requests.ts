/** What a pod asks for, in the model's terms. */

/** How one GPU, or one partition of it, is shared by containers. */
export interface GpuSharingSpec {
  /** `time-sharing` or `mps`. */
  readonly strategy: string;
  /** Clients of each GPU or partition. */
  readonly clients: number;
}

/** GPUs of one pod. */
export interface GpuRequest {
  readonly kind: 'gpu';
  /** Type as in the label of nodes, such as `nvidia-h100-80gb`. */
  readonly type: string;
  /** `nvidia.com/gpu` of the pod: GPUs, partitions or shares. */
  readonly count: number;
  /** @default - any machine type with such GPUs */
  readonly machineType?: string;
  /** Size of a partition, such as `1g.10gb`. @default - whole GPUs */
  readonly partition?: string;
  /** @default - GPUs are not shared */
  readonly sharing?: GpuSharingSpec;
}

/** TPU chips of one pod, which is one host of a slice. */
export interface TpuRequest {
  readonly kind: 'tpu';
  /** Type as in the label of nodes, such as `tpu-v6e-slice`. */
  readonly type: string;
  /** Topology of the slice, such as `4x4`. */
  readonly topology: string;
  /** Machine type of the hosts. @default - one host that is the whole slice where there is one, else the machine of larger slices */
  readonly machineType?: string;
}

/** Any of the two. */
export type AcceleratorRequestSpec = GpuRequest | TpuRequest;
