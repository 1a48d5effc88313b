/**
 * Rules on the pods of a Ray cluster: how many, what Ray counts on them, which variables are KubeRay's.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/validation.go
 */
import { HEAD_GROUP } from './names';
import { groupsOf, rayContainer, workerPath, type PlacedGroup, type RayClusterSpec, type RayWorkerGroupSpec } from './spec';
import { KUBERAY_VARIABLES } from './variables';
import { entryOf } from '../lists';
import { isDns1123Label, isLabelKey, isLabelValue } from '../names';
import { fieldPath, INT32_MAX } from '../shapes';
import { checkTaken } from '../variable-references';
import { ViolationCollector, type Violation } from '../violations';

/** Flags of `ray start` that say what a node has, in addition to the field `resources` that says the same. */
const RESOURCE_FLAGS: readonly string[] = ['num-cpus', 'num-gpus', 'memory', 'resources'];

/** Flags that KubeRay sets by itself, or that another field says. */
const OTHER_FLAGS: { readonly [flag: string]: string } = {
  'labels': 'is not a flag that KubeRay passes on. Use rayLabels.',
  'address': 'is the address of the head, which KubeRay knows. Remove it.',
  'head': 'makes every pod a head. Remove it: KubeRay sets it on the head.',
  'block': 'is set by KubeRay. Remove it.',
};

/** Ray's own names of what a node has; others are the author's. */
const RAY_RESOURCES: readonly string[] = ['CPU', 'GPU', 'memory'];

/** Labels of which each node of Ray has its own value. Others below `ray.io/`, such as the accelerator, have a default that may be changed. */
const NODE_LABELS: readonly string[] = ['ray.io/node-id', 'ray.io/node-group'];

export function validateRayGroups(cluster: RayClusterSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  groupsOf(cluster, path).forEach((placed) => {
    validateStartParams(placed, violations);
    validateRayResources(placed, violations);
    validateRayLabels(placed, violations);
    validateContainer(placed, violations);
  });
  validateHeadResources(cluster, path, violations);
  const counts = new Map<string, number>();
  cluster.workerGroups.forEach(({ name }) => counts.set(name, (counts.get(name) ?? 0) + 1));
  cluster.workerGroups.forEach((group, index) => {
    const where = workerPath(path, index);
    validateName(group.name, counts.get(group.name)! > 1, `${where}.groupName`, violations);
    validateCounts(cluster, group, where, violations);
  });
  return violations.violations;
}

function validateStartParams({ path, group: { startParams = {}, rayResources } }: PlacedGroup, violations: ViolationCollector): void {
  for (const [flag, value] of Object.entries(startParams)) {
    const other = entryOf(OTHER_FLAGS, flag);
    const where = `${path}.rayStartParams['${flag}']`;
    if (flag.startsWith('-')) {
      violations.add(where, value, `must be written without dashes, because KubeRay adds them. Use '${flag.replace(/^-+/, '')}'.`);
    } else if (flag.includes('_') && RESOURCE_FLAGS.includes(flag.replaceAll('_', '-'))) {
      violations.add(where, value, `is not a flag of 'ray start'. Did you mean '${flag.replaceAll('_', '-')}'?`);
    } else if (other !== undefined) {
      violations.add(where, value, other);
    } else if (RESOURCE_FLAGS.includes(flag) && rayResources !== undefined && Object.keys(rayResources).length > 0) {
      violations.add(where, value, 'sets the resources of a node, and so does rayResources; KubeRay uses one of the two. Set everything in rayResources.');
    }
  }
}

function validateRayResources(
  { path, group: { rayResources = {}, resources, startParams = {} } }: PlacedGroup, violations: ViolationCollector,
): void {
  for (const [name, amount] of Object.entries(rayResources)) {
    const where = fieldPath(`${path}.resources`, name);
    const known = RAY_RESOURCES.find((resource) => resource.toLowerCase() === name.toLowerCase());
    if (known !== undefined && known !== name) {
      violations.add(where, amount, `is spelled '${known}' in Ray. Tasks that request ${known} would find none.`);
    }
    violations.form(where, amount, /^\d+(\.\d+)?([KMGTPE]i?)?$/, 'must be a number, such as 4.');
  }
  const device = resources?.gpuResourceName;
  const isSaid = rayResources.GPU !== undefined || startParams['num-gpus'] !== undefined;
  if (device !== undefined && (resources?.gpu ?? 0) > 0 && !isSaid && !device.endsWith('gpu') && !/nvidia\.com\/mig-\d+g\.\d+gb$/.test(device)) {
    violations.add(`${rayContainer(path)}.resources`, device,
      'is not a resource that KubeRay counts as GPUs, so Ray would see none. Set the number with rayResources: { GPU: ... }.');
  }
}

