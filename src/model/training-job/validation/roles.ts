/** Rules on the roles of a job and on how they agree with its framework. */
import type { ResolvedRole, ResolvedTrainingJob } from '../replicas/resolve';
import type { ResourcesSpec } from '../spec';
import { isDns1035Label } from '../../names';
import { tryParseQuantity } from '../../quantities';
import { fieldPath } from '../../shapes';
import { ViolationCollector, didYouMean, type Violation } from '../../violations';

export function validateRoles(job: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  if (!job.shortForm) {
    validateNames(job, violations);
    validateCounts(job, violations);
  }
  // A missing worker that the framework requires was named already.
  if (violations.violations.length === 0 && !job.roles.some((role) => role.ranked)) {
    violations.add('spec.roles', job.roles.map((role) => role.name), 'has no training role. Add a worker role.');
  }
  validateRestartPolicies(job, violations);
  return violations.violations;
}

function validateNames(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  const known = job.framework.roles.map((role) => role.name);
  const written = (job.spec.roles ?? []).map((role) => role.name);
  written.forEach((name, index) => {
    const path = `spec.roles[${index}].name`;
    if (known.length > 0 && !known.includes(name)) {
      violations.add(path, name, `is not a role of ${job.framework.title}: ${known.join(', ')}.${didYouMean(name, known)}`);
    } else if (!isDns1035Label(name)) {
      violations.add(path, name, 'is part of pod names: lower-case letters, digits and \'-\', starting with a letter.');
    }
    if (written.indexOf(name) < index) {
      violations.add(path, name, `is listed twice; spec.roles[${written.indexOf(name)}] has the same name. Merge the two.`);
    }
  });
  for (const contract of job.framework.roles) {
    if (contract.required && !written.includes(contract.name)) {
      violations.add('spec.roles', written, `is missing the role ${contract.name}, which ${job.framework.title} requires. Add it.`);
    }
  }
}

function validateCounts(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  (job.spec.roles ?? []).forEach((role, index) => {
    const contract = job.framework.roles.find((candidate) => candidate.name === role.name);
    if (contract?.singleton && (role.replicas ?? 1) !== 1) {
      violations.add(`spec.roles[${index}].replicas`, role.replicas, `must be 1: ${job.framework.title} has exactly one ${role.name}.`);
    }
  });
}

function validateRestartPolicies(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  job.roles.forEach((role, index) => {
    if (role.restartPolicy === 'Always' && decidesSuccess(job, role, index)) {
      const own = (job.spec.roles ?? []).findIndex((written) => written.name === role.name && written.restartPolicy !== undefined);
      const path = own >= 0 ? `spec.roles[${own}].restartPolicy` : 'spec.runPolicy.restartPolicy';
      violations.add(path, role.restartPolicy,
        `would start ${role.name} again after it succeeded, and the job, which waits for it (${job.successPolicy}), could never end. Use OnFailure.`);
    }
  });
}

function decidesSuccess(job: ResolvedTrainingJob, role: ResolvedRole, index: number): boolean {
  switch (job.successPolicy) {
    case 'Coordinator': return index === 0;
    case 'AllWorkers':
    case 'AnyWorker': return role.ranked;
    default: return true;
  }
}

/** The role that stands for all that train, in the variable with their addresses. */
const PRIMARY = 'primary';

