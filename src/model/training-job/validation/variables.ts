/**
 * Rules on the environment: names, variables that belong to the framework's contract, and the size of what the contract makes of
 * a large job.
 */
import { HYPERPARAMETERS_VARIABLE, contractEnvironment, hyperparameterEnvironment, isReserved, mayBeReserved } from '../environment/environment';
import { replicasOfRole } from '../replicas/replicas';
import type { ResolvedRole, ResolvedTrainingJob } from '../replicas/resolve';
import type { EnvVarSpec, PodTemplateSpec, TrainingJobSpec } from '../spec';
import { PodAddressBook } from '../../frameworks/address-book';
import { fieldPath } from '../../shapes';
import type { ViolationCollector } from '../../violations';
import { entryOf } from '../../lists';

/**
 * Longest variable, `NAME=value`, that Linux starts a program with: 32 pages with the byte that ends it. Longer ones end in
 * "argument list too long" in every container, after all of them were scheduled.
 * @see https://man7.org/linux/man-pages/man2/execve.2.html
 */
export const VARIABLE_MAX_BYTES = 32 * 4096 - 1;

/** Checks the variables of a job whose roles are right. */
export function validateVariables(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  validateHyperparameterNames(job, violations);
  validateWrittenNames(job, violations);
  const hyperparameters = job.spec.hyperparameters ?? {};
  if (!isSmall(job) || mayClash(job)) {
    validateAgainstContract(job, violations);
  }
  for (const role of job.roles) {
    validateSizes(job, role.env, false, violations);
  }
  if (hyperparametersMayBeTooLong(hyperparameters)) {
    validateSizes(job, hyperparameterEnvironment(job), false, violations);
  }
}

/** Whether a variable that was written could be one of the contract's: of most jobs none is, and the contract need not be written down. */
function mayClash({ spec, roles }: ResolvedTrainingJob): boolean {
  return Object.keys(spec.hyperparameters ?? {}).some(mayBeReserved)
    || roles.some(({ env, templates }) => templates.length > 0 || env.some(({ name }) => mayBeReserved(name)));
}

/** So many replicas, with a name and an address of a kilobyte each at most, make no variable that is too long. */
const SMALL_JOB = 64;

/** Whether the job is so small that no variable of the contract can be too long, be it one that names every replica or one with a user's text. */
function isSmall({ name, spec, roles, replicas }: ResolvedTrainingJob): boolean {
  const isShortText = (text = '') => text.length <= VARIABLE_MAX_BYTES / 16;
  return replicas.length <= SMALL_JOB && name.length <= 64 && roles.every((role) => role.name.length <= 64)
    && isShortText(spec.checkpointPath) && isShortText(spec.checkpoint?.resumeFrom);
}

/** What was written against what the framework's contract says. */
function validateAgainstContract(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  const addresses = new PodAddressBook(job.name);
  const hyperparameters = job.spec.hyperparameters ?? {};
  for (const role of job.roles) {
    const replicas = replicasOfRole(job, role.name);
    const contract = contractEnvironment({ job, replica: replicas[0], addresses }, 0);
    const contractNames = new Set(contract.map(({ name }) => name));
    for (const [name, value] of Object.entries(hyperparameters)) {
      if (isReserved(name, job, contractNames)) {
        violations.add(fieldPath('spec.hyperparameters', name), value,
          `would overwrite ${name}, which is set by the ${job.framework.title} contract. Rename the hyperparameter.`);
      }
    }
    for (const { path, entry } of variablesOf(job, role)) {
      if (isReserved(entry.name, job, contractNames)) {
        violations.add(path, entry.value,
          `is set by the ${job.framework.title} contract and cannot be changed.${fieldFor(entry.name)}`);
      }
    }
    // The last replica has the largest numbers in it, which make no variable twice as long as it is in the first.
    const last = replicas.length === 1 || contract.every(isShort)
      ? contract : contractEnvironment({ job, replica: replicas[replicas.length - 1], addresses }, 0);
    validateSizes(job, last, true, violations);
  }
}

function validateHyperparameterNames(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  for (const name of Object.keys(job.spec.hyperparameters ?? {})) {
    if (!isVariableName(name)) {
      violations.add(fieldPath('spec.hyperparameters', name), name, 'becomes an environment variable, whose name is printable ASCII without \'=\'. Rename it.');
    }
  }
}

/** What `env` says by itself, as it was written: for the job and for each role. */
function validateWrittenNames({ spec }: ResolvedTrainingJob, violations: ViolationCollector): void {
  validateList(spec.env ?? [], 'spec.env', spec, violations);
  (spec.roles ?? []).forEach(({ env = [] }, index) => validateList(env, `spec.roles[${index}].env`, spec, violations));
  (spec.helpers ?? []).forEach(({ env = [] }, index) => validateList(env, `spec.helpers[${index}].env`, spec, violations));
}

/** Names of a list of variables, each by itself. */
export function validateList(
  env: readonly EnvVarSpec[], path: string, { hyperparameters = {} }: TrainingJobSpec, violations: ViolationCollector,
): void {
  const seen = new Set<string>();
  for (const { name, value, valueFrom } of env) {
    const where = `${path}['${name}']`;
    if (!isVariableName(name)) {
      violations.add(where, name, 'is not a valid environment variable name: printable ASCII without \'=\'.');
    }
    if (seen.has(name)) {
      violations.add(where, value, 'is listed twice. Remove one of the two.');
    }
    if (value !== undefined && valueFrom !== undefined) {
      violations.add(where, value, 'has a value and a valueFrom. Remove one of the two.');
    }
    if (Object.hasOwn(hyperparameters, name)) {
      violations.add(where, value, `is also a hyperparameter, and scripts would get two values for ${name}. Remove one of the two.`);
    }
    seen.add(name);
  }
}

