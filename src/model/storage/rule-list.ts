/** The rules on shared file systems and other stores of Google Cloud, each with its source. The functions beside this file apply them. */
import { rule, type Rule } from '../findings';

/** Rules on stores that many pods share. */
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

  redis: rule('ray-redis', 'rayRedis', 'Ray keeps the state of its head in one Redis, not in a Redis Cluster.'),
} as const satisfies { readonly [name: string]: Rule };
