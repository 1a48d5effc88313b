/** Validates and resolves each spec once. */
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateTrainingJob } from '../../../model/training-job/validation';
import type { Violation } from '../../../model/violations';

interface Entry {
  readonly name: string;
  readonly resolved?: ResolvedTrainingJob;
  readonly violations: Violation[];
}

/** Specs do not change under a job, so that one object is validated and resolved once, however often its job is planned. */
const known = new WeakMap<TrainingJobSpec, Entry | WeakRef<Entry>>();

/** Specs so large that what is made of them lasts only while it is used. */
const large = new WeakSet<TrainingJobSpec>();

/** Says that a spec is large: what is made of it is as large, and is made anew when nobody holds it any more. */
export function keepShortly(spec: TrainingJobSpec): void {
  large.add(spec);
}

/** The resolved job, or why it cannot be resolved. */
export function resolveOnce(name: string, spec: TrainingJobSpec): Entry {
  const found = known.get(spec);
  const last = found instanceof WeakRef ? found.deref() : found;
  if (last?.name === name) {
    return last;
  }
  const violations = validateTrainingJob(name, spec);
  const entry = { name, violations, resolved: violations.length === 0 ? resolveTrainingJob(name, spec) : undefined };
  known.set(spec, large.has(spec) ? new WeakRef(entry) : entry);
  return entry;
}
