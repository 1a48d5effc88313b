import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/** GPUs of one replica: how many, and which extended resource counts them. */
export class Gpu {
  /** Whole GPUs of NVIDIA (`nvidia.com/gpu`). @param count GPUs of each replica */
  public static nvidia(count: number): Gpu {
    return new Gpu(count, 'nvidia.com/gpu');
  }

  /** Whole GPUs of AMD (`amd.com/gpu`). @param count GPUs of each replica */
  public static amd(count: number): Gpu {
    return new Gpu(count, 'amd.com/gpu');
  }

  /**
   * Slices of an NVIDIA GPU (`nvidia.com/mig-PROFILE`), where the device plugin names them by profile.
   * @param profile MIG profile, such as `1g.5gb`
   * @param count slices of each replica
   */
  public static mig(profile: string, count: number): Gpu {
    return new Gpu(count, `nvidia.com/mig-${profile}`);
  }

  /**
   * GPUs that another device plugin counts.
   * @param resourceName extended resource, such as `gpu.intel.com/i915`
   * @param count GPUs of each replica
   */
  public static ofResource(resourceName: string, count: number): Gpu {
    return new Gpu(count, resourceName);
  }

  /**
   * @param count GPUs of each replica
   * @param resourceName extended resource that counts them
   */
  private constructor(public readonly count: number, public readonly resourceName: string) {}
}

/** TPU chips of one replica (`google.com/tpu`). */
export class Tpu {
  /** @param count chips of each replica: those of one host */
  public static chips(count: number): Tpu {
    return new Tpu(count);
  }

  /** @param count chips of each replica */
  private constructor(public readonly count: number) {}
}

/** CPU, memory and disk of one pod. Each is both the request and the limit. */
export interface ComputeResources {
  /** Cores. @default - none asked for */
  readonly cpu?: Cpu;
  /** Memory. @default - none asked for */
  readonly memory?: Size;
  /** Disk of the node. @default - none asked for */
  readonly ephemeralStorage?: Size;
}

/**
 * Compute of one replica. CPU, memory and ephemeral storage are both request and limit, so that training runs as fast on a full node as
 * on an empty one.
 */
export interface TrainingResources extends ComputeResources {
  /** GPUs. Not together with `tpu`. @default - none */
  readonly gpu?: Gpu;

  /** TPU chips. Not together with `gpu`. @default - none */
  readonly tpu?: Tpu;

  /**
   * Size of `/dev/shm`, which data loaders share batches through. Counts against `memory`. With `Size.kibibytes(0)` there is no volume, and the
   * container runtime gives 64 MiB.
   * @default - with whole GPUs, however they are asked for, 8 GiB for each, and at most half of `memory`; else the container runtime's 64 MiB
   */
  readonly sharedMemory?: Size;

  /** Other extended resources and how many of each, such as `rdma/hca`. @default - none */
  readonly extended?: { readonly [resourceName: string]: number };
}
