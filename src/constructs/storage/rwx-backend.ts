import { SizeRoundingBehavior, type Size } from 'cdk8s';
import type { IPersistentVolumeClaim } from 'cdk8s-plus-28';
import type { GcsFuseOptions, MultiTierOptions } from './bucket-options';
import type { FilestoreOptions, HyperdiskMlOptions, LustreOptions } from './google-options';
import type { AzureFilesOptions, CephFsOptions, EfsOptions, NfsOptions } from './other-options';
import { BACKEND_TITLES, type StoreBackend } from '../../model/storage/store';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import { checkTypes } from '../props/check-props';

/** Storage system of a store. Each has its own rules, but pods use all in the same way. @see docs/platform/storage.md */
export class RwxBackend {
  /**
   * Google's Filestore (`filestore.csi.storage.gke.io`), in any tier, or a share of an instance that several claims use.
   */
  public static filestore(options: FilestoreOptions = {}): RwxBackend {
    checkTypes('RwxBackend.filestore', 'FilestoreOptions', options);
    const { maxShareSize, privateServiceAccess, nfsV41, tier, ...same } = options;
    return new RwxBackend({
      kind: 'filestore', ...same, tier, maxShareGiB: gib(maxShareSize), connectMode: privateServiceAccess === undefined ? undefined : privateServiceAccess ? 'PRIVATE_SERVICE_ACCESS' : 'DIRECT_PEERING',
      protocol: nfsV41 === undefined ? undefined : nfsV41 ? 'NFS_V4_1' : 'NFS_V3',
    });
  }

  /**
   * A Google Cloud Storage bucket, mounted with Cloud Storage FUSE (`gcsfuse.csi.storage.gke.io`).
   * @param bucket name of the bucket, without `gs://`
   */
  public static gcsFuse(bucket: string, options: GcsFuseOptions = {}): RwxBackend {
    checkTypes('RwxBackend.gcsFuse', 'GcsFuseOptions', options);
    const { cache, bufferSize, sidecar, ...same } = options;
    return new RwxBackend({
      kind: 'gcsFuse',
      bucket,
      ...same,
      cache: cache && { sizeGiB: gib(cache.size), volumeGiB: gib(cache.volumeSize), medium: cache.inMemory ? 'memory' : 'disk', rangeReads: cache.rangeReads },
      bufferGiB: gib(bufferSize),
      sidecar: sidecar && { cpu: sidecar.cpu?.amount, memory: limit(sidecar.memory), ephemeralStorage: limit(sidecar.ephemeralStorage) },
    });
  }

  /** Google's Managed Lustre (`lustre.csi.storage.gke.io`): fast for many nodes at the same time, 9000 GiB or more. */
  public static lustre(options: LustreOptions): RwxBackend {
    checkTypes('RwxBackend.lustre', 'LustreOptions', options);
    const { throughputPerTebibyte, ...same } = options;
    return new RwxBackend({ kind: 'lustre', ...same, perUnitStorageThroughput: throughputPerTebibyte?.toString() });
  }

  /** Google's Hyperdisk ML (`pd.csi.storage.gke.io`): read-only for many pods, for example for the checkpoint that jobs start from. */
  public static hyperdiskMl(options: HyperdiskMlOptions = {}): RwxBackend {
    checkTypes('RwxBackend.hyperdiskMl', 'HyperdiskMlOptions', options);
    const { throughputMebibytes, ...same } = options;
    return new RwxBackend({ kind: 'hyperdiskMl', ...same, throughputMiB: throughputMebibytes });
  }

  /**
   * An NFS server.
   * @param server its name or address
   * @param share absolute path that it exports
   */
  public static nfs(server: string, share: string, options: NfsOptions = {}): RwxBackend {
    checkTypes('RwxBackend.nfs', 'NfsOptions', options);
    return new RwxBackend({ kind: 'nfs', server, share, ...options });
  }

  /** Ceph's file system, with ceph-csi or Rook. */
  public static cephFs(options: CephFsOptions): RwxBackend {
    checkTypes('RwxBackend.cephFs', 'CephFsOptions', options);
    return new RwxBackend({ kind: 'cephFs', ...options });
  }

  /** Amazon's EFS (`efs.csi.aws.com`). @param fileSystemId such as `fs-0123456789abcdef0` */
  public static efs(fileSystemId: string, options: EfsOptions = {}): RwxBackend {
    checkTypes('RwxBackend.efs', 'EfsOptions', options);
    return new RwxBackend({ kind: 'efs', fileSystemId, ...options });
  }

  /** Azure Files (`file.csi.azure.com`). */
  public static azureFiles(options: AzureFilesOptions = {}): RwxBackend {
    checkTypes('RwxBackend.azureFiles', 'AzureFilesOptions', options);
    const { smb, ...same } = options;
    return new RwxBackend({ kind: 'azureFiles', ...same, protocol: smb ? 'smb' : 'nfs' });
  }

  /** An existing claim in the store's namespace. */
  public static claim(claim: IPersistentVolumeClaim): RwxBackend {
    return new RwxBackend({ kind: 'claim', claimName: claim.name });
  }

  /**
   * GKE's multi-tier checkpointing: memory of the node, memory of its peers, and a bucket. For JAX and PyTorch on a JobSet.
   * @param bucket name of a bucket with a hierarchical namespace
   */
  public static multiTier(bucket: string, options: MultiTierOptions): RwxBackend {
    checkTypes('RwxBackend.multiTier', 'MultiTierOptions', options);
    const { ramDisk, sidecarDisk, tolerations, ...same } = options;
    return new RwxBackend({
      kind: 'multiTier', bucket, ...same, ramDiskGiB: gib(ramDisk), sidecarDiskGiB: gib(sidecarDisk), tolerations: tolerations?.map(toleration),
    });
  }

  /** Its name for messages. */
  public readonly title: string;

  private constructor(private readonly backend: StoreBackend) {
    this.title = BACKEND_TITLES[backend.kind];
  }

  /** @internal */
  public _toSpec(): StoreBackend {
    return this.backend;
  }
}

/** GiB, with fractions. */
function gib(size: Size): number;
function gib(size: Size | undefined): number | undefined;
function gib(size: Size | undefined): number | undefined {
  return size?.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
}

/** Zero means no limit. */
function limit(size: Size | undefined): string | undefined {
  return size === undefined ? undefined : gib(size) === 0 ? '0' : size.asString();
}
