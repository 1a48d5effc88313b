import type { Capacity } from './capacity';
import type { GpuDriver, NodeCount, PoolUpgrade } from './pool-options';
import type { NodeDisks, NodeMetadata, NodeNetworkOptions } from './node-options';
import type { Accelerator } from '../../accelerators/accelerator';
import type { NodeTaint } from '../../training-job/pods/toleration';

/** Price of a machine. */
export interface CapacityPrice {
  /** Machine type, such as `a3-highgpu-8g`. */
  readonly machineType: string;
  /** How it is had. */
  readonly capacity: Capacity;
  /** Price of one machine for one hour, in the currency of all prices of the list. */
  readonly perHour: number;
}

/**
 * A pool of nodes with accelerators, or several that are alike: the one description that Config Connector, ComputeClass, Kueue and Pulumi are
 * rendered from.
 */
export interface GpuNodePoolProps {
  /**
   * Name of the pool: a letter, then letters, digits and `-`, at most 40. Several choices get suffixes of their own.
   * @default - from the id of the construct
   */
  readonly name?: string;

  /**
   * Accelerator of the nodes, on its machine type: `Accelerator.NVIDIA_L4.onMachine('g2-standard-24')`. Partitions and sharing are those of the
   * accelerator. Where there is only one machine type, as for B200, it need not be named.
   * @default - one of `anyOf`
   */
  readonly accelerator?: Accelerator;

  /** Accelerators that will do, the most wanted first. @default - the one accelerator */
  readonly anyOf?: Accelerator[];

  /**
   * GPUs of each node, for those that are attached to N1 machines. All other machine types come with theirs.
   * @default - those of the machine type
   */
  readonly gpusPerNode?: number;

  /** How the machines are had, the most wanted first. @default [Capacity.ON_DEMAND] */
  readonly capacity?: Capacity[];

  /**
   * Most that a machine may cost in an hour. Choices that cost more are left out, and named in the description of the ComputeClass.
   * @default - any price
   */
  readonly maxPrice?: number;

  /**
   * Prices of machines, where they are known: they are shown next to the choices, and compared with `maxPrice`.
   * @default - none
   */
  readonly prices?: CapacityPrice[];

  /** How many nodes there are. @default - GKE's: none, until it is set */
  readonly size?: NodeCount;

  /** Zones of the nodes. Not every zone of a region has the accelerator. @default - all of the cluster */
  readonly zones?: string[];

  /** Who installs the driver. @default GpuDriver.DEFAULT */
  readonly driver?: GpuDriver;

  /** Nodes stand close to each other, in one zone. @default false */
  readonly compactPlacement?: boolean;

  /** Name of a resource policy that places the nodes, such as a workload policy for A4X and TPU7x. @default - none */
  readonly placementPolicy?: string;

  /** Networks of the nodes. @default - the cluster's */
  readonly network?: NodeNetworkOptions;

  /** Disks of the nodes. @default - GKE's */
  readonly disks?: NodeDisks;

  /** Image of the nodes, such as `COS_CONTAINERD`. @default - GKE's */
  readonly imageType?: string;

  /** Containers start before their image is there as a whole. @default - the cluster's */
  readonly imageStreaming?: boolean;

  /** Labels of the nodes. Those of the system are set by GKE. @default - none */
  readonly labels?: { readonly [name: string]: string };

  /** Taints of the nodes, in addition to those of accelerators, which GKE adds itself. @default - none */
  readonly taints?: NodeTaint[];

  /** Labels of the machines in Compute Engine, such as those of bills. @default - none */
  readonly resourceLabels?: { readonly [name: string]: string };

  /** Network tags of the machines. @default - none */
  readonly tags?: string[];

  /** Name of a ComputeClass that the nodes belong to: they get its label and its taint. @default - none */
  readonly computeClass?: string;

  /** Most pods of a node, 8 to 256. @default - the cluster's */
  readonly maxPodsPerNode?: number;

  /**
   * E-mail of the nodes' service account.
   * @default - the default one of Compute Engine, which may do more than nodes need
   */
  readonly serviceAccount?: string;

  /** What metadata server pods see. @default NodeMetadata.GKE */
  readonly metadataServer?: NodeMetadata;

  /** Nodes start only what is signed. @default - GKE's */
  readonly secureBoot?: boolean;

  /** Type of confidential nodes, such as `TDX`. @default - nodes are not confidential */
  readonly confidentialNodeType?: string;

  /** Nodes that are sick are replaced. @default - GKE's: true; never for flex-start machines */
  readonly autoRepair?: boolean;

  /** Nodes are upgraded with the cluster. @default - GKE's: true */
  readonly autoUpgrade?: boolean;

  /** How nodes are upgraded. @default - GKE's */
  readonly upgrade?: PoolUpgrade;

  /**
   * A change that forces a replacement makes a new pool first, under a name that ends in a hash, and the old one goes when the new one is there.
   * Without it Config Connector refuses such a change until a user deletes the pool.
   * @default false
   */
  readonly blueGreen?: boolean;
}
