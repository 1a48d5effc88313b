/**
 * Writes the accelerators of a job and of its roles into its spec: limits, node selectors, tolerations and variables of NCCL. Those of the job go
 * into the job's fields; if one role has accelerators of its own, they go into each role instead.
 */
import type { AcceleratorRequest } from '../accelerators/accelerator';
import type { Toleration } from '../../manifests/kubernetes';
import { ACCELERATOR_LABELS, GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../model/accelerators/labels';
import { checkPodAccelerators, type PodAccelerators } from '../../model/accelerators/rules/pod-rules';
import { errorsOf, type Finding } from '../../model/findings';
import { frameworkContract } from '../../model/frameworks/registry';
import type { PodSettings } from '../../model/pod-settings';
import { fieldPath } from '../../model/shapes';
import type { HelperSpec } from '../../model/training-job/replicas/role-specs';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { EnvVarSpec, PodTemplateSpec, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { checkJobAccelerators } from '../../model/training-job/validation/accelerators';
import { ViolationCollector, type Violation } from '../../model/violations';

/** Accelerators as given: for the job, for each role and for each helper, in their order. */
export interface JobAccelerators {
  readonly job?: AcceleratorRequest;
  readonly roles: readonly (AcceleratorRequest | undefined)[];
  readonly helpers: readonly (AcceleratorRequest | undefined)[];
}

/** The spec with its accelerators. */
export function withAccelerators(spec: TrainingJobSpec, { job, roles, helpers }: JobAccelerators): TrainingJobSpec {
  const isGiven = (request: AcceleratorRequest | undefined) => request !== undefined;
  const inRole = (role: RoleSpec, index: number) => forRole(spec, role, roles[index] ?? (usesJobDevices(spec, role) ? job : undefined));
  if (spec.helpers !== undefined && [job, ...roles, ...helpers].some(isGiven)) {
    // A node selector for all pods would put helpers on nodes with accelerators.
    const { replicas: _replicas, ...rest } = spec;
    return {
      ...rest,
      roles: rolesOf(spec).map(inRole),
      helpers: spec.helpers.map((helper, index) => forRole({ ...spec, resources: undefined }, helper, helpers[index])),
    };
  }
  if (!roles.some(isGiven)) {
    return job === undefined ? spec : forTheJob(spec, job);
  }
  return { ...spec, roles: spec.roles?.map(inRole) };
}

/** The roles of a job, also in the short form. */
export function rolesOf({ roles, framework, replicas = 1 }: TrainingJobSpec): readonly RoleSpec[] {
  return roles ?? frameworkContract(framework).shortForm(replicas);
}

/** Whether a role gets the devices in the job's resources. */
export function usesJobDevices({ framework }: TrainingJobSpec, role: RoleSpec): boolean {
  return role.resources === undefined && (frameworkContract(framework).roles.find(({ name }) => name === role.name)?.devices ?? true);
}

/** Violations of a job's accelerators, checked before the rest of the job. */
export function acceleratorProblems(spec: TrainingJobSpec, { job, roles, helpers }: JobAccelerators): Violation[] {
  const violations = new ViolationCollector();
  const selected = { path: 'scheduling.nodeSelector', labels: spec.scheduling?.nodeSelector };
  if (job !== undefined) {
    violations.addAll(errorsOf(job._findings('accelerator')));
    checkConflicts(job, spec.resources, 'resources', 'accelerator', violations);
    checkSelector(job, selected, 'accelerator', violations);
  }
  const checkRole = (request: AcceleratorRequest | undefined, where: string, role: RoleSpec | HelperSpec | undefined) => {
    if (request !== undefined) {
      const path = `${where}.accelerator`;
      violations.addAll(errorsOf(request._findings(path)));
      checkConflicts(request, role?.resources, `${where}.resources`, path, violations);
      checkSelector(request, selected, path, violations);
      checkSelector(request, { path: `${where}.podTemplate.spec.nodeSelector`, labels: selectorOf(role?.template) }, path, violations);
    }
  };
  roles.forEach((request, index) => checkRole(request, `roles[${index}]`, spec.roles?.[index]));
  helpers.forEach((request, index) => checkRole(request, `helpers[${index}]`, spec.helpers?.[index]));
  return violations.violations;
}

/** Findings about node selectors and counts of a job that satisfies all other rules. */
export function selectionFindings(name: string, spec: TrainingJobSpec): Finding[] {
  // A shortcut for large apps, because most jobs select nothing.
  const hasSelector = ({ template }: Pick<RoleSpec, 'template'>) => template !== undefined && selectorOf(template) !== undefined;
  const selects = spec.scheduling?.nodeSelector !== undefined || hasSelector(spec)
    || spec.roles?.some(hasSelector) || spec.helpers?.some(hasSelector);
  return selects ? checkJobAccelerators(resolveTrainingJob(name, spec)) : [];
}

function forTheJob(spec: TrainingJobSpec, request: AcceleratorRequest): TrainingJobSpec {
  return {
    ...spec,
    resources: resourcesWith(spec.resources, request),
    ...envWith(spec.env, request),
    scheduling: {
      ...spec.scheduling,
      nodeSelector: { ...request.nodeSelector, ...spec.scheduling?.nodeSelector },
      ...tolerationsWith(spec.scheduling?.tolerations as readonly Toleration[] | undefined, request),
    },
  };
}

function forRole<R extends RoleSpec | HelperSpec>(spec: TrainingJobSpec, role: R, request: AcceleratorRequest | undefined): R {
  if (request === undefined) {
    return role;
  }
  const { gpu: _gpu, gpuResourceName: _name, tpu: _tpu, ...shared } = spec.resources ?? {};
  const pod = role.template?.spec ?? {};
  return {
    ...role,
    resources: resourcesWith(role.resources ?? shared, request),
    ...envWith(role.env, request, spec.env),
    template: {
      ...role.template,
      spec: {
        ...pod,
        nodeSelector: { ...request.nodeSelector, ...selectorOf(role.template) },
        ...tolerationsWith(pod.tolerations as readonly Toleration[] | undefined, request),
      },
    },
  };
}

/** The settings of a pod that accelerators affect. */
type AcceleratedPod = Pick<PodSettings, 'resources' | 'env' | 'nodeSelector' | 'tolerations'>;

/** A pod of another system with its accelerators. The pod's own values win. */
export function withAccelerator<P extends AcceleratedPod>(pod: P, request: AcceleratorRequest | undefined): P {
  return request === undefined ? pod : {
    ...pod,
    resources: resourcesWith(pod.resources, request),
    nodeSelector: { ...request.nodeSelector, ...pod.nodeSelector },
    ...tolerationsWith(pod.tolerations as readonly Toleration[] | undefined, request),
    ...envWith(pod.env, request),
  };
}

/** Violations of a pod of another system that selects nodes with accelerators by their labels. `path` is its spec, `container` its container. */
export function labelledNodeProblems(
  { nodeSelector = {}, tolerations = [], resources = {} }: AcceleratedPod,
  { path, container, replicas }: { readonly path: string; readonly container: string; readonly replicas: PodAccelerators['replicas'] },
): Violation[] {
  if (!ACCELERATOR_LABELS.some((label) => nodeSelector[label] !== undefined)) {
    return [];
  }
  const { gpu = 0, gpuResourceName = GPU_RESOURCE, tpu = 0 } = resources;
  const devices = [{ resource: gpuResourceName, value: gpu }, { resource: TPU_RESOURCE_NAME, value: tpu }].filter(({ value }) => value > 0)
    .map((device) => ({ ...device, path: fieldPath(`${container}.resources.limits`, device.resource) }));
  return errorsOf(checkPodAccelerators({
    nodeSelector,
    labelPath: (label) => fieldPath(`${path}.nodeSelector`, label),
    tolerations: [...tolerations, ...devices.map(({ resource }) => ({ key: resource, operator: 'Exists' }))],
    devices,
    replicas,
  }));
}

/** Resources of a pod with its accelerators. */
export function resourcesWith(written: ResourcesSpec | undefined, request: AcceleratorRequest): ResourcesSpec {
  return { ...written, ...(request.count > 0 && devicesOf(request)) };
}

/** How many devices of which resource a pod requests. */
export function devicesOf(request: AcceleratorRequest): Pick<ResourcesSpec, 'gpu' | 'gpuResourceName' | 'tpu'> {
  const { resourceName, count, _gpuResourceName: gpuResourceName } = request;
  return resourceName === 'google.com/tpu' ? { tpu: count } : { gpu: count, ...(gpuResourceName !== undefined && { gpuResourceName }) };
}

/** Network variables first; a job's own variable of the same name wins. */
export function envWith(
  written: readonly EnvVarSpec[] | undefined, request: AcceleratorRequest, inheritedEnv: readonly EnvVarSpec[] = [],
): { env?: readonly EnvVarSpec[] } {
  const names = new Set([...written ?? [], ...inheritedEnv].map(({ name }) => name));
  const own = Object.entries(request.environment).filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value }));
  return own.length === 0 ? {} : { env: [...own, ...written ?? []] };
}

