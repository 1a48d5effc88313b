/** How several containers share one GPU, or one partition of it. @see docs/jobs/accelerators.md */
export class GpuSharing {
  /**
   * Containers take turns. Each can use all memory of the GPU.
   * @param clients containers that share one GPU, 2 to 48
   */
  public static timeSharing(clients: number): GpuSharing {
    return new GpuSharing('time-sharing', clients);
  }

  /**
   * Containers run at the same time, with NVIDIA's Multi-Process Service.
   * @param clients containers that share one GPU, 2 to 48
   */
  public static mps(clients: number): GpuSharing {
    return new GpuSharing('mps', clients);
  }

  /**
   * @param strategy as the node label spells it
   * @param clients containers that share one GPU
   */
  private constructor(public readonly strategy: string, public readonly clients: number) {}
}

/** A size that GPUs are partitioned into (MIG). Each partition is a device with its own memory and compute. */
export class MigSize {
  /** 7 of each A100 40 GB. */
  public static readonly MIG_1G_5GB = MigSize.of('1g.5gb');
  /** 7 of each A100 80 GB, H100 and H100 Mega. */
  public static readonly MIG_1G_10GB = MigSize.of('1g.10gb');
  /** 3 of each A100 40 GB. */
  public static readonly MIG_2G_10GB = MigSize.of('2g.10gb');
  /** 7 of each H200. */
  public static readonly MIG_1G_18GB = MigSize.of('1g.18gb');
  /** 4 of each H100 and H100 Mega. */
  public static readonly MIG_1G_20GB = MigSize.of('1g.20gb');
  /** 3 of each A100 80 GB, H100 and H100 Mega. */
  public static readonly MIG_2G_20GB = MigSize.of('2g.20gb');
  /** 2 of each A100 40 GB. */
  public static readonly MIG_3G_20GB = MigSize.of('3g.20gb');
  /** 7 of each B200 and GB200. */
  public static readonly MIG_1G_23GB = MigSize.of('1g.23gb');
  /** 4 of each RTX PRO 6000. */
  public static readonly MIG_1G_24GB = MigSize.of('1g.24gb');
  /** 4 of each H200. */
  public static readonly MIG_1G_35GB = MigSize.of('1g.35gb');
  /** 3 of each H200. */
  public static readonly MIG_2G_35GB = MigSize.of('2g.35gb');
  /** 2 of each A100 80 GB, H100 and H100 Mega. */
  public static readonly MIG_3G_40GB = MigSize.of('3g.40gb');
  /** 1 of each A100 40 GB. */
  public static readonly MIG_7G_40GB = MigSize.of('7g.40gb');
  /** 4 of each B200. */
  public static readonly MIG_1G_45GB = MigSize.of('1g.45gb');
  /** 3 of each B200. */
  public static readonly MIG_2G_45GB = MigSize.of('2g.45gb');
  /** 4 of each GB200. */
  public static readonly MIG_1G_47GB = MigSize.of('1g.47gb');
  /** 3 of each GB200. */
  public static readonly MIG_2G_47GB = MigSize.of('2g.47gb');
  /** 2 of each RTX PRO 6000. */
  public static readonly MIG_2G_48GB = MigSize.of('2g.48gb');
  /** 2 of each H200. */
  public static readonly MIG_3G_71GB = MigSize.of('3g.71gb');
  /** 1 of each A100 80 GB, H100 and H100 Mega. */
  public static readonly MIG_7G_80GB = MigSize.of('7g.80gb');
  /** 2 of each B200. */
  public static readonly MIG_3G_90GB = MigSize.of('3g.90gb');
  /** 2 of each GB200. */
  public static readonly MIG_3G_93GB = MigSize.of('3g.93gb');
  /** 1 of each RTX PRO 6000. */
  public static readonly MIG_4G_96GB = MigSize.of('4g.96gb');
  /** 1 of each H200. */
  public static readonly MIG_7G_141GB = MigSize.of('7g.141gb');
  /** 1 of each B200. */
  public static readonly MIG_7G_180GB = MigSize.of('7g.180gb');
  /** 1 of each GB200. */
  public static readonly MIG_7G_186GB = MigSize.of('7g.186gb');

  /** Any other size. @param profile NVIDIA's name for it, such as `1g.10gb` */
  public static of(profile: string): MigSize {
    return new MigSize(profile);
  }

  /** @param profile NVIDIA's name for the size */
  private constructor(public readonly profile: string) {}
}

/** Resource names of GPU partitions. */
export enum MigStrategy {
  /** Pods cannot request partitions. */
  NONE = 'none',
  /** All GPUs of a node have partitions of one size, named `nvidia.com/gpu`. */
  SINGLE = 'single',
  /** Each size is a resource of its own, such as `nvidia.com/mig-1g.10gb`. */
  MIXED = 'mixed',
}
