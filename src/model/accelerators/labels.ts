/**
 * Labels, taints and resource names by which pods and nodes with accelerators find each other on GKE.
 * @see https://github.com/GoogleCloudPlatform/cluster-autoscaler/blob/7d25050/pkg/cloudprovider/gke/labels/system_labels.go
 */

export const NODE_LABELS = {
  accelerator: 'cloud.google.com/gke-accelerator',
  acceleratorCount: 'cloud.google.com/gke-accelerator-count',
  partitionSize: 'cloud.google.com/gke-gpu-partition-size',
  sharingStrategy: 'cloud.google.com/gke-gpu-sharing-strategy',
  sharedClients: 'cloud.google.com/gke-max-shared-clients-per-gpu',
  driverVersion: 'cloud.google.com/gke-gpu-driver-version',
  gpuDirect: 'cloud.google.com/gke-gpudirect',
  networkProfile: 'gke.networks.io/accelerator-network-profile',
  tpuAccelerator: 'cloud.google.com/gke-tpu-accelerator',
  tpuTopology: 'cloud.google.com/gke-tpu-topology',
  spot: 'cloud.google.com/gke-spot',
  preemptible: 'cloud.google.com/gke-preemptible',
  flexStart: 'cloud.google.com/gke-flex-start',
  provisioning: 'cloud.google.com/gke-provisioning',
  queued: 'cloud.google.com/gke-queued',
  maxRunDuration: 'cloud.google.com/gke-max-run-duration-seconds',
  reservationName: 'cloud.google.com/reservation-name',
  reservationAffinity: 'cloud.google.com/reservation-affinity',
  reservationBlocks: 'cloud.google.com/reservation-blocks',
  reservationSubBlocks: 'cloud.google.com/reservation-subblocks',
  computeClass: 'cloud.google.com/compute-class',
  machineFamily: 'cloud.google.com/machine-family',
  nodePool: 'cloud.google.com/gke-nodepool',
  bootDisk: 'cloud.google.com/gke-boot-disk',
  localSsd: 'cloud.google.com/gke-ephemeral-storage-local-ssd',
  topologyBlock: 'cloud.google.com/gce-topology-block',
  topologySubblock: 'cloud.google.com/gce-topology-subblock',
  topologyHost: 'cloud.google.com/gce-topology-host',
  networkingDra: 'cloud.google.com/gke-networking-dra-driver',
} as const;

/** Kubernetes' own label of the machine type. */
export const INSTANCE_TYPE_LABEL = 'node.kubernetes.io/instance-type';

/** Kubernetes' own label of the processor's architecture, and key of the taint that arm64 nodes carry. */
export const ARCHITECTURE_LABEL = 'kubernetes.io/arch';

/** Switches GKE's own device plugin off on a node, for the NVIDIA GPU operator. */
export const NO_DEVICE_PLUGIN_LABEL = 'gke-no-default-nvidia-gpu-device-plugin';

/** Labels that say which accelerator a node has and how it is divided: of interest only to pods that use it. */
export const ACCELERATOR_LABELS: readonly string[] = [
  NODE_LABELS.accelerator, NODE_LABELS.acceleratorCount, NODE_LABELS.partitionSize, NODE_LABELS.sharingStrategy, NODE_LABELS.sharedClients,
  NODE_LABELS.driverVersion, NODE_LABELS.gpuDirect, NODE_LABELS.networkProfile, NODE_LABELS.tpuAccelerator, NODE_LABELS.tpuTopology,
];

/** Domains whose labels belong to the system: a pool that sets one by hand is warned. */
const SYSTEM_DOMAINS = ['cloud.google.com', 'kubernetes.io', 'gke.io', 'k8s.io', 'autoscaling.gke.io', 'gke.networks.io'];

export const GPU_RESOURCE = 'nvidia.com/gpu';

export const TPU_RESOURCE_NAME = 'google.com/tpu';

/** A taint as Kubernetes spells it. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export const TAINTS = {
  gpu: { key: GPU_RESOURCE, value: 'present', effect: 'NoSchedule' },
  tpu: { key: TPU_RESOURCE_NAME, value: 'present', effect: 'NoSchedule' },
  queued: { key: NODE_LABELS.queued, value: 'true', effect: 'NoSchedule' },
  arm64: { key: ARCHITECTURE_LABEL, value: 'arm64', effect: 'NoSchedule' },
} as const satisfies { readonly [name: string]: Taint };

/** Whether a label is one that the system sets. */
export function isSystemLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return SYSTEM_DOMAINS.some((system) => domain === system || domain.endsWith(`.${system}`));
}
