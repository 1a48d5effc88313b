/**
 * Kueue's Topology: the levels at which nodes are near to each other, the widest first.
 * @see https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
 */
import { NODE_LABELS } from '../../model/accelerators/labels';

/** The level of one node. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** Levels of GKE's nodes with GPUs, as Google's toolkit has them: block, sub-block, host, node. */
export const GKE_LEVELS: readonly string[] = [NODE_LABELS.topologyBlock, NODE_LABELS.topologySubblock, NODE_LABELS.topologyHost, HOSTNAME_LABEL];

/** `spec` of a topology. */
export function constructTopologySpec(levels: readonly string[] = GKE_LEVELS): { readonly levels: readonly object[] } {
  return { levels: levels.map((nodeLabel) => ({ nodeLabel })) };
}
