import type { PoolSize } from '../../../model/node-pools/spec';

/**
 * How many nodes a pool has.
 */
export class NodeCount {
  /**
   * Always as many, in each zone.
   * @param nodes nodes of each zone
   */
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

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): PoolSize {
    return this.size;
  }
}
