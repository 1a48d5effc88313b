/** Kueue's Workload as this module reads it. @see https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/ */
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { POD_SETS_HASH_ANNOTATION } from '../../manifests/kueue/workload';
import type { Toleration } from '../../manifests/kubernetes';
import { NAME_MAX_LENGTH } from '../../model/text/printable';
import { controllerOf, type KubeObject } from '../runtime/kube-object';
import type { ResourceKind } from '../runtime/resource-kind';

const API = { group: KUEUE_GROUP, version: KUEUE_VERSION };

/** Workloads. */
export const WORKLOADS: ResourceKind = { ...API, plural: 'workloads', kind: 'Workload', namespaced: true };

/** ResourceFlavors: kinds of nodes, with the labels and taints that they have. */
export const RESOURCE_FLAVORS: ResourceKind = { ...API, plural: 'resourceflavors', kind: 'ResourceFlavor', namespaced: false };

/** WorkloadPriorityClasses. */
export const WORKLOAD_PRIORITY_CLASSES: ResourceKind = { ...API, plural: 'workloadpriorityclasses', kind: 'WorkloadPriorityClass', namespaced: false };

/** PriorityClasses of Kubernetes. */
export const PRIORITY_CLASSES: ResourceKind = {
  group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', kind: 'PriorityClass', namespaced: false,
};

/** A condition of a Workload. Kueue sets most; owners of the job set `PodsReady`, `Requeued`, `Finished`, and take `QuotaReserved` back. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** What Kueue assigned to a pod set. */
export interface PodSetAssignment {
  readonly name: string;
  /** ResourceFlavor of each resource. */
  readonly flavors?: { readonly [resource: string]: string };
  readonly count?: number;
  /** Present when Kueue also chose the topology domains. */
  readonly topologyAssignment?: object;
}

/** What an admission check adds to the pods of a set. */
export interface PodSetUpdate {
  readonly name: string;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: readonly Toleration[];
}

/** How many pods of a set need their quota no longer. */
export interface ReclaimablePod {
  readonly name: string;
  readonly count: number;
}

/** How an admission check stands: a capacity that is asked for, a cluster that is looked for. */
export interface AdmissionCheckState {
  readonly name: string;
  readonly state: string;
  readonly message?: string;
  readonly podSetUpdates?: readonly PodSetUpdate[];
}

/** The status of a Workload. */
export interface WorkloadStatus {
  readonly conditions?: readonly WorkloadCondition[];
  readonly admission?: { readonly clusterQueue?: string; readonly podSetAssignments?: readonly PodSetAssignment[] };
  readonly admissionChecks?: readonly AdmissionCheckState[];
  readonly reclaimablePods?: readonly ReclaimablePod[];
  readonly accumulatedPastExecutionTimeSeconds?: number;
}

/** A pod set, as far as it is read here. */
export interface PodSetRequest {
  readonly name: string;
  readonly count: number;
  readonly topologyRequest?: { readonly required?: string; readonly preferred?: string };
}

/** A Workload. */
export interface Workload extends KubeObject {
  spec?: { readonly queueName?: string; readonly active?: boolean; readonly podSets?: readonly PodSetRequest[] };
  status?: WorkloadStatus;
}

/** Keeps of a Workload what is read here; the templates of its pod sets are most of it. */
export function trimWorkload(workload: Workload): Workload {
  const { name, namespace, uid, resourceVersion, generation, deletionTimestamp, annotations } = workload.metadata ?? {};
  const owner = controllerOf(workload);
  const hash = annotations?.[POD_SETS_HASH_ANNOTATION];
  const { conditions, admission, admissionChecks, reclaimablePods, accumulatedPastExecutionTimeSeconds } = workload.status ?? {};
  return {
    metadata: {
      name, namespace, uid, resourceVersion, generation, deletionTimestamp,
      ...(hash !== undefined && hash.length <= NAME_MAX_LENGTH && { annotations: { [POD_SETS_HASH_ANNOTATION]: hash } }),
      ownerReferences: owner && [owner],
    },
    spec: {
      queueName: workload.spec?.queueName,
      active: workload.spec?.active,
      podSets: workload.spec?.podSets?.map(({ name: set, count, topologyRequest }) => (
        { name: set, count, ...(topologyRequest && { topologyRequest }) })),
    },
    status: { conditions, admission, admissionChecks, reclaimablePods, accumulatedPastExecutionTimeSeconds },
  };
}

/** The condition of a type. */
export function workloadCondition(workload: Workload, type: string): WorkloadCondition | undefined {
  return workload.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the condition stands and is true. */
export function isWorkloadConditionTrue(workload: Workload, type: string): boolean {
  return workloadCondition(workload, type)?.status === 'True';
}
