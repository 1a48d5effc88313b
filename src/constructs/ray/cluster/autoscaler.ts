import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RayAutoscalerVersion, RayUpscaling } from '../enums';
import type { TrainingResources } from '../../training-job/pods/resources';

/**
 * Ray's own autoscaler, in a container beside the head's: workers come when tasks, actors and replicas of Ray Serve find no room, and go when they
 * have nothing to do.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/configuring-autoscaling.html
 */
export interface RayAutoscaler {
  /**
   * Version.
   *
   * @default - the second where `rayVersion` is 2.47 or later, the first where it is older; Ray's own choice where nobody says which it is
   */
  readonly version?: RayAutoscalerVersion;

  /**
   * How long a worker may have nothing to do before it goes.
   *
   * @default Duration.seconds(60)
   */
  readonly idleTimeout?: Duration;

  /**
   * How fast workers are added.
   *
   * @default RayUpscaling.DEFAULT
   */
  readonly upscaling?: RayUpscaling;

  /**
   * Image of the container.
   *
   * @default - the head's
   */
  readonly image?: string;

  /**
   * Environment of the container.
   *
   * @default - KubeRay's
   */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * Compute of the container.
   *
   * @default - half a core and 512 MiB
   */
  readonly resources?: TrainingResources;
}
