import type { Duration } from 'cdk8s';
import type { RayServiceUpgradeSpec } from '../../model/ray/service';
import { checkTypes } from '../props/check-props';

/**
 * Options of `RayServiceUpgrade.incremental`.
 */
export interface IncrementalUpgradeOptions {
  /**
   * Class of the gateway that divides the requests, such as `istio`.
   */
  readonly gatewayClassName: string;

  /**
   * Part of the requests that moves at a time, in percent.
   */
  readonly stepSizePercent: number;

  /**
   * How long after each step the next one comes.
   */
  readonly interval: Duration;

  /**
   * Part of its size that the new cluster grows by at a time, in percent: how much more than one cluster there is.
   *
   * @default 100
   */
  readonly maxSurgePercent?: number;
}

/**
 * How a changed cluster takes over from the one that serves.
 */
export class RayServiceUpgrade {
  /**
   * A whole new cluster starts, and gets all requests when it is ready; then the old one goes.
   */
  public static newCluster(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'NewCluster' });
  }

  /**
   * Requests move step by step while one cluster grows and the other shrinks: for services that are too large to be there twice. Needs an autoscaler,
   * the Gateway API, and KubeRay's feature gate `RayServiceIncrementalUpgrade`.
   */
  public static incremental(options: IncrementalUpgradeOptions): RayServiceUpgrade {
    checkTypes('RayServiceUpgrade.incremental', 'IncrementalUpgradeOptions', options);
    const { gatewayClassName, stepSizePercent, interval, maxSurgePercent } = options;
    return new RayServiceUpgrade({
      type: 'NewClusterWithIncrementalUpgrade', gatewayClassName, stepSizePercent, intervalSeconds: interval.toSeconds(), maxSurgePercent,
    });
  }

  /**
   * Nothing: the cluster stays as it is, whatever its description says.
   */
  public static none(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'None' });
  }

  private constructor(private readonly spec: RayServiceUpgradeSpec) {}

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): RayServiceUpgradeSpec {
    return this.spec;
  }
}
