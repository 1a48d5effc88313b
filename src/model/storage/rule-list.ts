/** The rules on stores of checkpoints in addition to those of the services that hold them, each with its source. */
import { rule, type Rule } from '../findings';

export const STORE_RULES = {
  size: rule('store-size', 'volumes', 'A claim for a new volume sets its size.'),
  positiveSize: rule('store-positive-size', 'volumes', 'A store has a size above zero.'),
  accessMode: rule('store-access-mode', 'volumes', 'The access mode is one that the driver has, and that lets the pods of a job share the store.'),
  zones: rule('store-zones', 'volumes', 'Zones are named if volumes are created in them.'),
  existing: rule('store-existing', 'volumes', 'Existing resources are not described like new ones.'),
  managedClass: rule('store-managed-class', 'filestore', 'Classes that GKE creates use the network default; their names are not verified.'),
  owner: rule('store-owner', 'gcsFuse', 'Owners are users and groups by their numbers.'),
  path: rule('store-path', 'volumes', 'A store is mounted at an absolute path, and its folders are below it.'),
  price: rule('store-price', 'filestoreSpeed', 'A price is a number above zero.'),

  reservedRange: rule('store-reserved-range', 'filestore', 'An address range is given as a CIDR, or by name with PRIVATE_SERVICE_ACCESS, and not both.'),
  instance: rule('store-filestore-instance', 'filestore', 'An existing instance is identified by its location, name, share and address.'),

  filestoreUnit: rule('store-filestore-unit', 'filestoreTiers', 'Instances of zonal, regional and enterprise grow in units: 256 GiB up to 9984 GiB, 2.5 TiB from 10 TiB on.'),

  bucketName: rule('store-bucket-name', 'gcsFuse', 'A bucket is given by its name alone.'),
  fuseCache: rule('store-fuse-cache', 'gcsFuseWebhook', 'The volume behind a cache is at least as large as the cache.'),
  fuseCacheMemory: rule('store-fuse-cache-memory', 'gcsFuseWebhook', 'What the sidecar may use is at least what its cache and its buffer use.'),
  fuseRename: rule('store-fuse-rename', 'gcsFuseFlags', 'Folders of a bucket without a hierarchical namespace are renamed only up to a limit, and checkpoints are renamed when they are complete.'),
  fuseProfile: rule('store-fuse-profile', 'gcsFuseProfiles', 'A profile exists on GKE, and needs a claim.'),
  fuseProfileRole: rule('store-fuse-profile-role', 'gcsFuseProfiles', 'With a profile, GKE scans the bucket and needs permission for that.'),
  fuseInline: rule('store-fuse-inline', 'gcsFuse', 'A bucket in the pod itself has neither claim nor class.'),
  fuseAttribute: rule('store-fuse-attribute', 'gcsFuse', 'Volume attributes are supported by the driver.'),

  hyperdiskSource: rule('store-hyperdisk-source', 'persistentDisk', 'Hyperdisk ML that many pods read has contents: a disk or a snapshot.'),
  hyperdiskAccess: rule('store-hyperdisk-access', 'persistentDisk', 'Hyperdisk ML is read by many, or written by one.'),
  hyperdiskMachine: rule('store-hyperdisk-machine', 'machineConfig', 'The machines of the pods can attach Hyperdisk ML.'),

  nfsShare: rule('store-nfs-share', 'nfsDriver', 'A share is an absolute path of a server.'),
  cephSecrets: rule('store-ceph-secrets', 'cephFsDriver', 'The driver of CephFS reads its keys from Secrets.'),
  efsId: rule('store-efs-id', 'efsDriver', 'File systems and access points of EFS are given by their ids.'),
  azureNfs: rule('store-azure-nfs', 'azureFiles', 'NFS shares need premium accounts.'),
  azureSize: rule('store-azure-size', 'azureFiles', 'Shares of premium accounts have at least 100 GiB.'),
  azureSecret: rule('store-azure-secret', 'azureFiles', 'SMB needs the key of the account, NFS does not.'),

  retention: rule('store-retention', 'checkpointContract', 'Retention sets how many checkpoints are kept, or for how long, and never deletes all.'),
  retentionReadOnly: rule('store-retention-read-only', 'volumes', 'Nothing is deleted from a read-only store.'),
  retentionTiers: rule('store-retention-tiers', 'multiTierController', 'The replicator owns the files in its tiers.'),
  retentionPattern: rule('store-retention-pattern', 'checkpointContract', 'A pattern of names has a group named step.'),
  retentionUser: rule('store-retention-user', 'volumes', 'Only users with write access to a folder can delete its files.'),
  retentionIdentity: rule('store-retention-identity', 'gcsFuseAuthentication', 'The cleanup has a service account that may write the bucket.'),

  jobReadOnly: rule('store-job-read-only', 'checkpointContract', 'Checkpoints are written.'),
  jobNamespace: rule('store-job-namespace', 'volumes', 'Pods use the claims of their own namespace.'),
  jobIdentity: rule('store-job-identity', 'gcsFuseAuthentication', 'Pods with a bucket have a service account with access to it.'),
  jobAccess: rule('store-job-access', 'volumes', 'Replicas on several nodes share a volume that several nodes can have.'),

  tierEngine: rule('multi-tier-engine', 'multiTierController', 'Ranks of the tiers are given to pods of a JobSet.'),
  tierRoles: rule('multi-tier-roles', 'multiTierController', 'The JobSet has one replicated job.'),
  tierFramework: rule('multi-tier-framework', 'multiTier', 'Tiers support JAX with Orbax on TPUs, and PyTorch on GPUs.'),
  tierMemory: rule('multi-tier-memory', 'multiTierController', 'The RAM disk fits into the memory of the machine.'),
  tierNode: rule('multi-tier-node', 'multiTierController', 'Each pod has its own node: a node has one RAM disk, and all of its pods share it.'),
  tierMachine: rule('multi-tier-machine', 'multiTierController', 'Pods run where the driver of the tiers does.'),
  tierBucket: rule('multi-tier-bucket', 'multiTier', 'The bucket has a hierarchical namespace, or backups fail.'),
  tierCluster: rule('multi-tier-cluster', 'multiTier', 'The cluster is GKE Standard, version 1.32.4-gke.1415000 or later.'),
  tierSelector: rule('multi-tier-selector', 'multiTierController', 'The nodes with tiers are selected.'),
  tierFolder: rule('multi-tier-folder', 'multiTierController', 'The replicator only finds files at the root of the RAM disk.'),
} as const satisfies { readonly [name: string]: Rule };

