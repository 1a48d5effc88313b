import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { Toleration } from '../training-job/pods/toleration';

/** Cache of the files of a bucket. */
export interface GcsFuseCache {
  /** How much is kept. */
  readonly size: Size;
  /** Volume that holds it, at least as large. @default - the cache and a tenth */
  readonly volumeSize?: Size;
  /** Whether it is in memory of the node instead of on its disk. @default false */
  readonly inMemory?: boolean;
  /** Whether a file is kept of which only a part was read. @default false */
  readonly rangeReads?: boolean;
}

/** Compute of the sidecar that mounts a bucket. A limit of nothing, `Size.gibibytes(0)`, means no limit. */
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
   * Whether the bucket is in each pod instead of behind a claim. Nothing is created in the cluster then.
   * @default false
   */
  readonly inline?: boolean;

  /** Folder of the bucket that is all that pods see. @default - the whole bucket */
  readonly folder?: string;

  /**
   * Whether the bucket has a hierarchical namespace: then folders are real, and renaming one is one step.
   * @default - not known: folders of up to 200,000 files are renamed, file by file
   */
  readonly hierarchicalNamespace?: boolean;

  /** Whether the bucket has uniform access. False is an error. @default - not known */
  readonly uniformBucketAccess?: boolean;

  /** Files that were read are kept on the node. @default - no cache */
  readonly cache?: GcsFuseCache;

  /** Disk in which what is written waits for the bucket. @default - the sidecar's */
  readonly bufferSize?: Size;

  /** Compute of the sidecar. @default - GKE's */
  readonly sidecar?: GcsFuseSidecar;

  /**
   * Options of gcsfuse, such as `metadata-cache:ttl-secs:-1`. They win over the store's own.
   * @default - `implicit-dirs`, and what owners and renaming need
   */
  readonly mountOptions?: string[];

  /** Further attributes of the volume, as the driver spells them, such as `gcsfuseLoggingSeverity`. @default - none */
  readonly attributes?: { readonly [name: string]: string };

  /**
   * Settings that GKE chooses for a use: `gcsfusecsi-checkpointing`, `gcsfusecsi-training` or `gcsfusecsi-serving`. With a claim.
   * @default - none
   */
  readonly profile?: string;
}

/** Options of `RwxBackend.multiTier`. */
export interface MultiTierOptions {
  /** Memory of each node that holds checkpoints. */
  readonly ramDisk: Size;

  /** Machine type of the nodes. The RAM disk has to fit into it. @default - any that `nodeSelector` selects */
  readonly machineType?: string;

  /** Labels of the nodes that get a RAM disk. Pods of jobs select them too. @default - those with the machine type */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the driver tolerates. @default - those of NVIDIA's GPUs and of TPUs */
  readonly tolerations?: Toleration[];

  /** Options by which the bucket is mounted. @default - the driver's */
  readonly mountOptions?: string[];

  /** Disk of each node that the way to the bucket may use. @default - no limit */
  readonly sidecarDisk?: Size;

  /**
   * Whether the bucket has a hierarchical namespace, without which backups fail. False is an error.
   * @default - not known
   */
  readonly hierarchicalNamespace?: boolean;

  /** Whether the cluster is an Autopilot cluster, which has no tiers. True is an error. @default - not known */
  readonly autopilot?: boolean;

  /** Version of the cluster, such as `1.33.1-gke.1000000`. One that is too old is an error. @default - not known */
  readonly gkeVersion?: string;
}
