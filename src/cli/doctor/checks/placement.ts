/** Whether nodes have the resources, labels, taints and sizes for the pods of the program. */
import { distinctFaults, type Check, type Fault } from '../finding';
import { command, install } from '../fixes';
import { allocatable, hasDevices, isExtended, isOnGke, isReady, isWanted, nodeName, requiredTerms, taintsAgainst } from '../node-facts';
import type { PodSet, Workload } from '../program';
import type { ClusterSnapshot } from '../snapshot';
import type { NodeObject } from '../../explain/job/snapshot';
import { count, listed } from '../../text';
import { records, textIn } from '../../../model/json-parts';
import { namedAmount, shownAmount } from '../../../model/queues/capacity';

export const PLACEMENT: Check = {
  topic: 'placement',
  run: (snapshot) => {
    const { nodes, program } = snapshot;
    const sets = (program?.workloads ?? []).flatMap((workload) => workload.podSets.map((set) => ({ workload, set })));
    if (nodes === undefined || sets.length === 0 || !nodes.some(isReady)) {
      return { faults: [] };
    }
    const faults = sets.flatMap(({ workload, set }) => fault(snapshot, nodes.filter(isReady), workload, set));
    return { faults: distinctFaults(faults.length > 0 ? faults : tooFew(nodes.filter(isReady), sets, snapshot)), passed: 'Every pod of the program fits on some node.' };
  },
};

interface Placed {
  readonly workload: Workload;
  readonly set: PodSet;
}

/** The first requirement that no node meets. */
function fault(snapshot: ClusterSnapshot, nodes: readonly NodeObject[], { title }: Workload, set: PodSet): Fault[] {
  const { spec, requests, name } = set;
  // An autoscaler may add matching nodes.
  const severity = snapshot.isAutoscaled === false ? 'error' : 'warning';
  const grows = snapshot.isAutoscaled === false ? []
    : [snapshot.isAutoscaled === true ? 'The cluster has an autoscaler, which may add such nodes.' : 'You may not see whether an autoscaler adds nodes.'];
  const pods = `${title} (${name})`;
  const lacking = Object.entries(requests).find(([resource, amount]) => amount > 0 && isExtended(resource) && !isOffered(nodes, resource));
  if (lacking !== undefined) {
    return [missingResource(nodes, pods, lacking[0], lacking[1], { severity, grows })];
  }
  const wanted = nodes.filter((node) => isWanted(spec, node));
  if (wanted.length === 0) {
    const labels = selectedLabels(spec);
    return [{
      id: 'SelectorMatchesNoNode', severity, what: `No node has the labels that ${pods} asks for: ${listed(labels.map(([label, value]) => `${label}=${value}`), 5)}. Change the selector, or add such nodes.`,
      evidence: [...labels.map(([label]) => valuesOf(nodes, label)), ...grows], fix: command('kubectl', 'get', 'nodes', ...labels.flatMap(([label]) => ['-L', label])),
    }];
  }
  // GKE adds tolerations for the devices that a pod requests.
  const added = isOnGke(nodes) ? Object.keys(requests).filter(isExtended).map((key) => ({ key, operator: 'Exists' })) : [];
  const tolerations = [...spec.tolerations ?? [], ...added];
  const open = wanted.filter((node) => taintsAgainst(tolerations, node).length === 0);
  if (open.length === 0) {
    const [{ key, value, effect }] = taintsAgainst(tolerations, wanted[0]);
    return [{
      id: 'TaintNotTolerated', severity, what: `${pods} does not tolerate the taints of the nodes that it could run on. Add a toleration for ${key}, or remove the taint.`,
      evidence: [`${listed(wanted.map(nodeName), 5)}: taint ${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`, ...grows],
      fix: command('kubectl', 'taint', 'nodes', ...wanted.slice(0, 5).map(nodeName), `${key}:${effect}-`),
    }];
  }
  const usable = open.filter((node) => node.spec?.unschedulable !== true);
  if (usable.length === 0) {
    return [{
      id: 'TaintNotTolerated', severity, what: `All nodes that ${pods} could run on are cordoned.`, evidence: [listed(open.map(nodeName), 5), ...grows],
      fix: command('kubectl', 'uncordon', ...open.slice(0, 5).map(nodeName)),
    }];
  }
  const isShort = (node: NodeObject) => Object.entries(requests).filter(([resource, amount]) => amount > allocatable(node, resource));
  if (usable.some((node) => isShort(node).length === 0)) {
    return [];
  }
  const closest = [...usable].sort((one, other) => isShort(one).length - isShort(other).length)[0];
  const largest = isShort(closest).map(([resource, amount]) => (
    `${resource}: ${shownAmount(resource, amount)} are requested, and the largest node has ${shownAmount(resource, Math.max(...usable.map((node) => allocatable(node, resource))))}`));
  return [{
    id: 'NodeTooSmall', severity, what: `A pod of ${pods} requests more than any node has. Request less in each of more replicas, or add larger nodes.`,
    evidence: [...largest, ...grows],
    fix: command('kubectl', 'get', 'nodes', '-o', `custom-columns=NAME:.metadata.name,${isShort(closest).map(([resource]) => `${resource.replace(/\W/g, '_').toUpperCase()}:.status.allocatable.${resource.replaceAll('.', '\\.')}`).join(',')}`),
  }];
}

