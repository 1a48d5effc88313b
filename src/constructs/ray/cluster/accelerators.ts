/** Accelerators of Ray's pods, written into their groups, and what is wrong with them. */
import type { RayClusterOptions } from './cluster-options';
import type { RayPodOptions, RayWorkerGroup } from './group';
import { errorsOf } from '../../../model/findings';
import { ACCELERATOR_LABELS, GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../../model/accelerators/labels';
import { checkPodAccelerators, type PodToleration } from '../../../model/accelerators/rules/pod-rules';
import { groupsOf, type PlacedGroup, type RayClusterSpec, type RayGroupSpec, type RayWorkerGroupSpec } from '../../../model/ray/spec';
import { fieldPath } from '../../../model/shapes';
import { ViolationCollector, type Violation } from '../../../model/violations';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import { checkConflicts, checkSelector, devicesOf, envWith, tolerationsWith } from '../../training-job/job-accelerators';
import { resources } from '../../training-job/to-spec';

/** A group with its accelerators. KubeRay makes `/dev/shm` as large as the memory by itself. */
export function withRayAccelerator<G extends RayGroupSpec>(group: G, request: AcceleratorRequest | undefined): G {
  if (request === undefined) {
    return group;
  }
  return {
    ...group,
    resources: { ...group.resources, ...(request.count > 0 && devicesOf(request)) },
    nodeSelector: { ...request.nodeSelector, ...group.nodeSelector },
    ...tolerationsWith(group.tolerations, request),
    ...envWith(group.env, request),
  };
}

/** Pods of each replica of a group: one where nobody says otherwise. */
export function hostsOfGroup({ hosts, accelerator }: RayWorkerGroup): number | undefined {
  return hosts ?? (accelerator?.hosts !== undefined && accelerator.hosts > 1 ? accelerator.hosts : undefined);
}

/** What is wrong with the accelerators of a cluster. `path` is that of the cluster's spec. */
export function rayAcceleratorProblems(
  { head }: RayClusterOptions, workerGroups: readonly RayWorkerGroup[], cluster: RayClusterSpec, path: string,
): Violation[] {
  const violations = new ViolationCollector();
  const given: readonly (RayPodOptions | undefined)[] = [head, ...workerGroups];
  groupsOf(cluster, path).forEach((placed, index) => {
    const options = given[index];
    if (options?.accelerator === undefined) {
      violations.addAll(selectionProblems(placed));
      return;
    }
    const where = index === 0 ? 'head.accelerator' : `workerGroups[${index - 1}].accelerator`;
    const { accelerator } = options;
    violations.addAll(errorsOf(accelerator._findings(where)));
    checkConflicts(accelerator, options.resources && resources(options.resources), where.replace('.accelerator', '.resources'), where, violations);
    checkSelector(accelerator, { path: `${placed.path}.template.spec.nodeSelector`, labels: options.nodeSelector }, where, violations);
    checkHosts(options as RayWorkerGroup, placed.path, accelerator, violations);
  });
  return violations.violations;
}

/** A replica is a slice: workers that are parts of different slices cannot talk to each other. */
function checkHosts(
  { hosts }: RayWorkerGroup, path: string, { hosts: wanted, accelerator }: AcceleratorRequest, violations: ViolationCollector,
): void {
  if (hosts !== undefined && wanted !== undefined && hosts !== wanted) {
    violations.add(`${path}.numOfHosts`, hosts, `is not the number of hosts of a slice: ${accelerator.type} ${accelerator.topology} has ${wanted}, and each replica is one slice. `
      + 'Remove it, and set the number of slices with replicas.');
  }
}

/** A group that selects nodes with accelerators by their labels. */
function selectionProblems({ path, group }: PlacedGroup): Violation[] {
  const { nodeSelector = {}, tolerations = [], resources: { gpu = 0, gpuResourceName = GPU_RESOURCE, tpu = 0 } = {} } = group;
  if (!ACCELERATOR_LABELS.some((label) => nodeSelector[label] !== undefined)) {
    return [];
  }
  const where = `${path}.template.spec.containers[0].resources.limits`;
  const devices = [{ resource: gpuResourceName, value: gpu }, { resource: TPU_RESOURCE_NAME, value: tpu }].filter(({ value }) => value > 0)
    .map((device) => ({ ...device, path: fieldPath(where, device.resource) }));
  const { hosts } = group as Partial<RayWorkerGroupSpec>;
  return errorsOf(checkPodAccelerators({
    nodeSelector,
    labelPath: (label) => fieldPath(`${path}.template.spec.nodeSelector`, label),
    tolerations: [...tolerations as readonly PodToleration[], ...devices.map(({ resource }) => ({ key: resource, operator: 'Exists' }))],
    devices,
    replicas: { count: hosts ?? 1, path: `${path}.numOfHosts` },
  }));
}
