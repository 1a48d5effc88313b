/** Input and output of a migration: the types that its parts share. */
import type { Fields, JsonObject } from './fields';
import type { MigrationNote, Notes } from './notes';
import type { Manifest } from '../kubernetes';
import type { RestartPolicy } from '../../model/training-job/run-policy';
import type { GangScheduler } from '../../model/training-job/scheduling';
import type { EnvVarSpec, FrameworkName, PodTemplateSpec, ResourcesSpec, TrainingJobSpec } from '../../model/training-job/spec';

/** Options of the command line that the objects do not contain. */
export interface MigrationOptions {
  /**
   * Gang scheduler of the old operator (`--gang-scheduler-name` of training-operator v1 and of the MPI operator).
   * @default - unknown
   */
  readonly gangScheduler?: GangScheduler;
}

/** What readers can use in addition to the object itself. */
export interface MigrationContext {
  readonly options: MigrationOptions;
  /** All objects of the input: runtimes of TrainJobs, services of Jobs. */
  readonly objects: readonly JsonObject[];
  /** Marks an object of the input as part of the job, so that it is not carried over separately. */
  use(object: JsonObject): void;
}

/** One role as it was read, before fields that all roles share move to the job. */
export interface RoleDraft {
  readonly name: string;
  readonly replicas: number;
  /** Paths of the role, its pod and the training container in the object, for notes. */
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

/** Host names of a role's replicas under the old controller. */
export interface OldHosts {
  readonly role: string;
  /** Regular expression of the host name; its group, if any, is the index of the replica. */
  readonly pattern: string;
  /** Old index of the replica that is number 0 of its role here. @default 0 */
  readonly first?: number;
}

/** Fields of the job that do not come from its roles. */
export type JobFields = Partial<Omit<TrainingJobSpec, 'framework' | 'image' | 'roles' | 'replicas' | 'command' | 'args' | 'env' | 'resources'>>;

/** A job as a reader returns it. */
export interface JobDraft {
  readonly framework: FrameworkName;
  readonly roles: readonly RoleDraft[];
  readonly fields: JobFields;
  readonly oldHosts: readonly OldHosts[];
  /** Variable that replaces the completion index of a Job. @default TRAINYARD_REPLICA_INDEX */
  readonly indexVariable?: string;
  /** Annotations of the object that became fields of the job. */
  readonly usedAnnotations?: readonly string[];
  /** Further objects of the job, which only the operator can use. */
  readonly companions?: readonly Manifest[];
}

/** Metadata as it was read. */
export interface JobMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  /** Settings of Kueue, which were labels. */
  readonly scheduling: { readonly queueName?: string; readonly queuePriorityClassName?: string };
}

/** Reads objects. Pure: an object in, a draft and notes out. */
export interface JobReader {
  /**
   * @param object view of the whole object, whose metadata was read
   * @throws MigrationError if it contains no training job
   */
  read(object: Fields, metadata: JobMetadata, notes: Notes, context: MigrationContext): JobDraft | TrainingJobSpec;
}

/** Reads one kind of object. */
export interface KindReader extends JobReader {
  readonly kind: string;
  readonly apiVersions: readonly string[];
}

/** A migrated job. */
export interface MigratedJob {
  /** Its old kind, such as `PyTorchJob`. */
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly spec: TrainingJobSpec;
  /** Further objects, for the operator only: autoscalers. */
  readonly companions: readonly Manifest[];
  readonly notes: readonly MigrationNote[];
}
