import type { Size, Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RwxBackend } from './rwx-backend';
import type { CheckpointOptions } from '../training-job/checkpoints/checkpoint';
import type { VolumeMount } from '../training-job/pods/kplus-types';
import type { IServiceAccount } from 'cdk8s-plus-28';

/** Properties of a `RwxCheckpointStore`. */
export interface RwxCheckpointStoreProps extends kplus.ResourceProps {
  /** What holds it. */
  readonly backend: RwxBackend;

  /**
   * How large it is.
   * @default - the least that there is: of the tier of Filestore, 9000 GiB of Lustre. Buckets, NFS and EFS are as large as they are. Required for
   * all others
   */
  readonly size?: Size;

  /** How pods use it. @default - ReadWriteMany, and ReadOnlyMany for Hyperdisk ML */
  readonly accessMode?: kplus.PersistentVolumeAccessMode;

  /** StorageClass that is there and makes the volume. @default - one of the store's own */
  readonly storageClassName?: string;

  /** Zones in which the volume is created. @default - that of the first pod, for volumes of one zone */
  readonly zones?: string[];

  /** Options of the mount, such as `nconnect=4` for NFS. @default - the driver's */
  readonly mountOptions?: string[];

  /**
   * User that writes: whom files of a bucket belong to, and as whom the cleanup runs. Jobs say the same in `security.runAsUser`.
   * @default - root; the cleanup runs as 65534
   */
  readonly user?: number;

  /** Group of the user. @default - called as the user */
  readonly group?: number;

  /** Whether what was written goes when the claim is deleted. @default false */
  readonly deleteWithClaim?: boolean;

  /** Which checkpoints are deleted. @default - none */
  readonly retention?: CheckpointRetention;

  /** Price of a GiB for a month, in your currency. With it `hints` have the price of the store. @default - not known */
  readonly pricePerGibibyteMonth?: number;
}

/** How a job uses a store. */
export interface StoreCheckpointOptions extends CheckpointOptions {
  /** Where the store is mounted, and what `CHECKPOINT_PATH` says. @default '/checkpoints' */
  readonly path?: string;
  /** Folder of the store. @default - one that is called as the job; none for tiers, which are of one job */
  readonly folder?: string;
}

/** How pods of other constructs use a store. */
export interface StorePodOptions {
  /** Where the store is mounted, and what `CHECKPOINT_PATH` says. @default '/checkpoints' */
  readonly path?: string;
  /** Folder of the store. @default - the root */
  readonly folder?: string;
  /** Whether the pods only read. @default false */
  readonly readOnly?: boolean;
}

/**
 * What pods with a store have. The names are those of the options of Ray's and Spark's pods, so that `{ ...store.forPods() }` gives them.
 */
export interface StorePodParts {
  /** `CHECKPOINT_PATH`. */
  readonly env: { readonly [name: string]: kplus.EnvValue };
  /** Where the store is mounted. */
  readonly volumeMounts: VolumeMount[];
  /** Annotations that the driver wants. */
  readonly podAnnotations: { readonly [name: string]: string };
  /** Volumes of the driver's sidecar. */
  readonly podSpec: { readonly [field: string]: unknown };
}

/** Which checkpoints are deleted. Of each series the newest is kept, whatever is said. @see docs/storage.md */
export interface CheckpointRetention {
  /** How many of each series are kept. @default - all that are not too old */
  readonly keepLast?: number;

  /** Age from which checkpoints are deleted. @default - none is too old */
  readonly maxAge?: Duration;

  /** When the cleanup runs, as cron writes it. @default '17 3 * * *' */
  readonly schedule?: string;

  /** Time zone of the schedule. @default - that of the cluster */
  readonly timeZone?: string;

  /**
   * Names of checkpoints: a regular expression of Python with a group `step`, such as `run-(?P<step>[0-9]+)`.
   * @default - the usual names: step-100, checkpoint-100, iter_100, epoch=1-step=100, and folders of Orbax
   */
  readonly pattern?: string;

  /**
   * What was changed more recently is neither counted nor deleted: its job may not have reported it yet. At least a minute.
   * @default Duration.minutes(10)
   */
  readonly settle?: Duration;

  /**
   * Whether checkpoints lie in the root of the store. Otherwise its folders are jobs', and none of them is deleted however it is called.
   * @default false
   */
  readonly inRoot?: boolean;

  /** Whether it only says what it would delete. @default false */
  readonly dryRun?: boolean;

  /** Image with Python 3. @default docker.io/library/python:3.13.9-alpine3.22 */
  readonly image?: string;

  /** Who the cleanup is. A bucket has to be granted to it. @default - the namespace's default */
  readonly serviceAccount?: IServiceAccount;

  /** Longest time of one cleanup. @default Duration.hours(6) */
  readonly deadline?: Duration;
}
