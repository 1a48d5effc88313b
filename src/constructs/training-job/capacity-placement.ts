/**
 * Places a job on the nodes of a ComputeClass: selector and tolerations of the pods that request accelerators, and the job's fields that contradict
 * the choices of the class. Pods without accelerators (parameter servers, helpers) are not placed: GKE taints nodes with GPUs against them.
 */
import type { BoundCapacity } from './capacity';
import { rolesOf, usesJobDevices, type JobAccelerators } from './job-accelerators';
import { toleration } from './pods/kubernetes-toleration';
import type { Toleration } from '../../manifests/kubernetes';
import { ARCHITECTURE_LABEL, GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../model/accelerators/labels';
import { devicesPerNode, labelsOfChoice, taintsOfKind, writtenLabels } from '../../model/node-pools/nodes';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { fieldPath } from '../../model/shapes';
import type { HelperSpec } from '../../model/training-job/replicas/role-specs';
import type { PodTemplateSpec, ResourcesSpec, RoleSpec, TrainingJobSpec } from '../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../model/violations';
import type { AcceleratorRequest } from '../accelerators/accelerator';

/** Identical pods, and what requests their devices. */
interface Pods {
  /** Path of their role, such as `roles[0]`; empty in the short form. */
  readonly where: string;
  readonly resources?: ResourcesSpec;
  /** Whether the role itself has `resources`. */
  readonly isOwnResources: boolean;
  readonly templates: readonly PodTemplateSpec[];
  readonly accelerator?: AcceleratorRequest;
}

/** The spec with the placement on the nodes of its class. */
export function withCapacity(spec: TrainingJobSpec, bound: BoundCapacity | undefined): TrainingJobSpec {
  if (bound === undefined) {
    return spec;
  }
  const roles = rolesOf(spec);
  const ofRoles = roles.map((role, index) => usesDevices(podsOfRole(spec, role, index)));
  const ofHelpers = (spec.helpers ?? []).map((helper, index) => usesDevices(podsOfHelper(spec, helper, index)));
  const { nodeSelector } = bound.computeClass;
  const tolerations = tolerationsOf(bound);
  if ([...ofRoles, ...ofHelpers].every((uses) => uses)) {
    return { ...spec, scheduling: { ...spec.scheduling, ...placement(spec.scheduling, nodeSelector, tolerations) } };
  }
  const placed = <R extends RoleSpec | HelperSpec>(role: R): R => (
    { ...role, template: { ...role.template, spec: { ...role.template?.spec, ...placement(role.template?.spec, nodeSelector, tolerations) } } });
  const { replicas: _replicas, ...rest } = spec;
  return {
    ...rest,
    roles: roles.map((role, index) => (ofRoles[index] ? placed(role) : role)),
    ...(spec.helpers !== undefined && { helpers: spec.helpers.map((helper, index) => (ofHelpers[index] ? placed(helper) : helper)) }),
  };
}

/** Fields of a job that contradict its capacity. The class reports its own problems. @param spec with its accelerators */
export function capacityProblems(spec: TrainingJobSpec, accelerators: JobAccelerators, bound: BoundCapacity | undefined): Violation[] {
  const choices = bound?.computeClass._nodes ?? [];
  if (bound === undefined || choices.length === 0) {
    return [];
  }
  const pods = [
    ...rolesOf(spec).map((role, index) => ({ ...podsOfRole(spec, role, index), accelerator: accelerators.roles[index] ?? accelerators.job })),
    ...(spec.helpers ?? []).map((helper, index) => ({ ...podsOfHelper(spec, helper, index), accelerator: accelerators.helpers[index] })),
  ].filter(usesDevices);
  const violations = new ViolationCollector();
  if (pods.length === 0) {
    violations.add('capacity', undefined, `applies to nodes with accelerators, but no pod of the job requests one. Request them: ${askFor(choices[0])}, or remove the capacity.`);
  }
  checkSelector('scheduling.nodeSelector', writtenSelector(spec.scheduling, pods[0]?.accelerator), bound, violations);
  pods.forEach((alike) => {
    checkAccelerator(alike, bound, violations);
    checkCount(alike, bound, violations);
    const [own] = alike.templates.slice(-1);
    checkSelector(`${prefix(alike.where)}podTemplate.spec.nodeSelector`, writtenSelector(own?.spec, alike.accelerator), bound, violations);
  });
  const isFirst = ({ path, message }: Violation, index: number, all: readonly Violation[]) => (
    all.findIndex((other) => other.path === path && other.message === message) === index);
  return violations.violations.filter(isFirst);
}

function podsOfRole(spec: TrainingJobSpec, role: RoleSpec, index: number): Pods {
  return {
    where: spec.roles === undefined ? '' : `roles[${index}]`,
    resources: usesJobDevices(spec, role) ? spec.resources : role.resources,
    isOwnResources: role.resources !== undefined,
    templates: [spec.template, role.template].filter((template) => template !== undefined),
  };
}

function podsOfHelper(spec: TrainingJobSpec, { resources, template }: HelperSpec, index: number): Pods {
  return { where: `helpers[${index}]`, resources, isOwnResources: true, templates: [spec.template, template].filter((one) => one !== undefined) };
}

function usesDevices({ resources: { gpu = 0, tpu = 0, extended = {} } = {}, templates }: Pods): boolean {
  return gpu > 0 || tpu > 0 || Object.keys(extended).length > 0 || templates.some(({ spec }) => claimsDevices(spec));
}

/** Templates can request devices too: with limits, or with claims of dynamic resource allocation. */
function claimsDevices(pod: PodTemplateSpec['spec']): boolean {
  const containers = (pod?.containers ?? []) as readonly { readonly resources?: { readonly limits?: object } }[];
  const limits = containers.flatMap(({ resources }) => Object.keys(resources?.limits ?? {}));
  return pod?.resourceClaims !== undefined || limits.some((name) => name === TPU_RESOURCE_NAME || name.startsWith('nvidia.com/'));
}

function tolerationsOf({ computeClass, isOwn }: BoundCapacity): Toleration[] {
  const ofNodes = computeClass._nodes.flatMap((pool) => [
    ...taintsOfKind(pool).filter(({ key }) => key === ARCHITECTURE_LABEL), ...(isOwn ? pool.taints ?? [] : []),
  ]).map(({ key, value, effect }): Toleration => ({ key, operator: 'Equal', value, effect: effect as Toleration['effect'] }));
  const isSame = (one: Toleration, other: Toleration) => one.key === other.key && one.value === other.value && one.effect === other.effect;
  const unique = ofNodes.filter((one, index) => ofNodes.findIndex((other) => isSame(one, other)) === index);
  return [...computeClass.tolerations.map(toleration), ...unique];
}

/** The user's values win; contradictions are errors. */
function placement(
  written: { readonly nodeSelector?: unknown; readonly tolerations?: unknown } | undefined, nodeSelector: object, tolerations: readonly Toleration[],
): { readonly nodeSelector: { readonly [label: string]: string }; readonly tolerations: readonly Toleration[] } {
  const own = (written?.tolerations ?? []) as readonly Toleration[];
  const isTolerated = ({ key, value }: Toleration) => own.some((other) => other.key === key && (other.value === undefined || other.value === value));
  const missing = tolerations.filter((one) => !isTolerated(one));
  return { nodeSelector: { ...nodeSelector, ...written?.nodeSelector as object | undefined }, tolerations: [...own, ...missing] };
}

/** Labels that the user wrote, without those that an accelerator added: `checkAccelerator` reports these. */
function writtenSelector(
  pod: { readonly nodeSelector?: unknown } | undefined, accelerator: AcceleratorRequest | undefined,
): { readonly [label: string]: string } {
  const ofAccelerator = accelerator?.nodeSelector ?? {};
  const labels = (pod?.nodeSelector ?? {}) as { readonly [label: string]: string };
  return Object.fromEntries(Object.entries(labels).filter(([label, value]) => ofAccelerator[label] !== value));
}

function checkSelector(path: string, labels: { readonly [label: string]: string }, bound: BoundCapacity, violations: ViolationCollector): void {
  for (const [label, value] of Object.entries(labels)) {
    const unfit = choicesWith(bound, label, value);
    if (unfit !== undefined) {
      violations.add(fieldPath(path, label), value, `contradicts the capacity: ${unfit}. The job would never run there. Remove the label, or ${otherFix(bound)}.`);
    }
  }
}

function checkAccelerator({ accelerator, where }: Pods, bound: BoundCapacity, violations: ViolationCollector): void {
  for (const [label, value] of Object.entries(accelerator?.nodeSelector ?? {})) {
    const unfit = choicesWith(bound, label, value);
    if (unfit !== undefined) {
      violations.add(`${prefix(where)}accelerator`, accelerator!.accelerator.type,
        `contradicts the capacity: it selects ${label}=${value}, and ${unfit}. Give only the number (${askFor(bound.computeClass._nodes[0])}), or ${otherFix(bound)}.`);
    }
  }
}

/** Skips shared and partitioned devices, which are counted differently. */
function checkCount({ where, resources = {}, isOwnResources, accelerator }: Pods, bound: BoundCapacity, violations: ViolationCollector): void {
  for (const kind of ['gpu', 'tpu'] as const) {
    const count = resources[kind] ?? 0;
    const has = (pool: NodePoolSpec): number | undefined => {
      const isKind = kind === 'gpu' ? pool.gpus !== undefined : pool.tpus !== undefined;
      const isOfWholes = (resources.gpuResourceName ?? GPU_RESOURCE) === GPU_RESOURCE;
      const isWhole = isOfWholes && pool.gpus?.sharing === undefined && pool.gpus?.partition === undefined;
      return !isKind ? 0 : isWhole ? devicesPerNode(pool) : undefined;
    };
    const unfit = describeUnfit(bound, (pool) => (has(pool) ?? count) < count, (pool) => `has ${has(pool)}`);
    if (count > 0 && unfit !== undefined) {
      const path = accelerator !== undefined ? `${prefix(where)}accelerator` : `${prefix(isOwnResources ? where : '')}resources.${kind}`;
      violations.add(path, count, `is more ${kind === 'gpu' ? 'GPUs' : 'TPU chips'} than a node has: ${unfit}. Request fewer in each replica, or ${otherFix(bound)}.`);
    }
  }
}

function choicesWith(bound: BoundCapacity, label: string, value: string): string | undefined {
  const labelOf = (pool: NodePoolSpec): string | undefined => (
    { ...labelsOfChoice(pool, bound.computeClass.name), ...writtenLabels(pool) } as { readonly [name: string]: string | undefined })[label];
  return describeUnfit(bound, (pool) => (labelOf(pool) ?? value) !== value, (pool) => `has ${labelOf(pool)}`);
}

/** Choices that do not fit, in words. In a class for several jobs, one that fits is enough. */
function describeUnfit(
  { computeClass, isOwn }: BoundCapacity, isUnfit: (pool: NodePoolSpec) => boolean, why: (pool: NodePoolSpec) => string,
): string | undefined {
  const titles = computeClass.choices;
  const unfit = computeClass._nodes.flatMap((pool, index) => (isUnfit(pool) ? [`choice ${index + 1} (${titles[index]}) ${why(pool)}`] : []));
  return unfit.length === 0 || (!isOwn && unfit.length < computeClass._nodes.length) ? undefined : unfit.join(', ');
}

function otherFix({ computeClass, isOwn }: BoundCapacity): string {
  return isOwn ? 'remove the choice' : `use another class than '${computeClass.name}'`;
}

function askFor(pool: NodePoolSpec): string {
  const count = devicesPerNode(pool) ?? 1;
  return pool.tpus === undefined ? `resources: { gpu: Gpu.nvidia(${count}) }` : 'accelerator, with perHost()';
}

function prefix(where: string): string {
  return where === '' ? '' : `${where}.`;
}
