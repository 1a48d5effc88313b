/**
 * Who installs the driver of GPUs on the nodes.
 */
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