function isOffered(nodes: readonly NodeObject[], resource: string): boolean {
  return nodes.some((node) => allocatable(node, resource) > 0);
}

function missingResource(nodes: readonly NodeObject[], pods: string, resource: string, amount: number, { severity, grows }: { readonly severity: Fault['severity']; readonly grows: readonly string[] }): Fault {
  const names = new Set(nodes.flatMap(({ status }) => Object.keys(status?.allocatable ?? {})));
  const offered = [...names].filter((name) => isExtended(name) && isOffered(nodes, name));
  const isNone = hasDevices([resource]) && !hasDevices(offered);
  const evidence = [offered.length === 0 ? 'Nodes offer nothing but CPU, memory and storage.' : `Nodes offer ${listed(offered, 8)}.`, ...grows];
  return isNone ? {
    id: 'NoAccelerators', severity, what: `${pods} requests ${namedAmount(resource, amount)} for each pod, and no node has accelerators. Add nodes with them, or install the device plugin on those that have some.`,
    evidence, fix: resource.startsWith('nvidia.com/') ? install('gpu-operator') : command('kubectl', 'describe', 'nodes'),
  } : {
    id: 'ResourceOnNoNode', severity, what: `${pods} requests ${namedAmount(resource, amount)} for each pod, and no node has this resource. Correct its name, or add nodes that have it.`,
    evidence, fix: command('kubectl', 'get', 'nodes', '-o', 'custom-columns=NAME:.metadata.name,ALLOCATABLE:.status.allocatable'),
  };
}

/** Labels in a selector and a required affinity. */
function selectedLabels(spec: PodSet['spec']): [string, string][] {
  return [
    ...Object.entries(spec.nodeSelector ?? {}),
    ...requiredTerms(spec).flatMap(({ matchExpressions }) => records(matchExpressions)).map(({ key, operator, values }): [string, string] => [
      textIn(key) ?? '', operator === 'In' && Array.isArray(values) ? values.join('|') : `(${textIn(operator)})`,
    ]),
  ];
}

function valuesOf(nodes: readonly NodeObject[], label: string): string {
  const values = [...new Set(nodes.flatMap(({ metadata }) => metadata?.labels?.[label] ?? []))];
  return values.length === 0 ? `No node has the label ${label}.` : `Nodes have ${label}=${listed(values, 5)}.`;
}

/** Compares all pods together with empty nodes. */
function tooFew(nodes: readonly NodeObject[], sets: readonly Placed[], { isAutoscaled }: ClusterSnapshot): Fault[] {
  if (isAutoscaled !== false) {
    return [];
  }
  const asked = new Map<string, number>();
  for (const { set } of sets) {
    Object.entries(set.requests).forEach(([resource, amount]) => asked.set(resource, (asked.get(resource) ?? 0) + amount * set.count));
  }
  const short = [...asked].map(([resource, amount]) => ({ resource, amount, all: nodes.reduce((sum, node) => sum + allocatable(node, resource), 0) }))
    .filter(({ amount, all }) => amount > all);
  return short.length === 0 ? [] : [{
    id: 'TooFewNodes', severity: 'warning', what: `The nodes have room for some of the ${count(sets.reduce((sum, { set }) => sum + set.count, 0), 'pod')} only: the workloads of the program cannot all run at the same time.`,
    evidence: short.map(({ resource, amount, all }) => `${resource}: ${shownAmount(resource, amount)} are requested together, and all nodes have ${shownAmount(resource, all)}`),
    fix: command('kubectl', 'get', 'nodes', '-o', 'custom-columns=NAME:.metadata.name,ALLOCATABLE:.status.allocatable'),
  }];
}
