import type { Size } from 'cdk8s';

/** A network in addition to the cluster's own. */
export interface NodeNetwork {
  /** Name of the VPC. */
  readonly network: string;

  /** Name of the subnetwork. */
  readonly subnetwork: string;

  /**
   * Largest packets of the network, in bytes, where it is known: 8244 for TCPX and TCPXO, 8896 for RDMA.
   * @default - not known, and not checked
   */
  readonly mtu?: number;
}

/** Networks of nodes. */
export interface NodeNetworkOptions {
  /** Google's own network interface, which machines with many GPUs need. @default - GKE's */
  readonly gvnic?: boolean;

  /** NCCL Fast Socket, for machines on the ordinary network. It needs gVNIC. @default - GKE's */
  readonly fastSocket?: boolean;

  /**
   * Networks in addition to the cluster's own, one for each further interface: 4 for TCPX, 8 for TCPXO, 9 for RDMA.
   * @default - none
   */
  readonly additionalNetworks?: NodeNetwork[];

  /** GKE makes the further networks itself (DRANET). Not together with additional networks. @default false */
  readonly managedNetworks?: boolean;

  /** GPUs reach the memory of each other (RDMA), on networks that GKE makes. @default false */
  readonly gpuDirectRdma?: boolean;

  /** Nodes have no addresses on the internet. @default - the cluster's */
  readonly privateNodes?: boolean;
}

/** A disk with container images, which nodes start with. */
export interface NodeImageDisk {
  /** Name of the disk image. */
  readonly image: string;
  /** Project of the disk image. @default - the cluster's */
  readonly project?: string;
}

/** Disks of nodes. */
export interface NodeDisks {
  /** Type of the boot disk, such as `hyperdisk-balanced`. A4 and A4X boot from no other. @default - GKE's */
  readonly bootType?: string;

  /** Size of the boot disk, at least 10 GiB. @default - GKE's, 100 GiB */
  readonly bootSize?: Size;

  /**
   * Local SSDs that pods' ephemeral storage is on. Machines that come with some count them themselves.
   * @default - none, or those of the machine type
   */
  readonly localSsdEphemeral?: number;

  /** Local SSDs as block devices. @default - none */
  readonly localSsdBlock?: number;

  /** Disks with container images that are there before the first pod. @default - none */
  readonly imageCaches?: NodeImageDisk[];

  /**
   * Types of disks that claims of the pods will be: whether the machines can attach them is checked.
   * @default - not checked
   */
  readonly attached?: string[];
}

/** What metadata server the pods of a node see. */
export enum NodeMetadata {
  /** GKE's: pods have the identity of their service account (Workload Identity). */
  GKE = 'GKE_METADATA',
  /** The machine's: every pod has the identity of the node. */
  GCE = 'GCE_METADATA',
}
