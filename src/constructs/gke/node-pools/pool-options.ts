import type { Duration } from 'cdk8s';
import { checkTypes } from '../../props/check-props';
import type { PoolSize, PoolUpgrade as PoolUpgradeSpec } from '../../../model/node-pools/spec';

/** How an upgrade by a second set of nodes proceeds. */
export interface BlueGreenUpgradeOptions {
  /** Nodes that are drained at a time. Not together with `batchPercentage`. @default 1 */
  readonly batchNodes?: number;
  /** Part of the nodes that is drained at a time, such as 0.25. @default - one node at a time */
  readonly batchPercentage?: number;
  /** Time between batches. @default - none */
  readonly batchSoak?: Duration;
  /** Time after the last batch until the old nodes go. @default - GKE's: one hour */
  readonly soak?: Duration;
}

/** How GKE replaces the nodes of a pool by newer ones. */
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

  /** In the model's terms. @internal */
  public _toSpec(): PoolUpgradeSpec {
    return this.spec;
  }
}

/** How many nodes a pool has. */
export class NodeCount {
  /** Always as many, in each zone. @param nodes nodes of each zone */
  public static exactly(nodes: number): NodeCount {
    return new NodeCount({ nodes });
  }

  /**
   * As many as pods need, over all zones together.
   * @param min nodes that are always there
   * @param max most nodes
   */
  public static total(min: number, max: number): NodeCount {
    return new NodeCount({ totalMin: min, totalMax: max });
  }

  /**
   * As many as pods need, in each zone. Slices of TPUs over several hosts are counted so, with as many as a slice has hosts.
   * @param min nodes of each zone that are always there
   * @param max most nodes of each zone
   */
  public static perZone(min: number, max: number): NodeCount {
    return new NodeCount({ minPerZone: min, maxPerZone: max });
  }

  private constructor(private readonly size: PoolSize) {}

  /** New nodes come where there are any, which also uses up reservations first. */
  public inAnyZone(): NodeCount {
    return new NodeCount({ ...this.size, locationPolicy: 'ANY' });
  }

  /** New nodes are spread evenly over the zones. */
  public balanced(): NodeCount {
    return new NodeCount({ ...this.size, locationPolicy: 'BALANCED' });
  }

  /** In the model's terms. @internal */
  public _toSpec(): PoolSize {
    return this.size;
  }
}

/** Who installs the driver of GPUs on the nodes. */
export class GpuDriver {
  /** GKE, the version that is the default of its own. */
  public static readonly DEFAULT = new GpuDriver('default', false);
  /** GKE, the newest version that it has. */
  public static readonly LATEST = new GpuDriver('latest', false);
  /** NVIDIA's GPU operator: GKE installs neither driver nor device plugin. */
  public static readonly GPU_OPERATOR = new GpuDriver('disabled', true);

  /**
   * @param version as the model spells it
   * @param isOperator whether it is the GPU operator
   */
  private constructor(public readonly version: string, public readonly isOperator: boolean) {}
}
