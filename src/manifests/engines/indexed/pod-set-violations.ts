/** Why a job's pods cannot come from an engine's templates, as error messages. */
import type { PodSetProblem } from './pod-set';
import type { Replica } from '../../../model/frameworks/contract';
import { TRAINING_CONTAINER } from '../../../model/names';
import { fieldPath } from '../../../model/shapes';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** The engine of the templates. */
export interface TemplateOwner {
  readonly title: string;
  /** Engines to suggest at the end of a message, such as `JobSet or the Trainyard operator`. */
  readonly instead: string;
}

/** How many names a message lists; it counts the others. */
const NAMES_MAX = 4;

/** Violations for the problems of a template. @param replicas those of the template, in the order of their indexes */
export function podSetViolations(
  job: ResolvedTrainingJob, replicas: readonly Replica[], problems: readonly PodSetProblem[], owner: TemplateOwner,
): Violation[] {
  return problems.map((problem) => violation(job, replicas, problem, owner));
}

function violation(
  { spec, shortForm, framework }: ResolvedTrainingJob, replicas: readonly Replica[], problem: PodSetProblem, owner: TemplateOwner,
): Violation {
  const { title, instead } = owner;
  switch (problem.kind) {
    case 'difference': {
      const [one, other] = [replicas[0], replicas[problem.index]].map(({ role }) => role);
      return {
        path: shortForm ? 'spec.framework' : 'spec.roles',
        value: shortForm ? spec.framework : spec.roles?.map(({ name }) => name),
        message: `${title} creates all replicas of a template alike, but role ${one} and role ${other} differ in ${problem.what}. `
          + `Make them the same, or choose ${instead}.`,
      };
    }
    case 'no-command': {
      const names = namesOf(problem.variables);
      return {
        path: 'spec.command',
        value: undefined,
        message: `is required on ${title}: ${names} differ between replicas of one template in a way that $(NAME) cannot express, so a shell has to set them before the `
          + `program starts, and the image's entry point is not known. Set the command, or choose ${instead}.`,
      };
    }
    case 'referenced': {
      const { variable, container, field } = problem;
      const path = container === TRAINING_CONTAINER && /^(command|args|env)/.test(field) ? `spec.${field}` : 'spec.template';
      return {
        path,
        value: `$(${variable})`,
        message: `cannot be replaced on ${title}: ${variable} is set by a shell inside the container ${container}, after Kubernetes has read ${field}. `
          + `Let the program read the variable, or choose ${instead}.`,
      };
    }
    case 'taken':
      return {
        path: variablePath(spec, problem.variable),
        value: problem.variable,
        message: `is the name that ${title} uses for the index of a pod, from which other variables are derived. Rename it, or choose ${instead}.`,
      };
    case 'no-shell-name':
      return {
        path: variablePath(spec, problem.variable),
        value: problem.variable,
        message: `would be lost on ${title}: ${namesOf(problem.variables)} are set by a shell, and a shell does not keep a variable with this name. `
          + `Use letters, digits and '_' only, or choose ${instead}.`,
      };
    case 'too-long':
      return {
        path: shortForm ? 'spec.replicas' : 'spec.roles',
        value: replicas.length,
        message: `are too many for ${framework.title} on ${title}: ${namesOf(problem.variables)} would take ${Math.ceil(problem.bytes / 1024)} KiB `
          + `of shell, and Linux starts no program with an argument of 128 KiB or more. Use fewer replicas or a shorter name, or choose ${instead}.`,
      };
  }
}

function variablePath({ hyperparameters = {} }: TrainingJobSpec, name: string): string {
  return Object.hasOwn(hyperparameters, name) ? fieldPath('spec.hyperparameters', name) : `spec.env['${name}']`;
}

function namesOf(names: readonly string[]): string {
  const others = names.length - NAMES_MAX;
  const [last, ...rest] = [...names.slice(0, NAMES_MAX), ...(others > 0 ? [`${others} more`] : [])].reverse();
  return rest.length === 0 ? last : `${rest.reverse().join(', ')} and ${last}`;
}
