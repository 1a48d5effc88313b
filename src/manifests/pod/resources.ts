/** Compute of a replica in Kubernetes' form. */
import type { PodSpec, ResourceRequirements, Toleration } from '../kubernetes';
import { defined } from '../../model/lists';
import { canonicalQuantity } from '../../model/quantities';
import { DEFAULT_GPU_RESOURCE } from '../../model/training-job/replicas/resolve';
import type { ResourcesSpec } from '../../model/training-job/spec';

/** Extended resource of TPU chips on GKE. */
export const TPU_RESOURCE = 'google.com/tpu';

/**
 * Requests and limits of the `training` container; undefined if the job has none. Requests and limits of cpu, memory and disk are the same, so a
 * replica gets what it was sized for. Devices are only limits: Kubernetes then requests as many. Quantities are canonical, so controllers that write
 * an object back do not change them.
 */
export function constructResources(resources: ResourcesSpec): ResourceRequirements | undefined {
  const { cpu, memory, ephemeralStorage } = resources;
  const shared = canonicalQuantities(defined({ cpu, memory, 'ephemeral-storage': ephemeralStorage }) as { readonly [name: string]: string });
  const limits = { ...shared, ...canonicalQuantities(devices(resources)) };
  if (Object.keys(limits).length === 0) {
    return undefined;
  }
  return Object.keys(shared).length === 0 ? { limits } : { requests: shared, limits };
}

/**
 * A pod whose requests default to its limits, as the API server sets them for pods. It does not for templates of custom resources, where controllers
 * that sum up a gang's needs (Volcano's Job, the plugins of Trainer) read only requests, so devices would not count.
 */
export function withRequestsOfLimits(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map(withRequests),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withRequests) }),
  };
}

function withRequests<T extends { readonly resources?: ResourceRequirements }>(container: T): T {
  const { resources } = container;
  const { limits, requests } = resources ?? {};
  return limits === undefined ? container : { ...container, resources: { ...resources, requests: { ...limits, ...requests } } };
}

/**
 * Tolerations of the taints of nodes with devices: one for each extended resource that is requested. The admission plugin ExtendedResourceToleration
 * adds the same, but most clusters other than GKE do not run it, so the job would wait forever. Nodes with MIG slices have the taint of the whole
 * GPU.
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

/** Quantities by name, each in its canonical form. */
export function canonicalQuantities(quantities: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, canonicalQuantity(quantity)]));
}
