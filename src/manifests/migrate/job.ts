/** What migration reads and what it makes: the types that its parts share. */
import type { Fields, JsonObject } from './fields';
import type { MigrationNote, Notes } from './notes';
import type { Manifest } from '../kubernetes';
import type { RestartPolicy } from '../../model/training-job/run-policy';
import type { GangScheduler } from '../../model/training-job/scheduling';
import type { EnvVarSpec, FrameworkName, PodTemplateSpec, ResourcesSpec, TrainingJobSpec } from '../../model/training-job/spec';

/** What the command line knows and the objects do not say. */
export interface MigrationOptions {
  /**
   * Gang scheduler that the old operator was started with (`--gang-scheduler-name` of training-operator v1 and of the MPI operator).
   * @default - none is known
   */
  readonly gangScheduler?: GangScheduler;
}

/** What readers can look at beside the object itself. */
export interface MigrationContext {
  readonly options: MigrationOptions;
  /** All objects of the input: runtimes of TrainJobs, services of Jobs. */
  readonly objects: readonly JsonObject[];
  /** Tells that an object of the input is part of the job that is being read, so that it is not carried over by itself. */
  use(object: JsonObject): void;
}

/** One role as it was read, before what all roles share is moved up to the job. */
export interface RoleDraft {
  readonly name: string;
  readonly replicas: number;
  /** Where the role, its pod and the container that trains stand in the object, for notes. */
  readonly path: string;
  readonly podPath: string;
  readonly containerPath: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env: readonly EnvVarSpec[];
  readonly resources?: ResourcesSpec;
  readonly template: PodTemplateSpec;
  /** Whether Trainyard wrote the template. @default false */
  readonly isOurs?: boolean;
  readonly restartPolicy?: RestartPolicy;
}

/** How replicas of a role were called where the job comes from. */
export interface OldHosts {
  readonly role: string;
  /** Regular expression of the host name; its group, if it has one, is the index of the replica. */
  readonly pattern: string;
  /** Index of the replica that is number 0 of its role here. @default 0 */
  readonly first?: number;
}

/** Fields of the job that do not come from its roles. */
export type JobFields = Partial<Omit<TrainingJobSpec, 'framework' | 'image' | 'roles' | 'replicas' | 'command' | 'args' | 'env' | 'resources'>>;

/** A job as a reader leaves it. */
export interface JobDraft {
  readonly framework: FrameworkName;
  readonly roles: readonly RoleDraft[];
  readonly fields: JobFields;
  readonly oldHosts: readonly OldHosts[];
  /** Variable that says what the completion index of a Job said. @default TRAINYARD_REPLICA_INDEX */
  readonly indexVariable?: string;
  /** Annotations of the object that are fields of the job now. */
  readonly usedAnnotations?: readonly string[];
  /** Objects that the job needs beside it and that other engines than the operator cannot use. */
  readonly companions?: readonly Manifest[];
}

/** Metadata as it was read. */
export interface JobMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  /** Queue of Kueue and so on, which were labels. */
  readonly scheduling: { readonly queueName?: string; readonly queuePriorityClassName?: string };
}

/** Reads objects. Pure: an object in, a draft and notes out. */
export interface JobReader {
  /**
   * @param object view of the whole object, metadata read
   * @throws MigrationError when there is no training job in it
   */
  read(object: Fields, metadata: JobMetadata, notes: Notes, context: MigrationContext): JobDraft | TrainingJobSpec;
}

/** Reads one kind of object. */
export interface KindReader extends JobReader {
  readonly kind: string;
  readonly apiVersions: readonly string[];
}

/** A job that was read. */
export interface MigratedJob {
  /** What it was: `PyTorchJob`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly spec: TrainingJobSpec;
  /** Objects beside the job, for the operator only: autoscalers. */
  readonly companions: readonly Manifest[];
  readonly notes: readonly MigrationNote[];
}
