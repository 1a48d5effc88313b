/** Node pools that cannot be made, or that would not do what they are for: each with the field, the value, words of the rule and the fix. */
import { COMPUTE_CLASS_VERSION, constructComputeClassSpec } from '../../../src/manifests/node-pools/compute-class';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { errorsOf, type Finding } from '../../../src/model/findings';
import { RULES } from '../../../src/model/accelerators/rules/rule-list';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { POOL_RULES } from '../../../src/model/node-pools/rules/rule-list';
import type { ClusterFacts, NodePoolSpec } from '../../../src/model/node-pools/spec';
import { checkNodePool, checkNodePools } from '../../../src/model/node-pools/validate-node-pool';

const ALL_RULES = { ...RULES, ...POOL_RULES };

type PoolCase = [what: string, pool: Partial<NodePoolSpec>, rule: keyof typeof ALL_RULES, path: string, value: unknown, ...words: string[]];
type ClusterCase = [what: string, cluster: Partial<ClusterFacts>, rule: keyof typeof ALL_RULES, path: string, value: unknown, ...words: string[]];

const H100: Partial<NodePoolSpec> = { machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 } };
const L4: Partial<NodePoolSpec> = { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 } };
const T4: Partial<NodePoolSpec> = { machineType: 'n1-standard-8', gpus: { type: 'nvidia-tesla-t4', count: 1 } };
const B200: Partial<NodePoolSpec> = { machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 }, capacity: { spot: true } };
const GB200: Partial<NodePoolSpec> = { machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 } };
const H200: Partial<NodePoolSpec> = { machineType: 'a3-ultragpu-8g', gpus: { type: 'nvidia-h200-141gb', count: 8 } };
const V6E: Partial<NodePoolSpec> = { machineType: 'ct6e-standard-4t', tpus: { type: 'tpu-v6e-slice', topology: '4x4' } };
const TPU7X: Partial<NodePoolSpec> = { machineType: 'tpu7x-standard-4t', tpus: { type: 'tpu7x', topology: '2x2x2' } };
const networks = (count: number, mtu?: number) => Array.from({ length: count }, (_network, index) => ({ network: `net-${index}`, subnetwork: `sub-${index}`, ...(mtu && { mtu }) }));

