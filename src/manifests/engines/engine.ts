/**
 * The definition of an engine: data on what it supports, and pure functions from a training job to the objects that run it. Constructs, the CLI and
 * the tests use the same definition.
 */
import type { EngineCapabilities } from './capabilities';
import type { FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';
import type { EnvVar, Manifest } from '../kubernetes';

/** The kind of the job's object. */
export interface JobKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name in URLs and RBAC rules. */
  readonly plural: string;
  /** Whether `kubectl scale` and autoscalers can change its number of replicas. @default false */
  readonly hasScale?: boolean;
}

/** A job to render. It complies with the engine's rules. */
export interface EngineJob {
  readonly name: string;
  /** @default - the objects name none; it is chosen when they are applied */
  readonly namespace?: string;
  /** The user's labels of the job, for all of its objects. */
  readonly labels?: { readonly [name: string]: string };
  readonly spec: TrainingJobSpec;
}

/** The objects of a job. */
export interface EngineObjects {
  /** The job's own object, with the job's name. Its metadata has the engine's labels and annotations but not the user's. */
  readonly job: Manifest & { readonly spec: object };
  /** Further objects that it needs (services, files, runtimes), in the order of creation, before the job. Names are unique within a kind. */
  readonly companions: readonly Manifest[];
}

/** The environment of one replica's training container. */
export interface EngineEnvironment {
  /** The framework's role and the index within it, as in the model. */
  readonly role: string;
  readonly index: number;
  /** Name of the pod, or a pattern such as `NAME-worker-0-0-*` if the engine adds a random part. */
  readonly pod: string;
  /** Variables of the training container in the order in which they are set: the job's own, ours, and those that the engine's controller adds. */
  readonly env: readonly EnvVar[];
}

export interface EngineDefinition {
  /** Name in commands and messages. */
  readonly name: string;

  /** Name in text. */
  readonly title: string;

  /** The upstream release that it supports, such as `Kubeflow Trainer v2.3`; absent for the engine that ships with Trainyard. */
  readonly upstream?: string;

  /** Which frameworks and fields it supports. */
  readonly capabilities: EngineCapabilities;

  /** Whether it keeps the hosts of each TPU slice together if a job has several slices. @default false - jobs have one slice */
  readonly hasSlices?: boolean;

  kindOf(framework: FrameworkName): JobKind;

  /**
   * Further rules of this engine, such as names and combinations of fields. Called only for jobs that comply with the model's rules.
   * @default - none
   */
  validate?(name: string, spec: TrainingJobSpec): readonly Violation[];

  /**
   * Longest generated name with which jobs of a framework comply with this engine's rules for names, whatever their roles are, with up to ten
   * thousand replicas each.
   * @default - names of pods are NAME-ROLE-INDEX
   */
  generatedNameMaxLength?(framework: FrameworkName): number;

  /** Whether {@link render} returns companions or metadata for some jobs. */
  readonly rendersMore: boolean;

  /**
   * The same engine for jobs that share one headless service with the given name, because their creator creates no service. Its pods carry the labels
   * of the jobs.
   * @default - no job of the engine needs a service
   */
  sharingService?(name: string): EngineDefinition;

  /**
   * Why a job or its chart must have a namespace, with the fix.
   * @default - the namespace is chosen when the objects are applied
   */
  readonly needsNamespace?: string;

  /**
   * The same engine with a service account for its driver, for jobs whose creator has no right to create one.
   * @default - the engine creates no account
   */
  withDriverAccount?(name: string): EngineDefinition;

  /** Renders a job that complies with all rules. */
  render(job: EngineJob): EngineObjects;

  /**
   * The environment of each replica's training container: what {@link render} writes and what the engine's own controller injects. `trainyard env`
   * prints it.
   */
  environments(job: EngineJob): readonly EngineEnvironment[];
}
