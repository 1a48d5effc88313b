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

/** GPUs of one pod on nodes with NVIDIA's own device plugin, off GKE. */
export interface PluginGpuRequest {
  readonly kind: 'plugin-gpu';
  /** Value of the label `nvidia.com/gpu.product` of whole GPUs, such as `NVIDIA-H100-80GB-HBM3`. */
  readonly product: string;
  /** GPUs, partitions or shares of the pod. */
  readonly count: number;
  /** Size of a partition, such as `1g.10gb`. @default - whole GPUs */
  readonly partition?: string;
  /** `single` or `mixed`: how partitions are named. @default mixed */
  readonly migStrategy?: string;
  /** @default - GPUs are not shared */
  readonly sharing?: GpuSharingSpec;
  /** Whether shares are named `NAME.shared`. @default true */
  readonly renamed?: boolean;
}

export type AcceleratorRequestSpec = GpuRequest | TpuRequest | PluginGpuRequest;
