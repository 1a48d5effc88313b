/** Rules on restarts and exit codes. */
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { whyNotInPlace } from '../restart-in-place';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the run policy of a resolved job; types and ranges of its fields are right already. */
export function validateRunPolicy(job: ResolvedTrainingJob): Violation[] {
  const { runPolicy } = job;
  const violations = new ViolationCollector();
  validateRestartInPlace(job, violations);
  const { backoff } = runPolicy;
  if (backoff.maxSeconds < backoff.initialSeconds) {
    violations.add('spec.runPolicy.backoff.maxSeconds', backoff.maxSeconds,
      `must be at least initialSeconds (${backoff.initialSeconds}). Raise one or lower the other.`);
  }
  const seen = new Map<number, string>();
  for (const [list, codes] of Object.entries(runPolicy.exitCodes ?? {}) as [string, readonly number[] | undefined][]) {
    for (const code of codes ?? []) {
      const earlier = seen.get(code);
      if (earlier !== undefined) {
        violations.add(`spec.runPolicy.exitCodes.${list}`, code,
          `is already in exitCodes.${earlier}; a code has one meaning. Remove it from one list.`);
      }
      seen.set(code, list);
    }
  }
  return violations.violations;
}

/** One role that can is enough: a chief that is never restarted may stand beside workers that are. */
function validateRestartInPlace(job: ResolvedTrainingJob, violations: ViolationCollector): void {
  if (!job.runPolicy.restartInPlace) {
    return;
  }
  const reasons = job.roles.map((role) => whyNotInPlace(job, role));
  if (reasons.every((reason) => reason !== undefined)) {
    violations.add('spec.runPolicy.restartInPlace', true, `is not possible: ${reasons[0]}. Remove it, or what it contradicts.`);
  }
}
