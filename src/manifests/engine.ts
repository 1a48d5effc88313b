/**
 * What an engine is to Trainyard: data on what it can do, and pure functions from a training job to the objects that make it run. A
 * construct, the CLI and the tests read the same definition.
 */
import type { TrainingJobSpec } from '../model/training-job/spec';
import type { Violation } from '../model/violations';

/** One kind of object that an engine needs for a job. The first of an engine's list is the job itself. */
export interface EngineResource {
  readonly apiVersion: string;
  readonly kind: string;

  /** Plural name in URLs and RBAC rules. */
  readonly plural: string;

  /** Renders `spec`. */
  constructSpec(name: string, spec: TrainingJobSpec): object;
}

/** Definition of an engine. */
export interface EngineDefinition {
  /** How commands and messages call it. */
  readonly name: string;

  /** How people write it. */
  readonly title: string;

  readonly resources: readonly [EngineResource, ...EngineResource[]];

  /**
   * The rules that a job has to keep on this engine: those of the model, and what this engine cannot do. A field that it would ignore is a
   * violation.
   */
  validate(name: string, spec: TrainingJobSpec): Violation[];
}
