import type { Size, Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RwxBackend } from './rwx-backend';
import type { VolumeMount } from '../training-job/pods/kplus-types';
import type { IServiceAccount } from 'cdk8s-plus-28';

/** Properties of a `RwxCheckpointStore`. */
export interface RwxCheckpointStoreProps extends kplus.ResourceProps {
  /** Storage system of the store. */
  readonly backend: RwxBackend;

  /**
   * Size of the volume. Required, except for the backends below.
   * @default - the minimum size of the Filestore tier; 9000 GiB for Lustre; buckets, NFS and EFS have no size
   */
  readonly size?: Size;

  /** Access mode of the volume. @default - ReadWriteMany; ReadOnlyMany for Hyperdisk ML */
  readonly accessMode?: kplus.PersistentVolumeAccessMode;

  /** Existing StorageClass for the volume. @default - the store creates one */
  readonly storageClassName?: string;

  /** Zones in which the volume is created. @default - for zonal volumes, the zone of the first pod */
  readonly zones?: string[];

  /** Mount options, such as `nconnect=4` for NFS. @default - the driver's */
  readonly mountOptions?: string[];

  /**
   * User id of the owner of files in a bucket, and of the cleanup. Set the same in `security.runAsUser` of jobs.
   * @default - root; the cleanup runs as 65534
   */
  readonly user?: number;

  /** Group id. @default - the same as `user` */
  readonly group?: number;

  /** Whether the data is deleted with the claim. @default false */
  readonly deleteWithClaim?: boolean;

  /** Cleanup of old checkpoints. @default - none */
  readonly retention?: CheckpointRetention;

  /** Price of a GiB per month, in your currency. With it, `hints` include the price of the store. @default - unknown */
  readonly pricePerGibibyteMonth?: number;
}

/** How pods of other constructs use a store. */
export interface StorePodOptions {
  /** Mount path of the store, and value of `CHECKPOINT_PATH`. @default '/checkpoints' */
  readonly path?: string;
  /** Folder in the store. @default - the root */
  readonly folder?: string;
  /** Whether the pods only read. @default false */
  readonly readOnly?: boolean;
}

/**
 * Options of pods with a store. The names match the pod options of Ray and Spark, so that you can use `{ ...store.forPods() }`.
 */
export interface StorePodParts {
  /** `CHECKPOINT_PATH`. */
  readonly env: { readonly [name: string]: kplus.EnvValue };
  /** Mount of the store. */
  readonly volumeMounts: VolumeMount[];
  /** Annotations for the driver. */
  readonly podAnnotations: { readonly [name: string]: string };
  /** Volumes of the driver's sidecar. */
  readonly podSpec: { readonly [field: string]: unknown };
}

/** Which checkpoints are deleted. The newest of each series is always kept. @see docs/platform/storage.md */
export interface CheckpointRetention {
  /** Number of checkpoints to keep in each series. @default - all that are not older than `maxAge` */
  readonly keepLast?: number;

  /** Age at which checkpoints are deleted. @default - no maximum */
  readonly maxAge?: Duration;

  /** Schedule of the cleanup in cron syntax. @default '17 3 * * *' */
  readonly schedule?: string;

  /** Time zone of the schedule. @default - the cluster's */
  readonly timeZone?: string;

  /**
   * Names of checkpoints: a Python regular expression with a group `step`, such as `run-(?P<step>[0-9]+)`.
   * @default - common names: step-100, checkpoint-100, iter_100, epoch=1-step=100, and folders of Orbax
   */
  readonly pattern?: string;

  /**
   * Checkpoints with more recent changes are neither counted nor deleted, because the job may not have reported them yet. At least one minute.
   * @default Duration.minutes(10)
   */
  readonly settle?: Duration;

  /**
   * Whether checkpoints are in the root of the store. If not, its top-level folders belong to jobs and are never deleted, whatever their names.
   * @default false
   */
  readonly inRoot?: boolean;

  /** Whether the cleanup only logs what it would delete. @default false */
  readonly dryRun?: boolean;

  /** Image with Python 3. @default docker.io/library/python:3.13.9-alpine3.22 */
  readonly image?: string;

  /** Service account of the cleanup. For a bucket, it needs write access. @default - the namespace's default */
  readonly serviceAccount?: IServiceAccount;

  /** Maximum duration of a cleanup. @default Duration.hours(6) */
  readonly deadline?: Duration;
}
