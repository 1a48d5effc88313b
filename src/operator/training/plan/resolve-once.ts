/** Validates and resolves each spec once. */
import { RecentlyUsed } from './recently-used';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateSpecSize, type SpecSize } from '../../../model/training-job/fields/spec-size';
import { validateTrainingJob } from '../../../model/training-job/validation/validation';
import type { Violation } from '../../../model/violations';

interface Entry {
  readonly name: string;
  readonly resolved?: ResolvedTrainingJob;
  readonly violations: Violation[];
}

/** Specs do not change under a job, so that one object is validated and resolved once, however often its job is planned. */
const known = new WeakMap<TrainingJobSpec, Entry>();

/** Sizes of large specs. What is made of one is as large, and is made again when others were looked at in between. */
const large = new WeakMap<TrainingJobSpec, SpecSize>();

/** Large specs that are read and resolved at the same time, characters of all of them together; a spec that has more is alone. */
export const LARGE_AT_ONCE = 2 * 1024 * 1024;

const recent = new RecentlyUsed<TrainingJobSpec, Entry>(LARGE_AT_ONCE);

/** Says that a spec is large, and how large. */
export function noteLarge(spec: TrainingJobSpec, size: SpecSize): void {
  large.set(spec, size);
}

/** Characters of a large spec; 0 of one of ordinary size. */
export function largeSize(spec: TrainingJobSpec): number {
  return large.get(spec)?.characters ?? 0;
}

/** Why a large spec is refused, without being read; empty of one that is not. */
export function refusalOfLarge(spec: TrainingJobSpec): Violation[] {
  const size = large.get(spec);
  return size === undefined ? [] : validateSpecSize(size);
}

/** What {@link resolveOnce} has made of a large spec, if that is still known. */
export function resolvedLately(spec: TrainingJobSpec): Entry | undefined {
  return recent.get(spec);
}

/** How many objects with what a spec says may be made at the same time: each is as large as the spec. */
export function atOnce(spec: TrainingJobSpec): number {
  const size = largeSize(spec);
  return size === 0 ? Infinity : Math.max(1, Math.floor(LARGE_AT_ONCE / size));
}

/** The resolved job, or why it cannot be resolved. */
export function resolveOnce(name: string, spec: TrainingJobSpec): Entry {
  const size = largeSize(spec);
  const last = size > 0 ? recent.get(spec) : known.get(spec);
  if (last?.name === name) {
    return last;
  }
  // One that is too large is not read at all.
  const tooLarge = refusalOfLarge(spec);
  const violations = tooLarge.length > 0 ? tooLarge : validateTrainingJob(name, spec);
  const entry = { name, violations, resolved: violations.length === 0 ? resolveTrainingJob(name, spec) : undefined };
  if (size > 0) {
    recent.set(spec, entry, size);
  } else {
    known.set(spec, entry);
  }
  return entry;
}
