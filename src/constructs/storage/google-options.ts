import type { Size } from 'cdk8s';

/** Tiers of Filestore. @see https://cloud.google.com/filestore/docs/service-tiers */
export enum FilestoreTier {
  /** Disks, in a zone: 1 TiB to 63.9 TiB, 100 MiB/s. */
  BASIC_HDD = 'standard',
  /** SSDs, in a zone: 2.5 TiB to 63.9 TiB, 1200 MiB/s. */
  BASIC_SSD = 'premium',
  /** SSDs, in a zone: 1 TiB to 100 TiB, 260 MiB/s of each TiB. */
  ZONAL = 'zonal',
  /** What ZONAL was called from 10 TiB on. */
  HIGH_SCALE_SSD = 'high_scale_ssd',
  /** SSDs, in three zones: 1 TiB to 100 TiB. */
  REGIONAL = 'regional',
  /** SSDs, in three zones, which claims can share: 1 TiB to 10 TiB. */
  ENTERPRISE = 'enterprise',
}

/** An instance of Filestore that is there. */
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
  /** Which kind of instance is created. @default FilestoreTier.BASIC_HDD */
  readonly tier?: FilestoreTier;

  /**
   * An existing instance, instead of one that is created. Then no other option is given.
   * @default - one is created for the store
   */
  readonly instance?: FilestoreInstance;

  /**
   * Several claims share an instance, each at most this large: 128, 256, 512 or 1024 GiB. Of the tier ENTERPRISE.
   * @default - an instance for the store alone
   */
  readonly maxShareSize?: Size;

  /** Network that the instance is on: that of the cluster. @default 'default' */
  readonly network?: string;

  /** Network of the cluster. Given, another network of the instance is an error. @default - not known */
  readonly clusterNetwork?: string;

  /** Whether the network belongs to another project. It needs `privateServiceAccess`. @default false */
  readonly sharedVpc?: boolean;

  /** Whether the instance is connected by private service access instead of peering of its own. @default false */
  readonly privateServiceAccess?: boolean;

  /** Whether it speaks NFS 4.1 instead of NFS 3. Not of the basic tiers. @default false */
  readonly nfsV41?: boolean;

  /** Addresses of the instance, such as `10.0.0.0/29`. @default - Google's choice */
  readonly reservedIpv4Cidr?: string;

  /** Name of an allocated range, with private service access. @default - Google's choice */
  readonly reservedIpRange?: string;

  /** Key of Cloud KMS that encrypts the instance. @default - Google's */
  readonly kmsKey?: string;

  /**
   * Zone of the instance, or its region for REGIONAL and ENTERPRISE.
   * @default - that of the first pod, or of the cluster
   */
  readonly location?: string;

  /** Labels of the instance. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** An instance of Managed Lustre that is there. */
export interface LustreInstance {
  /** Its project. */
  readonly project: string;
  /** Its zone. */
  readonly location: string;
  /** Its name. */
  readonly name: string;
  /** Its address. */
  readonly ip: string;
  /** Whether nodes of GKE may mount it. @default false - as Google's */
  readonly gkeSupportEnabled?: boolean;
}

/** Options of `RwxBackend.lustre`. */
export interface LustreOptions {
  /** MB/s of each TiB: 125, 250, 500 or 1000. Required for an instance that is created. @default - that of the instance */
  readonly throughputPerTebibyte?: number;

  /** An existing instance. @default - one is created for the store */
  readonly instance?: LustreInstance;

  /**
   * Name of the file system: a letter, then letters and digits, at most 8 in all. Required with `instance`.
   * @default - Google's choice
   */
  readonly filesystem?: string;

  /** Network that the instance is on: that of the cluster. @default - the cluster's */
  readonly network?: string;

  /** What people read of the instance. @default - nothing */
  readonly description?: string;

  /** Labels of the instance. @default - none */
  readonly labels?: { readonly [name: string]: string };
}

/** Options of `RwxBackend.hyperdiskMl`. */
export interface HyperdiskMlOptions {
  /** VolumeSnapshot that the disk is created from, in the store's namespace. @default - an empty disk, or `disk` */
  readonly snapshot?: string;
  /** An existing disk: `projects/PROJECT/zones/ZONE/disks/DISK`. @default - one is created */
  readonly disk?: string;
  /** What all readers get together, in MiB/s. @default - Google's for the size */
  readonly throughputMebibytes?: number;
  /** Key of Cloud KMS that encrypts the disk. @default - Google's */
  readonly kmsKey?: string;
}
