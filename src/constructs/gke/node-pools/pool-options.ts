import type { Duration } from 'cdk8s';
import { checkTypes } from '../../props/check-props';
import type { PoolSize, PoolUpgrade as PoolUpgradeSpec } from '../../../model/node-pools/spec';

/** Options of a blue-green upgrade. */
export interface BlueGreenUpgradeOptions {
  /** Number of nodes to drain at a time. Not together with `batchPercentage`. @default 1 */
  readonly batchNodes?: number;
  /** Fraction of the nodes to drain at a time, such as 0.25. @default - one node at a time */
  readonly batchPercentage?: number;
  /** Time between batches. @default - none */
  readonly batchSoak?: Duration;
  /** Time after the last batch before the old nodes are deleted. @default - GKE's: one hour */
  readonly soak?: Duration;
}

/** How GKE upgrades the nodes of a pool. Flex-start and queued machines have no choice: GKE replaces them when their lifetime ends. */
export class PoolUpgrade {
  /**
   * A few nodes at a time.
   * @param maxSurge number of nodes that are created before others are deleted
   * @param maxUnavailable number of nodes that are deleted before others are created
   */
  public static surge(maxSurge: number, maxUnavailable: number): PoolUpgrade {
    return new PoolUpgrade({ strategy: 'SURGE', maxSurge, maxUnavailable });
  }

  /**
   * Creates a second set of nodes, then drains the first one in batches. Needs twice the machines.
   * @param options batches and waiting times
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

  /** @internal */
  public _toSpec(): PoolUpgradeSpec {
    return this.spec;
  }
}

/** Number of nodes of a pool. */
export class NodeCount {
  /** A fixed number in each zone. @param nodes nodes in each zone */
  public static exactly(nodes: number): NodeCount {
    return new NodeCount({ nodes });
  }

  /**
   * Autoscaled, with limits for all zones together.
   * @param min minimum number of nodes
   * @param max maximum number of nodes
   */
  public static total(min: number, max: number): NodeCount {
    return new NodeCount({ totalMin: min, totalMax: max });
  }

  /**
   * Autoscaled, with limits for each zone. Use it for TPU slices with several hosts, with the number of hosts of a slice.
   * @param min minimum number of nodes in each zone
   * @param max maximum number of nodes in each zone
   */
  public static perZone(min: number, max: number): NodeCount {
    return new NodeCount({ minPerZone: min, maxPerZone: max });
  }

  private constructor(private readonly size: PoolSize) {}

  /** Creates new nodes in any zone with capacity, and uses reservations first. */
  public inAnyZone(): NodeCount {
    return new NodeCount({ ...this.size, locationPolicy: 'ANY' });
  }

  /** Spreads new nodes evenly over the zones. */
  public balanced(): NodeCount {
    return new NodeCount({ ...this.size, locationPolicy: 'BALANCED' });
  }

  /** @internal */
  public _toSpec(): PoolSize {
    return this.size;
  }
}

/** How the GPU driver is installed on the nodes. */
export class GpuDriver {
  /** By GKE, in the default version of the GKE release. */
  public static readonly DEFAULT = new GpuDriver('default', false);
  /** By GKE, in the latest version of the GKE release. */
  public static readonly LATEST = new GpuDriver('latest', false);
  /** By NVIDIA's GPU operator: GKE installs neither driver nor device plugin. */
  public static readonly GPU_OPERATOR = new GpuDriver('disabled', true);

  /**
   * @param version as GKE spells it
   * @param isOperator whether it is the GPU operator
   */
  private constructor(public readonly version: string, public readonly isOperator: boolean) {}
}
