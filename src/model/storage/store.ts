/**
 * A store of checkpoints that many pods share: what holds it, how large it is, who may write it, and what is deleted from it. One description for
 * every driver; the rules are in the files next to this one, and the objects are `manifests/storage`.
 */

/** How pods may use a volume, as Kubernetes spells it. */
export type AccessMode = 'ReadWriteMany' | 'ReadOnlyMany' | 'ReadWriteOnce' | 'ReadWriteOncePod';

/** An existing Filestore instance. */
export interface FilestoreInstanceSpec {
  readonly location: string;
  readonly name: string;
  readonly share: string;
  readonly ip: string;
}

export interface FilestoreBackend {
  readonly kind: 'filestore';
  /** @default standard */
  readonly tier?: string;
  /** Network of the storage class. @default default */
  readonly network?: string;
  /** Network of the cluster, where it is known. */
  readonly clusterNetwork?: string;
  /** Whether the network belongs to another project. */
  readonly sharedVpc?: boolean;
  /** `DIRECT_PEERING` or `PRIVATE_SERVICE_ACCESS`. */
  readonly connectMode?: string;
  /** `NFS_V3` or `NFS_V4_1`. */
  readonly protocol?: string;
  readonly reservedIpv4Cidr?: string;
  readonly reservedIpRange?: string;
  readonly kmsKey?: string;
  /** Largest share of an instance that several claims have together, in GiB. */
  readonly maxShareGiB?: number;
  readonly location?: string;
  readonly labels?: { readonly [name: string]: string };
  readonly instance?: FilestoreInstanceSpec;
}

export interface FuseCacheSpec {
  readonly sizeGiB: number;
  /** Volume that holds it. @default - the cache and a tenth */
  readonly volumeGiB?: number;
  /** @default disk */
  readonly medium?: 'memory' | 'disk';
  readonly rangeReads?: boolean;
}

/** Compute of the sidecar of a bucket; `0` means no limit. */
export interface FuseSidecarSpec {
  readonly cpu?: string;
  readonly memory?: string;
  readonly ephemeralStorage?: string;
}

export interface GcsFuseBackend {
  readonly kind: 'gcsFuse';
  readonly bucket: string;
  /** Without a claim, in the pod itself. @default false */
  readonly inline?: boolean;
  /** Folder of the bucket that is all that pods see. */
  readonly folder?: string;
  readonly mountOptions?: readonly string[];
  readonly cache?: FuseCacheSpec;
  /** Where what is written waits for the bucket, in GiB. */
  readonly bufferGiB?: number;
  readonly sidecar?: FuseSidecarSpec;
  readonly attributes?: { readonly [name: string]: string };
  readonly profile?: string;
  /** Whether folders of the bucket are real ones. @default - not known */
  readonly hierarchicalNamespace?: boolean;
  /** @default - not known */
  readonly uniformBucketAccess?: boolean;
}

/** An existing Managed Lustre instance. */
export interface LustreInstanceSpec {
  readonly project: string;
  readonly location: string;
  readonly name: string;
  readonly ip: string;
  readonly gkeSupportEnabled?: boolean;
}

export interface LustreBackend {
  readonly kind: 'lustre';
  readonly network?: string;
  readonly filesystem?: string;
  /** MB/s of each TiB. */
  readonly perUnitStorageThroughput?: string;
  readonly description?: string;
  readonly labels?: { readonly [name: string]: string };
  readonly instance?: LustreInstanceSpec;
}

/** Google's Hyperdisk ML: written once, then read by many. */
export interface HyperdiskMlBackend {
  readonly kind: 'hyperdiskMl';
  readonly throughputMiB?: number;
  /** VolumeSnapshot that the disk is created from. */
  readonly snapshot?: string;
  /** Existing disk: `projects/P/zones/Z/disks/D`. */
  readonly disk?: string;
  readonly kmsKey?: string;
}

export interface NfsBackend {
  readonly kind: 'nfs';
  readonly server: string;
  readonly share: string;
  /** Whether a driver makes a folder for each claim. @default false */
  readonly folderPerClaim?: boolean;
}

export interface SecretNameSpec {
  readonly name: string;
  readonly namespace: string;
}

export interface CephFsBackend {
  readonly kind: 'cephFs';
  readonly clusterId: string;
  readonly fsName: string;
  readonly pool?: string;
  /** @default cephfs.csi.ceph.com */
  readonly driver?: string;
  readonly provisionerSecret?: SecretNameSpec;
  readonly nodeSecret?: SecretNameSpec;
  /** Existing folder. */
  readonly rootPath?: string;
}

export interface EfsBackend {
  readonly kind: 'efs';
  readonly fileSystemId: string;
  /** Existing access point. */
  readonly accessPoint?: string;
  /** Whether the driver makes an access point for the claim. @default false */
  readonly accessPointPerClaim?: boolean;
  readonly basePath?: string;
  readonly directoryPermissions?: string;
}

