/**
 * What an admission means for the pods: labels and tolerations of the ResourceFlavors that they were given, and what admission checks add.
 * @see https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 */
import type { PodSetAssignment, PodSetUpdate, Workload } from './workload';
import {
  POD_SET_LABEL, PREFERRED_TOPOLOGY_ANNOTATION, REQUIRED_TOPOLOGY_ANNOTATION, TOPOLOGY_GATE, UNCONSTRAINED_TOPOLOGY_ANNOTATION, WORKLOAD_ANNOTATION,
} from '../../model/kueue-names';
import type { Toleration } from '../../manifests/kubernetes';
import type { PodPlacement } from '../../manifests/pod/placement';
import type { KubeObject } from '../runtime/kube-object';

/** A ResourceFlavor. */
export interface ResourceFlavor extends KubeObject {
  spec?: { readonly nodeLabels?: { readonly [label: string]: string }; readonly tolerations?: readonly Toleration[] };
}

/** Placements of an admitted Workload, by pod set. */
export type Placements = ReadonlyMap<string, PodPlacement>;

/** Names of the ResourceFlavors that an admission refers to. */
export function flavorsOf(workload: Workload): string[] {
  return [...new Set(assignmentsOf(workload).flatMap((assignment) => Object.values(assignment.flavors ?? {})))];
}

/** Placements by pod set; `flavors` holds those that {@link flavorsOf} names. */
export function placementsOf(workload: Workload, flavors: ReadonlyMap<string, ResourceFlavor>): Placements {
  return new Map(assignmentsOf(workload).map((assignment) => [assignment.name, placementOf(workload, assignment, flavors)]));
}

function placementOf(workload: Workload, assignment: PodSetAssignment, flavors: ReadonlyMap<string, ResourceFlavor>): PodPlacement {
  const given = [...new Set(Object.values(assignment.flavors ?? {}))].map((name) => flavors.get(name)?.spec ?? {});
  const updates = (workload.status?.admissionChecks ?? [])
    .flatMap((check) => check.podSetUpdates?.find((update) => update.name === assignment.name) ?? [])
    .map(({ labels, annotations, nodeSelector, tolerations }: PodSetUpdate) => ({ labels, annotations, nodeSelector, tolerations }));
  return {
    labels: Object.assign({}, ...updates.map((update) => update.labels), { [POD_SET_LABEL]: assignment.name }),
    annotations: Object.assign({}, ...updates.map((update) => update.annotations), topologyAnnotation(workload, assignment), {
      [WORKLOAD_ANNOTATION]: workload.metadata?.name ?? '',
    }),
    nodeSelector: Object.assign({}, ...given.map((flavor) => flavor.nodeLabels), ...updates.map((update) => update.nodeSelector)),
    tolerations: [...given, ...updates].flatMap((source) => source.tolerations ?? []),
    // Kueue chose domains, and tells each pod its own when it has seen all of them.
    schedulingGates: assignment.topologyAssignment === undefined ? [] : [TOPOLOGY_GATE],
  };
}

/**
 * Kueue opens the scheduling gates only of pods with one of its topology annotations.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/util/tas/tas.go (IsTAS)
 */
function topologyAnnotation({ spec }: Workload, { name, topologyAssignment }: PodSetAssignment): { readonly [annotation: string]: string } {
  if (topologyAssignment === undefined) {
    return {};
  }
  const { required, preferred } = spec?.podSets?.find((set) => set.name === name)?.topologyRequest ?? {};
  return required !== undefined ? { [REQUIRED_TOPOLOGY_ANNOTATION]: required }
    : preferred !== undefined ? { [PREFERRED_TOPOLOGY_ANNOTATION]: preferred } : { [UNCONSTRAINED_TOPOLOGY_ANNOTATION]: 'true' };
}

function assignmentsOf(workload: Workload): readonly PodSetAssignment[] {
  return workload.status?.admission?.podSetAssignments ?? [];
}
