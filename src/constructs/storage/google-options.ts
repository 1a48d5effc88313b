import type { Size } from 'cdk8s';

/** Filestore tiers. @see https://cloud.google.com/filestore/docs/service-tiers */
export enum FilestoreTier {
  /** Hard disks, in a zone: 1 TiB to 63.9 TiB, 100 MiB/s. */
  BASIC_HDD = 'standard',
  /** SSDs, in a zone: 2.5 TiB to 63.9 TiB, 1200 MiB/s. */
  BASIC_SSD = 'premium',
  /** SSDs, in a zone: 1 TiB to 100 TiB, 260 MiB/s per TiB. */
  ZONAL = 'zonal',
  /** Former name of ZONAL with 10 TiB or more. */
  HIGH_SCALE_SSD = 'high_scale_ssd',
  /** SSDs, in three zones: 1 TiB to 100 TiB. */
  REGIONAL = 'regional',
  /** SSDs, in three zones, which claims can share: 1 TiB to 10 TiB. */
  ENTERPRISE = 'enterprise',
}

/** An existing Filestore instance. */
export interface FilestoreInstance {
  /** Its zone, or its region. */
  readonly location: string;
  /** Its name. */
  readonly name: string;
  /** Its share. */
  readonly share: string;
  /** Its address. */
  readonly ip: string;
}

/** Options of `RwxBackend.filestore`. */
export interface FilestoreOptions {
  /** Tier of the instance to create. @default FilestoreTier.BASIC_HDD */
  readonly tier?: FilestoreTier;

  /**
   * An existing instance. Not together with any other option.
   * @default - one is created for the store
   */
  readonly instance?: FilestoreInstance;

  /**
   * Maximum size of a claim, if several claims share the instance: 128, 256, 512 or 1024 GiB. Only for the tier ENTERPRISE.
   * @default - the instance is only for this store
   */
  readonly maxShareSize?: Size;

  /** Network of the instance, the same as the cluster's. @default 'default' */
  readonly network?: string;

  /** Network of the cluster. If set, another network of the instance is an error. @default - unknown */
  readonly clusterNetwork?: string;

  /** Whether the network belongs to another project. It needs `privateServiceAccess`. @default false */
  readonly sharedVpc?: boolean;

  /** Whether the instance is connected with private service access instead of its own peering. @default false */
  readonly privateServiceAccess?: boolean;

  /** Whether to use NFS 4.1 instead of NFS 3. Not for the basic tiers. @default false */
  readonly nfsV41?: boolean;

  /** Addresses of the instance, such as `10.0.0.0/29`. @default - chosen by Google */
  readonly reservedIpv4Cidr?: string;

  /** Name of an allocated range, with private service access. @default - chosen by Google */
  readonly reservedIpRange?: string;

  /** Cloud KMS key that encrypts the instance. @default - Google's */
  readonly kmsKey?: string;

  /**
   * Zone of the instance, or its region for REGIONAL and ENTERPRISE.
   * @default - the zone of the first pod, or of the cluster
   */
  readonly location?: string;

  /** Labels of the instance. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** An existing Managed Lustre instance. */
export interface LustreInstance {
  /** Its project. */
  readonly project: string;
  /** Its zone. */
  readonly location: string;
  /** Its name. */
  readonly name: string;
  /** Its address. */
  readonly ip: string;
  /** Whether GKE nodes can mount it. @default false - Google's default */
  readonly gkeSupportEnabled?: boolean;
}

/** Options of `RwxBackend.lustre`. */
export interface LustreOptions {
  /** Throughput in MB/s per TiB: 125, 250, 500 or 1000. Required for a new instance. @default - the instance's */
  readonly throughputPerTebibyte?: number;

  /** An existing instance. @default - one is created for the store */
  readonly instance?: LustreInstance;

  /**
   * Name of the file system: a letter, then letters and digits, at most 8 characters. Required with `instance`.
   * @default - chosen by Google
   */
  readonly filesystem?: string;

  /** Network of the instance, the same as the cluster's. @default - the cluster's */
  readonly network?: string;

  /** Description of the instance. @default - none */
  readonly description?: string;

  /** Labels of the instance. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** Options of `RwxBackend.hyperdiskMl`. */
export interface HyperdiskMlOptions {
  /** VolumeSnapshot from which the disk is created, in the store's namespace. @default - an empty disk, or `disk` */
  readonly snapshot?: string;
  /** An existing disk: `projects/PROJECT/zones/ZONE/disks/DISK`. @default - one is created */
  readonly disk?: string;
  /** Throughput of all readers together, in MiB/s. @default - Google's for the size */
  readonly throughputMebibytes?: number;
  /** Cloud KMS key that encrypts the disk. @default - Google's */
  readonly kmsKey?: string;
}
