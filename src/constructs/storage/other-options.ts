/** A Secret by its name. */
export interface SecretName {
  /** Its name. */
  readonly name: string;
  /** Its namespace. */
  readonly namespace: string;
}

/** Options of `RwxBackend.nfs`. */
export interface NfsOptions {
  /**
   * Whether csi-driver-nfs makes a folder of the share for the claim. Otherwise the claim is the share, and no driver is needed.
   * @default false
   */
  readonly folderPerClaim?: boolean;
}

/** Options of `RwxBackend.cephFs`. */
export interface CephFsOptions {
  /** Ceph's cluster, as the driver's configuration calls it; with Rook its namespace. */
  readonly clusterId: string;
  /** Ceph's file system. */
  readonly fsName: string;
  /** Secret by which nodes mount it. */
  readonly nodeSecret: SecretName;
  /** Secret by which volumes are created. Required without `rootPath`. @default - none: the folder is there */
  readonly provisionerSecret?: SecretName;
  /** An existing folder. @default - one is created for the store */
  readonly rootPath?: string;
  /** Pool of the data. @default - the file system's */
  readonly pool?: string;
  /** Name of the driver; with Rook `rook-ceph.cephfs.csi.ceph.com`. @default 'cephfs.csi.ceph.com' */
  readonly driver?: string;
}

/** Options of `RwxBackend.efs`. */
export interface EfsOptions {
  /** An existing access point. @default - the root of the file system */
  readonly accessPoint?: string;
  /** Whether the driver makes an access point for the claim. @default false */
  readonly accessPointPerClaim?: boolean;
  /** Folder below which access points are created. @default - the root */
  readonly basePath?: string;
  /** Mode of the folder of an access point. @default '700' */
  readonly directoryPermissions?: string;
}

/** A share of Azure Files that is there. */
export interface AzureFileShare {
  /** Resource group of the account. */
  readonly resourceGroup: string;
  /** The account. */
  readonly storageAccount: string;
  /** The share. */
  readonly shareName: string;
  /** Secret with the account's key, for SMB. @default - none: NFS has no keys */
  readonly secret?: SecretName;
}

/** Options of `RwxBackend.azureFiles`. */
export interface AzureFilesOptions {
  /** Whether it is SMB instead of NFS. SMB knows neither owners nor links of POSIX. @default false */
  readonly smb?: boolean;
  /** Kind of the account that is created. NFS needs a premium account. @default 'Premium_LRS' */
  readonly sku?: string;
  /** An existing share. @default - one is created for the store */
  readonly share?: AzureFileShare;
}
