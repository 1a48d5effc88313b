/** All rules on a node pool, and on the pools of a cluster together. The renderings ask here, so a pool means the same wherever it goes. */
import { checkCapacity } from './rules/capacity-rules';
import { checkCluster } from './rules/cluster-rules';
import { checkDisks } from './rules/disk-rules';
import { checkPoolMachine } from './rules/machine-rules';
import { checkMetadata } from './rules/metadata-rules';
import { checkNetworks } from './rules/network-rules';
import { POOL_RULES } from './rules/rule-list';
import { checkShape } from './rules/shape-rules';
import type { ClusterFacts, NodePoolSpec } from './spec';
import { FindingCollector, type Finding } from '../accelerators/findings';

/**
 * Checks a pool by itself.
 * @param path where it stands
 */
export function checkNodePool(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const accelerator = checkPoolMachine(pool, path, findings);
  checkCapacity(pool, accelerator, path, findings);
  checkShape(pool, accelerator, path, findings);
  checkDisks(pool, accelerator, path, findings);
  checkNetworks(pool, accelerator, path, findings);
  checkMetadata(pool, path, findings);
  return findings.findings;
}

/** Checks the pools of a cluster, each by itself and all together. */
export function checkNodePools(cluster: ClusterFacts, path = 'pools'): Finding[] {
  const findings = new FindingCollector();
  const pathOf = (index: number) => `${path}[${index}]`;
  cluster.pools.forEach((pool, index) => findings.addAll(checkNodePool(pool, pathOf(index))));
  checkCluster(cluster, pathOf, findings);
  return findings.findings;
}

/**
 * What Config Connector's ContainerNodePool has no field for. Pulumi and ComputeClass have.
 * @param path where the pool stands
 */
export function configConnectorGaps(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const gaps = [
    ['capacity.flexStart', pool.capacity?.flexStart || undefined],
    ['capacity.maxRunSeconds', pool.capacity?.maxRunSeconds],
    ['network.acceleratorNetworkProfile', pool.network?.acceleratorNetworkProfile],
  ] as const;
  for (const [field, value] of gaps) {
    if (value !== undefined) {
      findings.error(POOL_RULES.configConnector, `${path}.${field}`, value, 'has no field in Config Connector\'s ContainerNodePool. Render the pool for Pulumi or as a ComputeClass, or remove it.');
    }
  }
  return findings.findings;
}
