/** Drivers of stores. */

/** Names of drivers, as classes and volumes write them. */
export const DRIVERS = {
  filestore: 'filestore.csi.storage.gke.io',
  gcsFuse: 'gcsfuse.csi.storage.gke.io',
  lustre: 'lustre.csi.storage.gke.io',
  hyperdiskMl: 'pd.csi.storage.gke.io',
  nfs: 'nfs.csi.k8s.io',
  cephFs: 'cephfs.csi.ceph.com',
  efs: 'efs.csi.aws.com',
  azureFiles: 'file.csi.azure.com',
} as const;

/** Label of the zone in topologies of Google's drivers. */
export const ZONE_LABEL = 'topology.gke.io/zone';
