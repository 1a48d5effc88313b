/** Networks of the nodes, and what of them the cluster has to allow. */
import { POOL_RULES } from './rule-list';
import type { ClusterFacts, NodePoolSpec, PoolAdditionalNetwork } from '../spec';
import { GPUS, findGpu, findMachine, findTpu } from '../../accelerators/catalogue';
import { GPU_RESOURCE, NODE_LABELS } from '../../accelerators/labels';
import { networkOfMachine } from '../../accelerators/networks';
import type { AcceleratorInfo } from '../../accelerators/types';
import { both, type FindingCollector } from '../../findings';
import { fieldPath } from '../../shapes';
import { didYouMean } from '../../violations';

/** Machines whose networks DRANET can make. */
const DRANET_MACHINES = /^(a3|a4|a4x|ct6e|tpu7x)-/;

/** Whether GKE can create the networks of a machine type. */
export function takesManagedNetworks(machineType: string): boolean {
  return DRANET_MACHINES.test(machineType);
}

/** Interfaces in addition to the pod's own that a machine type has, and the packets of their networks. */
interface ExtraNetworks {
  readonly count: number;
  readonly mtu?: number;
  readonly rdma: boolean;
}

export function checkNetworks(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const { network = {}, machineType } = pool;
  const where = `${path}.network`;
  const additional = network.additionalNetworks ?? [];
  if (network.acceleratorNetworkProfile !== undefined) {
    checkDranet(network.acceleratorNetworkProfile, additional, machineType, where, findings);
  } else if (accelerator !== undefined && machineType !== undefined) {
    checkAdditional(extraNetworks(accelerator, machineType), additional, machineType, where, findings);
  }
  const image = pool.imageType?.toUpperCase();
  if (network.gvnic && image !== undefined && image !== 'COS_CONTAINERD') {
    findings.warn(POOL_RULES.gvnic, `${path}.imageType`, pool.imageType, 'may not work with gVNIC, which is for COS_CONTAINERD. Use that.');
  }
  const hasRdma = accelerator !== undefined && machineType !== undefined && extraNetworks(accelerator, machineType).rdma;
  if (hasRdma && additional.length > 0 && (pool.zones ?? []).length !== 1) {
    findings.warn(POOL_RULES.rdmaZone, `${path}.zones`, pool.zones, 'should be the single zone of the RDMA network profile. Set it.');
  }
}

function extraNetworks(accelerator: AcceleratorInfo, machineType: string): ExtraNetworks {
  if (accelerator.kind === 'gpu') {
    const { extraNetworks: count, mtu, family } = networkOfMachine(accelerator, machineType);
    return { count, mtu, rdma: family === 'rdma' };
  }
  return { count: accelerator.network?.extraNics?.[machineType] ?? 0, mtu: accelerator.network?.mtu, rdma: false };
}

function checkAdditional(
  expected: ExtraNetworks, additional: readonly PoolAdditionalNetwork[], machineType: string, path: string, findings: FindingCollector,
): void {
  if (additional.length > 0 && additional.length !== expected.count) {
    findings.error(POOL_RULES.additionalNetworks, `${path}.additionalNetworks`, additional.length, expected.count === 0
      ? `have no effect: ${machineType} has no known additional interfaces. Remove them.`
      : `is not the number of additional interfaces of ${machineType}, ${expected.count}. Use ${expected.count}, or acceleratorNetworkProfile: 'auto'.`);
  } else if (additional.length === 0 && expected.count > 0) {
    findings.warn(POOL_RULES.additionalNetworks, `${path}.additionalNetworks`, undefined,
      `are not set: ${machineType} has ${expected.count} additional interfaces, and without networks its accelerators use the ordinary one. Set them, or let GKE create them: acceleratorNetworkProfile: 'auto', which is managedNetworks: true on a construct.`);
  }
  additional.forEach(({ mtu }, index) => {
    if (mtu !== undefined && expected.mtu !== undefined && mtu !== expected.mtu) {
      findings.error(POOL_RULES.mtu, `${path}.additionalNetworks[${index}].mtu`, mtu, `must be ${expected.mtu} for the networks of ${machineType}. Set it on the network.`);
    }
  });
}

function checkDranet(
  profile: string, additional: readonly PoolAdditionalNetwork[], machineType: string | undefined, path: string, findings: FindingCollector,
): void {
  if (profile !== 'auto') {
    findings.error(POOL_RULES.dranet, `${path}.acceleratorNetworkProfile`, profile, "must be 'auto'.");
  }
  if (additional.length > 0) {
    findings.error(POOL_RULES.dranet, `${path}.additionalNetworks`, additional.length, 'cannot be combined with acceleratorNetworkProfile, which creates the networks itself. Remove one of the two.');
  }
  if (machineType !== undefined && !takesManagedNetworks(machineType)) {
    findings.error(POOL_RULES.dranet, `${path}.acceleratorNetworkProfile`, profile, `is for machines of A3, A4, A4X, v6e and TPU7x, not for ${machineType}. Remove it.`);
  }
}

