/**
 * Keeping a pod away from certain nodes. By the nodes' names and not by `kubernetes.io/hostname`: the label can be another text than the name,
 * and the operator knows the name alone where it may not read nodes.
 */
import type { PodSpec } from './kubernetes';

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
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // The API server takes one name a requirement.
  const avoided = nodes.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  if (!strictly) {
    const preferred = affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return {
      ...spec,
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity.nodeAffinity,
          preferredDuringSchedulingIgnoredDuringExecution: [...preferred, { weight: PREFERENCE_WEIGHT, preference: { matchFields: avoided } }],
        },
      },
    };
  }
  // Terms are alternatives, so that each of them has to exclude the nodes.
  const terms: readonly NodeSelectorTerm[] = required?.nodeSelectorTerms?.length ? required.nodeSelectorTerms : [{}];
  return {
    ...spec,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          ...required,
          nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), ...avoided] })),
        },
      },
    },
  };
}