/**
 * Rules on stores that many pods share.
 *
 * The rules on shared file systems and other stores of Google Cloud, each with its source. The functions next to this file apply them.
 */
export const STORAGE_RULES = {
  tier: rule('filestore-tier', 'filestore', 'A Filestore instance uses a tier that the driver supports.'),
  size: rule('filestore-size', 'filestoreRounding', 'A claim is at least as large as the smallest instance of its tier, which is created and billed in any case.'),
  regionalSize: rule('filestore-regional-size', 'filestoreRegional', 'A regional instance without performance settings has at least 1 TiB.'),
  network: rule('filestore-network', 'filestore', 'An instance is on the network of the cluster; the driver uses the network named default.'),
  sharedVpc: rule('filestore-shared-vpc', 'filestore', 'On a shared VPC, an instance is connected through PRIVATE_SERVICE_ACCESS.'),
  protocol: rule('filestore-protocol', 'toolkitFilestore', 'NFS 4.1 is not for the basic tiers.'),
  multishare: rule('filestore-multishare', 'filestore', 'Shares of one instance are for the tier enterprise, of 128, 256, 512 or 1024 GiB at most.'),
  location: rule('filestore-location', 'toolkitFilestore', 'Instances of enterprise and regional are in a region, all others in a zone.'),

  fuseAnnotation: rule('gcs-fuse-annotation', 'gcsFuse', 'Pods with a bucket as a volume carry the annotation that adds the sidecar.'),
  fuseHostNetwork: rule('gcs-fuse-host-network', 'gcsFuse', 'Pods on the network of the host have an identity for the bucket only with hostNetworkPodKSA and identityProvider.'),
  fuseUser: rule('gcs-fuse-user', 'gcsFuse', 'Pods that do not run as root are set as the owner of the files.'),
  fuseBucket: rule('gcs-fuse-bucket', 'gcsFuseAuthentication', 'The bucket has uniform bucket-level access.'),
  fuseName: rule('gcs-fuse-volume-name', 'gcsFuse', 'Names of the sidecar\'s own volumes are reserved.'),

  lustreThroughput: rule('lustre-throughput', 'lustre', 'Throughput per TiB is set: 125, 250, 500 or 1000 MB/s.'),
  lustreSize: rule('lustre-size', 'lustre', 'A Lustre volume has at least 9000 GiB.'),
  lustreFilesystem: rule('lustre-filesystem', 'lustre', 'The name of a Lustre file system is a letter, then letters and digits, at most 8 in all.'),
  lustreGke: rule('lustre-gke', 'pulumiGcp', 'An instance that nodes of GKE mount has gkeSupportEnabled.'),

} as const satisfies { readonly [name: string]: Rule };
