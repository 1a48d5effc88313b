/**
 * From the spec as it was written to the job as it will run: defaults filled in, the short form spelled out as roles, ranks given.
 * Pure and total: it resolves every spec that `validation.ts` accepts, and is called on nothing else.
 */
import type { FrameworkContract, Replica } from '../frameworks/contract';
import { frameworkContract } from '../frameworks/registry';
import { numberReplicas } from './replicas';
import { resolveRunPolicy, type ResolvedRunPolicy, type SuccessPolicy } from './run-policy';
import type { EnvVarSpec, PodTemplateSpec, ResourcesSpec, RestartPolicy, TrainingJobSpec } from './spec';

/** Port on which replicas meet unless the job says otherwise; the blog's and Trainer v2's. */
export const DEFAULT_PORT = 29500;

/** Resource that `resources.gpu` counts unless it says otherwise. */
export const DEFAULT_GPU_RESOURCE = 'nvidia.com/gpu';

/** One role with everything that its replicas share. */
export interface ResolvedRole {
  readonly name: string;
  readonly replicas: number;
  readonly singleton: boolean;
  readonly ranked: boolean;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly EnvVarSpec[];
  readonly resources: ResourcesSpec;
  /** The job's template, then the role's: merged in this order by whoever builds the pod. */
  readonly templates: readonly PodTemplateSpec[];
  readonly restartPolicy: RestartPolicy;
}

/** A job with nothing left open. */
export interface ResolvedTrainingJob {
  readonly name: string;
  readonly spec: TrainingJobSpec;
  readonly framework: FrameworkContract;
  /** Whether it was written with `replicas` and not with `roles`. */
  readonly shortForm: boolean;
  /** Roles in the order of their ranks; the first replica of the first is the coordinator. */
  readonly roles: readonly ResolvedRole[];
  /** Every replica, in the order of roles and indexes. */
  readonly replicas: readonly Replica[];
  /** Replicas with a rank. */
  readonly trainers: number;
  readonly port: number;
  readonly runPolicy: ResolvedRunPolicy;
  readonly successPolicy: SuccessPolicy;
}

/** Resolves a valid spec. */
export function resolveTrainingJob(name: string, spec: TrainingJobSpec): ResolvedTrainingJob {
  const framework = frameworkContract(spec.framework);
  const runPolicy = resolveRunPolicy(spec.runPolicy);
  const written = spec.roles ?? framework.shortForm(spec.replicas ?? 1);
  const roles = inRankOrder(framework, written.map((role) => resolveRole(spec, framework, role, runPolicy.restartPolicy)));
  const replicas = numberReplicas(name, roles);
  const open = {
    name,
    spec,
    framework,
    shortForm: spec.roles === undefined,
    roles,
    replicas,
    trainers: replicas.filter((replica) => replica.rank !== undefined).length,
    port: spec.port ?? DEFAULT_PORT,
    runPolicy,
  };
  const successPolicy = runPolicy.successPolicy
    ?? framework.successPolicy({ ...open, successPolicy: 'AllWorkers' });
  return { ...open, successPolicy };
}

function resolveRole(
  spec: TrainingJobSpec,
  framework: FrameworkContract,
  role: Partial<NonNullable<TrainingJobSpec['roles']>[number]> & { readonly name: string },
  restartPolicy: RestartPolicy,
): ResolvedRole {
  const contract = framework.roles.find((candidate) => candidate.name === role.name);
  const ownNames = new Set((role.env ?? []).map((entry) => entry.name));
  return {
    name: role.name,
    replicas: role.replicas ?? 1,
    singleton: contract?.singleton ?? false,
    ranked: contract?.ranked ?? true,
    image: role.image ?? spec.image,
    command: role.command ?? contract?.command ?? spec.command,
    args: role.args ?? (contract?.command === undefined ? spec.args : undefined),
    env: [...(spec.env ?? []).filter((entry) => !ownNames.has(entry.name)), ...(role.env ?? [])],
    resources: role.resources ?? inheritedResources(spec.resources ?? {}, contract?.devices ?? true),
    templates: [spec.template, role.template].filter((template) => template !== undefined),
    restartPolicy: role.restartPolicy ?? restartPolicy,
  };
}

/** A launcher or a parameter server beside GPU workers asks for their cpu and memory, and leaves the devices to those who compute. */
function inheritedResources(resources: ResourcesSpec, devices: boolean): ResourcesSpec {
  if (devices) {
    return resources;
  }
  const { gpu: _gpu, gpuResourceName: _name, tpu: _tpu, extended: _extended, ...rest } = resources;
  return rest;
}

/** Ranks follow the framework's order of roles, whatever order they were written in; unknown names keep theirs, at the end. */
function inRankOrder(framework: FrameworkContract, roles: ResolvedRole[]): ResolvedRole[] {
  const position = (role: ResolvedRole) => {
    const index = framework.roles.findIndex((candidate) => candidate.name === role.name);
    return index < 0 ? framework.roles.length : index;
  };
  return roles.map((role, written) => ({ role, written }))
    .sort((a, b) => position(a.role) - position(b.role) || a.written - b.written)
    .map(({ role }) => role);
}
