import { PoolProgram, choiceLines, errorLines, warningLines } from './pool-choices';
import type { GpuNodePoolProps } from './pool-props';
import type { NodePoolSpec } from '../../../model/node-pools/spec';
import { checkTypes } from '../../props/check-props';

/**
 * A description of node pools without a chart: the pools that `GpuNodePool` and `GpuComputeClass` render from the same properties, one for each
 * choice. `GpuNodePool.fromDescription` of `trainyard/stacks` creates them with Pulumi.
 * @see docs/platform/node-pools.md
 */
export class NodePoolDescription {
  /**
   * Describes the pools of properties. `name` is required here, because there is no construct id to derive it from.
   * @param props the properties of `GpuNodePool`
   * @throws Error with all errors in the properties
   */
  public static of(props: GpuNodePoolProps): NodePoolDescription {
    checkTypes('NodePoolDescription.of', 'GpuNodePoolProps', props);
    if (props.name === undefined) {
      throw new Error("NodePoolDescription: pool.name: is required: there is no construct id to derive it from. Add it, such as name: 'l4'.");
    }
    const program = new PoolProgram(props, props.name);
    const errors = errorLines('NodePoolDescription', props.name, program.findings(() => []));
    if (errors.length > 0) {
      throw new Error(errors.join('\n'));
    }
    return new NodePoolDescription(program);
  }

  private constructor(private readonly program: PoolProgram) {}

  /** The choices in words, with their prices where they are known, the most preferred first. */
  public get choices(): string[] {
    return choiceLines(this.program.expanded.choices);
  }

  /** Choices that cost more than `maxPrice`. */
  public get leftOut(): string[] {
    return choiceLines(this.program.expanded.leftOut);
  }

  /** Combinations that may not work or are unconfirmed. Never errors. */
  public get warnings(): string[] {
    return warningLines(this.program.findings(() => []));
  }

  /** The pools as specs, the most preferred first. @internal */
  public _toSpecs(): NodePoolSpec[] {
    return this.program.pools;
  }
}
