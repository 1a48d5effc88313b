/**
 * What an engine is to Trainyard: data on what it can do, and pure functions from a training job to the objects that make it run. A
 * construct, the CLI and the tests read the same definition.
 */
import type { EngineCapabilities } from './capabilities';
import type { FrameworkName, TrainingJobSpec } from '../../model/training-job/spec';
import type { Violation } from '../../model/violations';
import type { EnvVar, Manifest } from '../kubernetes';

/** The kind of object that is the job. */
export interface JobKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural name in URLs and RBAC rules. */
  readonly plural: string;
  /** Whether `kubectl scale` and autoscalers can change its number of replicas. @default false */
  readonly hasScale?: boolean;
}

/** A job that is to be rendered. It keeps the engine's rules. */
export interface EngineJob {
  readonly name: string;
  /** @default - the objects name none, and whoever applies them chooses */
  readonly namespace?: string;
  /** The user's labels of the job, for all objects that it becomes. */
  readonly labels?: { readonly [name: string]: string };
  readonly spec: TrainingJobSpec;
}

/** What a job becomes. */
export interface EngineObjects {
  /** The object that is the job: its name is the job's. The engine's labels and annotations are in its metadata; the user's are not. */
  readonly job: Manifest & { readonly spec: object };
  /** What has to be there beside it (services, files, runtimes), in the order of creation: before the job. Names are unique within a kind. */
  readonly companions: readonly Manifest[];
}

/** What runs in one replica's training container, as the engine arranges it. */
export interface EngineEnvironment {
  /** The framework's role and the index within it, as in the model. */
  readonly role: string;
  readonly index: number;
  /** Name of the pod, or a pattern such as `NAME-worker-0-0-*` where the engine adds something random. */
  readonly pod: string;
  /** Variables of the training container in the order in which they are set: the job's own, ours, and what the engine's controller adds. */
  readonly env: readonly EnvVar[];
}

export interface EngineDefinition {
  /** How commands and messages call it. */
  readonly name: string;

  /** How people write it. */
  readonly title: string;

  /** The upstream release that it is written for, such as `Kubeflow Trainer v2.3`; absent for the engine that ships with Trainyard. */
  readonly upstream?: string;

  /** Which frameworks and fields it has. */
  readonly capabilities: EngineCapabilities;

  /** Whether it keeps the hosts of each TPU slice together where a job has several slices. @default false - jobs have one slice */
  readonly hasSlices?: boolean;

  kindOf(framework: FrameworkName): JobKind;

  /**
   * Rules of this engine beside {@link capabilities}: names, combinations. Asked only of jobs that keep the model's rules.
   * @default - none
   */
  validate?(name: string, spec: TrainingJobSpec): readonly Violation[];

  /**
   * Longest name with which jobs of a framework keep this engine's rules for names, whichever roles they get, with up to ten thousand replicas each:
   * what made-up names are cut to.
   * @default - names of pods are NAME-ROLE-INDEX
   */
  generatedNameMaxLength?(framework: FrameworkName): number;

  /** Whether {@link render} gives companions, or metadata of the job's own, for some jobs. */
  readonly rendersMore: boolean;

  /**
   * The same engine for jobs that share one headless service of a name, because whoever creates them creates no service. Its pods carry the labels of
   * the jobs.
   * @default - no job of the engine needs a service beside it
   */
  sharingService?(name: string): EngineDefinition;

  /**
   * Why a job needs a namespace of its own or its chart's, with the way out.
   * @default - whoever applies the objects chooses
   */
  readonly needsNamespace?: string;

  /**
   * The same engine with a service account for its driver, for jobs whose creator has no right to create one.
   * @default - the engine creates no account
   */
  withDriverAccount?(name: string): EngineDefinition;

  /** Renders a job that keeps all rules. */
  render(job: EngineJob): EngineObjects;

  /**
   * What each replica's training container will see: what {@link render} writes and, in addition, what the engine's own controller injects. The
   * contract behind `trainyard env`.
   */
  environments(job: EngineJob): readonly EngineEnvironment[];
}
