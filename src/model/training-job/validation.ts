/**
 * Every rule that a training job has to keep, whoever asks: the construct at synth, the operator before it acts, the CLI. The CRD's
 * schema repeats only what a schema can say. All broken rules are reported at once.
 */
import { replicaEnvironment, reservedVariables } from './environment';
import { needsPeerService } from './replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from './resolve';
import { CLEAN_POD_POLICIES, SUCCESS_POLICIES } from './run-policy';
import { FRAMEWORK_NAMES, MAX_REPLICAS, RESTART_POLICIES, type TrainingJobSpec } from './spec';
import { validateFeatures } from './validation-features';
import { validateResources } from './validation-resources';
import { validateRoles } from './validation-roles';
import { MASTER_ROLE, PodAddressBook } from '../frameworks/address-book';
import { coordinatorServiceName, podName, validateJobName } from '../names';
import { RESERVED_POD_LABELS } from '../labels';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

/**
 * Checks a job.
 * @param name name of the MLTrainingJob
 * @param spec its spec, possibly straight from YAML: types are checked as far as later rules rely on them
 * @returns what is wrong, empty when the job can run
 */
export function validateTrainingJob(name: string, spec: TrainingJobSpec): Violation[] {
  const shape = validateShape(spec);
  if (shape.length > 0) {
    // Rules on a job's meaning need a job that can be resolved.
    return shape;
  }
  const job = resolveTrainingJob(name, spec);
  const violations = new ViolationCollector();
  violations.addAll(validateJobName(name, longestName(job)));
  violations.addAll(validateRoles(job));
  job.roles.forEach((role, index) => violations.addAll(validateResources(
    role.resources, rolePath(job, index, role.resources === (spec.resources ?? role.resources)))));
  if (violations.violations.length === 0) {
    violations.addAll(job.framework.validate?.(job) ?? []);
  }
  if (violations.violations.length === 0) {
    violations.addAll(validateVariables(job));
  }
  violations.addAll(validateRunPolicy(job));
  violations.addAll(validateTemplates(spec));
  violations.addAll(validateFeatures(spec));
  return unique(violations.violations);
}

/** What has to hold before a spec can be resolved. */
function validateShape(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  if (!(FRAMEWORK_NAMES as readonly string[]).includes(spec.framework)) {
    violations.add('spec.framework', spec.framework,
      `must be one of ${FRAMEWORK_NAMES.join(', ')}.${didYouMean(String(spec.framework ?? ''), FRAMEWORK_NAMES)}`);
  }
  if (!spec.image) {
    violations.add('spec.image', spec.image, 'is required: the image of the training container.');
  }
  if ((spec.replicas === undefined) === (spec.roles === undefined)) {
    violations.add('spec.replicas', spec.replicas,
      spec.roles === undefined
        ? 'is required, unless the job names its roles: give \'replicas\' (short form) or \'roles\'.'
        : 'cannot stand beside \'roles\', which count their own replicas. Remove one of the two.');
  }
  const counts: [string, unknown][] = [
    ['spec.replicas', spec.replicas],
    ...(spec.roles ?? []).map((role, i): [string, unknown] => [`spec.roles[${i}].replicas`, role.replicas]),
  ];
  for (const [path, value] of counts) {
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_REPLICAS)) {
      violations.add(path, value, `must be a whole number from 1 to ${MAX_REPLICAS}.`);
    }
  }
  if (spec.port !== undefined && !(Number.isInteger(spec.port) && spec.port >= 1 && spec.port <= 65535)) {
    violations.add('spec.port', spec.port, 'must be a port from 1 to 65535.');
  }
  if (spec.nprocPerNode !== undefined && !/^([1-9][0-9]{0,3}|auto|cpu|gpu)$/.test(String(spec.nprocPerNode))) {
    violations.add('spec.nprocPerNode', spec.nprocPerNode, 'must be a number of processes from 1 to 9999, or auto, cpu or gpu.');
  }
  return violations.violations;
}

/** The longest name that becomes a DNS label, so that the limit is checked once for all of them. */
function longestName(job: ResolvedTrainingJob): { name: string; what: string } {
  const names = [{ name: coordinatorServiceName(job.name, MASTER_ROLE), what: 'service' }];
  if (needsPeerService(job)) {
    for (const role of job.roles) {
      names.push({ name: podName(job.name, role.name, role.replicas - 1, role.singleton), what: `host name of the last ${role.name}` });
    }
  }
  return names.reduce((longest, candidate) => (candidate.name.length > longest.name.length ? candidate : longest));
}