/** Checks what the networks of a pool need of the cluster. */
function checkClusterNetworks(cluster: ClusterFacts, pool: NodePoolSpec, path: string, findings: FindingCollector): void {
  const { additionalNetworks = [], acceleratorNetworkProfile } = pool.network ?? {};
  const missing = [
    ...(cluster.multiNetworking === false && additionalNetworks.length > 0 ? ['multi-networking'] : []),
    ...(cluster.dataplaneV2 === false && (additionalNetworks.length > 0 || acceleratorNetworkProfile !== undefined) ? ['Dataplane V2'] : []),
  ];
  if (missing.length > 0) {
    findings.error(POOL_RULES.multiNetworking, `${path}.network`, acceleratorNetworkProfile ?? additionalNetworks.length,
      `needs a cluster with ${both(missing)}, which this one does not have. Dataplane V2 is chosen at creation: create another cluster, or remove the networks.`);
  }
  if (cluster.vpcNative === false && pool.maxPodsPerNode !== undefined) {
    findings.error(POOL_RULES.vpcNative, `${path}.maxPodsPerNode`, pool.maxPodsPerNode, 'is for VPC-native clusters, and this one is not VPC-native. Remove it.');
  }
}

/** Pools that are only made when pods wait, or whose nodes are kept free of them, have no room for the system's. */
function takesSystemPods({ gpus, tpus, machineType, taints = [] }: NodePoolSpec): boolean {
  const ownDevices = findMachine(machineType ?? '')?.machine.devices !== undefined;
  return gpus === undefined && tpus === undefined && !ownDevices && !taints.some(({ effect }) => effect !== 'PreferNoSchedule');
}

/** Rules on pools that only their cluster shows: whether there is a place for system pods, and what auto-provisioning may make. */
export function checkCluster(cluster: ClusterFacts, pathOf: (index: number) => string, findings: FindingCollector): void {
  const { pools } = cluster;
  const device = pools.findIndex(({ gpus, tpus }) => gpus !== undefined || tpus !== undefined);
  if (device >= 0 && !pools.some(takesSystemPods)) {
    findings.error(POOL_RULES.systemPool, pathOf(device), pools[device].name,
      'has no other pool for system pods: GKE taints GPU nodes only if there is one, and system pods would fill the GPU nodes. Add a pool of ordinary machines, such as e2-standard-4, without taints.');
  }
  pools.forEach((pool, index) => {
    const path = pathOf(index);
    checkClusterNetworks(cluster, pool, path, findings);
    if (cluster.regional && (pool.gpus !== undefined || pool.tpus !== undefined) && (pool.zones ?? []).length === 0) {
      findings.warn(POOL_RULES.zones, `${path}.zones`, pool.zones, 'default to those of the region, and some may not have the accelerator. Name the zones that do.');
    }
    if (cluster.workloadPool !== undefined && pool.workloadMetadata !== undefined && pool.workloadMetadata !== 'GKE_METADATA') {
      findings.error(POOL_RULES.metadata, `${path}.workloadMetadata`, pool.workloadMetadata, 'shows pods the identity of the node, and Workload Identity of the cluster does not work there. Use GKE_METADATA.');
    }
    if (cluster.shieldedNodes && pool.machineType?.endsWith('-metal')) {
      findings.warn(POOL_RULES.shielded, `${path}.machineType`, pool.machineType, 'is bare metal, which Google\'s example runs in a cluster without shielded nodes. Switch them off.');
    }
  });
  findings.form(POOL_RULES.metadata, 'workloadPool', cluster.workloadPool, /^[a-z][-a-z0-9:.]*\.svc\.id\.goog$/,
    'must be PROJECT_ID.svc.id.goog, with the id of the project and not its number.');
  checkLimits(cluster.autoprovisioningLimits ?? {}, findings);
  checkLimitsDriver(cluster, findings);
}

/** Auto-provisioning installs a driver for a ComputeClass, or for pods that ask for a version, and for no others. */
function checkLimitsDriver({ autoprovisioningLimits = {}, autoprovisionedByClass = false }: ClusterFacts, findings: FindingCollector): void {
  for (const [resource, most] of Object.entries(autoprovisioningLimits)) {
    if (!autoprovisionedByClass && findGpu(resource) !== undefined) {
      findings.warn(POOL_RULES.limitsDriver, fieldPath('autoprovisioningLimits', resource), most,
        `lets GKE create nodes without a driver, unless a ComputeClass creates them or the pods select ${NODE_LABELS.driverVersion}: pods would wait forever.`);
    }
  }
}

function checkLimits(limits: { readonly [resource: string]: number }, findings: FindingCollector): void {
  for (const [resource, most] of Object.entries(limits)) {
    if (resource === 'cpu' || resource === 'memory' || findGpu(resource) !== undefined || findTpu(resource) !== undefined) {
      continue;
    }
    const types = GPUS.map(({ type }) => type);
    const guess = resource === GPU_RESOURCE || resource === 'accelerator' || resource === 'gpu' ? ' Write the type, such as nvidia-l4.' : didYouMean(resource, types);
    const path = fieldPath('autoprovisioningLimits', resource);
    if (guess !== '') {
      findings.error(POOL_RULES.limits, path, most, `is not an auto-provisioning resource: cpu, memory, and accelerators by their type.${guess}`);
    } else {
      findings.warn(POOL_RULES.limits, path, most, 'is not a known accelerator: use cpu, memory, and accelerators by their type.');
    }
  }
}
