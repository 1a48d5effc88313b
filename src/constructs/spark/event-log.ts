import { Size } from 'cdk8s';
import type { SparkEventLogSpec } from '../../model/spark/spec';
import { podVolume } from '../training-job/pods/kplus-values';
import type { IVolume } from '../training-job/pods/kplus-types';
import { checkTypes } from '../props/check-props';

/**
 * How event logs are written.
 */
export interface SparkEventLogOptions {
  /**
   * Whether they are compressed.
   *
   * @default false - by Spark 3; Spark 4 compresses them
   */
  readonly compress?: boolean;

  /**
   * Size of a file at which the next one begins, 10 MiB or more, so that applications that run for long have no endless file.
   *
   * @default - Spark's; one file in Spark 3
   */
  readonly rolling?: Size;
}

/** Where a volume of event logs is mounted. */
const MOUNT_PATH = '/var/log/spark-events';

/** Name of the volume in pods. */
const VOLUME_NAME = 'spark-event-log';

/**
 * Folder of event logs, from which a `SparkHistoryServer` shows applications that have ended. Spark does not create it.
 */
export class SparkEventLog {
  /**
   * A folder of a bucket or another file system that the image has a connector for.
   * @param uri such as `gs://logs/spark` or `s3a://logs/spark`
   */
  public static at(uri: string, options: SparkEventLogOptions = {}): SparkEventLog {
    checkTypes('SparkEventLog.at', 'SparkEventLogOptions', options);
    return new SparkEventLog({ folder: uri }, options);
  }

  /**
   * A volume that drivers and history server share, such as a claim with the access mode ReadWriteMany.
   * @param volume the volume, in the namespace of the drivers
   * @param subPath folder of it
   */
  public static onVolume(volume: IVolume, subPath?: string, options: SparkEventLogOptions = {}): SparkEventLog {
    checkTypes('SparkEventLog.onVolume', 'SparkEventLogOptions', options);
    return new SparkEventLog({
      folder: MOUNT_PATH,
      volume: { ...podVolume(volume), name: VOLUME_NAME },
      mount: { name: VOLUME_NAME, mountPath: MOUNT_PATH, ...(subPath !== undefined && { subPath }) },
    }, options);
  }

  /** The folder, as the pods see it. */
  public readonly folder: string;

  /**
   * In the model's terms.
   * @internal
   */
  public readonly _spec: SparkEventLogSpec;

  private constructor(spec: SparkEventLogSpec, { compress, rolling }: SparkEventLogOptions) {
    this.folder = spec.folder;
    this._spec = { ...spec, compress, rollingMib: rolling?.toMebibytes() };
  }
}
