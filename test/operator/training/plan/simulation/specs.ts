/** Specs that are changed and resolved once, however many histories need them: both cost more than a step of a history. */
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';

/** What users change of a spec here. */
export type SpecEdit = Partial<Pick<TrainingJobSpec, 'replicas' | 'suspend'>>;

const edits = new WeakMap<TrainingJobSpec, Map<string, TrainingJobSpec>>();
const resolvedSpecs = new WeakMap<TrainingJobSpec, { readonly name: string; readonly job: ResolvedTrainingJob }>();

/** The spec with the change; the same object each time, so that all who remember specs know it again. */
export function edited(spec: TrainingJobSpec, edit: SpecEdit): TrainingJobSpec {
  const change = { replicas: spec.replicas, suspend: spec.suspend, ...edit };
  if (change.replicas === spec.replicas && change.suspend === spec.suspend) {
    return spec;
  }
  const known = edits.get(spec) ?? new Map<string, TrainingJobSpec>();
  edits.set(spec, known);
  const key = `${change.replicas} ${change.suspend}`;
  const other = known.get(key) ?? { ...spec, ...edit };
  known.set(key, other);
  return other;
}

/** The spec, resolved. */
export function resolvedOnce(name: string, spec: TrainingJobSpec): ResolvedTrainingJob {
  let known = resolvedSpecs.get(spec);
  if (known?.name !== name) {
    known = { name, job: resolveTrainingJob(name, spec) };
    resolvedSpecs.set(spec, known);
  }
  return known.job;
}