function validateRayLabels({ path, group: { rayLabels = {} } }: PlacedGroup, violations: ViolationCollector): void {
  for (const [name, value] of Object.entries(rayLabels)) {
    const where = fieldPath(`${path}.labels`, name);
    if (!isLabelKey(name)) {
      violations.add(where, name, 'must be a Kubernetes label name: letters, digits, \'-\', \'_\' and \'.\', at most 63. Choose such a name.');
    } else if (NODE_LABELS.includes(name)) {
      violations.add(where, name, 'is set by Ray, which identifies its nodes by it. Choose another name.');
    }
    if (!isLabelValue(value)) {
      violations.add(where, value, 'must be a Kubernetes label value: letters, digits, \'-\', \'_\' and \'.\', at most 63. Choose such a value.');
    }
  }
}

function validateContainer({ path, title, group: { env, image } }: PlacedGroup, violations: ViolationCollector): void {
  if (image.trim() === '') {
    violations.add(`${rayContainer(path)}.image`, image, `must not be empty: the image of ${title}, with Ray in it.`);
  }
  checkTaken(env, KUBERAY_VARIABLES, `${rayContainer(path)}.env`, 'is set by KubeRay, so that Ray\'s nodes find each other. Rename it.', violations);
}

function validateHeadResources({ head, workerGroups }: RayClusterSpec, path: string, violations: ViolationCollector): void {
  const { runsTasks = true, startParams = {}, rayResources = {} } = head;
  if (runsTasks) {
    return;
  }
  for (const [where, value] of [
    [`${path}.headGroupSpec.rayStartParams['num-cpus']`, startParams['num-cpus']], [`${path}.headGroupSpec.resources.CPU`, rayResources.CPU],
  ] as const) {
    if (value !== undefined && value !== '0') {
      violations.add(where, value, 'allows tasks on the head, which runs none (runsTasks: false). Remove one of the two.');
    }
  }
  if (workerGroups.length === 0) {
    violations.add(`${path}.workerGroupSpecs`, [], 'has no group, and the head runs no tasks, so nothing would run any. Add a group, or let the head run tasks.');
  }
}

function validateName(name: string, isRepeated: boolean, path: string, violations: ViolationCollector): void {
  if (!isDns1123Label(name)) {
    violations.add(path, name, 'is part of the names of pods: lower-case letters, digits and \'-\', at most 63, starting and ending with a letter or digit. Choose such a name.');
  }
  if (name === HEAD_GROUP) {
    violations.add(path, name, 'is the group name of the head in pod labels. Choose another name.');
  }
  if (isRepeated) {
    violations.add(path, name, 'is the name of several groups, whose pods KubeRay could not distinguish. Use unique names.');
  }
}

function validateCounts({ autoscaler }: RayClusterSpec, group: RayWorkerGroupSpec, path: string, violations: ViolationCollector): void {
  const { replicas, minReplicas, maxReplicas, hosts, suspend } = group;
  const counts = { replicas, minReplicas, maxReplicas } as const;
  let valid = true;
  for (const [field, value] of Object.entries(counts)) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= INT32_MAX)) {
      violations.add(`${path}.${field}`, value, 'must be a whole number, 0 or more.');
      valid = false;
    }
  }
  violations.whole(`${path}.numOfHosts`, hosts, 1, Infinity, ': the pods of each replica.');
  if (autoscaler === undefined) {
    validateFixedCounts(group, path, violations);
  } else if (maxReplicas === undefined) {
    violations.add(`${path}.maxReplicas`, undefined, `is required with an autoscaler: KubeRay's default of ${INT32_MAX} is no limit at all. Set how many replicas it may create.`);
  }
  const [least, most] = [minReplicas ?? (autoscaler === undefined ? replicas : 0), maxReplicas ?? replicas];
  if (valid && least !== undefined && most !== undefined && least > most) {
    violations.add(`${path}.minReplicas`, least, `is more than maxReplicas (${most}). Swap them.`);
  } else if (valid && replicas !== undefined && least !== undefined && most !== undefined && (replicas < least || replicas > most)) {
    violations.add(`${path}.replicas`, replicas, `is not between minReplicas (${least}) and maxReplicas (${most}), and KubeRay would use the nearer one. Use a number between them.`);
  }
  if (suspend && autoscaler !== undefined) {
    violations.add(`${path}.suspend`, true, 'cannot be combined with an autoscaler, which would start the group again. Use minReplicas: 0 and maxReplicas: 0.');
  }
}

/** Without an autoscaler nothing moves between the two limits. */
function validateFixedCounts({ replicas = 1, minReplicas, maxReplicas }: RayWorkerGroupSpec, path: string, violations: ViolationCollector): void {
  for (const [field, value] of [['minReplicas', minReplicas], ['maxReplicas', maxReplicas]] as const) {
    if (value !== undefined && value !== replicas) {
      violations.add(`${path}.${field}`, value, `differs from replicas (${replicas}), and without an autoscaler nothing would ever change their number. Add an autoscaler, or remove it.`);
    }
  }
}
