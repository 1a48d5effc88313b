/** The rules on node pools, each with its source. The functions next to this file apply them. */
import { rule, type Rule } from '../../findings';

/** Rules on node pools and what their cluster has to have. */
export const POOL_RULES = {
  name: rule('pool-name', 'poolName', 'The name of a pool is a letter, then letters, digits and \'-\', at most 40 in all.'),
  needsMachine: rule('pool-machine', 'defaultMachine', 'A pool with accelerators names its machine type: the default, e2-medium, cannot have any.'),
  count: rule('pool-gpu-count', 'machineConfig', 'The number of GPUs matches the machine type.'),
  oneKind: rule('pool-one-kind', 'labels', 'A node has GPUs or TPUs, not both.'),
  unsaid: rule('pool-accelerator-unsaid', 'noDriver', 'A pool of machines with accelerators declares them, so that the driver and device plugin are installed.'),
  driver: rule('pool-driver', 'noDriver', 'Either GKE (default, latest) or the NVIDIA GPU operator installs the driver.'),
  operatorPlugin: rule('pool-gpu-operator', 'gpuOperator', 'With the NVIDIA GPU operator GKE installs neither driver nor device plugin.'),
  secureBoot: rule('pool-secure-boot', 'toolkitReadme', 'Secure boot rejects the unsigned driver that the GPU operator compiles.'),

  exclusive: rule('capacity-exclusive', 'toolkitPool', 'Spot, flex-start and queued machines exclude each other, and a reservation excludes all of them.'),
  flexRepair: rule('flex-start-repair', 'toolkitPool', 'Flex-start machines are not repaired.'),
  flexSize: rule('flex-start-size', 'toolkitPool', 'Flex-start and queued pools are autoscaled from 0.'),
  flexCompact: rule('flex-start-compact', 'toolkitPool', 'Compact placement of flex-start machines is limited to A3 Ultra, A4, H4D and TPUs.'),
  queuedCompact: rule('queued-compact', 'toolkitPool', 'Queued machines are not placed compactly, except for TPUs.'),
  runDuration: rule('max-run-duration', 'injection', 'Machines live 30 s to 120 d; flex-start ones 10 min to 7 d; for queued ones the request sets the time.'),
  dws: rule('dws-machine', 'injection', 'The machine type is available with flex-start and queued provisioning.'),
  dwsUpgrade: rule('dws-upgrade', 'injection', 'GKE chooses how flex-start and queued pools are upgraded.'),
  spot: rule('spot-offered', 'platformsGpu', 'Spot machines of the accelerator are offered.'),
  onDemand: rule('on-demand', 'a4OnDemand', 'A4 machines are not available on demand.'),
  reservation: rule('reservation-name', 'toolkitPool', 'A reservation is named, with its block before its sub-block, and its zones are named with it.'),
  affinity: rule('reservation-affinity', 'toolkitPool', 'The affinity to reservations is none, any or any-then-fail; one reservation is chosen by its name.'),

  compact: rule('compact-placement', 'machineConfig', 'The machine family has compact placement.'),
  compactZone: rule('compact-zone', 'toolkitPool', 'Compact placement is in exactly one zone, and not upgraded by BLUE_GREEN.'),
  compactNodes: rule('compact-nodes', 'machineConfig', 'A compact placement has at most as many nodes as the family allows.'),
  workloadPolicy: rule('workload-policy', 'tpu7xCompact', 'A4X and TPU7x are placed by a workload policy, and not by COMPACT.'),

  size: rule('pool-size', 'toolkitPool', 'A pool has a fixed number of nodes, or autoscaling per zone, or autoscaling in total.'),
  slice: rule('tpu-pool-size', 'tpuTotals', 'A pool of a slice over several hosts has as many nodes as the slice has hosts, counted per zone, and starts at 0.'),
  locationPolicy: rule('tpu-location-policy', 'toolkitPool', 'A slice is assembled in one place: location policy ANY.'),

  bootDisk: rule('boot-disk', 'machineConfig', 'The machine type boots from this type of disk.'),
  attachedDisk: rule('attached-disk', 'a4xDisks', 'The machine type can attach this type of disk.'),
  localSsd: rule('local-ssd', 'machineConfig', 'Local SSDs are counted only where the machine type does not come with them.'),

  additionalNetworks: rule('additional-networks', 'toolkitDirect', 'Machines with several interfaces have one network for each.'),
  mtu: rule('network-mtu', 'toolkitDirect', 'Networks between GPUs have large packets: 8244 bytes for TCPX and TCPXO, 8896 for RDMA and TPUs.'),
  multiNetworking: rule('multi-networking', 'toolkitCluster', 'Additional networks need multi-networking and Dataplane V2 in the cluster.'),
  dranet: rule('dranet', 'dranet', 'Networks made by DRANET exclude additional ones, and are for A3, A4, A4X, v6e and TPU7x.'),
  gvnic: rule('gvnic-image', 'toolkitPool', 'gVNIC is for the image COS_CONTAINERD.'),
  rdmaZone: rule('rdma-zone', 'toolkitRdma', 'The network profile of RDMA names a zone, which is the one of the pool.'),
  vpcNative: rule('max-pods', 'toolkitPool', 'The number of pods of a node is limited in VPC-native clusters.'),

  gpuTaint: rule('gpu-taint', 'gpuTaint', 'GKE taints nodes with accelerators itself.'),
  effect: rule('taint-effect', 'gpuTaint', 'A taint has the effect NoSchedule, PreferNoSchedule or NoExecute.'),
  systemLabel: rule('system-label', 'labels', 'System labels are set by the system.'),
  upgrade: rule('upgrade-surge', 'toolkitPool', 'An upgrade may add or remove nodes: at least one of the two.'),
  strategy: rule('upgrade-strategy', 'configConnector', 'Nodes are upgraded by SURGE or BLUE_GREEN, and each strategy has its own settings.'),
  metadataMode: rule('workload-metadata-mode', 'configConnector', 'Pods see the metadata server of GKE (GKE_METADATA) or that of the node (GCE_METADATA).'),
  podsPerNode: rule('pods-per-node', 'computeClass', 'A node has 8 to 256 pods at most.'),
  confidential: rule('confidential-nodes', 'machineConfig', 'The machine type can be a confidential node of this type.'),
  gpuDirect: rule('gpudirect-rdma', 'computeClass', 'GPUDirect RDMA is for machines with RDMA, on networks that DRANET creates.'),
  fastSocket: rule('fast-socket', 'configConnector', 'NCCL Fast Socket is for nodes with gVNIC.'),
  classOfPool: rule('pool-compute-class', 'labels', 'The label of a ComputeClass is its name, on all of its pools.'),
  shielded: rule('shielded-nodes', 'toolkitA4xMax', 'Bare metal machines are not shielded.'),

  systemPool: rule('system-pool', 'onlyGpuPools', 'A cluster has a pool without accelerators: GKE taints GPU nodes only then, and system pods need a place.'),
  // A warning, and no error: no source that can be read lists the accelerators of each zone. Where zones have to be named (compact placement,
  // blocks of reservations) their absence is an error, of the rules compact-zone and reservation-name.
  zones: rule('pool-zones', 'zonesOfPool', 'A pool with accelerators in a regional cluster names its zones: not every zone has them.'),
  limits: rule('autoprovisioning-limits', 'resourceLimits', 'Limits of auto-provisioning name accelerators by their type.'),
  limitsDriver: rule('autoprovisioning-driver', 'noDriver', 'Auto-provisioned GPU nodes have a driver if a ComputeClass creates them or the pods select the driver version.'),
  divided: rule('divided-gpus', 'pluginSharing', 'Pods that may land on nodes with GPU partitions or shares select them: no taint keeps other pods away.'),
  metadata: rule('workload-metadata', 'toolkitCluster', 'Pods can use Workload Identity only on nodes with GKE_METADATA.'),
  configConnector: rule('config-connector', 'configConnector', 'Config Connector has the field.'),
  computeClass: rule('compute-class', 'computeClass', 'A ComputeClass has the field.'),
  classPriorities: rule('compute-class-priorities', 'computeClass', 'A ComputeClass has at least one priority.'),

  oneAccelerator: rule('one-accelerator', 'preferences', 'A pool has one accelerator, or several in order of preference.'),
  reservedMachine: rule('reserved-machine', 'toolkitPool', 'A reservation covers one machine type, which is that of its nodes.'),
  sameCapacity: rule('same-capacity', 'preferences', 'Each way to get machines is listed once.'),
  maxPrice: rule('max-price', 'preferences', 'At least one choice costs no more than the maximum price.'),
  knownPrice: rule('known-price', 'preferences', 'A price can be compared only if it is known.'),

  provisioningRequest: rule('provisioning-request', 'provisioningRequest', 'A ProvisioningRequest has 1 to 32 sets of at least one pod, and machines live 10 minutes to 7 days.'),
} as const satisfies { readonly [name: string]: Rule };