/** Rules on `spec.helpers`: names, programs, and what they cannot be combined with. */
export function validateHelpers({ spec, framework, roles }: ResolvedTrainingJob): Violation[] {
  const { helpers = [] } = spec;
  const violations = new ViolationCollector();
  const training = roles.filter(({ helper }) => helper === undefined).map(({ name }) => name);
  helpers.forEach(({ name, image, command, resources }, index) => {
    const path = `spec.helpers[${index}]`;
    const earlier = helpers.findIndex((other) => other.name === name);
    if (!isDns1035Label(name)) {
      violations.add(`${path}.name`, name, 'is part of pod names: lower-case letters, digits and \'-\', starting with a letter.');
    } else if (name === PRIMARY) {
      violations.add(`${path}.name`, name, 'is reserved for all training replicas (TRAINYARD_PRIMARY_HOSTS). Rename the helper.');
    } else if (framework.roles.some((role) => role.name === name)) {
      violations.add(`${path}.name`, name, `is a training role of ${framework.title}. Put it into spec.roles, or rename it.`);
    } else if (training.includes(name)) {
      violations.add(`${path}.name`, name, 'is also the name of a training role. Rename one of the two.');
    } else if (earlier < index) {
      violations.add(`${path}.name`, name, `is listed twice; spec.helpers[${earlier}] has the same name. Merge the two.`);
    }
    if (image === undefined && command === undefined) {
      violations.add(`${path}.command`, undefined, `is required with the job's image (${spec.image}): the job's command is for the training roles. `
        + 'Set the command, or an image that has one.');
    }
    validateResources(resources, `${path}.resources`, violations);
  });
  if (helpers.length > 0 && spec.elastic !== undefined) {
    violations.add('spec.helpers', helpers.map(({ name }) => name), 'cannot be combined with elastic: helpers get the addresses of all replicas, which then change. '
      + 'Remove one of the two.');
  }
  return violations.violations;
}

/** Standard resources with fields of their own; `extended` is for all others. */
const STANDARD: { readonly [name: string]: string } = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'ephemeralStorage',
  'google.com/tpu': 'tpu',
};

/**
 * Rules on the compute of a replica, beyond the types and ranges of its fields.
 * @param path where they are
 */
export function validateResources(resources: ResourcesSpec = {}, path: string, violations: ViolationCollector): void {
  if ((resources.gpu ?? 0) > 0 && (resources.tpu ?? 0) > 0) {
    violations.add(`${path}.tpu`, resources.tpu, 'cannot be combined with gpu: no node has both. Remove one of the two.');
  }
  if (resources.gpuResourceName !== undefined && !isExtendedName(resources.gpuResourceName)) {
    violations.add(`${path}.gpuResourceName`, resources.gpuResourceName, 'must be an extended resource, such as nvidia.com/gpu or amd.com/gpu.');
  }
  const { memory, sharedMemory } = resources;
  if (memory !== undefined && sharedMemory !== undefined && isLarger(sharedMemory, memory)) {
    violations.add(`${path}.sharedMemory`, sharedMemory, `counts against memory (${memory}) and cannot be more. Raise memory or lower it.`);
  }
  if (memory !== undefined && /^[0-9.]+m$/.test(memory)) {
    violations.add(`${path}.memory`, memory, 'is in thousandths of a byte. Did you mean \'M\' or \'Mi\'?');
  }
  validateExtended(resources, path, violations);
}

/** Whether one quantity is more than another; false where one of them is none, which is said elsewhere. */
function isLarger(one: string, other: string): boolean {
  return (tryParseQuantity(one) ?? NaN) > (tryParseQuantity(other) ?? NaN);
}

function validateExtended(resources: ResourcesSpec, path: string, violations: ViolationCollector): void {
  for (const [name, value] of Object.entries(resources.extended ?? {})) {
    const where = fieldPath(`${path}.extended`, name);
    if (Object.hasOwn(STANDARD, name)) {
      violations.add(where, value, `has a field of its own. Set ${path}.${STANDARD[name]}.`);
    } else if (!isExtendedName(name)) {
      violations.add(where, value, 'is not an extended resource: DOMAIN/NAME, such as rdma/hca.');
    } else if ((resources.gpu ?? 0) > 0 && name === (resources.gpuResourceName ?? 'nvidia.com/gpu')) {
      violations.add(where, value, `is already asked for by ${path}.gpu. Remove one of the two.`);
    } else if (!/^[0-9]+$/.test(value)) {
      violations.add(where, value, 'must be a whole number: extended resources are not shared.');
    }
  }
}

/** `DOMAIN/NAME` outside Kubernetes' own domain. */
function isExtendedName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) && !/^([^/]*\.)?kubernetes\.io\//.test(name);
}
