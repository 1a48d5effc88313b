/**
 * How a job becomes a TrainJob, in one of four shapes. The first one that expresses the whole job is used.
 *
 * `nodes`: one template for all replicas, numbered by Kubernetes, and one of Trainer's plugins sets their environment. It is right if the roles are
 * the same and the plugin's variables match the model's contract.
 * `launcher`: MPI's plugin, with a launcher in addition to the nodes.
 * `flux`: Flux's plugin, if the engine's options select it.
 * `roles`: no plugin. The runtime contains the JobSet that the JobSet engine renders, with an explicit environment. It is for frameworks that Trainer
 * does not support, roles that differ, and ports and process counts that a plugin would ignore.
 */
import type { TrainerOptions } from './options';
import { countedGpus, pluginVariables, type PluginInput, type PluginName } from './plugins';
import { cohortJob, type Cohort, type CohortJob } from '../cohorts';
import { COMPLETION_INDEX } from '../job';
import { jobSetHooks } from '../jobset/hooks';
import { RESTART_ATTEMPT } from '../jobset/layout';
import type { ResourceRequirements } from '../../kubernetes';
import { mergeContainer, mergePodTemplates } from '../../pod/pod-template';
import { containerNamed } from '../../pod/pod-parts';
import { constructResources } from '../../pod/resources';
import { PodAddressBook } from '../../../model/frameworks/address-book';
import { slotsPerWorker } from '../../../model/frameworks/mpi';
import { TRAINING_CONTAINER } from '../../../model/names';
import { hasHelpers } from '../../../model/training-job/replicas/helpers';
import { hasPreflight } from '../../../model/training-job/preflight';
import type { Replica } from '../../../model/frameworks/contract';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import { resolveTrainingJob, type ResolvedRole, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { withoutDefaultSharedMemory } from '../../../model/training-job/accelerator-labels';
import type { EnvVarSpec, FrameworkName, TrainingJobSpec } from '../../../model/training-job/spec';

/** Name of the replicated job whose pods train, and of their container: plugins search for both. */
export const NODE = 'node';

/** Name of the replicated job with MPI's launcher. */
export const LAUNCHER = 'launcher';

/** A job without a plugin. */
export interface RolesPlan {
  readonly shape: 'roles';
  readonly job: ResolvedTrainingJob;
}

/** A job whose environment a plugin completes. */
export interface PluginPlan {
  readonly shape: 'nodes' | 'launcher' | 'flux';
  readonly job: ResolvedTrainingJob;
  readonly layout: CohortJob;
  /** The nodes that train. */
  readonly nodes: Cohort;
  /** @default - plain nodes, which need none */
  readonly plugin?: PluginName;
  readonly input: PluginInput;
}

export type TrainerPlan = RolesPlan | PluginPlan;

/** Plugins of frameworks whose replicas are all alike. */
const PLUGINS: { readonly [framework in FrameworkName]?: 'torch' | 'jax' | 'xgboost' | 'plain' } = {
  pytorch: 'torch', jax: 'jax', xgboost: 'xgboost', plain: 'plain',
};

/** Chooses the shape of a job that complies with the model's rules. */
export function planTrainJob(name: string, spec: TrainingJobSpec, options: TrainerOptions): TrainerPlan {
  const job = resolveTrainingJob(name, spec);
  if (options.flux) {
    return fluxPlan(withoutDefaultSharedMemory(job));
  }
  if (isMpi(job.framework.name)) {
    return launcherPlan(job);
  }
  if (hasHelpers(job) || jobSetHooks(job).length > 0) {
    return { shape: 'roles', job };
  }
  const plan = nodesPlan(job);
  // An existing runtime has its plugin, and validation.ts rejects what the plugin would ignore.
  return plan !== undefined && (options.runtime !== undefined || (differingVariable(plan) === undefined && !hasPreflight(job))) ? plan : { shape: 'roles', job };
}

/** Whether a launcher starts the job's processes. */
export function isMpi(framework: FrameworkName): boolean {
  return ['mpi', 'horovod', 'deepspeed'].includes(framework);
}

function nodesPlan(job: ResolvedTrainingJob): PluginPlan | undefined {
  const plugin = PLUGINS[job.framework.name];
  if (plugin === undefined || differingRole(job) !== undefined) {
    return undefined;
  }
  const role = job.roles[job.roles.length - 1];
  const nodes = nodeCohort(job, { ...role, singleton: false }, job.replicas);
  const resources = resourcesOf(role);
  return {
    shape: 'nodes',
    job,
    layout: cohortJob(job, [nodes]),
    nodes,
    ...(plugin !== 'plain' && { plugin }),
    input: { job, nodes, resources, numProcPerNode: plugin === 'torch' ? torchProcesses(job, resources) : undefined },
  };
}

/** The first role that differs from the first one; undefined if all are the same. Roles of plain jobs always differ. */
export function differingRole({ framework, roles }: ResolvedTrainingJob): ResolvedRole | undefined {
  const settings = ({ name, image, command, args, env, resources, templates, restartPolicy }: ResolvedRole) => (
    JSON.stringify([image, command, args, env, resources, templates, restartPolicy, framework.name === 'plain' ? name : '']));
  return roles.find((role) => settings(role) !== settings(roles[0]));
}

function launcherPlan(job: ResolvedTrainingJob): PluginPlan {
  const [launcherRole, workerRole] = job.roles;
  const nodes = nodeCohort(job, workerRole, replicasOfRole(job, workerRole.name));
  const launcher: Cohort = {
    name: LAUNCHER,
    role: launcherRole,
    replicas: replicasOfRole(job, launcherRole.name),
    singleton: true,
    fields: { indexes: [], attempt: RESTART_ATTEMPT },
    podOf: () => `${job.name}-${LAUNCHER}-0-0-*`,
    hostOf: () => `${job.name}-${LAUNCHER}-0-0.${job.name}`,
  };
  return {
    shape: 'launcher',
    job,
    layout: cohortJob(job, [launcher, nodes]),
    nodes,
    plugin: 'mpi',
    input: { job, nodes, resources: resourcesOf(workerRole), numProcPerNode: slotsPerWorker(job) },
  };
}

/** Flux needs no launcher, because its first node is one. The launcher's command then runs on all nodes. */
function fluxPlan(job: ResolvedTrainingJob): PluginPlan {
  const [first] = job.roles;
  const worker = job.roles[job.roles.length - 1];
  const role = { ...worker, command: first.command, args: first.args };
  const node = nodeCohort(job, role, replicasOfRole(job, worker.name));
  // Tasks of Flux get the environment of the node that submits them, so all would have the same index.
  const nodes = { ...node, fields: { indexes: [], attempt: RESTART_ATTEMPT } };
  const numProcPerNode = isMpi(job.framework.name) ? slotsPerWorker(job) : Number(job.spec.nprocPerNode ?? 1);
  return { shape: 'flux', job, layout: cohortJob(job, [nodes]), nodes, plugin: 'flux', input: { job, nodes, resources: resourcesOf(role), numProcPerNode } };
}

function nodeCohort({ name: job }: ResolvedTrainingJob, role: ResolvedRole, replicas: readonly Replica[]): Cohort {
  return {
    name: NODE,
    role,
    replicas,
    singleton: false,
    fields: { indexes: [{ path: COMPLETION_INDEX.fieldPath, first: 0 }], attempt: RESTART_ATTEMPT },
    podOf: (position) => `${job}-${NODE}-0-${position}-*`,
    hostOf: (position) => `${job}-${NODE}-0-${position}.${job}`,
  };
}

/** Resources of a role's container, including those of its templates. */
function resourcesOf(role: ResolvedRole): ResourceRequirements {
  const { containers } = mergePodTemplates(role.templates).spec;
  const own = { name: TRAINING_CONTAINER, resources: constructResources(role.resources) };
  return mergeContainer(own, containerNamed(containers, TRAINING_CONTAINER)).resources ?? {};
}

/** `trainer.numProcPerNode`, a number. If the contract has `auto`, Trainer uses `auto` too if it finds the GPUs by their name. */
function torchProcesses(job: ResolvedTrainingJob, resources: ResourceRequirements): number | undefined {
  const processes = contractVariables(job, job.replicas.length - 1).get('PET_NPROC_PER_NODE')?.value;
  if (processes === 'auto') {
    const { gpu = 0 } = job.roles[job.roles.length - 1].resources;
    return gpu > 0 && countedGpus(resources) !== gpu ? gpu : undefined;
  }
  const number = Number(processes);
  return Number.isInteger(number) ? number : undefined;
}

/** A variable whose value from the plugin differs from the contract's; undefined if there is none. */
export function differingVariable({ job, plugin, input, nodes, layout }: PluginPlan): string | undefined {
  return [0, job.replicas.length - 1].flatMap((position) => {
    const contract = contractVariables(job, position, layout);
    return pluginVariables(plugin, input, nodes, position).filter(({ name, value }) => {
      const expected = contract.get(name)?.value;
      return value !== expected && !(name === 'PET_NPROC_PER_NODE' && expected === 'auto' && Number(value) === nodes.role.resources.gpu);
    });
  })[0]?.name;
}

function contractVariables(job: ResolvedTrainingJob, position: number, layout?: CohortJob): Map<string, EnvVarSpec> {
  const addresses = layout?.addresses ?? new PodAddressBook(job.name);
  return new Map(job.framework.environment({ job, replica: job.replicas[position], addresses }).map((entry) => [entry.name, entry]));
}
