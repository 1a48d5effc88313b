import type { Duration } from 'cdk8s';
import type { PoolUpgrade as PoolUpgradeSpec } from '../../../model/node-pools/spec';
import { checkTypes } from '../../props/check-props';

/**
 * How an upgrade by a second set of nodes proceeds.
 */
export interface BlueGreenUpgradeOptions {
  /**
   * Nodes that are drained at a time. Not together with `batchPercentage`.
   *
   * @default 1
   */
  readonly batchNodes?: number;

  /**
   * Part of the nodes that is drained at a time, such as 0.25.
   *
   * @default - one node at a time
   */
  readonly batchPercentage?: number;

  /**
   * Time between batches.
   *
   * @default - none
   */
  readonly batchSoak?: Duration;

  /**
   * Time after the last batch until the old nodes go.
   *
   * @default - GKE's: one hour
   */
  readonly soak?: Duration;
}

/**
 * How GKE replaces the nodes of a pool by newer ones.
 */
export class PoolUpgrade {
  /** Nodes are replaced when they end by themselves: for flex-start and queued machines, which do. */
  public static readonly SHORT_LIVED = new PoolUpgrade({ strategy: 'SHORT_LIVED' });

  /**
   * A few nodes at a time.
   * @param maxSurge nodes that come before others go
   * @param maxUnavailable nodes that go before others come
   */
  public static surge(maxSurge: number, maxUnavailable: number): PoolUpgrade {
    return new PoolUpgrade({ strategy: 'SURGE', maxSurge, maxUnavailable });
  }

  /**
   * A second set of nodes before the first one is drained, in batches. It needs twice the machines.
   * @param options how it proceeds
   */
  public static blueGreen(options: BlueGreenUpgradeOptions = {}): PoolUpgrade {
    checkTypes('PoolUpgrade.blueGreen', 'BlueGreenUpgradeOptions', options);
    const { batchNodes, batchPercentage, batchSoak, soak } = options;
    return new PoolUpgrade({
      strategy: 'BLUE_GREEN',
      blueGreen: {
        batchNodes: batchNodes ?? (batchPercentage === undefined ? 1 : undefined),
        batchPercentage,
        batchSoakSeconds: batchSoak?.toSeconds(),
        soakSeconds: soak?.toSeconds(),
      },
    });
  }

  private constructor(private readonly spec: PoolUpgradeSpec) {}

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): PoolUpgradeSpec {
    return this.spec;
  }
}
