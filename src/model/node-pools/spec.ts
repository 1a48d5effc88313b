/**
 * A node pool of GKE with accelerators, in the model's terms: the one description that Config Connector, ComputeClass and Pulumi are rendered from.
 */
import type { GpuSharingSpec } from '../accelerators/requests';
import type { DiskType } from '../accelerators/types';

export interface PoolGpus {
  /** Type, such as `nvidia-h100-80gb`. */
  readonly type: string;
  readonly count: number;
  /** Size of partitions (MIG). @default - whole GPUs */
  readonly partition?: string;
  /** @default - GPUs are not shared */
  readonly sharing?: GpuSharingSpec;
  /** `default`, `latest` or `disabled`: who installs the driver. @default `default` */
  readonly driver?: string;
}

/** The slice that the nodes of a pool are, or the hosts of many slices of one host. */
export interface PoolTpus {
  /** Type, such as `tpu-v6e-slice`. */
  readonly type: string;
  readonly topology: string;
}

export interface PoolReservation {
  readonly name: string;
  /** @default - the pool's project */
  readonly project?: string;
  readonly block?: string;
  readonly subBlock?: string;
}

/** How the machines are had. Without any of them they are had on demand. */
export interface PoolCapacity {
  readonly spot?: boolean;
  readonly flexStart?: boolean;
  readonly queued?: boolean;
  readonly reservation?: PoolReservation;
  /** `none`, `any`, `any-then-fail`: of reservations without a name. @default - `none` for spot, flex-start and queued machines, else `any` */
  readonly reservationAffinity?: string;
  /** Seconds that a machine lives. */
  readonly maxRunSeconds?: number;
}

export interface PoolSize {
  /** A fixed number. Not together with autoscaling. */
  readonly nodes?: number;
  /** Autoscaling in each zone. */
  readonly minPerZone?: number;
  readonly maxPerZone?: number;
  /** Autoscaling over all zones together. Not together with the ones per zone. */
  readonly totalMin?: number;
  readonly totalMax?: number;
  /** `BALANCED` or `ANY`. */
  readonly locationPolicy?: string;
}

/** Where the nodes stand to each other. */
export interface PoolPlacement {
  /** Nodes close to each other. */
  readonly compact?: boolean;
  /** Name of a resource policy, such as a workload policy. */
  readonly policyName?: string;
}

export interface PoolNetwork {
  readonly gvnic?: boolean;
  readonly fastSocket?: boolean;
  /** `rdma`: GPUs reach each other's memory, on the networks that DRANET makes. */
  readonly gpuDirect?: string;
  /** Nodes without addresses of their own on the internet. @default - the cluster's; true with additional networks or a network profile */
  readonly privateNodes?: boolean;
  /** Networks in addition to the cluster's own, one for each further interface. */
  readonly additionalNetworks?: readonly PoolAdditionalNetwork[];
  /** `auto`: DRANET makes the networks. Not together with additional networks. */
  readonly acceleratorNetworkProfile?: string;
}

/** One of the networks in addition to the cluster's own. */
export interface PoolAdditionalNetwork {
  readonly network: string;
  readonly subnetwork: string;
  /** Largest packets of the network, in bytes, where it is known. */
  readonly mtu?: number;
}

/** A taint, with the effect as Kubernetes spells it. */
export interface PoolTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** How nodes are replaced by newer ones. */
export interface PoolUpgrade {
  /** `SURGE` or `BLUE_GREEN`. GKE itself chooses `SHORT_LIVED`, for flex-start and queued machines. */
  readonly strategy?: string;
  readonly maxSurge?: number;
  readonly maxUnavailable?: number;
  /** How `BLUE_GREEN` proceeds. */
  readonly blueGreen?: PoolBlueGreenUpgrade;
}

/** Steps of an upgrade by a second set of nodes. */
export interface PoolBlueGreenUpgrade {
  /** Nodes that are drained at a time. */
  readonly batchNodes?: number;
  /** Part of the nodes that is drained at a time, above 0 and up to 1. Not together with a number. */
  readonly batchPercentage?: number;
  readonly batchSoakSeconds?: number;
  /** Seconds after the last batch, until the old nodes go. */
  readonly soakSeconds?: number;
}

/** A disk that nodes start with in addition to their boot disk, such as one with container images. */
export interface PoolSecondaryBootDisk {
  readonly image: string;
  /** @default - the pool's project */
  readonly project?: string;
}

export interface NodePoolSpec {
  readonly name: string;
  readonly machineType?: string;
  readonly gpus?: PoolGpus;
  readonly tpus?: PoolTpus;
  readonly capacity?: PoolCapacity;
  readonly size?: PoolSize;
  readonly placement?: PoolPlacement;
  readonly network?: PoolNetwork;
  /** Zones of the nodes. @default - all of the cluster */
  readonly zones?: readonly string[];
  readonly bootDiskType?: DiskType | string;
  readonly bootDiskGiB?: number;
  readonly secondaryBootDisks?: readonly PoolSecondaryBootDisk[];
  /** Local SSDs as ephemeral storage. */
  readonly localSsdEphemeral?: number;
  /** Local SSDs as block devices. */
  readonly localSsdBlock?: number;
  /** Types of disks that pods attach, such as those of their claims. */
  readonly attachedDiskTypes?: readonly string[];
  readonly imageType?: string;
  readonly labels?: { readonly [name: string]: string };
  readonly taints?: readonly PoolTaint[];
  /** ComputeClass that the nodes are of: they get its label and its taint. */
  readonly computeClass?: string;
  readonly autoRepair?: boolean;
  readonly autoUpgrade?: boolean;
  readonly upgrade?: PoolUpgrade;
  readonly maxPodsPerNode?: number;
  /** Containers start before their image is there as a whole. */
  readonly imageStreaming?: boolean;
  readonly serviceAccount?: string;
  /** Labels of the machines in Compute Engine, such as those of bills. */
  readonly resourceLabels?: { readonly [name: string]: string };
  readonly tags?: readonly string[];
  readonly secureBoot?: boolean;
  /** Whether the NVIDIA GPU operator installs driver and device plugin instead of GKE. */
  readonly gpuOperator?: boolean;
  /** `GKE_METADATA` or `GCE_METADATA`. */
  readonly workloadMetadata?: string;
  /** `TDX` or `SEV`. */
  readonly confidentialNodeType?: string;
  /** Whether a change that forces a replacement makes a second pool next to the first, under a name with a hash. */
  readonly blueGreen?: boolean;
}

/** What rules on pools want to know of their cluster. What is undefined is not known, and not checked. */
export interface ClusterFacts {
  /** Regional clusters have nodes in several zones. */
  readonly regional?: boolean;
  readonly multiNetworking?: boolean;
  readonly dataplaneV2?: boolean;
  readonly vpcNative?: boolean;
  /** `PROJECT.svc.id.goog`. */
  readonly workloadPool?: string;
  readonly shieldedNodes?: boolean;
  readonly autoprovisioningLimits?: { readonly [resource: string]: number };
  /** Whether GPUs within those limits come by ComputeClasses only, which install their driver. @default false */
  readonly autoprovisionedByClass?: boolean;
  readonly pools: readonly NodePoolSpec[];
}
