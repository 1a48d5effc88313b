/**
 * What we use of the cdk8s-plus classes that have private members. For TypeScript, such a class is a different type in each version of cdk8s-plus;
 * these interfaces accept all of them. Its other classes, interfaces and enums are the same in all versions.
 */
import type { MountOptions } from 'cdk8s-plus-28';

/** A volume of a pod: a `Volume` of cdk8s-plus, of any version. */
export interface IVolume extends IStorage {
  /** Name of the volume in its pod. */
  readonly name: string;

  /** @internal */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  _toKube(): any;
}

/**
 * Something that can be mounted: a `Volume`, `PersistentVolumeClaim` or `PersistentVolume` of cdk8s-plus, of any version, or a store.
 */
export interface IStorage {
  /** The volume that pods mount. */
  asVolume(): IVolume;
}

/** A volume in a container. */
export interface VolumeMount extends MountOptions {
  /** Absolute path in the container. */
  readonly path: string;
  /** The volume, such as `Volume.fromEmptyDir`. */
  readonly volume: IVolume;
}

/** A source of variables: an `EnvFrom` of cdk8s-plus, of any version. */
export interface IEnvFrom {
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  _toKube(): any;
}

/** A check of a container: a `Probe` of cdk8s-plus, of any version. */
export interface IProbe {
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  _toKube(container: any): any;
}

/** A metric of an autoscaler: a `Metric` of cdk8s-plus, of any version. */
export interface IMetric {
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  _toKube(): any;
}
