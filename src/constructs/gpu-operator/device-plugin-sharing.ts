import type { PluginSharing } from '../../model/gpu-operator/device-plugin';
import type { MigSize } from '../accelerators/mig-size';
import { checkTypes } from '../props/check-props';

/**
 * What is said of shares beside their number.
 */
export interface DevicePluginSharingOptions {
  /**
   * Whether shares are called `nvidia.com/gpu.shared`. Then no pod that asks for a whole GPU gets a share instead.
   *
   * @default true
   */
  readonly renameByDefault?: boolean;

  /**
   * Whether a container that asks for two shares fails instead of getting two of maybe the same GPU. MPS always refuses it.
   *
   * @default true
   */
  readonly failRequestsGreaterThanOne?: boolean;
}

/**
 * How NVIDIA's device plugin shares GPUs. Immutable; every method returns another one.
 *
 * @see docs/gpu-sharing.md
 */
export class DevicePluginSharing {
  /**
   * Containers take turns, each with all memory of the GPU in reach. Name what is shared with `gpus` and `partitions`.
   * @param options what shares are called
   */
  public static timeSlicing(options: DevicePluginSharingOptions = {}): DevicePluginSharing {
    checkTypes('DevicePluginSharing.timeSlicing', 'DevicePluginSharingOptions', options);
    return DevicePluginSharing.of('timeSlicing', options);
  }

  /**
   * Containers run side by side by NVIDIA's Multi-Process Service, each with its part of memory and compute. Only of whole GPUs, on nodes without
   * partitions.
   * @param options what shares are called
   */
  public static mps(options: DevicePluginSharingOptions = {}): DevicePluginSharing {
    checkTypes('DevicePluginSharing.mps', 'DevicePluginSharingOptions', options);
    return DevicePluginSharing.of('mps', options);
  }

  private static of(strategy: PluginSharing['strategy'], { renameByDefault = true, failRequestsGreaterThanOne = true }: DevicePluginSharingOptions): DevicePluginSharing {
    return new DevicePluginSharing({ strategy, renameByDefault, failRequestsGreaterThanOne: strategy === 'mps' || failRequestsGreaterThanOne, resources: [] });
  }

  private constructor(private readonly sharing: PluginSharing) {}

  /**
   * Whole GPUs, or all partitions with the strategy single.
   * @param clients containers that share each, at least 2
   */
  public gpus(clients: number): DevicePluginSharing {
    return this.with('nvidia.com/gpu', clients);
  }

  /**
   * Partitions of a size, with the strategy mixed.
   * @param size size of the partitions
   * @param clients containers that share each, at least 2
   */
  public partitions(size: MigSize, clients: number): DevicePluginSharing {
    return this.with(`nvidia.com/mig-${size.profile.replace('+', '.')}`, clients);
  }

  /**
   * In the model's terms.
   * @internal
   */
  public _toSpec(): PluginSharing {
    return this.sharing;
  }

  private with(name: string, replicas: number): DevicePluginSharing {
    return new DevicePluginSharing({ ...this.sharing, resources: [...this.sharing.resources, { name, replicas }] });
  }
}
