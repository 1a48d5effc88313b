/**
 * Rules of Kubeflow Trainer that are not about a single field: names, what its controller adds to pods, and settings of an existing runtime.
 */
import { nodeTemplates } from './node-pods';
import type { TrainerOptions } from './options';
import { NODE, differingRole, differingVariable, planTrainJob, type PluginPlan } from './plan';
import { countedGpus } from './plugins';
import { rolesViolations } from './render';
import { PATCHED_CONTAINER_FIELDS, PATCHED_POD_FIELDS, TRAINER_FIELDS, TRAINER_LIMITS } from './train-job';
import { podNameViolations } from '../jobset/capabilities';
import { addedNameViolations, writtenTemplates, type AddedNames } from '../written-templates';
import { TRAINING_CONTAINER } from '../../../model/names';
import { statedResources, type ResolvedRole } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Names of what the plugins add to pods. */
const ADDED: { readonly [plugin: string]: AddedNames } = {
  mpi: { initContainers: [], volumes: ['mpi-ssh-auth', 'mpi-hostfile'] },
  flux: { initContainers: ['flux-installer'], volumes: ['flux-install', 'flux-curve', 'spack-install', 'shared-memory'] },
};

/** Fields that all our pods and containers have by default. An existing runtime has its own. */
const DEFAULTS: { readonly [field: string]: unknown } = {
  automountServiceAccountToken: false, restartPolicy: 'Never', terminationMessagePolicy: 'FallbackToLogsOnError',
};

/** Checks a job whose framework and fields the engine supports. */
export function validateForTrainer(name: string, spec: TrainingJobSpec, options: TrainerOptions): Violation[] {
  const plan = planTrainJob(name, spec, options);
  if (plan.shape === 'roles') {
    return [...roleViolations(plan.job, options), ...validateNames(spec, undefined), ...rolesViolations(name, spec)];
  }
  return [
    ...podNameViolations(name, plan.layout.cohorts.map((cohort) => `${cohort.name}-0-${cohort.replicas.length - 1}`), 'Kubeflow Trainer'),
    ...validateNames(spec, plan),
    ...(plan.shape === 'flux' ? fluxViolations(plan) : []),
    ...(options.runtime === undefined ? [] : validateForRuntime(plan, options.runtime)),
  ];
}

/** An existing runtime has one template for all roles. */
function roleViolations(job: PluginPlan['job'], { runtime }: TrainerOptions): Violation[] {
  const role = differingRole(job);
  return runtime === undefined || role === undefined ? [] : [{
    path: 'spec.roles',
    value: job.spec.roles?.map(({ name }) => name),
    message: `cannot differ in the runtime ${runtime}, which has one template for all nodes, but role ${role.name} differs from ${job.roles[0].name}. `
      + 'Make them the same, or leave runtime out of the engine\'s options to give the job its own runtime.',
  }];
}

function validateNames(spec: TrainingJobSpec, plan: PluginPlan | undefined): Violation[] {
  const violations = new ViolationCollector();
  for (const template of writtenTemplates(spec)) {
    template.containers.forEach(({ name, ports = [] }, index) => {
      const where = `${template.path}.spec.containers[${index}]`;
      if (name === NODE) {
        violations.add(`${where}.name`, name, `is Kubeflow Trainer's name for the container ${TRAINING_CONTAINER}. Rename it.`);
      }
      const unnamed = ports.findIndex((port) => port.name === undefined);
      if (name === TRAINING_CONTAINER && plan?.shape === 'nodes' && plan.plugin !== undefined && unnamed >= 0) {
        violations.add(`${where}.ports[${unnamed}].name`, undefined, 'is required: Kubeflow Trainer replaces an unnamed port with its own unnamed port.');
      }
    });
    violations.addAll(addedNameViolations(template, ADDED[plan?.plugin ?? ''], 'Kubeflow Trainer adds itself'));
  }
  return violations.violations;
}

/** Settings that a TrainJob and its runtimePatches cannot express. */
function validateForRuntime(plan: PluginPlan, runtime: string): Violation[] {
  const violations = new ViolationCollector();
  const instead = 'leave runtime out of the engine\'s options to give the job its own runtime';
  const reject = (path: string, value: unknown) => violations.add(path, value,
    `cannot be set by runtimePatches, and the runtime ${runtime} sets it. Remove it, or ${instead}.`);
  const { spec } = nodeTemplates(plan).get(plan.nodes)!;
  const [node] = spec.containers;
  const { initContainers = [], ...pod } = spec;
  const own = (object: object, known: readonly string[]) => Object.entries(object)
    .filter(([field, value]) => value !== undefined && !known.includes(field) && DEFAULTS[field] !== value);
  own(node, ['name', 'ports', ...TRAINER_FIELDS, ...PATCHED_CONTAINER_FIELDS])
    .forEach(([field, value]) => reject(`spec.template.spec.containers['${TRAINING_CONTAINER}'].${field}`, value));
  own(pod, ['containers', ...PATCHED_POD_FIELDS]).forEach(([field, value]) => reject(`spec.template.spec.${field}`, value));
  const written = new Set(writtenTemplates(plan.job.spec).flatMap(({ containers }) => containers.map(({ name }) => name)));
  initContainers.forEach(({ name }) => reject(`spec.template.spec.${written.has(name) ? 'containers' : 'initContainers'}['${name}']`, name));
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

/** Variables that the plugin of a runtime would set to other values than the job's. */
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

/** Programs that start an MPI program on several nodes, as Flux itself does. */
const STARTERS: readonly string[] = ['mpirun', 'mpiexec', 'orterun', 'prterun', 'srun'];

/** Words that a shell does not split or expand. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * Checks a job that Flux starts. Trainer's plugin passes the command to a shell as one string, requests all GPUs of a node from Flux for each
 * process, and mounts volumes.
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

/** Flux has no separate launcher, and all nodes are alike. */
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
