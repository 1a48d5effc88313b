import { PoolProgram, choiceLines, errorLines, warningLines } from './pool-choices';
import type { GpuNodePoolProps } from './pool-props';
import type { NodePoolSpec } from '../../../model/node-pools/spec';
import { checkTypes } from '../../props/check-props';

/**
 * What props of a node pool stand for, without a chart: the pools that `GpuNodePool` and `GpuComputeClass` render from the same props, one for each
 * choice. `GpuNodePool.fromDescription` of `trainyard/stacks` makes them by Pulumi.
 * @see docs/node-pools.md
 */
export class NodePoolDescription {
  /**
   * The pools of props, which need a `name` here: there is no construct whose id it could come from. Throws an error with everything that is wrong.
   * @param props the props, as `GpuNodePool` takes them
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

  /** The choices in words, with their prices where they are known, the most wanted first. */
  public get choices(): string[] {
    return choiceLines(this.program.expanded.choices);
  }

  /** Choices that cost more than the most that is paid. */
  public get leftOut(): string[] {
    return choiceLines(this.program.expanded.leftOut);
  }

  /** What may not work, or is not known to. */
  public get warnings(): string[] {
    return warningLines(this.program.findings(() => []));
  }

  /** The pools in the model's terms, the most wanted first. @internal */
  public _toSpecs(): NodePoolSpec[] {
    return this.program.pools;
  }
}
