/** Validates and resolves each spec once. */
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateTrainingJob } from '../../../model/training-job/validation';
import type { Violation } from '../../../model/violations';

/** Specs do not change under a job, so that one object is validated and resolved once, however often its job is planned. */
const known = new WeakMap<TrainingJobSpec, { name: string; resolved?: ResolvedTrainingJob; violations: Violation[] }>();

/** The resolved job, or why it cannot be resolved. */
export function resolveOnce(name: string, spec: TrainingJobSpec): { resolved?: ResolvedTrainingJob; violations: Violation[] } {
  let entry = known.get(spec);
  if (entry === undefined || entry.name !== name) {
    const violations = validateTrainingJob(name, spec);
    entry = { name, violations, resolved: violations.length === 0 ? resolveTrainingJob(name, spec) : undefined };
    known.set(spec, entry);
  }
  return entry;
}
