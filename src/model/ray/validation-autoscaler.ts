/**
 * Rules on Ray's autoscaler and on what only one of its versions knows. KubeRay takes the second version for granted only where the object names it;
 * Ray itself by its release.
 */
import { groupsOf, workerPath, type RayClusterSpec } from './spec';
import { AUTOSCALER_COMMAND_VARIABLE, AUTOSCALER_V2_VARIABLE } from './variables';
import {
  AUTOSCALER_V2_BY_DEFAULT_SINCE, AUTOSCALER_V2_SINCE, GROUP_PRIORITY_SINCE, isBefore, rayVersionText, tryParseRayVersion,
} from './versions';
import { ViolationCollector, type Violation } from '../violations';

/** Version of a cluster's autoscaler; undefined where there is none, or where only Ray itself will know. */
export function autoscalerVersion({ autoscaler, rayVersion }: RayClusterSpec): 'v1' | 'v2' | undefined {
  const version = tryParseRayVersion(rayVersion);
  if (autoscaler === undefined || autoscaler.version !== undefined || version === undefined) {
    return autoscaler?.version;
  }
  return isBefore(version, AUTOSCALER_V2_BY_DEFAULT_SINCE) ? 'v1' : 'v2';
}

export function validateRayAutoscaler(cluster: RayClusterSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  validateGroups(cluster, path, violations);
  validateVariable(cluster, path, violations);
  if (cluster.autoscaler !== undefined) {
    validateVersion(cluster, path, violations);
    validateOptions(cluster, path, violations);
    validateCpus(cluster, path, violations);
    validateSidecars(cluster, path, violations);
  }
  return violations.violations;
}

function validateGroups(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const version = autoscalerVersion(cluster);
  const ray = tryParseRayVersion(cluster.rayVersion);
  cluster.workerGroups.forEach(({ idleTimeoutSeconds, priority }, index) => {
    const where = workerPath(path, index);
    if (idleTimeoutSeconds !== undefined) {
      if (!(Number.isInteger(idleTimeoutSeconds) && idleTimeoutSeconds >= 0)) {
        violations.add(`${where}.idleTimeoutSeconds`, idleTimeoutSeconds, 'must be whole seconds, 0 or more.');
      }
      if (version !== 'v2') {
        violations.add(`${where}.idleTimeoutSeconds`, idleTimeoutSeconds, `is supported only by version 2 of the autoscaler${ofVersion(cluster)}. `
          + 'Use RayAutoscalerVersion.V2, or one idleTimeout for all groups.');
      }
    }
    if (priority !== undefined && priority !== 0) {
      if (ray === undefined || isBefore(ray, GROUP_PRIORITY_SINCE)) {
        violations.add(`${where}.priority`, priority, `needs Ray ${rayVersionText(GROUP_PRIORITY_SINCE)} or later, and ${ray === undefined ? 'KubeRay must know the version'
          : `this is ${cluster.rayVersion}`}. Give rayVersion, or remove it.`);
      } else if (version !== 'v2') {
        violations.add(`${where}.priority`, priority, `is supported only by version 2 of the autoscaler${ofVersion(cluster)}. Use RayAutoscalerVersion.V2.`);
      }
    }
  });
}

function ofVersion({ autoscaler, rayVersion }: RayClusterSpec): string {
  if (autoscaler === undefined) {
    return ', and this cluster does not have it';
  }
  return autoscaler.version === undefined && rayVersion === undefined ? ', and the version of this cluster is unknown' : '';
}

function validateVariable({ head, autoscaler }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const variable = head.env?.find(({ name }) => name === AUTOSCALER_V2_VARIABLE);
  if (variable !== undefined) {
    violations.add(`${path}.headGroupSpec.template.spec.containers[0].env['${AUTOSCALER_V2_VARIABLE}']`, variable.value, autoscaler === undefined
      ? 'chooses an autoscaler version, but there is no autoscaler. Add an autoscaler, and remove this variable.'
      : 'duplicates autoscaler.version, and KubeRay accepts only one of the two. Use the latter.');
  }
}

function validateVersion({ autoscaler, rayVersion }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const ray = tryParseRayVersion(rayVersion);
  if (autoscaler?.version === 'v2' && ray !== undefined && isBefore(ray, AUTOSCALER_V2_SINCE)) {
    violations.add(`${path}.autoscalerOptions.version`, 'v2', `was added in Ray ${rayVersionText(AUTOSCALER_V2_SINCE)}, but this is ${rayVersion}. Use RayAutoscalerVersion.V1.`);
  }
}

function validateOptions(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { idleTimeoutSeconds, env = [] } = cluster.autoscaler!;
  if (idleTimeoutSeconds !== undefined && !(Number.isInteger(idleTimeoutSeconds) && idleTimeoutSeconds >= 0)) {
    violations.add(`${path}.autoscalerOptions.idleTimeoutSeconds`, idleTimeoutSeconds, 'must be whole seconds, 0 or more.');
  }
  for (const { value } of env.filter(({ name }) => name === AUTOSCALER_COMMAND_VARIABLE)) {
    violations.add(`${path}.autoscalerOptions.env['${AUTOSCALER_COMMAND_VARIABLE}']`, value, 'is set by KubeRay. Remove it.');
  }
  if (autoscalerVersion(cluster) !== 'v2') {
    return;
  }
  // A pod that restarts in place would be a node that the second version has given up.
  for (const { path: where, title, group: { podSpec = {} } } of groupsOf(cluster, path)) {
    if (podSpec.restartPolicy !== undefined && podSpec.restartPolicy !== 'Never') {
      violations.add(`${where}.template.spec.restartPolicy`, podSpec.restartPolicy, `must be Never or left out for ${title}: version 2 of the autoscaler replaces pods. Remove it.`);
    }
  }
}

/** The autoscaler reads what a node would have from the object, and gives up where that does not say. */
function validateCpus(cluster: RayClusterSpec, path: string, violations: ViolationCollector): void {
  for (const { path: where, title, group: { resources, startParams = {}, rayResources = {} } } of groupsOf(cluster, path)) {
    if (resources?.cpu === undefined && startParams['num-cpus'] === undefined && rayResources.CPU === undefined) {
      violations.add(`${where}.template.spec.containers[0].resources`, resources?.cpu, `must set the number of cores of ${title}, because the autoscaler counts them. `
        + 'Set resources with cpu.');
    }
  }
}

function validateSidecars({ head }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const containers = (head.podSpec?.containers ?? []) as readonly { readonly name?: string }[];
  containers.forEach(({ name }, index) => {
    if (name === 'autoscaler') {
      violations.add(`${path}.headGroupSpec.template.spec.containers[${index + 1}].name`, name, 'is the name of a container that KubeRay adds. Rename the sidecar.');
    }
  });
}
