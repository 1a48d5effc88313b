/** A Secret by name. */
export interface SecretName {
  /** Its name. */
  readonly name: string;
  /** Its namespace. */
  readonly namespace: string;
}

/** Options of `RwxBackend.nfs`. */
export interface NfsOptions {
  /**
   * Whether csi-driver-nfs creates a folder in the share for the claim. If not, the claim is the share itself, and no driver is needed.
   * @default false
   */
  readonly folderPerClaim?: boolean;
}

/** Options of `RwxBackend.cephFs`. */
export interface CephFsOptions {
  /** Id of the Ceph cluster in the driver's configuration; with Rook, its namespace. */
  readonly clusterId: string;
  /** Name of the Ceph file system. */
  readonly fsName: string;
  /** Secret with which nodes mount it. */
  readonly nodeSecret: SecretName;
  /** Secret with which volumes are created. Required without `rootPath`. @default - none */
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
  /** Whether the driver creates an access point for the claim. @default false */
  readonly accessPointPerClaim?: boolean;
  /** Parent folder of access points. @default - the root */
  readonly basePath?: string;
  /** Permissions of an access point's folder. @default '700' */
  readonly directoryPermissions?: string;
}

/** An existing Azure Files share. */
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
  /** Whether to use SMB instead of NFS. SMB does not support POSIX owners and links. @default false */
  readonly smb?: boolean;
  /** SKU of the new account. NFS needs a premium account. @default 'Premium_LRS' */
  readonly sku?: string;
  /** An existing share. @default - one is created for the store */
  readonly share?: AzureFileShare;
}
