import type { Capacity } from './capacity';
import type { GpuDriver, NodeCount, PoolUpgrade } from './pool-options';
import type { NodeDisks, NodeMetadata, NodeNetworkOptions } from './node-options';
import type { Accelerator } from '../../accelerators/accelerator';
import type { NodeTaint } from '../../training-job/pods/toleration';

/** Price of a machine. */
export interface CapacityPrice {
  /** Machine type, such as `a3-highgpu-8g`. */
  readonly machineType: string;
  /** Its provisioning model. */
  readonly capacity: Capacity;
  /** Price of one machine for one hour. All prices of the list are in the same currency. */
  readonly perHour: number;
}

/**
 * A pool of nodes with accelerators, or several similar ones: the single description for Config Connector, ComputeClass, Kueue and Pulumi.
 */
export interface GpuNodePoolProps {
  /**
   * Name of the pool: a letter, then letters, digits and `-`, at most 40 characters. If there are several choices, each gets a suffix.
   * @default - derived from the id of the construct
   */
  readonly name?: string;

  /**
   * Accelerator of the nodes, with its machine type: `Accelerator.NVIDIA_L4.onMachine('g2-standard-24')`. It also sets partitions and sharing. You
   * can omit the machine type if there is only one, as for B200.
   * @default - one of `anyOf`
   */
  readonly accelerator?: Accelerator;

  /** Alternative accelerators, the most preferred first. @default - only `accelerator` */
  readonly anyOf?: Accelerator[];

  /**
   * Number of GPUs of each node, for GPUs that are attached to N1 machines. All other machine types determine it.
   * @default - those of the machine type
   */
  readonly gpusPerNode?: number;

  /** Provisioning models, the most preferred first. @default [Capacity.ON_DEMAND] */
  readonly capacity?: Capacity[];

  /**
   * Maximum price of a machine per hour. More expensive choices are left out, and listed in the description of the ComputeClass.
   * @default - any price
   */
  readonly maxPrice?: number;

  /**
   * Known prices of machines. They are shown with the choices, and compared with `maxPrice`.
   * @default - none
   */
  readonly prices?: CapacityPrice[];

  /** Number of nodes. @default - GKE's: none, until it is set */
  readonly size?: NodeCount;

  /** Zones of the nodes. Not every zone of a region has the accelerator. @default - all zones of the cluster */
  readonly zones?: string[];

  /** How the GPU driver is installed. @default GpuDriver.DEFAULT */
  readonly driver?: GpuDriver;

  /** Whether nodes are placed close to each other, in one zone. @default false */
  readonly compactPlacement?: boolean;

  /** Name of a resource policy that places the nodes, such as a workload policy for A4X and TPU7x. @default - none */
  readonly placementPolicy?: string;

  /** Networks of the nodes. @default - the cluster's */
  readonly network?: NodeNetworkOptions;

  /** Disks of the nodes. @default - GKE's */
  readonly disks?: NodeDisks;

  /** Image of the nodes, such as `COS_CONTAINERD`. @default - GKE's */
  readonly imageType?: string;

  /** Whether containers start before their image is downloaded completely. @default - the cluster's */
  readonly imageStreaming?: boolean;

  /** Labels of the nodes. GKE sets the system labels. @default - none */
  readonly labels?: { readonly [name: string]: string };

  /** Taints of the nodes, in addition to those of accelerators, which GKE adds itself. @default - none */
  readonly taints?: NodeTaint[];

  /** Labels of the machines in Compute Engine, for example for billing. @default - none */
  readonly resourceLabels?: { readonly [name: string]: string };

  /** Network tags of the machines. @default - none */
  readonly tags?: string[];

  /** Name of the ComputeClass of the nodes: they get its label and its taint. @default - none */
  readonly computeClass?: string;

  /** Maximum number of pods per node, 8 to 256. @default - the cluster's */
  readonly maxPodsPerNode?: number;

  /**
   * E-mail of the nodes' service account.
   * @default - the default account of Compute Engine, which has more permissions than nodes need
   */
  readonly serviceAccount?: string;

  /** The metadata server that pods use. @default NodeMetadata.GKE */
  readonly metadataServer?: NodeMetadata;

  /** Whether nodes boot only signed software. @default - GKE's */
  readonly secureBoot?: boolean;

  /** Type of confidential nodes, such as `TDX`. @default - nodes are not confidential */
  readonly confidentialNodeType?: string;

  /** Whether GKE replaces unhealthy nodes. @default - GKE's: true; never for flex-start machines */
  readonly autoRepair?: boolean;

  /** Whether nodes are upgraded with the cluster. @default - GKE's: true */
  readonly autoUpgrade?: boolean;

  /** How nodes are upgraded. @default - GKE's */
  readonly upgrade?: PoolUpgrade;

  /**
   * Whether a change that requires a replacement creates a new pool first, whose name ends in a hash, and deletes the old one afterwards. Without it,
   * Config Connector rejects such a change until you delete the pool.
   * @default false
   */
  readonly blueGreen?: boolean;
}
