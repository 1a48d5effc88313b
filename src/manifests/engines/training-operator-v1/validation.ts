/** Rules of training-operator v1 that are not about a single field: names, and what its controllers add to pods. */
import { isMpiJob, v1Layout, type V1Layout } from './kinds';
import { injectedNames, v1Injection } from './injected';
import type { Cohort } from '../cohorts';
import { nameViolations } from '../generated-name';
import { addedNameViolations, variablePath, writtenTemplates, type AddedNames, type WrittenTemplate } from '../written-templates';
import { DNS_LABEL_MAX_LENGTH, TRAINING_CONTAINER } from '../../../model/names';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Init containers and volumes that the controllers add under these names. */
const ADDED: { readonly [kind: string]: AddedNames } = {
  PyTorchJob: { initContainers: ['init-pytorch'], volumes: [] },
  MPIJob: { initContainers: ['kubectl-delivery'], volumes: ['mpi-job-kubectl', 'mpi-job-config'] },
};

/** The rendezvous settings of the job are passed on, so a user may set them. */
const PASSED_ON = 'PET_RDZV_CONF';

/** Checks a job whose framework and fields the engine supports. */
export function validateForV1(name: string, spec: TrainingJobSpec): Violation[] {
  const job = resolveTrainingJob(name, spec);
  const layout = v1Layout(job);
  const violations = new ViolationCollector();
  violations.addAll(podNameViolations(layout));
  for (const template of writtenTemplates(spec)) {
    validateTemplate(layout, template, violations);
  }
  validateVariables(layout, violations);
  if (isMpiJob(spec.framework)) {
    validateMpi(job, violations);
  }
  return violations.violations;
}

/** A pod and its service have the same name, and the name of a service is a DNS label. */
function podNameViolations({ job, cohorts }: V1Layout): Violation[] {
  const last = ({ replicas, podOf }: Cohort) => podOf(Math.max(replicas.length, job.spec.elastic?.maxReplicas ?? 0) - 1);
  return nameViolations(job.name, cohorts.map(last), (longest) => (
    `is too long for training-operator v1, whose pods and services have names like '${longest}' of at most ${DNS_LABEL_MAX_LENGTH} characters`));
}

function validateTemplate({ kind, job }: V1Layout, template: WrittenTemplate, violations: ViolationCollector): void {
  template.containers.forEach((container, index) => {
    const where = `${template.path}.spec.containers[${index}]`;
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
  violations.addAll(addedNameViolations(template, ADDED[kind.kind], `training-operator v1 adds to ${kind.kind}s`));
}

/** The controller's variables come last and silently win. Most of them belong to the model's contract, whose rules already reject them. */
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
  const inTemplates = writtenTemplates(spec).filter(({ role: of }) => of === undefined || of === role.name).flatMap(({ path, containers }) => (
    containers.filter(({ name }) => name === TRAINING_CONTAINER).flatMap(({ env = [] }) => env.map(({ name, value }) => (
      { path: `${path}.spec.containers['${TRAINING_CONTAINER}'].env['${name}']`, name, value })))));
  return [
    ...Object.entries(spec.hyperparameters ?? {}).map(([name, value]) => ({ path: `spec.hyperparameters['${name}']`, name, value })),
    ...role.env.map(({ name, value }) => ({ path: variablePath(spec, role.name, name), name, value })),
    ...inTemplates,
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
