/** Pods and the pools that they may come to: GPUs of some of them are divided, and nothing but a selector says which a pod is meant for. */
import { POOL_RULES } from './rule-list';
import { both, FindingCollector, type Finding } from '../../findings';
import { GPU_RESOURCE, NODE_LABELS } from '../../accelerators/labels';
import type { PodAccelerators } from '../../accelerators/rules/pod-rules';
import { RULES } from '../../accelerators/rules/rule-list';
import { checkShares } from '../../accelerators/rules/sharing-rules';
import type { NodePoolSpec } from '../spec';

/** What of a pool says which pods come to it. */
export type PoolOfGpus = Pick<NodePoolSpec, 'name' | 'gpus' | 'computeClass'>;

/** Checks a pod with GPUs against the pools of its cluster. There may be more of them. */
export function checkPodOnPools(pod: PodAccelerators, pools: readonly PoolOfGpus[]): Finding[] {
  const findings = new FindingCollector();
  const asked = pod.devices.filter(({ resource, value }) => resource === GPU_RESOURCE && value > 0);
  const divided = pools.map((pool) => ({ pool, labels: labelsOf(pool) }))
    .filter(({ pool, labels }) => Object.keys(labels).length > 0 && mayReach(pod, pool, labels));
  if (asked.length === 0 || divided.length === 0) {
    return [];
  }
  const { nodeSelector } = pod;
  if (nodeSelector[NODE_LABELS.nodePool] !== undefined) {
    // The pod is on this pool and no other: what it asks for is what the pool's nodes have to give.
    const { sharing, partition } = divided[0].pool.gpus!;
    for (const { value, path } of asked) {
      if (sharing !== undefined) {
        checkShares(value, sharing.strategy, partition !== undefined || divided[0].pool.gpus!.count === 1, path, findings);
      } else if (value > 1) {
        findings.warn(RULES.migCount, path, value, `are ${value} partitions of ${partition}, and a process uses one. Use 1, and a larger size or more replicas.`);
      }
    }
    return findings.findings;
  }
  for (const { pool, labels } of divided) {
    const missing = Object.entries(labels).filter(([label]) => nodeSelector[label] === undefined);
    if (missing.length > 0) {
      findings.warn(POOL_RULES.divided, pod.labelPath(missing[0][0]), undefined,
        `is not selected, and the pool ${pool.name} has ${describe(pool)}: the pod may get one of those. Select ${both(missing.map(([label, value]) => `${label}: ${value}`))}, or another pool by ${NODE_LABELS.nodePool}.`);
      break;
    }
  }
  return findings.findings;
}

/** Labels by which a pool's nodes say that their GPUs are divided. */
function labelsOf({ gpus }: PoolOfGpus): { readonly [label: string]: string } {
  return {
    ...(gpus?.partition !== undefined && { [NODE_LABELS.partitionSize]: gpus.partition }),
    ...(gpus?.sharing !== undefined && { [NODE_LABELS.sharingStrategy]: gpus.sharing.strategy }),
  };
}

/** Whether nothing that a pod selects keeps it away. Nodes of a ComputeClass have a taint. */
function mayReach(
  { nodeSelector }: PodAccelerators, { name, gpus, computeClass }: PoolOfGpus, labels: { readonly [label: string]: string },
): boolean {
  const { accelerator, nodePool, partitionSize, sharingStrategy } = NODE_LABELS;
  const ofNodes: { readonly [label: string]: string | undefined } = {
    [accelerator]: gpus?.type, [nodePool]: name, [partitionSize]: labels[partitionSize], [sharingStrategy]: labels[sharingStrategy],
  };
  return nodeSelector[NODE_LABELS.computeClass] === computeClass
    && Object.entries(ofNodes).every(([label, value]) => nodeSelector[label] === undefined || nodeSelector[label] === value);
}

function describe({ gpus }: PoolOfGpus): string {
  const { type, partition, sharing } = gpus!;
  const what = partition === undefined ? type : `partitions (${partition}) of ${type}`;
  return sharing === undefined ? what : `${what} that ${sharing.clients} share`;
}
