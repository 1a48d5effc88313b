/**
 * Rules of jobs that Flux starts. Trainer's plugin hands the command to a shell as one text, asks Flux for all GPUs of a node for each process, and
 * mounts what it needs.
 * @see https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/runtime/framework/plugins/flux
 */
import type { PluginPlan } from './plan';
import { countedGpus } from './plugins';
import { statedResources, type ResolvedRole } from '../../../model/training-job/replicas/resolve';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Programs that start an MPI program on several nodes, which is Flux's part. */
const STARTERS: readonly string[] = ['mpirun', 'mpiexec', 'orterun', 'prterun', 'srun'];

/** Words that are the same words after a shell has read them. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Checks a job that Flux starts. */
export function fluxViolations({ job, nodes, input }: PluginPlan): Violation[] {
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