const POOL_MISTAKES: readonly PoolCase[] = [
  // Machines and accelerators.
  ['two H100 on a machine with eight', { ...H100, gpus: { type: 'nvidia-h100-80gb', count: 2 } }, 'count', 'pool.gpus.count', 2, 'a3-highgpu-8g has, 8', 'or a3-highgpu-2g'],
  ['two L4 on a machine with one', { ...L4, gpus: { type: 'nvidia-l4', count: 2 } }, 'count', 'pool.gpus.count', 2, 'Use 1, or g2-standard-24'],
  ['three T4', { ...T4, gpus: { type: 'nvidia-tesla-t4', count: 3 } }, 'gpuCount', 'pool.gpus.count', 3, '1, 2 or 4'],
  ['no number of GPUs', { ...T4, gpus: { type: 'nvidia-tesla-t4', count: 0 } }, 'gpuCount', 'pool.gpus.count', 0, '1 or more'],
  ['no machine type', { gpus: { type: 'nvidia-l4', count: 1 } }, 'needsMachine', 'pool.machineType', undefined, 'e2-medium', 'Use g2-standard-4'],
  ['a GPU on N2', { ...T4, machineType: 'n2-standard-8' }, 'generalPurpose', 'pool.machineType', 'n2-standard-8', 'only N1 can'],
  ['the wrong A100', { machineType: 'a2-ultragpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1 } }, 'machineAccelerator', 'pool.machineType', 'a2-ultragpu-1g', 'or ask for nvidia-a100-80gb'],
  ['the wrong H100', { machineType: 'a3-megagpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 } }, 'machineAccelerator', 'pool.machineType', 'a3-megagpu-8g', 'nvidia-h100-mega-80gb'],
  ['too many vCPUs for a T4', { ...T4, machineType: 'n1-standard-64' }, 'vcpu', 'pool.machineType', 'n1-standard-64', 'at most 48'],
  ['GPUs that the pool does not mention', { machineType: 'g2-standard-8' }, 'unsaid', 'pool.machineType', 'g2-standard-8', 'has 1 nvidia-l4', "gpus: { type: 'nvidia-l4', count: 1 }"],
  ['GPUs and TPUs', { ...V6E, gpus: { type: 'nvidia-l4', count: 1 } }, 'oneKind', 'pool.tpus', 'tpu-v6e-slice', 'Create two pools'],
  ['a TPU without a machine type', { tpus: { type: 'tpu-v6e-slice', topology: '4x4' } }, 'needsMachine', 'pool.machineType', undefined, 'ct6e-standard'],
  ['a slice on machines that are none of its hosts', { ...V6E, machineType: 'ct6e-standard-8t' }, 'tpuMachine', 'pool.machineType', 'ct6e-standard-8t', 'Use ct6e-standard-4t'],
  ['a topology that there is not', { ...V6E, tpus: { type: 'tpu-v6e-slice', topology: '4x6' } }, 'topology', 'pool.tpus.topology', '4x6', 'Use 4x4'],
  // Partitions, sharing, driver.
  ['a partition that the GPU has not', { ...L4, gpus: { type: 'nvidia-l4', count: 1, partition: '1g.5gb' } }, 'migSize', 'pool.gpus.partition', '1g.5gb', 'no partitions of nvidia-l4'],
  ['a partition that only the driver knows', { ...H100, gpus: { type: 'nvidia-h100-80gb', count: 8, partition: '4g.40gb' } }, 'migDriverOnly', 'pool.gpus.partition', '4g.40gb', 'Use 1g.10gb'],
  ['49 clients', { ...L4, gpus: { type: 'nvidia-l4', count: 1, sharing: { strategy: 'mps', clients: 49 } } }, 'sharingClients', 'pool.gpus.sharing.clients', 49, '2 to 48'],
  ['a strategy that is none', { ...L4, gpus: { type: 'nvidia-l4', count: 1, sharing: { strategy: 'slicing', clients: 4 } } }, 'sharingStrategy', 'pool.gpus.sharing.strategy', 'slicing', 'time-sharing or mps'],
  ['a driver that is none', { ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'latst' } }, 'driver', 'pool.gpus.driver', 'latst', "Did you mean 'latest'?"],
  ['no driver at all', { ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' } }, 'driver', 'pool.gpus.driver', 'disabled', 'pods would wait forever'],
  ['the GPU operator beside GKE\'s driver', { ...L4, gpuOperator: true }, 'operatorPlugin', 'pool.gpuOperator', true, "gpus.driver: 'disabled' and the label gke-no-default-nvidia-gpu-device-plugin: 'true'"],
  ['the GPU operator with secure boot',
    { ...L4, gpus: { type: 'nvidia-l4', count: 1, driver: 'disabled' }, gpuOperator: true, secureBoot: true, labels: { 'gke-no-default-nvidia-gpu-device-plugin': 'true' } },
    'secureBoot', 'pool.secureBoot', true, 'Set it to false'],
  // Capacity.
  ['spot and flex-start', { ...L4, autoRepair: false, capacity: { spot: true, flexStart: true } }, 'exclusive', 'pool.capacity.flexStart', true, 'Remove one of the two'],
  ['spot and queued', { ...L4, capacity: { spot: true, queued: true } }, 'exclusive', 'pool.capacity.queued', true, 'Remove one of the two'],
  ['spot from a reservation', { ...L4, capacity: { spot: true, reservation: { name: 'r' } } }, 'exclusive', 'pool.capacity.reservation', 'r', 'cannot be combined with spot'],
  ['spot from any reservation', { ...L4, capacity: { spot: true, reservationAffinity: 'any' } }, 'exclusive', 'pool.capacity.reservationAffinity', 'any', 'cannot be combined with spot'],
  ['queued from a reservation', { ...L4, capacity: { queued: true, reservation: { name: 'r' } } }, 'exclusive', 'pool.capacity.reservation', 'r', 'cannot be combined with queued'],
  ['flex-start from a reservation', { ...L4, autoRepair: false, capacity: { flexStart: true, reservation: { name: 'r' } } }, 'exclusive', 'pool.capacity.reservation', 'r', 'cannot be combined with flexStart'],
  ['flex-start that is repaired', { ...L4, capacity: { flexStart: true } }, 'flexRepair', 'pool.autoRepair', undefined, 'Set it to false'],
  ['flex-start with a fixed number', { ...L4, autoRepair: false, capacity: { flexStart: true }, size: { nodes: 2 } }, 'flexSize', 'pool.size.nodes', 2, 'Use maxPerZone or totalMax'],
  ['queued with nodes that are always there', { ...L4, capacity: { queued: true }, size: { minPerZone: 1, maxPerZone: 4 } }, 'flexSize', 'pool.size.minPerZone', 1, 'must be 0'],
  ['queued and compact', { ...H100, zones: ['z'], capacity: { queued: true }, placement: { compact: true } }, 'queuedCompact', 'pool.placement.compact', true, 'Remove it'],
  ['flex-start and compact', { ...H100, zones: ['z'], autoRepair: false, capacity: { flexStart: true }, placement: { compact: true } }, 'flexCompact', 'pool.placement.compact', true, 'only with A3 Ultra, A4 and H4D'],
  ['flex-start for five minutes', { ...L4, autoRepair: false, capacity: { flexStart: true, maxRunSeconds: 300 } }, 'runDuration', 'pool.capacity.maxRunSeconds', 300, '10 minutes to 7 days'],
  ['flex-start for eight days', { ...L4, autoRepair: false, capacity: { flexStart: true, maxRunSeconds: 691_200 } }, 'runDuration', 'pool.capacity.maxRunSeconds', 691_200, 'from 600 to 604800'],
  ['a machine for half a year', { ...L4, capacity: { maxRunSeconds: 15_552_000 } }, 'runDuration', 'pool.capacity.maxRunSeconds', 15_552_000, '120 days'],
  ['a queued pool with a duration of its own', { ...L4, capacity: { queued: true, maxRunSeconds: 3600 } }, 'runDuration', 'pool.capacity.maxRunSeconds', 3600, 'maxRunDurationSeconds'],
  ['flex-start of an edge machine', { machineType: 'a3-edgegpu-8g', gpus: H100.gpus, autoRepair: false, capacity: { flexStart: true } }, 'dws', 'pool.capacity.flexStart', true, 'is not available for a3-edgegpu-8g'],
  ['queued TPU v4', { machineType: 'ct4p-hightpu-4t', tpus: { type: 'tpu-v4-podslice', topology: '2x2x1' }, capacity: { queued: true } }, 'dws', 'pool.capacity.queued', true, 'ct4p-hightpu-4t'],
  ['B200 on demand', { ...B200, capacity: undefined }, 'onDemand', 'pool.capacity', undefined, 'Set spot, flexStart or a reservation'],
  ['a reservation by its path', { ...L4, capacity: { reservation: { name: 'projects/p/reservations/r' } } }, 'reservation', 'pool.capacity.reservation.name', 'projects/p/reservations/r', "name: 'r' and project: 'p'"],
  ['a sub-block without its block', { ...L4, zones: ['z'], capacity: { reservation: { name: 'r', subBlock: 's' } } }, 'reservation', 'pool.capacity.reservation.subBlock', 's', 'Name the block too'],
  ['a block without its zone', { ...L4, capacity: { reservation: { name: 'r', project: 'p', block: 'b' } } }, 'reservation', 'pool.zones', undefined, 'Name that zone'],
  ['a block without its project', { ...L4, zones: ['z'], capacity: { reservation: { name: 'r', block: 'b' } } }, 'reservation', 'pool.capacity.reservation.project', undefined, 'projects/PROJECT/reservations/r/reservationBlocks/b'],
  ['a specific reservation without a name', { ...L4, capacity: { reservationAffinity: 'specific' } }, 'affinity', 'pool.capacity.reservationAffinity', 'specific', 'Name the reservation instead'],
  ['a reservation by name and any', { ...L4, capacity: { reservationAffinity: 'any', reservation: { name: 'r' } } }, 'affinity', 'pool.capacity.reservationAffinity', 'any', 'Remove one of the two'],
  // Number and place.
  ['a fixed number and autoscaling', { ...L4, size: { nodes: 1, maxPerZone: 3 } }, 'size', 'pool.size.nodes', 1, 'Remove one of the two'],
  ['per zone and in total', { ...L4, size: { maxPerZone: 1, totalMax: 3 } }, 'size', 'pool.size.totalMax', 3, 'Remove one of the two'],
  ['more at least than at most', { ...L4, size: { totalMin: 4, totalMax: 3 } }, 'size', 'pool.size.totalMin', 4, 'more than the maximum (3)'],
  ['a part of a node', { ...L4, size: { nodes: 1.5 } }, 'size', 'pool.size.nodes', 1.5, 'whole number'],
  ['a slice that is counted in total', { ...V6E, size: { totalMax: 4 } }, 'slice', 'pool.size.totalMax', 4, 'Use maxPerZone: 4'],
  ['a slice with a node too few', { ...V6E, size: { maxPerZone: 3 } }, 'slice', 'pool.size.maxPerZone', 3, 'a slice of 4 nodes of ct6e-standard-4t', 'Use 4'],
  ['a slice with twice the nodes', { ...V6E, size: { nodes: 8 } }, 'slice', 'pool.size.nodes', 8, 'one pool is one slice'],
  ['half of a slice that is always there', { ...V6E, size: { minPerZone: 2, maxPerZone: 4 } }, 'slice', 'pool.size.minPerZone', 2, 'Use 0'],
  ['a slice over zones', { ...V6E, size: { maxPerZone: 4, locationPolicy: 'BALANCED' } }, 'locationPolicy', 'pool.size.locationPolicy', 'BALANCED', 'Use ANY'],
  ['compact in two zones', { ...H100, zones: ['a', 'b'], placement: { compact: true } }, 'compactZone', 'pool.zones', ['a', 'b'], 'Choose one of them'],
  ['compact in blue and green', { ...H100, zones: ['a'], placement: { compact: true }, upgrade: { strategy: 'BLUE_GREEN' } }, 'compactZone', 'pool.upgrade.strategy', 'BLUE_GREEN', 'Use SURGE'],
  ['compact N1', { ...T4, zones: ['a'], placement: { compact: true } }, 'compact', 'pool.placement.compact', true, 'not offered for machines of n1'],
  ['more nodes than a compact placement has', { ...H100, zones: ['a'], placement: { compact: true }, size: { totalMax: 97 } }, 'compactNodes', 'pool.size.totalMax', 97, 'Use 96'],
  ['compact TPU7x', { ...TPU7X, placement: { compact: true } }, 'workloadPolicy', 'pool.placement.compact', true, 'Set placement.policyName instead'],
  ['a slice of TPU7x without a policy', TPU7X, 'workloadPolicy', 'pool.placement.policyName', undefined, 'with the topology 2x2x2'],
  ['compact A4X', { ...GB200, placement: { compact: true } }, 'workloadPolicy', 'pool.placement.compact', true, 'workload policy'],
  ['no way to upgrade', { ...L4, upgrade: { maxSurge: 0, maxUnavailable: 0 } }, 'upgrade', 'pool.upgrade.maxSurge', 0, 'Set one of the two to 1'],
  // Disks.
  ['pd-balanced to boot A4', { ...B200, bootDiskType: 'pd-balanced' }, 'bootDisk', 'pool.bootDiskType', 'pd-balanced', 'has hyperdisk-balanced', 'Use hyperdisk-balanced'],
  ['pd-balanced to boot A3 Ultra', { ...H200, bootDiskType: 'pd-balanced' }, 'bootDisk', 'pool.bootDiskType', 'pd-balanced', 'is not a boot disk of a3-ultragpu-8g'],
  ['hyperdisk to boot G2', { ...L4, bootDiskType: 'hyperdisk-balanced' }, 'bootDisk', 'pool.bootDiskType', 'hyperdisk-balanced', 'pd-balanced or pd-ssd'],
  ['a boot disk of nothing', { ...L4, bootDiskGiB: 5 }, 'bootDisk', 'pool.bootDiskGiB', 5, '10 or more'],
  ['claims of pd-balanced on A4X', { ...GB200, attachedDiskTypes: ['pd-balanced'] }, 'attachedDisk', 'pool.attachedDiskTypes[0]', 'pd-balanced', 'standard-rwo'],
  ['hyperdisk-ml on G4', { machineType: 'g4-standard-48', gpus: { type: 'nvidia-rtx-pro-6000', count: 1 }, attachedDiskTypes: ['hyperdisk-ml'] }, 'attachedDisk', 'pool.attachedDiskTypes[0]', 'hyperdisk-ml', 'cannot be attached'],
  ['hyperdisk-balanced on an A2 that is not confidential', { machineType: 'a2-highgpu-1g', gpus: { type: 'nvidia-tesla-a100', count: 1 }, attachedDiskTypes: ['hyperdisk-balanced'] },
    'attachedDisk', 'pool.attachedDiskTypes[0]', 'hyperdisk-balanced', 'Only confidential nodes can'],
  ['local SSDs beside those of the machine', { ...H100, localSsdEphemeral: 4 }, 'localSsd', 'pool.localSsdEphemeral', 4, 'comes with, 16', 'leave it out'],
  ['local SSDs of a machine without', { ...H100, machineType: 'a3-highgpu-8g-nolssd', localSsdBlock: 16 }, 'localSsd', 'pool.localSsdBlock', 16, 'Use a3-highgpu-8g, which has some'],
  ['a number of local SSDs that there is not', { machineType: 'g2-standard-24', gpus: { type: 'nvidia-l4', count: 2 }, localSsdEphemeral: 1 }, 'localSsd', 'pool.localSsdEphemeral', 1, 'use 2'],
  ['local SSDs in two ways', { ...T4, localSsdEphemeral: 1, localSsdBlock: 1 }, 'localSsd', 'pool.localSsdBlock', 1, 'Remove one of the two'],
  // Networks.
  ['too few networks for TCPX', { ...H100, network: { additionalNetworks: networks(2) } }, 'additionalNetworks', 'pool.network.additionalNetworks', 2, 'a3-highgpu-8g, 4', "acceleratorNetworkProfile: 'auto'"],
  ['too few networks for RDMA', { ...H200, zones: ['z'], network: { additionalNetworks: networks(8) } }, 'additionalNetworks', 'pool.network.additionalNetworks', 8, 'a3-ultragpu-8g, 9'],
  ['networks for a machine without interfaces', { ...L4, network: { additionalNetworks: networks(1) } }, 'additionalNetworks', 'pool.network.additionalNetworks', 1, 'Remove them'],
  ['packets of RDMA for TCPX', { ...H100, network: { additionalNetworks: [...networks(3, 8244), ...networks(1, 8896)] } }, 'mtu', 'pool.network.additionalNetworks[3].mtu', 8896, 'must be 8244'],
  ['DRANET beside networks', { ...H100, network: { acceleratorNetworkProfile: 'auto', additionalNetworks: networks(4) } }, 'dranet', 'pool.network.additionalNetworks', 4, 'Remove one of the two'],
  ['DRANET on G2', { ...L4, network: { acceleratorNetworkProfile: 'auto' } }, 'dranet', 'pool.network.acceleratorNetworkProfile', 'auto', 'not for g2-standard-8'],
  ['a profile of DRANET that is none', { ...H100, network: { acceleratorNetworkProfile: 'on' } }, 'dranet', 'pool.network.acceleratorNetworkProfile', 'on', "must be 'auto'"],
  ['RDMA without networks for it', { ...H200, network: { gpuDirect: 'rdma' } }, 'gpuDirect', 'pool.network.gpuDirect', 'rdma', "acceleratorNetworkProfile: 'auto'"],
  ['RDMA on a machine with TCPX', { ...H100, network: { gpuDirect: 'rdma', acceleratorNetworkProfile: 'auto' } }, 'gpuDirect', 'pool.network.gpuDirect', 'rdma', 'no RDMA'],
  ['a way of GPUs to each other that is none', { ...H200, network: { gpuDirect: 'tcpx', acceleratorNetworkProfile: 'auto' } }, 'gpuDirect', 'pool.network.gpuDirect', 'tcpx', "must be 'rdma'"],
  // Name and options.
  ['a name with a capital letter', { ...L4, name: 'L4' }, 'name', 'pool.name', 'L4', 'a lower-case letter'],
  ['a name that is too long', { ...L4, name: 'l'.repeat(41) }, 'name', 'pool.name', 'l'.repeat(41), 'It has 41'],
  ['four pods on a node', { ...L4, maxPodsPerNode: 4 }, 'podsPerNode', 'pool.maxPodsPerNode', 4, 'from 8 to 256'],
  ['a metadata server that is none', { ...L4, workloadMetadata: 'GKE_METADTA' }, 'metadataMode', 'pool.workloadMetadata', 'GKE_METADTA', "Did you mean 'GKE_METADATA'?"],
  ['a strategy of upgrades that is none', { ...L4, upgrade: { strategy: 'BLUEGREEN' } }, 'strategy', 'pool.upgrade.strategy', 'BLUEGREEN', "Did you mean 'BLUE_GREEN'?"],
  ['a strategy that GKE chooses', { ...L4, upgrade: { strategy: 'SHORT_LIVED' } }, 'strategy', 'pool.upgrade.strategy', 'SHORT_LIVED', 'is chosen by GKE'],
  ['a surge of blue and green', { ...L4, upgrade: { strategy: 'BLUE_GREEN', maxSurge: 1 } }, 'strategy', 'pool.upgrade.maxSurge', 1, 'belongs to the strategy SURGE'],
  ['half a node of surge', { ...L4, upgrade: { strategy: 'SURGE', maxSurge: 0.5 } }, 'strategy', 'pool.upgrade.maxSurge', 0.5, 'whole number'],
  ['batches of a surge', { ...L4, upgrade: { strategy: 'SURGE', blueGreen: { batchNodes: 1 } } }, 'strategy', 'pool.upgrade.blueGreen', undefined, 'belongs to the strategy BLUE_GREEN'],
  ['batches by number and by part', { ...L4, upgrade: { strategy: 'BLUE_GREEN', blueGreen: { batchNodes: 1, batchPercentage: 0.5 } } }, 'strategy', 'pool.upgrade.blueGreen.batchPercentage', 0.5, 'Remove one of the two'],
  ['batches of no nodes', { ...L4, upgrade: { strategy: 'BLUE_GREEN', blueGreen: { batchNodes: 0 } } }, 'strategy', 'pool.upgrade.blueGreen.batchNodes', 0, '1 or more'],
  ['batches of 25, as percent', { ...L4, upgrade: { strategy: 'BLUE_GREEN', blueGreen: { batchPercentage: 25 } } }, 'strategy', 'pool.upgrade.blueGreen.batchPercentage', 25, 'must be a fraction'],
  ['time before now', { ...L4, upgrade: { strategy: 'BLUE_GREEN', blueGreen: { batchNodes: 1, soakSeconds: -1 } } }, 'strategy', 'pool.upgrade.blueGreen.soakSeconds', -1, '0 or more'],
  ['confidential nodes of another type', { machineType: 'a3-highgpu-1g', gpus: { type: 'nvidia-h100-80gb', count: 1 }, confidentialNodeType: 'SEV' }, 'confidential', 'pool.confidentialNodeType', 'SEV', 'Use TDX'],
  ['another class than that of the label', { ...L4, computeClass: 'a', labels: { 'cloud.google.com/compute-class': 'b' } }, 'classOfPool', "pool.labels['cloud.google.com/compute-class']", 'b', "computeClass: 'a'"],
  ['autoscaling with one end', { ...L4, size: { minPerZone: 1 } }, 'size', 'pool.size.minPerZone', 1, 'needs maxPerZone'],
  ['autoscaling in total with one end', { ...L4, size: { totalMin: 1 } }, 'size', 'pool.size.totalMin', 1, 'needs totalMax'],
  // Labels and taints.
  ['the taint that GKE adds', { ...L4, taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] }, 'gpuTaint', 'pool.taints[0]', 'nvidia.com/gpu=present', 'more than one taint'],
  ['an effect as the API writes it', { ...L4, taints: [{ key: 'team', value: 'a', effect: 'NO_SCHEDULE' }] }, 'effect', 'pool.taints[0].effect', 'NO_SCHEDULE', "Did you mean 'NoSchedule'?"],
];

const system: NodePoolSpec = { name: 'system', machineType: 'e2-standard-4' };
const l4 = { name: 'l4', ...L4 };

const CLUSTER_MISTAKES: readonly ClusterCase[] = [
  ['GPU pools only', { pools: [l4] }, 'systemPool', 'pools[0]', 'l4', 'GKE taints GPU nodes only if there is one', 'e2-standard-4'],
  ['a system pool with a taint', { pools: [l4, { ...system, taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] }] }, 'systemPool', 'pools[0]', 'l4', 'without taints'],
  ['networks in a cluster with one', { multiNetworking: false, dataplaneV2: false, pools: [system, { name: 'h100', ...H100, network: { additionalNetworks: networks(4) } }] },
    'multiNetworking', 'pools[1].network', 4, 'multi-networking and Dataplane V2'],
  ['DRANET without Dataplane V2', { dataplaneV2: false, pools: [system, { name: 'h100', ...H100, network: { acceleratorNetworkProfile: 'auto' } }] }, 'multiNetworking', 'pools[1].network', 'auto', 'Dataplane V2'],
  ['a number of pods in a routes-based cluster', { vpcNative: false, pools: [{ ...system, maxPodsPerNode: 32 }] }, 'vpcNative', 'pools[0].maxPodsPerNode', 32, 'Remove it'],
  ['the identity of nodes beside Workload Identity', { workloadPool: 'my-project.svc.id.goog', pools: [system, { ...l4, workloadMetadata: 'GCE_METADATA' }] }, 'metadata', 'pools[1].workloadMetadata', 'GCE_METADATA', 'Use GKE_METADATA'],
  ['the number of the project in the workload pool', { workloadPool: '123456.svc.id.goog', pools: [system] }, 'metadata', 'workloadPool', '123456.svc.id.goog', 'not its number'],
  ['the resource of GPUs as a limit', { autoprovisioningLimits: { 'nvidia.com/gpu': 8 }, pools: [system] }, 'limits', "autoprovisioningLimits['nvidia.com/gpu']", 8, 'Write the type, such as nvidia-l4'],
  ['a slip in a limit', { autoprovisioningLimits: { 'nvida-l4': 8 }, pools: [system] }, 'limits', "autoprovisioningLimits['nvida-l4']", 8, "Did you mean 'nvidia-l4'?"],
];

function tell(findings: readonly Finding[], rule: keyof typeof ALL_RULES, path: string, value: unknown, words: readonly string[]): void {
  const errors = errorsOf(findings);
  expect(errors.map((error) => [error.path, error.message])).toEqual([[path, expect.any(String)]]);
  expect(errors[0]).toMatchObject({ rule: ALL_RULES[rule].id, source: SOURCES[ALL_RULES[rule].source], path });
  expect(errors[0].value).toEqual(value);
  words.forEach((part) => expect(errors[0].message).toContain(part));
}

describe('a node pool is refused for', () => {
  test.each(POOL_MISTAKES)('%s', (what, pool, rule, path, value, ...words) => {
    const found = checkNodePool({ name: 'pool', ...pool });
    tell(found, rule, path, value, words);
    const messages = toldOfClass(constructComputeClassSpec({ choices: [{ name: 'pool', ...pool }], whenUnsatisfiable: 'DoNotScaleUp' })).map(({ message }) => message);
    expect(messages).toEqual(isReadInClass(what, path) ? errorsOf(found).map(({ message }) => message) : []);
  });
});

/** What is told of a ComputeClass in YAML. */
function toldOfClass(spec: object): Finding[] {
  const object = { apiVersion: COMPUTE_CLASS_VERSION, kind: 'ComputeClass', metadata: { name: 'gpus' }, spec: JSON.parse(JSON.stringify(spec)) as object };
  return checkForeign(object, [object]);
}

/** What GKE chooses where a class does not say it, drivers that can be the GPU operator's, and what a class has no field for, or writes otherwise. */
const NOT_IN_CLASS: readonly string[] = [
  'no machine type', 'a TPU without a machine type', 'GPUs that the pool does not mention', 'a driver that is none', 'no driver at all',
  'a sub-block without its block', 'a block without its project', 'a specific reservation without a name', 'a reservation by name and any',
];

/** Of a class, machines, accelerators, capacity and disks are read. It has no queued machines. */
function isReadInClass(what: string, path: string): boolean {
  return /^pool\.(machineType|gpus|tpus|capacity|bootDisk|localSsdEphemeral)/.test(path) && !what.includes('queued') && !NOT_IN_CLASS.includes(what);
}

describe('a ComputeClass in YAML', () => {
  const told = (...priorities: unknown[]) => toldOfClass({ priorities }).map(({ path }) => path);
  const l4 = { type: 'nvidia-l4', count: 1 };

  test('is told where it is wrong, in its own terms', () => {
    expect(told({ machineType: 'g2-standard-8', gpu: l4 }, { machineType: 'g2-standard-8', gpu: { ...l4, count: 2 } })).toEqual(['spec.priorities[1].gpu.count']);
    expect(told({ machineType: 'g2-standard-8', gpu: { ...l4, gpuSharing: { sharingStrategy: 'MPS', maxSharedClientsPerGPU: 49 } } })).toEqual(['spec.priorities[0].gpu.gpuSharing.maxSharedClientsPerGPU']);
    expect(told({ machineType: 'g2-standard-8', gpu: { ...l4, gpuSharing: { gpuPartitionSize: '1g.5gb' } } })).toEqual(['spec.priorities[0].gpu.gpuSharing.gpuPartitionSize']);
    expect(told({ machineType: 'ct6e-standard-4t', tpu: { type: 'tpu-v6e-slice', topology: '4x6', count: 4 } })).toEqual(['spec.priorities[0].tpu.topology']);
  });

  test('is told of capacity and disks, in its own terms', () => {
    const machine = { machineType: 'g2-standard-8', gpu: l4 };
    expect(told({ ...machine, spot: true, flexStart: { enabled: true } })).toEqual(['spec.priorities[0].flexStart.enabled']);
    expect(told({ spot: true, reservations: { affinity: 'Specific', specific: [{ name: 'r' }] } })).toEqual(['spec.priorities[0].reservations.specific[0]']);
    expect(told({ ...machine, flexStart: { enabled: true }, maxRunDurationSeconds: 300 })).toEqual(['spec.priorities[0].maxRunDurationSeconds']);
    expect(told({ machineType: 'a4-highgpu-8g', gpu: { type: 'nvidia-b200', count: 8 } })).toEqual(['spec.priorities[0]']);
    expect(told({ ...machine, storage: { bootDiskType: 'hyperdisk-balanced' } }, { storage: { bootDiskSize: 5 } })).toEqual(['spec.priorities[0].storage.bootDiskType', 'spec.priorities[1].storage.bootDiskSize']);
    expect(told({ machineType: 'g2-standard-24', gpu: { type: 'nvidia-l4', count: 2 }, storage: { localSSDCount: 1 } })).toEqual(['spec.priorities[0].storage.localSSDCount']);
    const several = { affinity: 'Specific', specific: [{ name: 'r' }, { name: 's' }] };
    expect(toldOfClass({ priorities: [{ spot: true, reservations: several }] })).toMatchObject([{ path: 'spec.priorities[0].reservations.affinity', value: 'Specific' }]);
    expect(told({ ...machine, reservations: several }, { machineType: 'a4-highgpu-8g', gpu: { type: 'nvidia-b200', count: 8 }, reservations: several })).toEqual([]);
    expect(told({ reservations: { affinity: 'Specific', specific: [{ name: 'r', reservationBlock: { name: 'b' } }] }, flexStart: { enabled: false }, spot: false })).toEqual([]);
  });

  test('may leave to GKE what it does not say, and have what nobody here knows', () => {
    expect(told(
      { gpu: l4 }, { machineFamily: 'g2' }, { machineType: 'a3-highgpu-8g', spot: true }, { nodepools: ['a'] }, { tpu: { type: 'tpu-v5p-slice', count: 4, topology: '4x4x4' } },
      { machineType: 'g2-standard-24', gpu: { type: 'nvidia-l4' } }, { machineType: 'z9-megagpu-8g', gpu: { type: 'nvidia-z900', count: 8 } },
      { machineType: 'g2-standard-8', gpu: { ...l4, driverVersion: 'autoinstall-disabled', gpuSharing: { sharingStrategy: 'TIME_SHARING', maxSharedClientsPerGPU: 4 } } },
    )).toEqual([]);
  });

  test.each([[[null, 1, 'x']], [[{ gpu: 'x', tpu: [], machineType: 1 }]], [[{ gpu: { type: 1, gpuSharing: 'x' }, machineType: 'g2-standard-8' }]],
    [[{ spot: 'x', flexStart: 1, reservations: { affinity: 'constructor', specific: 'x' }, storage: [], maxRunDurationSeconds: 'x' }]]])('%j ends nothing', (priorities) => {
    expect(() => told(...priorities)).not.toThrow();
  });
});

describe('pools of a cluster are refused for', () => {
  test.each(CLUSTER_MISTAKES)('%s', (_what, cluster, rule, path, value, ...words) => {
    tell(checkNodePools({ pools: [], ...cluster }), rule, path, value, words);
  });
});

test('there are more than eighty mistakes in the tables', () => {
  expect(POOL_MISTAKES.length + CLUSTER_MISTAKES.length).toBeGreaterThan(80);
});

test('every rule is broken by a mistake in the tables, or warned of', () => {
  const told = new Set([...POOL_MISTAKES, ...CLUSTER_MISTAKES].map(([, , rule]) => rule));
  // Of these no source is certain; pools.test.ts and gke-facts.test.ts have them.
  const warned = ['spot', 'limitsDriver', 'dwsUpgrade', 'gvnic', 'fastSocket', 'rdmaZone', 'systemLabel', 'shielded', 'zones'];
  // Of pods beside pools, of what renders pools, and of lists of choices: gke-facts.test.ts, gaps.test.ts and preferences.test.ts have them.
  const elsewhere = [
    'divided', 'configConnector', 'computeClass', 'classPriorities', 'oneAccelerator', 'reservedMachine', 'sameCapacity', 'maxPrice', 'knownPrice', 'provisioningRequest',
  ];
  const isTold = (rule: string) => told.has(rule as keyof typeof ALL_RULES) || [...warned, ...elsewhere].includes(rule);
  expect(Object.keys(POOL_RULES).filter((rule) => !isTold(rule))).toEqual([]);
});