/** An existing share of Azure Files. */
export interface AzureShareSpec {
  readonly resourceGroup: string;
  readonly storageAccount: string;
  readonly shareName: string;
  /** Secret with the key of the account, for SMB. */
  readonly secret?: SecretNameSpec;
}

export interface AzureFilesBackend {
  readonly kind: 'azureFiles';
  /** @default Premium_LRS */
  readonly sku?: string;
  /** @default nfs */
  readonly protocol?: 'nfs' | 'smb';
  readonly share?: AzureShareSpec;
}

/** A claim that was created elsewhere. */
export interface ClaimBackend {
  readonly kind: 'claim';
  readonly claimName: string;
}

/** GKE's multi-tier checkpointing: memory of the node, memory of a peer, a bucket. */
export interface MultiTierBackend {
  readonly kind: 'multiTier';
  readonly bucket: string;
  /** Memory of each node. */
  readonly ramDiskGiB: number;
  readonly machineType?: string;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly object[];
  readonly mountOptions?: readonly string[];
  /** Disk that the sidecar of the bucket may use on each node, in GiB. */
  readonly sidecarDiskGiB?: number;
  readonly hierarchicalNamespace?: boolean;
  readonly autopilot?: boolean;
  readonly gkeVersion?: string;
}

export type StoreBackend =
  | FilestoreBackend | GcsFuseBackend | LustreBackend | HyperdiskMlBackend | NfsBackend | CephFsBackend | EfsBackend | AzureFilesBackend
  | ClaimBackend | MultiTierBackend;

/** Which checkpoints are deleted, and when the cleanup runs. */
export interface RetentionSpec {
  readonly keepLast?: number;
  readonly maxAgeSeconds?: number;
  readonly schedule: string;
  readonly timeZone?: string;
  /** Names of checkpoints, with the step as the group `step`. @default - the usual ones */
  readonly pattern?: string;
  /** What was changed more recently is neither counted nor deleted. */
  readonly settleSeconds: number;
  /** Whether checkpoints lie in the root, and not in folders of jobs. @default false */
  readonly inRoot?: boolean;
  readonly dryRun?: boolean;
  readonly image?: string;
  readonly serviceAccountName?: string;
  readonly deadlineSeconds?: number;
}

export interface StoreSpec {
  /** Of the claim. */
  readonly name: string;
  readonly namespace?: string;
  readonly backend: StoreBackend;
  /** @default - the least that there is, where that is known */
  readonly sizeGiB?: number;
  /** @default ReadWriteMany, and ReadOnlyMany for Hyperdisk ML */
  readonly accessMode?: AccessMode;
  /** Existing class. @default - a class of the store's own, where volumes are made for claims */
  readonly storageClassName?: string;
  readonly zones?: readonly string[];
  readonly mountOptions?: readonly string[];
  /** User and group that own what is written. @default - root */
  readonly user?: number;
  readonly group?: number;
  /** Whether what the claim holds goes with it. @default false */
  readonly deleteWithClaim?: boolean;
  readonly retention?: RetentionSpec;
  /** In a currency of the user's. */
  readonly pricePerGiBMonth?: number;
}

/** Names of buckets, without `gs://` and folders. */
export const BUCKET_NAME = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

/** What people call a backend. */
export const BACKEND_TITLES: { readonly [kind in StoreBackend['kind']]: string } = {
  filestore: 'Filestore',
  gcsFuse: 'GCS FUSE',
  lustre: 'Managed Lustre',
  hyperdiskMl: 'Hyperdisk ML',
  nfs: 'NFS',
  cephFs: 'CephFS',
  efs: 'EFS',
  azureFiles: 'Azure Files',
  claim: 'an existing claim',
  multiTier: 'multi-tier checkpoints',
};

/** How pods use the store. */
export function accessModeOf({ accessMode, backend }: Pick<StoreSpec, 'accessMode' | 'backend'>): AccessMode {
  return accessMode ?? (backend.kind === 'hyperdiskMl' ? 'ReadOnlyMany' : 'ReadWriteMany');
}

export function isReadOnly(spec: Pick<StoreSpec, 'accessMode' | 'backend'>): boolean {
  return accessModeOf(spec) === 'ReadOnlyMany';
}

/** Whether the store is a claim, and not a volume in each pod. */
export function hasClaim({ backend }: Pick<StoreSpec, 'backend'>): boolean {
  return backend.kind !== 'multiTier' && !(backend.kind === 'gcsFuse' && backend.inline);
}

/** Whether a volume is made for the claim; otherwise it is there, and described. */
export function isProvisioned({ backend }: Pick<StoreSpec, 'backend'>): boolean {
  switch (backend.kind) {
    case 'filestore':
    case 'lustre':
      return backend.instance === undefined;
    case 'hyperdiskMl':
      return backend.disk === undefined;
    case 'cephFs':
      return backend.rootPath === undefined;
    case 'azureFiles':
      return backend.share === undefined;
    case 'nfs':
      return backend.folderPerClaim === true;
    case 'efs':
      return backend.accessPointPerClaim === true;
    default:
      return false;
  }
}
