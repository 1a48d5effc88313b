/** Checks of what an engine refuses: every framework and field of its capabilities that is not simply supported has to stand in a test's table. */
import type { EngineDefinition } from '../../../../src/manifests/engines/engine';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { FieldPath } from '../../../../src/model/training-job/fields/field-paths';
import { FIELD_PATHS } from '../../../../src/model/training-job/fields/field-paths';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { formatViolation } from '../../../../src/model/violations';

/** A job that keeps the model's rules and not the engine's, and all that is said to it. */
export interface Refusal {
  readonly spec: Partial<TrainingJobSpec>;
  readonly says: string;
}

/** A job of three replicas of PyTorch with some fields. */
export function jobWith(spec: Partial<TrainingJobSpec>): TrainingJobSpec {
  return { framework: 'pytorch', image: 'image', ...(spec.roles === undefined && { replicas: 3 }), ...spec };
}

/** What an engine says to a job, with no engine to propose. */
export function refusals(engine: EngineDefinition, spec: Partial<TrainingJobSpec>, name = 'net'): string[] {
  return validateForEngine(engine, name, jobWith(spec), []).map(formatViolation);
}

/** Fields that an engine does not simply support. */
export function limitedFields({ capabilities: { fields } }: EngineDefinition): FieldPath[] {
  return FIELD_PATHS.filter((field) => fields[field] !== true);
}

/** Frameworks that an engine does not simply support. */
export function limitedFrameworks({ capabilities: { frameworks } }: EngineDefinition): FrameworkName[] {
  return FRAMEWORK_NAMES.filter((framework) => frameworks[framework] !== true);
}