function validateVariables(job: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const addresses = new PodAddressBook(job.name);
  const hyperparameters = Object.keys(job.spec.hyperparameters ?? {});
  hyperparameters.filter((name) => !isVariableName(name)).forEach((name) => {
    violations.add(`spec.hyperparameters.${name}`, name,
      'becomes an environment variable, whose name is printable ASCII without \'=\'. Rename it.');
  });
  for (const [index, role] of job.roles.entries()) {
    const replica = job.replicas.find((candidate) => candidate.role === role.name)!;
    const reserved = reservedVariables({ job, replica, addresses });
    hyperparameters.filter((name) => reserved.has(name)).forEach((name) => {
      violations.add(`spec.hyperparameters.${name}`, job.spec.hyperparameters?.[name],
        `would overwrite ${name}, which ${job.framework.title} reads to find its peers. Rename the hyperparameter.`);
    });
    for (const entry of role.env) {
      const path = `${envPath(job, index, entry.name)}`;
      if (!isVariableName(entry.name)) {
        violations.add(path, entry.name, 'is no name of an environment variable: printable ASCII without \'=\'.');
      } else if (reserved.has(entry.name)) {
        violations.add(path, entry.value,
          `is set by the ${job.framework.title} contract on role ${role.name} and cannot be changed.${fieldFor(entry.name)}`);
      }
    }
    // Building one environment proves that the contract holds for the role; it is cheap beside what it would cost to find out later.
    replicaEnvironment({ job, replica, addresses }, 0);
  }
  return violations.violations;
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
  };
  return fields[name] ? ` Set ${fields[name]}.` : ' Remove it.';
}

function isVariableName(name: string): boolean {
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(name);
}

function validateRunPolicy(job: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const policy = job.runPolicy;
  const oneOf = (path: string, value: string, allowed: readonly string[]) => {
    if (!allowed.includes(value)) {
      violations.add(path, value, `must be one of ${allowed.join(', ')}.${didYouMean(value, allowed)}`);
    }
  };
  oneOf('spec.runPolicy.restartPolicy', policy.restartPolicy, RESTART_POLICIES);
  oneOf('spec.runPolicy.cleanPodPolicy', policy.cleanPodPolicy, CLEAN_POD_POLICIES);
  oneOf('spec.runPolicy.successPolicy', job.successPolicy, SUCCESS_POLICIES);
  if (!(Number.isInteger(policy.backoffLimit) && policy.backoffLimit >= 0)) {
    violations.add('spec.runPolicy.backoffLimit', policy.backoffLimit, 'must be a whole number of restarts, 0 or more.');
  }
  if (policy.backoff.maxSeconds < policy.backoff.initialSeconds) {
    violations.add('spec.runPolicy.backoff.maxSeconds', policy.backoff.maxSeconds,
      `must be at least initialSeconds (${policy.backoff.initialSeconds}).`);
  }
  const lists = Object.entries(policy.exitCodes ?? {}) as [string, readonly number[]][];
  const seen = new Map<number, string>();
  for (const [list, codes] of lists) {
    for (const code of codes) {
      const path = `spec.runPolicy.exitCodes.${list}`;
      if (!(Number.isInteger(code) && code >= 1 && code <= 255)) {
        violations.add(path, code, 'must hold exit codes from 1 to 255.');
      } else if (seen.has(code)) {
        violations.add(path, code, `already stands in exitCodes.${seen.get(code)}; a code has one meaning. Remove it from one list.`);
      }
      seen.set(code, list);
    }
  }
  return violations.violations;
}

function validateTemplates(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  const templates = [
    { path: 'spec.template', template: spec.template },
    ...(spec.roles ?? []).map((role, i) => ({ path: `spec.roles[${i}].template`, template: role.template })),
  ];
  for (const { path, template } of templates) {
    for (const label of Object.keys(template?.metadata?.labels ?? {})) {
      if (RESERVED_POD_LABELS.includes(label)) {
        violations.add(`${path}.metadata.labels['${label}']`, template?.metadata?.labels?.[label],
          'is set by the operator, which finds its pods by it. Remove it.');
      }
    }
    if (template?.spec?.restartPolicy !== undefined && template.spec.restartPolicy !== 'Never') {
      violations.add(`${path}.spec.restartPolicy`, template.spec.restartPolicy,
        'must be Never: the operator restarts replicas and counts them. Set spec.runPolicy.restartPolicy.');
    }
    for (const field of ['hostname', 'subdomain']) {
      if (template?.spec?.[field] !== undefined) {
        violations.add(`${path}.spec.${field}`, template.spec[field], 'is set by the operator: replicas find each other by it. Remove it.');
      }
    }
  }
  return violations.violations;
}

/** `spec.resources`, or the role's own. */
function rolePath(job: ResolvedTrainingJob, index: number, inherited: boolean): string {
  return inherited ? 'spec.resources' : `${writtenRolePath(job, index)}.resources`;
}

/** Path of a role where its author wrote it; resolved roles are in rank order. */
export function writtenRolePath(job: ResolvedTrainingJob, index: number): string {
  const written = (job.spec.roles ?? []).findIndex((role) => role.name === job.roles[index].name);
  return `spec.roles[${written}]`;
}

function envPath(job: ResolvedTrainingJob, index: number, name: string): string {
  const own = job.spec.roles?.find((role) => role.name === job.roles[index].name)?.env?.some((entry) => entry.name === name);
  return `${own ? `${writtenRolePath(job, index)}` : 'spec'}.env['${name}']`;
}

/** Rules that are checked for each role find what roles inherit once for each of them. */
function unique(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter((violation) => {
    const key = `${violation.path}\0${violation.message}`;
    return !seen.has(key) && seen.add(key);
  });
}
