/**
 * Accelerators of a job and of its roles, written into its spec: limits, node selectors, tolerations and variables of NCCL. What a
 * job says for all of its roles stands where the job says it; as soon as one role has accelerators of its own, each role says so for itself.
 */
import type { AcceleratorRequest } from '../accelerators/accelerator-request';
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

/** Accelerators as they were given: for the job, for each of its roles and for each of its helpers in their order. */
export interface JobAccelerators {
  readonly job?: AcceleratorRequest;
  readonly roles: readonly (AcceleratorRequest | undefined)[];
  readonly helpers: readonly (AcceleratorRequest | undefined)[];
}

/** Whether there are any. */
function hasAccelerators({ job, roles, helpers }: JobAccelerators): boolean {
  return job !== undefined || roles.some(isGiven) || helpers.some(isGiven);
}

function isGiven(request: AcceleratorRequest | undefined): boolean {
  return request !== undefined;
}

/** The spec with its accelerators. */
export function withAccelerators(spec: TrainingJobSpec, accelerators: JobAccelerators): TrainingJobSpec {
  const { job, helpers } = accelerators;
  if (spec.helpers !== undefined && hasAccelerators(accelerators)) {
    // What the job selects for all of its pods would keep helpers on nodes with its accelerators.
    const { replicas = 1, ...rest } = spec;
    const roles = spec.roles ?? frameworkContract(spec.framework).shortForm(replicas);
    return {
      ...rest,
      roles: roles.map((role, index) => forRole(spec, role, accelerators.roles[index] ?? inherited(spec, role, job))),
      helpers: spec.helpers.map((helper, index) => forRole({ ...spec, resources: undefined }, helper, helpers[index])),
    };
  }
  if (!accelerators.roles.some((request) => request !== undefined)) {
    return job === undefined ? spec : forTheJob(spec, job);
  }
  return { ...spec, roles: spec.roles?.map((role, index) => forRole(spec, role, accelerators.roles[index] ?? inherited(spec, role, job))) };
}

/** What is wrong with the accelerators of a job, before anybody looks at the rest of it. */
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

/** What is to say of node selectors and counts of a job that keeps all other rules. */
export function selectionFindings(name: string, spec: TrainingJobSpec): Finding[] {
  // Most jobs select nothing, and every job of a large app is asked.
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

/** A role that computes with what the job has, unless its own resources say otherwise. */
function inherited({ framework }: TrainingJobSpec, role: RoleSpec, job: AcceleratorRequest | undefined): AcceleratorRequest | undefined {
  const contract = frameworkContract(framework).roles.find(({ name }) => name === role.name);
  return role.resources === undefined && (contract?.devices ?? true) ? job : undefined;
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

/** The part of a pod that accelerators are about, in the model's terms. */
type AcceleratedPod = Pick<PodSettings, 'resources' | 'env' | 'nodeSelector' | 'tolerations'>;

/** A pod of another system with its accelerators. What its author says of the same names wins. */
export function withAccelerator<P extends AcceleratedPod>(pod: P, request: AcceleratorRequest | undefined): P {
  return request === undefined ? pod : {
    ...pod,
    resources: resourcesWith(pod.resources, request),
    nodeSelector: { ...request.nodeSelector, ...pod.nodeSelector },
    ...tolerationsWith(pod.tolerations as readonly Toleration[] | undefined, request),
    ...envWith(pod.env, request),
  };
}

/** What is wrong with a pod of another system that selects nodes with accelerators by their labels. The place names its spec and its container. */
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

/** What a pod asks for, its accelerators among it. */
export function resourcesWith(written: ResourcesSpec | undefined, request: AcceleratorRequest): ResourcesSpec {
  return { ...written, ...(request.count > 0 && devicesOf(request)) };
}

/** How many devices a pod asks for, and of which resource. */
export function devicesOf(request: AcceleratorRequest): Pick<ResourcesSpec, 'gpu' | 'gpuResourceName' | 'tpu'> {
  const { resourceName, count, _gpuResourceName: gpuResourceName } = request;
  return resourceName === 'google.com/tpu' ? { tpu: count } : { gpu: count, ...(gpuResourceName !== undefined && { gpuResourceName }) };
}

/** Variables of the network first; what the job says of the same name wins. */
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

/** Devices are said once: by the accelerator, or by resources. */
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
