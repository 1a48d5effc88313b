/** Compute of a replica as Kubernetes writes it. */
import type { PodSpec, ResourceRequirements, Toleration } from '../kubernetes';
import { canonicalQuantity } from '../../model/quantities';
import { DEFAULT_GPU_RESOURCE } from '../../model/training-job/replicas/resolve';
import type { ResourcesSpec } from '../../model/training-job/spec';

/** Extended resource of TPU chips on GKE. */
export const TPU_RESOURCE = 'google.com/tpu';

/**
 * Requests and limits of the `training` container; undefined when the job asks for nothing. Cpu, memory and disk are asked for and limited
 * to the same, so that a replica gets what it was sized for. Devices are limits only: Kubernetes then requests as many. Quantities are canonical,
 * because controllers that write an object back leave them so.
 */
export function constructResources(resources: ResourcesSpec): ResourceRequirements | undefined {
  const shared = definedOnly({
    'cpu': resources.cpu,
    'memory': resources.memory,
    'ephemeral-storage': resources.ephemeralStorage,
  });
  const limits = { ...shared, ...canonicalQuantities(devices(resources)) };
  if (Object.keys(limits).length === 0) {
    return undefined;
  }
  return Object.keys(shared).length === 0 ? { limits } : { requests: shared, limits };
}

/**
 * A pod that requests whatever it is limited to and says no request of, as the API server fills it in for pods. In templates of custom resources
 * nobody does, and controllers that sum up what a gang needs (Volcano's Job, the plugins of Trainer) read requests only: its devices would count for
 * nothing.
 */
export function withRequestsOfLimits(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map(requestingItsLimits),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(requestingItsLimits) }),
  };
}

function requestingItsLimits<T extends { readonly resources?: ResourceRequirements }>(container: T): T {
  const { resources } = container;
  const { limits, requests } = resources ?? {};
  return limits === undefined ? container : { ...container, resources: { ...resources, requests: { ...limits, ...requests } } };
}

/**
 * Tolerations of the taints that keep other pods away from nodes with devices: one for each extended resource that is asked for, under its
 * name. This is what the admission plugin ExtendedResourceToleration adds, which GKE runs and most other clusters do not; there the same
 * job would wait for ever. Nodes with MIG slices carry the taint of the whole GPU.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
 */
export function deviceTolerations(resources: ResourcesSpec): Toleration[] {
  const keys = Object.keys(devices(resources)).map((name) => (name.startsWith('nvidia.com/mig-') ? DEFAULT_GPU_RESOURCE : name));
  return [...new Set(keys)].map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
}

/** Extended resources by name. */
function devices(resources: ResourcesSpec): { [name: string]: string } {
  return {
    ...((resources.gpu ?? 0) > 0 && { [resources.gpuResourceName ?? DEFAULT_GPU_RESOURCE]: String(resources.gpu) }),
    ...((resources.tpu ?? 0) > 0 && { [TPU_RESOURCE]: String(resources.tpu) }),
    ...resources.extended,
  };
}

function definedOnly(values: { readonly [name: string]: string | undefined }): { [name: string]: string } {
  return canonicalQuantities(Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)));
}

/** Quantities by name, each in its canonical form. */
export function canonicalQuantities(quantities: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, canonicalQuantity(quantity)]));
}
