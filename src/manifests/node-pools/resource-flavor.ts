/**
 * Kueue's ResourceFlavor of a pool, or of a choice of a ComputeClass: which nodes a workload of the flavor gets.
 * @see https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 */
import { labelsOfChoice, labelsOfPool, taintsOfKind } from '../../model/node-pools/nodes';
import { provisionedName } from '../../model/node-pools/replacement';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { plainObject } from '../plain-object';

/** `spec` of a flavor. */
export interface ResourceFlavorSpec {
  readonly nodeLabels: { readonly [label: string]: string };
  readonly nodeTaints?: readonly object[];
  readonly tolerations?: readonly object[];
  readonly topologyName?: string;
}

/**
 * `spec` of the flavor. Whoever comes by the queue tolerates what is of the kind of node (accelerator, queued, class) without saying so; taints that
 * the pool's owner wrote are his, so workloads have to tolerate them themselves.
 * @param pool the nodes
 * @param computeClass class whose choice the pool is; undefined for a pool that was made by its name
 * @param topologyName topology that workloads are placed by
 */
export function constructResourceFlavorSpec(pool: NodePoolSpec, computeClass?: string, topologyName?: string): ResourceFlavorSpec {
  const kind = taintsOfKind({ ...pool, computeClass: computeClass ?? pool.computeClass });
  const own = pool.taints ?? [];
  return plainObject({
    nodeLabels: computeClass === undefined ? labelsOfPool({ ...pool, name: provisionedName(pool, 'configConnector') }) : labelsOfChoice(pool, computeClass),
    nodeTaints: own.length === 0 ? undefined : own.map(({ key, value, effect }) => ({ key, value, effect })),
    tolerations: kind.length === 0 ? undefined : kind.map(({ key, value, effect }) => ({ key, operator: 'Equal', value, effect })),
    topologyName,
  });
}
