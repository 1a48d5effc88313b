/**
 * Whether another node could take a pod that avoids some. Avoiding is a wish where no other node could: on a cluster of one node a required affinity
 * against it would keep the job from running. What a node has free is not asked: that is the scheduler's business, and changes by the second.
 *
 * Nodes are listed when a pod with nodes to avoid is created, which is rare, by the pod's own selector; so the cache needs no labels of nodes.
 */
import type { PodSpec } from '../../../manifests/kubernetes';
import type { KubeClient } from '../../runtime/kube-client';
import type { KubeObject } from '../../runtime/kube-object';
import { NODES } from '../../runtime/resource-kind';

/** Nodes that are asked for at a time, and how often. Among so many one that fits is found, or there is none. */
const PAGE = { size: 100, most: 10 };

/** A node as it is listed. */
interface ListedNode extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect?: string;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/**
 * Whether a node that is not among the avoided could take the pod; false when nobody can say.
 * @param spec of the pod, without the affinity against the avoided nodes
 */
export async function canAvoid(client: Pick<KubeClient, 'listPage'>, spec: PodSpec, avoided: readonly string[]): Promise<boolean> {
  const labelSelector = Object.entries((spec.nodeSelector ?? {}) as { [label: string]: string }).map(([label, value]) => `${label}=${value}`).join(',');
  try {
    let more: string | undefined;
    for (let page = 0; page < PAGE.most; page++) {
      const { items, continueToken } = await client.listPage<ListedNode>(NODES, {
        limit: PAGE.size, ...(labelSelector !== '' && { labelSelector }), continueToken: more,
      });
      if (items.some((node) => !avoided.includes(node.metadata!.name!) && fitsNode(spec, node))) {
        return true;
      }
      if (continueToken === undefined) {
        return false;
      }
      more = continueToken;
    }
  } catch {
    // Without the right to list nodes the job keeps away from them where it can.
  }
  return false;
}

/** Whether the node is ready and schedulable, and is what the pod asks for. */
export function fitsNode(spec: PodSpec, node: ListedNode): boolean {
  const { unschedulable, taints = [] } = node.spec ?? {};
  const labels = node.metadata?.labels ?? {};
  const selector = Object.entries((spec.nodeSelector ?? {}) as { [label: string]: string });
  return unschedulable !== true
    && node.metadata?.deletionTimestamp === undefined
    && node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
    && taints.every((taint) => taint.effect === 'PreferNoSchedule' || (spec.tolerations as readonly Toleration[] | undefined)?.some((one) => tolerates(one, taint)))
    && selector.every(([label, value]) => labels[label] === value)
    && matchesAffinity(spec, labels, node.metadata?.name ?? '');
}

function tolerates({ key, operator = 'Equal', value, effect }: Toleration, taint: Taint): boolean {
  return (key === undefined || key === '' ? operator === 'Exists' : key === taint.key)
    && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''))
    && (effect === undefined || effect === '' || effect === taint.effect);
}

function matchesAffinity(spec: PodSpec, labels: { readonly [label: string]: string }, name: string): boolean {
  const affinity = spec.affinity as {
    readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly Term[] } };
  } | undefined;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some(({ matchExpressions = [], matchFields = [] }) => (
    matchExpressions.every((requirement) => meets(labels[requirement.key], requirement))
    && matchFields.every((requirement) => meets(requirement.key === 'metadata.name' ? name : undefined, requirement))));
}

function meets(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case 'In': return value !== undefined && values.includes(value);
    case 'NotIn': return value === undefined || !values.includes(value);
    case 'Exists': return value !== undefined;
    case 'DoesNotExist': return value === undefined;
    case 'Gt': return Number(value) > Number(values[0]);
    case 'Lt': return Number(value) < Number(values[0]);
    default: return false;
  }
}
