/** Networks of the nodes, and what of them the cluster has to allow. */
import { POOL_RULES } from './rule-list';
import { both, type FindingCollector } from '../../findings';
import { networkOfMachine } from '../../accelerators/networks';
import type { AcceleratorInfo } from '../../accelerators/types';
import type { ClusterFacts, NodePoolSpec, PoolAdditionalNetwork } from '../spec';

/** Machines whose networks DRANET can make. */
const DRANET_MACHINES = /^(a3|a4|a4x|ct6e|tpu7x)-/;

/** Whether GKE can create the networks of a machine type. */
export function takesManagedNetworks(machineType: string): boolean {
  return DRANET_MACHINES.test(machineType);
}

/** Interfaces beside the pod's own that a machine type has, and the packets of their networks. */
interface ExtraNetworks {
  readonly count: number;
  readonly mtu?: number;
  readonly rdma: boolean;
}

/** Checks the networks of a pool. */
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
export function checkClusterNetworks(cluster: ClusterFacts, pool: NodePoolSpec, path: string, findings: FindingCollector): void {
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
