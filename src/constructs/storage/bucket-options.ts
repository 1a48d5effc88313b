import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { Toleration } from '../training-job/pods/toleration';

/** Cache for files of a bucket. */
export interface GcsFuseCache {
  /** Size of the cache. */
  readonly size: Size;
  /** Size of its volume, at least `size`. @default - 10 % more than the cache */
  readonly volumeSize?: Size;
  /** Whether it is in memory instead of on the node's disk. @default false */
  readonly inMemory?: boolean;
  /** Whether files are cached that are only partly read. @default false */
  readonly rangeReads?: boolean;
}

/** Compute of the sidecar that mounts a bucket. `Size.gibibytes(0)` means no limit. */
export interface GcsFuseSidecar {
  /** Cores; `Cpu.units(0)` means no limit. @default - GKE's */
  readonly cpu?: Cpu;
  /** Memory. @default - GKE's, and no limit with a cache in memory */
  readonly memory?: Size;
  /** Disk. @default - GKE's, and no limit with a cache on disk */
  readonly ephemeralStorage?: Size;
}

/** Options of `RwxBackend.gcsFuse`. */
export interface GcsFuseOptions {
  /**
   * Whether each pod mounts the bucket directly, without a claim and without objects in the cluster.
   * @default false
   */
  readonly inline?: boolean;

  /** Folder of the bucket to mount. @default - the whole bucket */
  readonly folder?: string;

  /**
   * Whether the bucket has a hierarchical namespace, in which renaming a folder is one operation.
   * @default - unknown: folders with up to 200,000 files are renamed file by file
   */
  readonly hierarchicalNamespace?: boolean;

  /** Whether the bucket has uniform bucket-level access. False is an error. @default - unknown */
  readonly uniformBucketAccess?: boolean;

  /** Cache on the node for files that were read. @default - no cache */
  readonly cache?: GcsFuseCache;

  /** Size of the disk buffer for writes. @default - the sidecar's */
  readonly bufferSize?: Size;

  /** Compute of the sidecar. @default - GKE's */
  readonly sidecar?: GcsFuseSidecar;

  /**
   * Options of gcsfuse, such as `metadata-cache:ttl-secs:-1`. They override the store's own.
   * @default - `implicit-dirs`, and options for owners and renaming
   */
  readonly mountOptions?: string[];

  /** Additional attributes of the volume, as in the driver, such as `gcsfuseLoggingSeverity`. @default - none */
  readonly attributes?: { readonly [name: string]: string };

  /**
   * GKE's profile for a workload: `gcsfusecsi-checkpointing`, `gcsfusecsi-training` or `gcsfusecsi-serving`. Only with a claim.
   * @default - none
   */
  readonly profile?: string;
}

/** Options of `RwxBackend.multiTier`. */
export interface MultiTierOptions {
  /** Memory of each node for checkpoints. */
  readonly ramDisk: Size;

  /** Machine type of the nodes, with enough memory for the RAM disk. @default - any that `nodeSelector` selects */
  readonly machineType?: string;

  /** Labels of the nodes with a RAM disk. Pods of jobs select them too. @default - nodes with the machine type */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the driver tolerates. @default - those of NVIDIA's GPUs and of TPUs */
  readonly tolerations?: Toleration[];

  /** Mount options of the bucket. @default - the driver's */
  readonly mountOptions?: string[];

  /** Disk of each node for transfers to the bucket. @default - no limit */
  readonly sidecarDisk?: Size;

  /**
   * Whether the bucket has a hierarchical namespace, which backups require. False is an error.
   * @default - unknown
   */
  readonly hierarchicalNamespace?: boolean;

  /** Whether the cluster is an Autopilot cluster, which does not support tiers. True is an error. @default - unknown */
  readonly autopilot?: boolean;

  /** Version of the cluster, such as `1.33.1-gke.1000000`. A version that is too old is an error. @default - unknown */
  readonly gkeVersion?: string;
}
