/**
 * Keeping a pod away from certain nodes. By the nodes' names and not by `kubernetes.io/hostname`: the label can be another text than the name,
 * and the operator knows the name alone where it may not read nodes.
 */
import type { PodSpec } from '../kubernetes';

/** The parts of an affinity that matter here; all others pass through. */
interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly object[];
  };
}

interface NodeSelectorTerm {
  readonly matchFields?: readonly object[];
  readonly [field: string]: unknown;
}

/** Weight of the wish for other nodes, before all other wishes. */
const PREFERENCE_WEIGHT = 100;

/**
 * The pod's spec with the nodes excluded, whatever affinity it has of its own.
 * @param strictly whether the pod may not run there, or only prefers other nodes
 */
export function withNodesAvoided(spec: PodSpec, nodes: readonly string[] = [], strictly = true): PodSpec {
  if (nodes.length === 0) {
    return spec;
  }
  const affinity = (spec.affinity ?? {}) as Affinity;
  // The API server takes one name a requirement.
  const avoided = nodes.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  const rules = strictly ? required(affinity.nodeAffinity, avoided) : preferred(affinity.nodeAffinity, avoided);
  return { ...spec, affinity: { ...affinity, nodeAffinity: { ...affinity.nodeAffinity, ...rules } } };
}

function required(nodeAffinity: Affinity['nodeAffinity'], avoided: readonly object[]): Affinity['nodeAffinity'] {
  const own = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // Terms are alternatives, so that each of them has to exclude the nodes.
  const terms: readonly NodeSelectorTerm[] = own?.nodeSelectorTerms?.length ? own.nodeSelectorTerms : [{}];
  return {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...own,
      nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), ...avoided] })),
    },
  };
}

function preferred(nodeAffinity: Affinity['nodeAffinity'], avoided: readonly object[]): Affinity['nodeAffinity'] {
  const own = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return { preferredDuringSchedulingIgnoredDuringExecution: [...own, { weight: PREFERENCE_WEIGHT, preference: { matchFields: avoided } }] };
}
