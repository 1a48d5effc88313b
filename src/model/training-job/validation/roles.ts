/** Rules on the roles of a job and on how they agree with its framework. */
import type { ResolvedRole, ResolvedTrainingJob } from '../replicas/resolve';
import { isDns1035Label } from '../../names';
import { ViolationCollector, didYouMean, type Violation } from '../../violations';

/** Checks the roles of a resolved job. */
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
