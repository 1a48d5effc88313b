import type { Duration } from 'cdk8s';
import type { IPersistentVolumeClaim } from 'cdk8s-plus-28';
import type { CheckpointBinding } from './checkpoint-binding';
import { checkTypes } from '../../props/check-props';

/** What every kind of checkpoint has in common. */
export interface CheckpointOptions {
  /** Checkpoint to start from, given to the script as `RESUME_FROM`. @default - none */
  readonly resumeFrom?: string;

  /** Time that a replica gets between SIGTERM and SIGKILL to save. @default Duration.seconds(30) */
  readonly gracePeriod?: Duration;

  /**
   * How many checkpoints the script should keep, told to it as `CHECKPOINT_KEEP_LAST`. It is the script that deletes; the helper of docs/progress.md
   * does it.
   * @default - all
   */
  readonly keepLast?: number;
}

/** Options of `Checkpoint.onClaim`. */
export interface CheckpointClaimOptions extends CheckpointOptions {
  /** Where the claim is mounted in every replica. @default /checkpoints */
  readonly path?: string;

  /**
   * Folder inside the claim; an empty text is the claim's root, which jobs then share.
   * @default - one with the name of the job
   */
  readonly subPath?: string;
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
   * A folder on a volume claim that all replicas mount, so the claim has to allow it (`ReadWriteMany` on more than one node).
   * @param claim existing claim in the job's namespace
   */
  public static onClaim(claim: IPersistentVolumeClaim, options: CheckpointClaimOptions = {}): Checkpoint {
    checkTypes('Checkpoint.onClaim', 'CheckpointClaimOptions', options);
    return new Checkpoint(options.path ?? '/checkpoints', options, claim.name, options.subPath);
  }

  /**
   * A place in a store, which knows what pods need for it.
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

  /** The store that it is in. @internal */
  public readonly _binding?: CheckpointBinding;

  /**
   * @param location value of `CHECKPOINT_PATH`
   * @param claimName claim that is mounted there
   * @param subPath folder inside the claim
   */
  private constructor(
    public readonly location: string,
    options: CheckpointOptions,
    public readonly claimName?: string,
    public readonly subPath?: string,
    binding?: CheckpointBinding,
  ) {
    this._binding = binding;
    this.resumeFrom = options.resumeFrom;
    this.gracePeriod = options.gracePeriod;
    this.keepLast = options.keepLast;
  }

  /** The place as the job of a name has it: on a claim, each job has a folder of its own. @internal */
  public _of(jobName: string): Checkpoint {
    return this._binding !== undefined || this.claimName === undefined || this.subPath !== undefined ? this
      : new Checkpoint(this.location, this, this.claimName, jobName);
  }

  /** The same place for another job, such as a workspace: a store has a folder for each job. @internal */
  public _asOf(jobName: string): Checkpoint {
    const binding = this._binding;
    return binding === undefined || binding.folder !== undefined || !binding.foldersOfJobs ? this
      : Checkpoint._inStore(this.location, this, { ...binding, folder: jobName }, this.claimName);
  }
}
