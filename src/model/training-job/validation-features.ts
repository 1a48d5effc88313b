/**
 * Rules on the larger features, and the list of those that the operator does not act on yet. A field that would be accepted and ignored
 * is refused instead: nothing that a user asks for is lost in silence.
 */
import type { TrainingJobSpec } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** Fields of the schema that this version of the operator refuses, with what it would have to do. */
const NOT_YET: readonly { readonly path: string; readonly asked: (spec: TrainingJobSpec) => unknown; readonly what: string }[] = [
  { path: 'spec.elastic', asked: (spec) => spec.elastic, what: 'change the number of replicas while a job runs' },
  { path: 'spec.autoTuning', asked: (spec) => (spec.autoTuning?.enabled === false ? undefined : spec.autoTuning), what: 'search hyperparameters' },
  { path: 'spec.preflight', asked: (spec) => (spec.preflight?.enabled === false ? undefined : spec.preflight), what: 'check nodes before training' },
  { path: 'spec.debug', asked: (spec) => (spec.debug?.enabled === false ? undefined : spec.debug), what: 'collect stack dumps' },
  { path: 'spec.idle', asked: (spec) => spec.idle, what: 'watch the use of accelerators' },
  { path: 'spec.checkpoint.keepLast', asked: (spec) => spec.checkpoint?.keepLast, what: 'delete old checkpoints' },
  { path: 'spec.runPolicy.stall', asked: (spec) => spec.runPolicy?.stall, what: 'detect stalled jobs' },
  { path: 'spec.scheduling.gang', asked: (spec) => spec.scheduling?.gang, what: 'create pod groups' },
  { path: 'spec.scheduling.queueName', asked: (spec) => spec.scheduling?.queueName, what: 'queue jobs with Kueue' },
  { path: 'spec.scheduling.queuePriorityClassName', asked: (spec) => spec.scheduling?.queuePriorityClassName, what: 'queue jobs with Kueue' },
  { path: 'spec.scheduling.topology', asked: (spec) => spec.scheduling?.topology, what: 'keep replicas within a topology level' },
];

/** Checks the fields of {@link TrainingJobSpec} that stand for whole features. */
export function validateFeatures(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  for (const feature of NOT_YET) {
    const value = feature.asked(spec);
    if (value !== undefined) {
      violations.add(feature.path, value, `is not supported yet: this version of the operator does not ${feature.what}. Remove it.`);
    }
  }
  validateCheckpoint(spec, violations);
  return violations.violations;
}

function validateCheckpoint(spec: TrainingJobSpec, violations: ViolationCollector): void {
  const checkpoint = spec.checkpoint;
  if (checkpoint?.claimName !== undefined && !spec.checkpointPath?.startsWith('/')) {
    violations.add('spec.checkpointPath', spec.checkpointPath,
      'must be an absolute path when spec.checkpoint.claimName is given: the claim is mounted there.');
  }
  if (checkpoint?.subPath !== undefined && checkpoint.claimName === undefined) {
    violations.add('spec.checkpoint.subPath', checkpoint.subPath, 'is a folder inside a claim. Set spec.checkpoint.claimName.');
  }
  if (checkpoint?.subPath !== undefined && (checkpoint.subPath.startsWith('/') || checkpoint.subPath.split('/').includes('..'))) {
    violations.add('spec.checkpoint.subPath', checkpoint.subPath, 'must be a relative path without \'..\'.');
  }
}
