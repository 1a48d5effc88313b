/**
 * Whether the pods of a role may run on the nodes of a flavor: topology, taints, labels, the size of a node.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/scheduler/flavorassigner/flavorassigner.go `checkFlavorForPodSets`
 */
import { namedAmount, shownAmount } from './capacity';
import type { ClusterQueueSpec, FlavorSpec, FlavorTaintSpec, FlavorTolerationSpec, QueueLandscape } from './spec';

/** One of the expressions that a node has to match. */
export interface NodeExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface PodSetDemand {
  readonly name: string;
  readonly count: number;
  /** Of each pod, as numbers of the base unit. */
  readonly requests: { readonly [resource: string]: number };
  readonly nodeSelector: { readonly [label: string]: string };
  /** Required node affinity: one of the terms has to match as a whole. */
  readonly affinity: readonly (readonly NodeExpression[])[];
  readonly tolerations: readonly FlavorTolerationSpec[];
  /** Level of a topology that the pods are kept within. */
  readonly topology?: { readonly key: string; readonly required: boolean };
}

/** Why the pods cannot run there, with the fix; undefined when they can. */
export function mismatch(pods: PodSetDemand, flavor: FlavorSpec, queue: ClusterQueueSpec, { flavors }: QueueLandscape): string | undefined {
  const all = queue.resourceGroups.flatMap((group) => group.flavors.map((quotas) => flavors.find(({ name }) => name === quotas.flavor)));
  // A queue with nothing but flavors of topologies places everything by them.
  const onlyTopologies = all.every((other) => other?.topology !== undefined);
  return topologyMismatch(pods, flavor, onlyTopologies) ?? taintMismatch(pods, flavor) ?? labelMismatch(pods, flavor) ?? sizeMismatch(pods, flavor);
}

function topologyMismatch({ topology }: PodSetDemand, flavor: FlavorSpec, onlyTopologies: boolean): string | undefined {
  if (topology === undefined) {
    return flavor.topology === undefined || onlyTopologies ? undefined
      : `accepts only jobs that request a topology. Set scheduling.topology on the job, or put flavors with topology '${flavor.topology.name}' into a separate queue`;
  }
  if (flavor.topology === undefined) {
    return `has no topology, and the job requests '${topology.key}'. Add a topology to the flavor, or leave scheduling.topology out`;
  }
  const { levels } = flavor.topology;
  return levels === undefined || levels.includes(topology.key) ? undefined
    : `the level '${topology.key}' is not in topology '${flavor.topology.name}', which has ${levels.join(', ')}. Use one of them`;
}

function taintMismatch(pods: PodSetDemand, flavor: FlavorSpec): string | undefined {
  const taint = flavor.nodeTaints.find((candidate) => (
    candidate.effect !== 'PreferNoSchedule' && ![...pods.tolerations, ...flavor.tolerations].some((toleration) => tolerates(toleration, candidate))
  ));
  return taint && `has the taint ${taint.key}=${taint.value ?? ''}:${taint.effect}, which the pods do not tolerate. Add a toleration to the job or to the flavor`;
}

export function tolerates({ key, operator = 'Equal', value = '', effect }: FlavorTolerationSpec, taint: FlavorTaintSpec): boolean {
  return (effect === undefined || effect === '' || effect === taint.effect)
    && (key === undefined || key === '' ? operator === 'Exists' : key === taint.key)
    && (operator === 'Exists' || value === (taint.value ?? ''));
}

/** Only labels that are known: Kueue leaves the others to the scheduler, and so do we. */
function labelMismatch({ nodeSelector, affinity }: PodSetDemand, flavor: FlavorSpec): string | undefined {
  const labels: { readonly [label: string]: string } = { ...flavor.nodes?.labels, ...flavor.nodeLabels };
  const wrong = Object.entries(nodeSelector).find(([label, value]) => label in labels && labels[label] !== value);
  if (wrong !== undefined) {
    return `its nodes have ${wrong[0]}=${labels[wrong[0]]}, and the job requires ${wrong[1]}. Change the job's node selector, or its queue`;
  }
  const terms = affinity.map((term) => term.filter(({ key }) => key in labels));
  const open = terms.length === 0 || terms.some((term) => term.every((expression) => matches(expression, labels[expression.key])));
  return open ? undefined
    : `its nodes (${[...new Set(terms.flat().map(({ key }) => `${key}=${labels[key]}`))].join(', ')}) do not match the job's node affinity. Change the affinity, or the job's queue`;
}

/** Whether a present label has a value that an expression asks for. */
export function matches({ operator, values = [] }: NodeExpression, label: string): boolean {
  switch (operator) {
    case 'In': return values.includes(label);
    case 'NotIn': return !values.includes(label);
    case 'DoesNotExist': return false;
    case 'Gt': return Number(label) > Number(values[0]);
    case 'Lt': return Number(label) < Number(values[0]);
    default: return true;
  }
}

function sizeMismatch({ requests, count, topology }: PodSetDemand, { nodes, topology: levels }: FlavorSpec): string | undefined {
  const perNode = nodes?.perNode ?? {};
  for (const [resource, amount] of Object.entries(requests)) {
    const node = perNode[resource];
    if (node !== undefined && amount > node) {
      return `a replica requests ${namedAmount(resource, amount)}, and a node has ${shownAmount(resource, node)}. Request at most ${shownAmount(resource, node)} in each of more replicas`;
    }
    if (node !== undefined && node > 0 && levels !== undefined && topology?.required && topology.key === 'kubernetes.io/hostname' && amount * count > node) {
      return `all ${count} replicas must be on one node, which is ${namedAmount(resource, amount * count)}, and a node has ${shownAmount(resource, node)}. `
        + 'Use a wider level of the topology';
    }
  }
  return undefined;
}
