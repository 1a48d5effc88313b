/** Rules of training-operator v1 that are no matter of one field: names, and what its controllers add to pods. */
import { isMpiJob, v1Layout, type V1Layout } from './kinds';
import { injectedNames, v1Injection } from './injected';
import type { Cohort } from '../cohorts';
import { DNS_LABEL_MAX_LENGTH, TRAINING_CONTAINER } from '../../../model/names';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { EnvVarSpec, PodTemplateSpec, TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Init containers and volumes that the controllers add under these names. */
const ADDED: { readonly [kind: string]: { readonly initContainers: readonly string[]; readonly volumes: readonly string[] } } = {
  PyTorchJob: { initContainers: ['init-pytorch'], volumes: [] },
  MPIJob: { initContainers: ['kubectl-delivery'], volumes: ['mpi-job-kubectl', 'mpi-job-config'] },
};

/** The rendezvous takes its settings from the job, whoever wrote them. */
const PASSED_ON = 'PET_RDZV_CONF';

/** Checks a job whose framework and fields the engine has. */
export function validateForV1(name: string, spec: TrainingJobSpec): Violation[] {
  const job = resolveTrainingJob(name, spec);
  const layout = v1Layout(job);
  const violations = new ViolationCollector();
  validateName(layout, violations);
  for (const { path, template } of templatesOf(spec)) {
    validateTemplate(layout, template, path, violations);
  }
  validateVariables(layout, violations);
  if (isMpiJob(spec.framework)) {
    validateMpi(job, violations);
  }
  return violations.violations;
}

/** A pod and its service have the same name, and the name of a service is a DNS label. */
function validateName({ job, cohorts }: V1Layout, violations: ViolationCollector): void {
  const last = ({ replicas, podOf }: Cohort) => podOf(Math.max(replicas.length, job.spec.elastic?.maxReplicas ?? 0) - 1);
  const longest = cohorts.map(last).reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  if (excess > 0) {
    violations.add('metadata.name', job.name, `is too long for training-operator v1, whose pods and services have names like '${longest}' of at most `
      + `${DNS_LABEL_MAX_LENGTH} characters. Use at most ${job.name.length - excess} characters.`);
  }
}

interface TemplateContainer {
  readonly name: string;
  readonly env?: readonly EnvVarSpec[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
}

function validateTemplate({ kind, job }: V1Layout, template: PodTemplateSpec, path: string, violations: ViolationCollector): void {
  const { containers = [], initContainers = [], volumes = [] } = (template.spec ?? {}) as {
    readonly containers?: readonly TemplateContainer[];
    readonly initContainers?: readonly TemplateContainer[];
    readonly volumes?: readonly { readonly name: string }[];
  };
  const added = ADDED[kind.kind];
  containers.forEach((container, index) => {
    const where = `${path}.spec.containers[${index}]`;
    if (container.name === kind.container) {
      violations.add(`${where}.name`, container.name, `is training-operator v1's name for the container ${TRAINING_CONTAINER} of ${kind.kind}s. Rename it.`);
    } else if (container.name === TRAINING_CONTAINER) {
      (container.ports ?? []).forEach(({ name, containerPort }, port) => {
        if (name !== undefined && name === kind.portName) {
          violations.add(`${where}.ports[${port}].name`, name, 'is the port that training-operator v1 creates from spec.port. Set that, or rename the port.');
        } else if (containerPort === (kind.port ?? job.port) && kind.portName !== undefined) {
          violations.add(`${where}.ports[${port}].containerPort`, containerPort,
            `is the rendezvous port, which training-operator v1 finds by the name ${kind.portName}. Remove it.`);
        }
      });
    }
  });
  initContainers.filter(({ name }) => added?.initContainers.includes(name)).forEach(({ name }) => {
    violations.add(`${path}.spec.initContainers['${name}']`, name, `is an init container that training-operator v1 adds to ${kind.kind}s. Rename yours.`);
  });
  volumes.filter(({ name }) => added?.volumes.includes(name)).forEach(({ name }) => {
    violations.add(`${path}.spec.volumes['${name}']`, name, `is a volume that training-operator v1 adds to ${kind.kind}s. Rename yours.`);
  });
}

/** The controller's variables stand behind all others and win, silently; most belong to the model's contract and were refused before. */
function validateVariables(layout: V1Layout, violations: ViolationCollector): void {
  const { job, cohorts } = layout;
  const injection = v1Injection(layout, 'default');
  const reported = new Set<string>();
  for (const cohort of cohorts) {
    const values = new Map(injection(cohort, 0).map((entry) => [entry.name, entry.value]));
    const names = injectedNames(injection, cohort);
    for (const { path, name, value } of writtenVariables(job, cohort)) {
      const harmless = (value !== undefined && value === values.get(name)) || name === PASSED_ON;
      if (names.has(name) && !harmless && !reported.has(path)) {
        reported.add(path);
        violations.add(path, value, `would have no effect: training-operator v1 sets ${name} itself, after all others. Remove it.`);
      }
    }
  }
}

function writtenVariables(job: ResolvedTrainingJob, { role }: Cohort): { readonly path: string; readonly name: string; readonly value?: string }[] {
  const { spec } = job;
  const index = (spec.roles ?? []).findIndex((written) => written.name === role.name);
  const own = new Set(spec.roles?.[index]?.env?.map(({ name }) => name));
  const inTemplates = templatesOf(spec).filter(({ role: of }) => of === undefined || of === role.name).flatMap(({ path, template }) => (
    ((template.spec?.containers ?? []) as readonly TemplateContainer[]).filter(({ name }) => name === TRAINING_CONTAINER)
      .flatMap(({ env = [] }) => env.map(({ name, value }) => (
        { path: `${path}.spec.containers['${TRAINING_CONTAINER}'].env['${name}']`, name, value })))));
  return [
    ...Object.entries(spec.hyperparameters ?? {}).map(([name, value]) => ({ path: `spec.hyperparameters['${name}']`, name, value })),
    ...role.env.map(({ name, value }) => ({ path: `${own.has(name) ? `spec.roles[${index}]` : 'spec'}.env['${name}']`, name, value })),
    ...inTemplates,
  ];
}

interface WrittenTemplate {
  readonly path: string;
  readonly template: PodTemplateSpec;
  readonly role?: string;
}

/** Every template of a job, with the role that it is for. */
function templatesOf({ template, roles = [] }: TrainingJobSpec): WrittenTemplate[] {
  return [
    ...(template ? [{ path: 'spec.template', template }] : []),
    ...roles.flatMap((role, index) => (role.template ? [{ path: `spec.roles[${index}].template`, template: role.template, role: role.name }] : [])),
  ];
}

function validateMpi(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  const [launcher] = job.roles;
  if ((launcher.resources.gpu ?? 0) > 0) {
    const index = (job.spec.roles ?? []).findIndex(({ name }) => name === launcher.name);
    violations.add(`spec.roles[${index}].resources.gpu`, launcher.resources.gpu,
      'would make the launcher train: training-operator v1 lists a launcher with GPUs among the workers. Remove it.');
  }
  const words = [...launcher.command ?? [], ...launcher.args ?? []];
  if (words[0]?.split('/').pop() === 'deepspeed' && !words.some((word) => word.startsWith('--launcher'))) {
    violations.add('spec.command', launcher.command,
      'starts DeepSpeed with pdsh, which needs ssh, but training-operator v1 reaches workers with kubectl exec. Add --launcher openmpi.');
  }
}
