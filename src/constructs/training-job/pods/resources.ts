import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/** GPUs of one replica: how many, and which extended resource counts them. */
export class Gpu {
  /** Whole NVIDIA GPUs (`nvidia.com/gpu`). @param count GPUs of each replica */
  public static nvidia(count: number): Gpu {
    return new Gpu(count, 'nvidia.com/gpu');
  }

  /** Whole AMD GPUs (`amd.com/gpu`). @param count GPUs of each replica */
  public static amd(count: number): Gpu {
    return new Gpu(count, 'amd.com/gpu');
  }

  /**
   * MIG slices of an NVIDIA GPU (`nvidia.com/mig-PROFILE`), if the device plugin names them by profile.
   * @param profile MIG profile, such as `1g.5gb`
   * @param count slices of each replica
   */
  public static mig(profile: string, count: number): Gpu {
    return new Gpu(count, `nvidia.com/mig-${profile}`);
  }

  /**
   * GPUs of another device plugin.
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
  /** Chips of one host. @param count chips of each replica */
  public static chips(count: number): Tpu {
    return new Tpu(count);
  }

  /** @param count chips of each replica */
  private constructor(public readonly count: number) {}
}

/** CPU, memory and disk of one pod. Each is both the request and the limit. */
export interface ComputeResources {
  /** Cores. @default - no request */
  readonly cpu?: Cpu;
  /** Memory. @default - no request */
  readonly memory?: Size;
  /** Local disk of the node. @default - no request */
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
   * Size of `/dev/shm`, through which data loaders share batches. Counts against `memory`. With `Size.kibibytes(0)`, no volume is mounted and the
   * size is the container runtime's 64 MiB.
   * @default - 8 GiB for each whole GPU, however it is requested, and at most half of `memory`; without whole GPUs, the container runtime's 64 MiB
   */
  readonly sharedMemory?: Size;

  /** Other extended resources and how many of each, such as `rdma/hca`. @default - none */
  readonly extended?: { readonly [resourceName: string]: number };
}
