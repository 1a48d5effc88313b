/** All rules on a node pool, and on the pools of a cluster together. The renderings ask here, so a pool means the same wherever it goes. */
import { checkCapacity } from './rules/capacity-rules';
import { checkDisks, checkPoolMachine } from './rules/machine-rules';
import { checkCluster, checkNetworks } from './rules/network-rules';
import { checkMetadata, checkOptions } from './rules/option-rules';
import { checkShape } from './rules/shape-rules';
import type { ClusterFacts, NodePoolSpec } from './spec';
import { FindingCollector, type Finding } from '../findings';

/** Checks a pool by itself. @param path where it is */
export function checkNodePool(pool: NodePoolSpec, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const accelerator = checkPoolMachine(pool, path, findings);
  checkCapacity(pool, accelerator, path, findings);
  checkShape(pool, accelerator, path, findings);
  checkDisks(pool, accelerator, path, findings);
  checkNetworks(pool, accelerator, path, findings);
  checkMetadata(pool, path, findings);
  checkOptions(pool, accelerator, path, findings);
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
