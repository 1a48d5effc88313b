/** Common questions of checks about nodes. */
import { conditionOf } from '../explain/job/facts';
import type { NodeObject, Taint } from '../explain/job/snapshot';
import type { Toleration } from '../../manifests/kubernetes';
import { record, records, textIn, texts, type JsonRecord } from '../../model/json-parts';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { tryParseQuantity } from '../../model/quantities';
import { matches, tolerates, type NodeExpression } from '../../model/queues/flavor-match';
import type { FlavorTolerationSpec } from '../../model/queues/spec';

/** Resources that every node has. */
const OF_EVERY_NODE = /^(?:cpu|memory|pods|ephemeral-storage|hugepages-.*|attachable-volumes-.*)$/;

/** Resources that are accelerators, and not networks or disks. */
const DEVICES = /^(?:google\.com\/tpu|nvidia\.com\/(?:gpu|mig-)|amd\.com\/gpu|habana\.ai\/|aws\.amazon\.com\/neuron|gpu\.intel\.com\/)/;

export function nodeName({ metadata }: NodeObject): string {
  return metadata?.name ?? '';
}

export function isReady(node: NodeObject): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}

/** Whether the cluster is on GKE, by a label of its nodes. */
export function isOnGke(nodes: readonly NodeObject[] | undefined): boolean {
  return nodes?.some(({ metadata }) => metadata?.labels?.[NODE_LABELS.nodePool] !== undefined) === true;
}

/** Terms of the required node affinity of a pod. One of them must match. */
export function requiredTerms({ affinity }: JsonRecord): readonly JsonRecord[] {
  return records(record(record(record(affinity).nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution).nodeSelectorTerms);
}

/** Whether a resource is not one of every node. */
export function isExtended(resource: string): boolean {
  return !OF_EVERY_NODE.test(resource);
}

/** Whether one of the resources is an accelerator. */
export function hasDevices(resources: readonly string[]): boolean {
  return resources.some((resource) => DEVICES.test(resource));
}

/** The allocatable amount of a resource on a node. */
export function allocatable({ status }: NodeObject, resource: string): number {
  return tryParseQuantity(String(status?.allocatable?.[resource] ?? '0')) ?? 0;
}

/** Whether a pod may run on a node by its selector and its required affinity. */
export function isWanted(spec: JsonRecord, { metadata }: NodeObject): boolean {
  const labels: { readonly [label: string]: string | undefined } = metadata?.labels ?? {};
  const terms = requiredTerms(spec);
  const isTrue = ({ operator, values, key }: NodeExpression) => {
    const label = labels[key];
    return label === undefined ? operator === 'NotIn' || operator === 'DoesNotExist' : matches({ key, operator, values }, label);
  };
  const expressions = (term: JsonRecord) => records(term.matchExpressions)
    .map(({ key, operator, values }): NodeExpression => ({ key: textIn(key) ?? '', operator: textIn(operator) ?? '', values: texts(values) }));
  return Object.entries(record(spec.nodeSelector)).every(([label, value]) => labels[label] === value)
    && (terms.length === 0 || terms.some((term) => expressions(term).every(isTrue)));
}

/** Taints that a pod does not tolerate, without those of Kubernetes for nodes with problems. */
export function taintsAgainst(tolerations: readonly Toleration[], { spec }: NodeObject): Taint[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule' && !taint.key.startsWith('node.kubernetes.io/')
    && !tolerations.some((toleration) => tolerates(toleration as FlavorTolerationSpec, taint)));
}
