/**
 * Rules of Kubeflow Trainer that are no matter of one field: names, what its controller adds to pods, and what a runtime that exists says already.
 */
import { nodeTemplates } from './node-pods';
import type { TrainerOptions } from './options';
import { NODE, differingRole, differingVariable, planTrainJob, type PluginPlan } from './plan';
import { countedGpus } from './plugins';
import { rolesViolations } from './render';
import { PATCHED_CONTAINER_FIELDS, PATCHED_POD_FIELDS, TRAINER_FIELDS, TRAINER_LIMITS } from './train-job';
import { DNS_LABEL_MAX_LENGTH, TRAINING_CONTAINER } from '../../../model/names';
import { statedResources, type ResolvedRole } from '../../../model/training-job/replicas/resolve';
import type { PodTemplateSpec, TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Characters that Kubernetes adds to the name of a pod. */
const POD_SUFFIX = '-abcde';

/** What the plugins add to pods under names of their own. */
const ADDED: { readonly [plugin: string]: { readonly initContainers: readonly string[]; readonly volumes: readonly string[] } } = {
  mpi: { initContainers: [], volumes: ['mpi-ssh-auth', 'mpi-hostfile'] },
  flux: { initContainers: ['flux-installer'], volumes: ['flux-install', 'flux-curve', 'spack-install', 'shared-memory'] },
};

/** Fields that every pod and container of ours has, whether a job asks for them or not; a runtime that exists has its own. */
const DEFAULTS: { readonly [field: string]: unknown } = {
  automountServiceAccountToken: false, restartPolicy: 'Never', terminationMessagePolicy: 'FallbackToLogsOnError',
};

/** Checks a job whose framework and fields the engine has. */
export function validateForTrainer(name: string, spec: TrainingJobSpec, options: TrainerOptions): Violation[] {
  const plan = planTrainJob(name, spec, options);
  if (plan.shape === 'roles') {
    return [...roleViolations(plan.job, options), ...validateNames(spec, undefined), ...rolesViolations(name, spec)];
  }
  return [
    ...validateName(plan),
    ...validateNames(spec, plan),
    ...(plan.shape === 'flux' ? fluxViolations(plan) : []),
    ...(options.runtime === undefined ? [] : validateForRuntime(plan, options.runtime)),
  ];
}

/** A job whose roles differ has no place in a runtime with one template. */
function roleViolations(job: PluginPlan['job'], { runtime }: TrainerOptions): Violation[] {
  const role = differingRole(job);
  return runtime === undefined || role === undefined ? [] : [{
    path: 'spec.roles',
    value: job.spec.roles?.map(({ name }) => name),
    message: `cannot differ in the runtime ${runtime}, which has one template for all nodes, but role ${role.name} differs from ${job.roles[0].name}. `
      + 'Make them the same, or leave runtime out of the engine\'s options to give the job its own runtime.',
  }];
}

/** JobSet refuses a name with which a pod could not be made. */
function validateName({ job, layout: { cohorts } }: PluginPlan): Violation[] {
  const longest = cohorts.map(({ name, replicas }) => `${job.name}-${name}-0-${replicas.length - 1}${POD_SUFFIX}`)
    .reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  return excess <= 0 ? [] : [{
    path: 'metadata.name',
    value: job.name,
    message: `is too long for Kubeflow Trainer: its longest pod would be '${longest}' with ${longest.length} characters, and JobSet allows ${DNS_LABEL_MAX_LENGTH}. `
      + `Use at most ${job.name.length - excess} characters.`,
  }];
}

interface TemplatePod {
  readonly containers?: readonly { readonly name: string; readonly ports?: readonly { readonly name?: string }[] }[];
  readonly initContainers?: readonly { readonly name: string }[];
  readonly volumes?: readonly { readonly name: string }[];
}

function validateNames({ template, roles = [] }: TrainingJobSpec, plan: PluginPlan | undefined): Violation[] {
  const violations = new ViolationCollector();
  validateTemplate(template, 'spec.template', plan, violations);
  roles.forEach((role, index) => validateTemplate(role.template, `spec.roles[${index}].template`, plan, violations));
  return violations.violations;
}

function validateTemplate(template: PodTemplateSpec | undefined, path: string, plan: PluginPlan | undefined, violations: ViolationCollector): void {
  const { containers = [], initContainers = [], volumes = [] } = (template?.spec ?? {}) as TemplatePod;
  const added = ADDED[plan?.plugin ?? ''];
  containers.forEach(({ name, ports = [] }, index) => {
    const where = `${path}.spec.containers[${index}]`;
    if (name === NODE) {
      violations.add(`${where}.name`, name, `is Kubeflow Trainer's name for the container ${TRAINING_CONTAINER}. Rename it.`);
    }
    const unnamed = ports.findIndex((port) => port.name === undefined);
    if (name === TRAINING_CONTAINER && plan?.shape === 'nodes' && plan.plugin !== undefined && unnamed >= 0) {
      violations.add(`${where}.ports[${unnamed}].name`, undefined, 'is required: Kubeflow Trainer replaces an unnamed port with its own unnamed port.');
    }
  });
  initContainers.filter(({ name }) => added?.initContainers.includes(name)).forEach(({ name }) => {
    violations.add(`${path}.spec.initContainers['${name}']`, name, 'is an init container that Kubeflow Trainer adds itself. Rename yours.');
  });
  volumes.filter(({ name }) => added?.volumes.includes(name)).forEach(({ name }) => {
    violations.add(`${path}.spec.volumes['${name}']`, name, 'is a volume that Kubeflow Trainer adds itself. Rename yours.');
  });
}

/** What a TrainJob and its runtimePatches cannot say. */
function validateForRuntime(plan: PluginPlan, runtime: string): Violation[] {
  const violations = new ViolationCollector();
  const instead = 'leave runtime out of the engine\'s options to give the job its own runtime';
  const refuse = (path: string, value: unknown) => violations.add(path, value,
    `cannot be set by runtimePatches, and the runtime ${runtime} sets it. Remove it, or ${instead}.`);
  const { spec } = nodeTemplates(plan).get(plan.nodes)!;
  const [node] = spec.containers;
  const { initContainers = [], ...pod } = spec;
  const own = (object: object, known: readonly string[]) => Object.entries(object)
    .filter(([field, value]) => value !== undefined && !known.includes(field) && DEFAULTS[field] !== value);
  own(node, ['name', 'ports', ...TRAINER_FIELDS, ...PATCHED_CONTAINER_FIELDS])
    .forEach(([field, value]) => refuse(`spec.template.spec.containers['${TRAINING_CONTAINER}'].${field}`, value));
  own(pod, ['containers', ...PATCHED_POD_FIELDS]).forEach(([field, value]) => refuse(`spec.template.spec.${field}`, value));
  const written = new Set([plan.job.spec.template, ...(plan.job.spec.roles ?? []).map(({ template }) => template)]
    .flatMap((template) => ((template?.spec as TemplatePod | undefined)?.containers ?? []).map(({ name }) => name)));
  initContainers.forEach(({ name }) => refuse(`spec.template.spec.${written.has(name) ? 'containers' : 'initContainers'}['${name}']`, name));
  const tooMuch = (path: string, found: number, limit: number, what: string) => violations.add(path, found,
    `is too much for a TrainJob, which accepts ${limit} ${what}. Use less, or ${instead}.`);
  if ((node.env ?? []).length > TRAINER_LIMITS.env) {
    tooMuch('spec.env', node.env!.length, TRAINER_LIMITS.env, 'variables, those of the job\'s contract included');
  }
  for (const field of ['command', 'args'] as const) {
    if ((node[field] ?? []).length > TRAINER_LIMITS.words) {
      tooMuch(`spec.${field}`, node[field]!.length, TRAINER_LIMITS.words, 'words');
    }
  }
  if ((node.image ?? '').length > TRAINER_LIMITS.image) {
    tooMuch('spec.image', node.image!.length, TRAINER_LIMITS.image, 'characters');
  }
  validatePlugin(plan, instead, violations);
  return violations.violations;
}

/** What the plugin of a runtime would tell the nodes otherwise than the job means it. */
function validatePlugin(plan: PluginPlan, instead: string, violations: ViolationCollector): void {
  const variable = plan.shape === 'nodes' ? differingVariable(plan) : undefined;
  const { nprocPerNode, resources } = plan.job.spec;
  if (variable === 'PET_NPROC_PER_NODE') {
    violations.add('spec.nprocPerNode', nprocPerNode, 'is counted by the runtime\'s plugin if it is not a number: GPUs by a resource with gpu in its name, '
      + `else CPUs. Set a number, or ${instead}.`);
  } else if (variable === 'DMLC_NUM_WORKER') {
    violations.add('spec.resources.gpuResourceName', resources?.gpuResourceName,
      `is not a GPU for the runtime's plugin, which counts one worker for each resource with gpu in its name. Choose another one, or ${instead}.`);
  }
}

/** Programs that start an MPI program on several nodes, which is Flux's part. */
const STARTERS: readonly string[] = ['mpirun', 'mpiexec', 'orterun', 'prterun', 'srun'];

/** Words that are the same words after a shell has read them. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Checks a job that Flux starts.
 *
 * Rules of jobs that Flux starts. Trainer's plugin hands the command to a shell as one text, asks Flux for all GPUs of a node for each process, and
 * mounts what it needs.
 * @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/runtime/framework/plugins/flux
 */
function fluxViolations({ job, nodes, input }: PluginPlan): Violation[] {
  const violations = new ViolationCollector();
  const { spec } = job;
  validateCommand(nodes.role, violations);
  const gpus = countedGpus(input.resources) ?? 0;
  if (gpus > 0 && input.numProcPerNode !== 1) {
    violations.add('spec.nprocPerNode', spec.nprocPerNode,
      `must be 1 with GPUs: Trainer requests all ${gpus} GPUs of a node from Flux for each process. Set it to 1.`);
  }
  if (!Number.isInteger(input.numProcPerNode)) {
    violations.add('spec.nprocPerNode', spec.nprocPerNode, 'must be a number: Flux needs the number of processes. Set it, or omit it for 1.');
  }
  const { sharedMemory } = statedResources(job, nodes.role);
  if (sharedMemory !== undefined) {
    violations.add('spec.resources.sharedMemory', sharedMemory, 'cannot be set under Flux, whose plugin mounts /dev/shm itself. Remove it.');
  }
  validateRoles(job.roles, violations, spec.roles?.map(({ name }) => name));
  return violations.violations;
}

function validateCommand({ command, args }: ResolvedRole, violations: ViolationCollector): void {
  if (command === undefined || command.length === 0) {
    violations.add('spec.command', command, 'is required with Flux, which otherwise waits for commands. Set it even if the image has one.');
    return;
  }
  const [program] = command;
  if (STARTERS.includes(program.split('/').pop()!)) {
    violations.add('spec.command', command, `starts an MPI program with ${program}, but Flux does that itself. Use only the program and its arguments.`);
  }
  for (const [field, words] of Object.entries({ command, args: args ?? [] })) {
    const torn = words.find((word) => !PLAIN_WORD.test(word));
    if (torn !== undefined) {
      violations.add(`spec.${field}`, torn, 'would be split or expanded: Trainer passes the command to a shell as one string under Flux. Put it into a script in the image.');
    }
  }
}

/** Flux has no launcher of its own, and all nodes are alike. */
function validateRoles(roles: readonly ResolvedRole[], violations: ViolationCollector, names: readonly string[] | undefined): void {
  const [launcher, worker] = roles;
  if (launcher.name !== 'launcher') {
    if (roles.length > 1) {
      violations.add('spec.roles', names, 'are several, but under Flux all nodes run the same. Keep one of them.');
    }
    return;
  }
  const own = (['image', 'env', 'templates'] as const).find((field) => JSON.stringify(launcher[field]) !== JSON.stringify(worker[field]));
  if (own !== undefined) {
    const field = own === 'templates' ? 'template' : own;
    violations.add(`spec.roles[${names?.indexOf(launcher.name) ?? 0}].${field}`, launcher[own],
      'is for a launcher, but under Flux there is none: the first node submits the command. Set it for all roles, or remove it.');
  }
}