/** The user's variables of a role with the place where they were written. */
export function variablesOf(job: ResolvedTrainingJob, role: ResolvedRole): { readonly path: string; readonly entry: EnvVarSpec }[] {
  if (role.env.length === 0 && role.templates.length === 0) {
    return [];
  }
  const list = role.helper === undefined ? 'roles' : 'helpers';
  const index = (job.spec[list] ?? []).findIndex((written) => written.name === role.name);
  const written = job.spec[list]?.[index];
  const ownNames = new Set(written?.env?.map((entry) => entry.name));
  const rolePath = `spec.${list}[${index}]`;
  return [
    ...role.env.map((entry) => ({ path: `${ownNames.has(entry.name) ? rolePath : 'spec'}.env['${entry.name}']`, entry })),
    ...templateVariables(job.spec.template, 'spec.template'),
    ...templateVariables(written?.template, `${rolePath}.template`),
  ];
}

/** Variables that a template gives to the container `training`, which it is merged into. */
function templateVariables(template: PodTemplateSpec | undefined, path: string): { readonly path: string; readonly entry: EnvVarSpec }[] {
  const containers = (template?.spec?.containers ?? []) as readonly { readonly name: string; readonly env?: readonly EnvVarSpec[] }[];
  return containers.filter((container) => container.name === 'training')
    .flatMap((container) => container.env ?? [])
    .map((entry) => ({ path: `${path}.spec.containers['training'].env['${entry.name}']`, entry }));
}

/**
 * Whether a variable of hyperparameters could have more than {@link VARIABLE_MAX_BYTES}, determined without writing any of them: in the longest,
 * which has all of them as JSON, a character takes six bytes at most (`\u001f`), in addition to the quotes, the colon and the comma of each.
 */
function hyperparametersMayBeTooLong(hyperparameters: { readonly [name: string]: string }): boolean {
  let bytes = HYPERPARAMETERS_VARIABLE.length + '={}'.length;
  for (const name of Object.keys(hyperparameters)) {
    bytes += 6 * (name.length + hyperparameters[name].length) + '"":"",'.length;
  }
  return bytes > VARIABLE_MAX_BYTES;
}

/** Whether a variable is at most half as long as it may be, determined without counting: a character has three bytes at most. */
function isShort({ name, value = '' }: EnvVarSpec): boolean {
  return 2 * 3 * (name.length + 1 + value.length) <= VARIABLE_MAX_BYTES;
}

function validateSizes(job: ResolvedTrainingJob, env: readonly EnvVarSpec[], ours: boolean, violations: ViolationCollector): void {
  for (const { name, value = '' } of env) {
    if (isShort({ name, value })) {
      continue;
    }
    const bytes = new TextEncoder().encode(`${name}=${value}`).length;
    if (bytes <= VARIABLE_MAX_BYTES) {
      continue;
    }
    const size = `${Math.ceil(bytes / 1024)} KiB, and Linux starts no program with a variable of ${(VARIABLE_MAX_BYTES + 1) / 1024} KiB or more`;
    if (ours && !Object.hasOwn(FIELDS_OF_VARIABLES, name)) {
      violations.add(job.shortForm ? 'spec.replicas' : 'spec.roles', job.replicas.length,
        `is too many for ${job.framework.title}: ${name} names every replica and would have ${size}. Use fewer replicas or a shorter name.`);
    } else {
      violations.add(pathOf(name, job), value, `makes ${name} ${size}. Put large values in a file or a ConfigMap.`);
    }
  }
}

/** Variables of ours with a value that the user wrote into another field. */
const FIELDS_OF_VARIABLES: { readonly [name: string]: string } = {
  [HYPERPARAMETERS_VARIABLE]: 'spec.hyperparameters',
  CHECKPOINT_PATH: 'spec.checkpointPath',
  RESUME_FROM: 'spec.checkpoint.resumeFrom',
};

function pathOf(name: string, job: ResolvedTrainingJob): string {
  const isHyperparameter = Object.hasOwn(job.spec.hyperparameters ?? {}, name);
  return entryOf(FIELDS_OF_VARIABLES, name) ?? (isHyperparameter ? fieldPath('spec.hyperparameters', name) : `spec.env['${name}']`);
}

/** Where a user can say what a reserved variable says. */
function fieldFor(name: string): string {
  const fields: { readonly [name: string]: string } = {
    MASTER_PORT: 'spec.port',
    PET_MASTER_PORT: 'spec.port',
    PET_NPROC_PER_NODE: 'spec.nprocPerNode',
    PET_NNODES: 'spec.replicas',
    WORLD_SIZE: 'spec.replicas',
    CHECKPOINT_PATH: 'spec.checkpointPath',
    RESUME_FROM: 'spec.checkpoint.resumeFrom',
    CHECKPOINT_KEEP_LAST: 'spec.checkpoint.keepLast',
  };
  return fields[name] ? ` Set ${fields[name]}.` : ' Remove it.';
}

function isVariableName(name: string): boolean {
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(name);
}
