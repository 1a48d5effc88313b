import type { Size } from 'cdk8s';

/** A network in addition to the cluster's network. */
export interface NodeNetwork {
  /** Name of the VPC. */
  readonly network: string;

  /** Name of the subnetwork. */
  readonly subnetwork: string;

  /**
   * Maximum packet size (MTU) of the network, in bytes: 8244 for TCPX and TCPXO, 8896 for RDMA.
   * @default - unknown, and not checked
   */
  readonly mtu?: number;
}

/** Networks of nodes. */
export interface NodeNetworkOptions {
  /** Whether to use Google's network interface (gVNIC), which machines with many GPUs need. @default - GKE's */
  readonly gvnic?: boolean;

  /** Whether to use NCCL Fast Socket, for machines on the default network. It needs gVNIC. @default - GKE's */
  readonly fastSocket?: boolean;

  /**
   * Networks in addition to the cluster's network, one for each additional interface: 4 for TCPX, 8 for TCPXO, 9 for RDMA.
   * @default - none
   */
  readonly additionalNetworks?: NodeNetwork[];

  /** Whether GKE creates the additional networks (DRANET). Not together with `additionalNetworks`. @default false */
  readonly managedNetworks?: boolean;

  /** Whether GPUs access each other's memory (RDMA), on networks that GKE creates. @default false */
  readonly gpuDirectRdma?: boolean;

  /** Whether nodes have no public addresses. @default - the cluster's; true with `additionalNetworks` or `managedNetworks` */
  readonly privateNodes?: boolean;
}

/** A secondary boot disk with container images. */
export interface NodeImageDisk {
  /** Name of the disk image. */
  readonly image: string;
  /** Project of the disk image. @default - the cluster's */
  readonly project?: string;
}

/** Disks of nodes. */
export interface NodeDisks {
  /** Type of the boot disk, such as `hyperdisk-balanced`, the only one for A4 and A4X. @default - GKE's */
  readonly bootType?: string;

  /** Size of the boot disk, at least 10 GiB. @default - GKE's, 100 GiB */
  readonly bootSize?: Size;

  /**
   * Number of local SSDs for the pods' ephemeral storage. Machine types with built-in SSDs determine the number themselves.
   * @default - none, or those of the machine type
   */
  readonly localSsdEphemeral?: number;

  /** Number of local SSDs as block devices. @default - none */
  readonly localSsdBlock?: number;

  /** Disks with container images that are available before the first pod starts. @default - none */
  readonly imageCaches?: NodeImageDisk[];

  /**
   * Types of disks that the pods' claims will use. They are checked against the machine types.
   * @default - not checked
   */
  readonly attached?: string[];
}

/** The metadata server that pods of a node use. */
export enum NodeMetadata {
  /** GKE's: pods have the identity of their service account (Workload Identity). */
  GKE = 'GKE_METADATA',
  /** The machine's: every pod has the identity of the node. */
  GCE = 'GCE_METADATA',
}
