/** Rules on restarts and exit codes. */
import type { ResolvedTrainingJob } from './resolve';
import { ViolationCollector, type Violation } from '../violations';

/** Checks the run policy of a resolved job; types and ranges of its fields are right already. */
export function validateRunPolicy({ runPolicy }: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
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
          `already stands in exitCodes.${earlier}; a code has one meaning. Remove it from one list.`);
      }
      seen.set(code, list);
    }
  }
  return violations.violations;
}
