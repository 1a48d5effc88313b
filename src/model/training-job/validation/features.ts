/** Rules on the larger features that have no file of their own. */
import type { TrainingJobSpec } from '../spec';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the fields of {@link TrainingJobSpec} that stand for whole features. */
export function validateFeatures(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  validateCheckpoint(spec, violations);
  return violations.violations;
}

function validateCheckpoint(spec: TrainingJobSpec, violations: ViolationCollector): void {
  const checkpoint = spec.checkpoint;
  if (checkpoint?.keepLast !== undefined && spec.checkpointPath === undefined) {
    violations.add('spec.checkpoint.keepLast', checkpoint.keepLast, 'needs a checkpoint location. Set spec.checkpointPath.');
  }
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