function tolerationsWith(written: readonly Toleration[] | undefined, request: AcceleratorRequest): { tolerations?: readonly Toleration[] } {
  const missing = request._tolerations.filter(({ key }) => !(written ?? []).some((toleration) => toleration.key === key));
  return missing.length === 0 ? {} : { tolerations: [...written ?? [], ...missing.map((toleration) => ({ ...toleration }))] };
}

function selectorOf(template: PodTemplateSpec | undefined): { readonly [label: string]: string } | undefined {
  return template?.spec?.nodeSelector as { readonly [label: string]: string } | undefined;
}

/** Devices are requested by the accelerator or by resources, not by both. */
export function checkConflicts(
  request: AcceleratorRequest, resources: ResourcesSpec | undefined, path: string, where: string, violations: ViolationCollector,
): void {
  for (const field of ['gpu', 'tpu'] as const) {
    if (resources?.[field] !== undefined) {
      violations.add(`${path}.${field}`, resources[field],
        `cannot be combined with '${where}', which requests ${request.count} ${request.resourceName} itself. Remove one of the two.`);
    }
  }
}

export function checkSelector(
  request: AcceleratorRequest, selected: { readonly path: string; readonly labels?: { readonly [label: string]: string } }, where: string,
  violations: ViolationCollector,
): void {
  const { path, labels = {} } = selected;
  for (const [label, value] of Object.entries(request.nodeSelector)) {
    if (labels[label] !== undefined && labels[label] !== value) {
      violations.add(fieldPath(path, label), labels[label], `conflicts with '${where}', which selects ${value}. Remove one of the two.`);
    }
  }
}
