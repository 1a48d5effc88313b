/**
 * From the spec as it was written to the job as it will run: defaults filled in, the short form spelled out as roles, ranks given.
 * Pure and total: it resolves every spec that `validation.ts` accepts, and is used for no other.
 */
import type { FrameworkContract, ResolvedRole, ResolvedTrainingJob, RoleContract } from '../../frameworks/contract';
import { frameworkContract } from '../../frameworks/registry';
import { primaryOf } from './helpers';
import { GROUP_PORT, type HelperSpec } from './role-specs';
import { numberReplicas } from './replicas';
import { resolveRunPolicy, type RestartPolicy, type SuccessPolicy } from '../run-policy';
import { DEFAULT_PORT, type EnvVarSpec, type ResourcesSpec, type RoleSpec, type TrainingJobSpec } from '../spec';

export type { ResolvedRole, ResolvedTrainingJob } from '../../frameworks/contract';

/** Resource that `resources.gpu` counts unless it says otherwise. */
export const DEFAULT_GPU_RESOURCE = 'nvidia.com/gpu';

/** What was resolved last: the rules on a job are asked one behind the other, and each of them wants it resolved. */
let last: ResolvedTrainingJob | undefined;

/** Resolves a valid spec, of which nothing changes afterwards. */
export function resolveTrainingJob(name: string, spec: TrainingJobSpec): ResolvedTrainingJob {
  if (last?.spec !== spec || last.name !== name) {
    last = resolved(name, spec);
  }
  return last;
}

function resolved(name: string, spec: TrainingJobSpec): ResolvedTrainingJob {
  const framework = frameworkContract(spec.framework);
  const runPolicy = resolveRunPolicy(spec.runPolicy);
  const resolve = (role: RoleSpec | { readonly name: string }) => resolveRole(spec, framework, role, runPolicy.restartPolicy);
  // The short form comes in the order of ranks.
  const training = spec.roles ? inRankOrder(framework, spec.roles.map(resolve)) : framework.shortForm(spec.replicas ?? 1).map(resolve);
  const roles = [...training, ...(spec.helpers ?? []).map((helper) => resolveHelper(spec, helper))];
  const replicas = numberReplicas(name, roles);
  const job = {
    name,
    spec,
    framework,
    shortForm: spec.roles === undefined,
    roles,
    replicas,
    trainers: replicas.filter((replica) => replica.rank !== undefined).length,
    port: spec.port ?? DEFAULT_PORT,
    runPolicy,
    successPolicy: runPolicy.successPolicy ?? ('AllWorkers' as SuccessPolicy),
  };
  if (runPolicy.successPolicy === undefined) {
    job.successPolicy = framework.successPolicy(primaryOf(job));
  }
  return job;
}

function resolveRole(
  spec: TrainingJobSpec,
  framework: FrameworkContract,
  role: Partial<RoleSpec> & { readonly name: string },
  restartPolicy: RestartPolicy,
): ResolvedRole {
  const contract = framework.roles.find((candidate) => candidate.name === role.name);
  return {
    name: role.name,
    replicas: role.replicas ?? 1,
    singleton: contract?.singleton ?? false,
    ranked: contract?.ranked ?? true,
    image: role.image ?? spec.image,
    command: role.command ?? contract?.command ?? spec.command,
    args: role.args ?? (contract?.command === undefined ? spec.args : undefined),
    env: inheritedEnv(spec.env, role.env),
    resources: role.resources ?? contract?.resources ?? inheritedResources(spec, contract),
    templates: [spec.template, role.template].filter((template) => template !== undefined),
    restartPolicy: role.restartPolicy ?? restartPolicy,
  };
}

/** A helper has a program and compute of its own. The kubelet restarts none of them: `failures.ts` of the planner judges what has become of it. */
function resolveHelper(spec: TrainingJobSpec, helper: HelperSpec): ResolvedRole {
  const { onFailure = 'Restart' } = helper;
  return {
    name: helper.name,
    replicas: helper.replicas ?? 1,
    singleton: false,
    ranked: false,
    image: helper.image ?? spec.image,
    command: helper.command,
    args: helper.args,
    env: inheritedEnv(spec.env, helper.env),
    resources: helper.resources ?? {},
    templates: [spec.template, helper.template].filter((template) => template !== undefined),
    restartPolicy: onFailure === 'Restart' ? 'OnFailure' : 'Never',
    helper: { port: helper.port ?? GROUP_PORT, onFailure },
  };
}

/** The job's variables, and the role's own over them. */
function inheritedEnv(job: readonly EnvVarSpec[] = [], own: readonly EnvVarSpec[] = []): readonly EnvVarSpec[] {
  if (own.length === 0) {
    return job;
  }
  const ownNames = new Set(own.map((entry) => entry.name));
  return [...job.filter((entry) => !ownNames.has(entry.name)), ...own];
}

/**
 * What a job says of the compute of a role, without defaults: a role's own resources, or the job's. For what must not change with a release that has
 * other defaults.
 */
export function statedResources({ spec, framework }: ResolvedTrainingJob, { name, helper }: ResolvedRole): ResourcesSpec {
  const own = [...(helper === undefined ? spec.roles : spec.helpers) ?? []].find((role) => role.name === name)?.resources;
  return own ?? (helper === undefined ? inheritedResources(spec, framework.roles.find((role) => role.name === name)) : {});
}

/** A parameter server next to GPU workers asks for their cpu and memory, and leaves the devices to those who compute. */
function inheritedResources({ resources = {} }: TrainingJobSpec, contract: RoleContract | undefined): ResourcesSpec {
  if (contract?.devices ?? true) {
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
