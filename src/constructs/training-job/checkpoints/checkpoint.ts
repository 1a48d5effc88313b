import type { Duration } from 'cdk8s';
import type { IPersistentVolumeClaim } from 'cdk8s-plus-28';
import type { CheckpointBinding } from './checkpoint-binding';
import { checkTypes } from '../../props/check-props';

/** Options that all kinds of checkpoints share. */
export interface CheckpointOptions {
  /** Checkpoint to start from, given to the script as `RESUME_FROM`. @default - none */
  readonly resumeFrom?: string;

  /** Time that a replica gets between SIGTERM and SIGKILL to save. @default Duration.seconds(30) */
  readonly gracePeriod?: Duration;

  /**
   * How many checkpoints the script should keep: it reads `CHECKPOINT_KEEP_LAST` and deletes the others itself, for example with the helper in
   * docs/jobs/progress.md.
   * @default - all
   */
  readonly keepLast?: number;
}

/** Options of checkpoints on a volume. */
export interface MountedCheckpointOptions extends CheckpointOptions {
  /** Mount path of the volume in every replica, and value of `CHECKPOINT_PATH`. @default /checkpoints */
  readonly path?: string;

  /**
   * Folder in the volume (`subPath` of the mount). The empty string is the root of a claim, which jobs then share; stores reject it.
   * @default - the name of the job; none for tiers of a store, which belong to one job
   */
  readonly folder?: string;
}

/** Where a job keeps its checkpoints. The script finds the place in `CHECKPOINT_PATH`. */
export class Checkpoint {
  /**
   * A path inside the container, or a URL that the script can write to.
   * @param location path or URL, such as `s3://bucket/run`
   */
  public static at(location: string, options: CheckpointOptions = {}): Checkpoint {
    checkTypes('Checkpoint.at', 'CheckpointOptions', options);
    return new Checkpoint(location, options);
  }

  /**
   * A folder on a volume claim that all replicas mount. If they run on more than one node, the claim needs `ReadWriteMany`.
   * @param claim existing claim in the job's namespace
   */
  public static onClaim(claim: IPersistentVolumeClaim, options: MountedCheckpointOptions = {}): Checkpoint {
    checkTypes('Checkpoint.onClaim', 'MountedCheckpointOptions', options);
    return new Checkpoint(options.path ?? '/checkpoints', options, claim.name, options.folder);
  }

  /**
   * A folder in a store, which adds what pods need to mount it.
   * @param location where the store is mounted
   * @internal
   */
  public static _inStore(location: string, options: CheckpointOptions, binding: CheckpointBinding, claimName?: string): Checkpoint {
    return new Checkpoint(location, options, claimName, claimName === undefined ? undefined : binding.folder, binding);
  }

  /** Checkpoint to start from. */
  public readonly resumeFrom?: string;

  /** Time between SIGTERM and SIGKILL. */
  public readonly gracePeriod?: Duration;

  /** How many checkpoints the script should keep. */
  public readonly keepLast?: number;

  /** The store of the checkpoint. @internal */
  public readonly _binding?: CheckpointBinding;

  /**
   * @param location value of `CHECKPOINT_PATH`
   * @param claimName claim that is mounted there
   * @param folder folder inside the claim
   */
  private constructor(
    public readonly location: string,
    options: CheckpointOptions,
    public readonly claimName?: string,
    public readonly folder?: string,
    binding?: CheckpointBinding,
  ) {
    this._binding = binding;
    this.resumeFrom = options.resumeFrom;
    this.gracePeriod = options.gracePeriod;
    this.keepLast = options.keepLast;
  }

  /** The checkpoint of the job with this name: on a claim, each job has a folder of its own. @internal */
  public _of(jobName: string): Checkpoint {
    return this._binding !== undefined || this.claimName === undefined || this.folder !== undefined ? this
      : new Checkpoint(this.location, this, this.claimName, jobName);
  }

  /** The same folder for another job, such as a workspace; by default, a store has a folder for each job. @internal */
  public _asOf(jobName: string): Checkpoint {
    const binding = this._binding;
    return binding === undefined || binding.folder !== undefined || !binding.foldersOfJobs ? this
      : Checkpoint._inStore(this.location, this, { ...binding, folder: jobName }, this.claimName);
  }
}
