/** How several containers share one GPU, or one partition of it. @see docs/accelerators.md */
export class GpuSharing {
  /**
   * Containers take turns, each with all memory of the GPU in reach.
   * @param clients containers that share one GPU, 2 to 48
   */
  public static timeSharing(clients: number): GpuSharing {
    return new GpuSharing('time-sharing', clients);
  }

  /**
   * Containers run side by side, by NVIDIA's Multi-Process Service.
   * @param clients containers that share one GPU, 2 to 48
   */
  public static mps(clients: number): GpuSharing {
    return new GpuSharing('mps', clients);
  }

  /**
   * @param strategy as the label of nodes spells it
   * @param clients containers that share one GPU
   */
  private constructor(public readonly strategy: string, public readonly clients: number) {}
}
