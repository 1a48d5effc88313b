/** Rules on pools that only their cluster shows: whether there is a place for system pods, and what auto-provisioning may make. */
import { checkClusterNetworks } from './network-rules';
import { POOL_RULES } from './rule-list';
import { GPUS, findGpu, findMachine, findTpu } from '../../accelerators/catalogue';
import type { FindingCollector } from '../../findings';
import { GPU_RESOURCE, NODE_LABELS } from '../../accelerators/labels';
import { didYouMean } from '../../violations';
import { fieldPath } from '../../shapes';
import type { ClusterFacts, NodePoolSpec } from '../spec';

/** Pools that are only made when pods wait, or whose nodes are kept free of them, have no room for the system's. */
function takesSystemPods({ gpus, tpus, machineType, taints = [] }: NodePoolSpec): boolean {
  const ownDevices = findMachine(machineType ?? '')?.machine.devices !== undefined;
  return gpus === undefined && tpus === undefined && !ownDevices && !taints.some(({ effect }) => effect !== 'PreferNoSchedule');
}

/** Checks the pools of a cluster together. */
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
  if (cluster.workloadPool !== undefined && !/^[a-z][-a-z0-9:.]*\.svc\.id\.goog$/.test(cluster.workloadPool)) {
    findings.error(POOL_RULES.metadata, 'workloadPool', cluster.workloadPool, 'must be PROJECT_ID.svc.id.goog, with the id of the project and not its number.');
  }
  checkLimits(cluster.autoprovisioningLimits ?? {}, findings);
  checkLimitsDriver(cluster, findings);
}

/** Auto-provisioning installs a driver for a ComputeClass, or for pods that ask for a version, and for nobody else. */
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
