import { Size } from 'cdk8s';
import type { GpuSharing, MigSize, MigStrategy } from './gpu-sharing';
import { warningsOf, type Finding } from '../../model/findings';
import { GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../model/accelerators/labels';
import type { AcceleratorRequestSpec } from '../../model/accelerators/requests';
import { acceleratorRequirements, type AcceleratorRequirements } from '../../model/accelerators/requirements';
import { checkGpuRequest } from '../../model/accelerators/rules/gpu-rules';
import { checkTpuRequest } from '../../model/accelerators/rules/tpu-rules';
import { tryChipsOf } from '../../model/accelerators/topology';
import { checkPluginRequest } from '../../model/gpu-operator/plugin-requests';
import { formatViolation } from '../../model/violations';
import { checkTypes } from '../props/check-props';

/** Resource names of partitions and shares on nodes with NVIDIA's own device plugin. */
export interface ProductOptions {
  /** Which resource names partitions have. @default MigStrategy.MIXED */
  readonly migStrategy?: MigStrategy;
  /** Whether shares are named `nvidia.com/gpu.shared`, the default of `DevicePluginSharing`. @default true */
  readonly renamedShares?: boolean;
}

/** The parts of an accelerator. */
interface AcceleratorParts {
  readonly topology?: string;
  readonly machineType?: string;
  readonly partition?: MigSize;
  readonly sharing?: GpuSharing;
  /** For nodes with NVIDIA's own device plugin. */
  readonly plugin?: ProductOptions;
}

/**
 * An accelerator: a GPU, a partition or a share of one, or a TPU slice. On GKE, unless you create it with `product`. Immutable; every method returns
 * a new one.
 * @see docs/jobs/accelerators.md
 */
export class Accelerator {
  /** GB300: 279 GB, 4 on arm64 machines (A4X Max). */
  public static readonly NVIDIA_GB300 = Accelerator.nvidia('nvidia-gb300');
  /** GB200: 186 GB, 4 on arm64 machines (A4X). */
  public static readonly NVIDIA_GB200 = Accelerator.nvidia('nvidia-gb200');
  /** B200: 180 GB, 8 on a machine (A4). */
  public static readonly NVIDIA_B200 = Accelerator.nvidia('nvidia-b200');
  /** H200: 141 GB, 8 on a machine (A3 Ultra). */
  public static readonly NVIDIA_H200_141GB = Accelerator.nvidia('nvidia-h200-141gb');
  /** H100 of A3 Mega machines: 80 GB, 8 on a machine, with GPUDirect-TCPXO. */
  public static readonly NVIDIA_H100_MEGA_80GB = Accelerator.nvidia('nvidia-h100-mega-80gb');
  /** H100 of A3 High machines: 80 GB, 1, 2, 4 or 8 on a machine. */
  public static readonly NVIDIA_H100_80GB = Accelerator.nvidia('nvidia-h100-80gb');
  /** RTX PRO 6000: 96 GB, 1, 2, 4 or 8 on a machine (G4). */
  public static readonly NVIDIA_RTX_PRO_6000 = Accelerator.nvidia('nvidia-rtx-pro-6000');
  /** A100 with 80 GB: 1, 2, 4 or 8 on a machine (A2 Ultra). */
  public static readonly NVIDIA_A100_80GB = Accelerator.nvidia('nvidia-a100-80gb');
  /** A100 with 40 GB: 1, 2, 4, 8 or 16 on a machine (A2). */
  public static readonly NVIDIA_A100_40GB = Accelerator.nvidia('nvidia-tesla-a100');
  /** L4: 24 GB, 1, 2, 4 or 8 on a machine (G2). */
  public static readonly NVIDIA_L4 = Accelerator.nvidia('nvidia-l4');
  /** T4: 16 GB, 1, 2 or 4 attached to an N1 machine. */
  public static readonly NVIDIA_T4 = Accelerator.nvidia('nvidia-tesla-t4');
  /** V100: 16 GB, 1, 2, 4 or 8 attached to an N1 machine. */
  public static readonly NVIDIA_V100 = Accelerator.nvidia('nvidia-tesla-v100');
  /** P100: 16 GB, 1, 2 or 4 attached to an N1 machine. */
  public static readonly NVIDIA_P100 = Accelerator.nvidia('nvidia-tesla-p100');
  /** P4: 8 GB, 1, 2 or 4 attached to an N1 machine. */
  public static readonly NVIDIA_P4 = Accelerator.nvidia('nvidia-tesla-p4');

  /**
   * Any NVIDIA GPU, also one that this library does not know: it is then not checked, and a warning reports this.
   * @param type value of the label `cloud.google.com/gke-accelerator`, such as `nvidia-l4`
   */
  public static nvidia(type: string): Accelerator {
    return new Accelerator(type, {});
  }

  /**
   * A GPU outside GKE, on nodes with NVIDIA's own device plugin and GPU feature discovery, such as those of the GPU operator.
   * @param product value of the label `nvidia.com/gpu.product` of whole GPUs, such as `NVIDIA-H100-80GB-HBM3`
   * @param options resource names of partitions and shares
   */
  public static product(product: string, options: ProductOptions = {}): Accelerator {
    checkTypes('Accelerator.product', 'ProductOptions', options);
    return new Accelerator(product, { plugin: options });
  }

  /** A slice of TPU v4. @param topology three dimensions in ascending order, such as `2x2x4` */
  public static tpuV4(topology: string): Accelerator {
    return Accelerator.tpu('tpu-v4-podslice', topology);
  }

  /** A slice of TPU v5e. @param topology such as `2x4` or `4x4` */
  public static tpuV5e(topology: string): Accelerator {
    return Accelerator.tpu('tpu-v5-lite-podslice', topology);
  }

  /** A slice of TPU v5p. @param topology three dimensions in ascending order, such as `2x2x4` */
  public static tpuV5p(topology: string): Accelerator {
    return Accelerator.tpu('tpu-v5p-slice', topology);
  }

  /** A slice of TPU v6e (Trillium). @param topology such as `2x4` or `4x4` */
  public static tpuV6e(topology: string): Accelerator {
    return Accelerator.tpu('tpu-v6e-slice', topology);
  }

  /** A slice of TPU7x (Ironwood). @param topology three dimensions in ascending order, such as `2x2x4` */
  public static tpu7x(topology: string): Accelerator {
    return Accelerator.tpu('tpu7x', topology);
  }

  /**
   * Any TPU slice, also of a generation that this library does not know: then name its machine type, which determines the chips per host.
   * @param type value of the label `cloud.google.com/gke-tpu-accelerator`, such as `tpu-v6e-slice`
   * @param topology topology of the slice
   */
  public static tpu(type: string, topology: string): Accelerator {
    return new Accelerator(type, { topology });
  }

  /** Topology of the slice; undefined for GPUs. */
  public readonly topology?: string;

  /** Machine type of the nodes; undefined for any. */
  public readonly machineType?: string;

  /** Partition that is requested instead of a whole GPU. */
  public readonly partition?: MigSize;

  /** How the GPU or partition is shared. */
  public readonly sharing?: GpuSharing;

  private readonly parts: AcceleratorParts;

  /** @param type value of the node label */
  private constructor(public readonly type: string, parts: AcceleratorParts) {
    this.parts = parts;
    this.topology = parts.topology;
    this.machineType = parts.machineType;
    this.partition = parts.partition;
    this.sharing = parts.sharing;
  }

  /**
   * The accelerator on one machine type only, which determines the accelerators per node and the network between nodes.
   * @param machineType such as `a3-highgpu-8g`
   */
  public onMachine(machineType: string): Accelerator {
    if (this.parts.plugin !== undefined) {
      throw new Error(`Accelerator '${this.type}': onMachine() is for GKE. Select nodes of other clusters with the job's nodeSelector.`);
    }
    return new Accelerator(this.type, { ...this.parts, machineType });
  }

  /** Partitions of the GPU (MIG). All nodes of a pool have partitions of the same size. @param size size of a partition */
  public partitioned(size: MigSize): Accelerator {
    this.mustBeGpu('be partitioned');
    return new Accelerator(this.type, { ...this.parts, partition: size });
  }

  /** Shares of the GPU, or of a partition of it. @param sharing strategy and number of containers */
  public shared(sharing: GpuSharing): Accelerator {
    this.mustBeGpu('be shared');
    return new Accelerator(this.type, { ...this.parts, sharing });
  }

  /** A number of accelerators for each replica. @param count number of GPUs; of partitions or shares, a replica can have only one */
  public count(count: number): AcceleratorRequest {
    this.mustBeGpu('be counted: the topology of a slice sets its number of chips, and each replica is one host of it. Use perHost()');
    return new AcceleratorRequest(this, count);
  }

  /** The chips of one host for each replica: TPU slices consist of hosts, and each host runs one pod. */
  public perHost(): AcceleratorRequest {
    if (this.topology === undefined) {
      throw new Error(`Accelerator '${this.type}': perHost() is for TPU slices. Use count(), with the number of GPUs of each replica.`);
    }
    return new AcceleratorRequest(this);
  }

  /** A request for the model. @internal */
  public _request(count = 1): AcceleratorRequestSpec {
    const { type, topology, machineType, partition, sharing } = this;
    const shared = sharing !== undefined && { sharing: { strategy: sharing.strategy, clients: sharing.clients } };
    const { plugin } = this.parts;
    if (plugin !== undefined) {
      return {
        kind: 'plugin-gpu',
        product: type,
        count,
        ...(partition !== undefined && { partition: partition.profile }),
        ...(plugin.migStrategy !== undefined && { migStrategy: plugin.migStrategy }),
        ...shared,
        ...(plugin.renamedShares !== undefined && { renamed: plugin.renamedShares }),
      };
    }
    const where = machineType === undefined ? {} : { machineType };
    if (topology !== undefined) {
      return { kind: 'tpu', type, topology, ...where };
    }
    return {
      kind: 'gpu',
      type,
      count,
      ...where,
      ...(partition !== undefined && { partition: partition.profile }),
      ...shared,
    };
  }

  private mustBeGpu(what: string): void {
    if (this.topology !== undefined) {
      throw new Error(`Accelerator '${this.type}': a TPU cannot ${what}.`);
    }
  }
}

/** Accelerators that the pod of one replica requests. Created by `Accelerator.count` and `Accelerator.perHost`. */
export class AcceleratorRequest {
  /** Extended resource that counts them. */
  public readonly resourceName: string;

  /** How many the pod requests: GPUs, partitions, shares or TPU chips. */
  public readonly count: number;

  /** The request for the model. @internal */
  public readonly _spec: AcceleratorRequestSpec;

  private readonly requirements: AcceleratorRequirements;

  /**
   * @param accelerator requested accelerator
   * @param count number of GPUs, partitions or shares; for TPUs, the machine type determines it
   */
  public constructor(public readonly accelerator: Accelerator, count?: number) {
    this._spec = accelerator._request(count);
    this.requirements = acceleratorRequirements(this._spec);
    this.resourceName = this._spec.kind === 'tpu' ? TPU_RESOURCE_NAME : this.requirements.gpuResourceName ?? GPU_RESOURCE;
    this.count = this.requirements.gpu ?? this.requirements.tpu ?? 0;
  }

  /** Labels of the nodes that the pod selects, as a copy. */
  public get nodeSelector(): { [label: string]: string } {
    return { ...this.requirements.nodeSelector };
  }

  /** Variables that tell NCCL which network interfaces to use, as a copy; empty if the machine has only the default one. */
  public get environment(): { [name: string]: string } {
    return { ...this.requirements.env };
  }

  /** Size of `/dev/shm` for processes on whole GPUs; undefined for partitions, shares and TPUs. */
  public get sharedMemory(): Size | undefined {
    const { sharedMemoryGiB } = this.requirements;
    return sharedMemoryGiB === undefined ? undefined : Size.gibibytes(sharedMemoryGiB);
  }

  /** Number of hosts, and therefore of pods, of one slice; undefined for GPUs and unknown slices. */
  public get hosts(): number | undefined {
    const chips = this._spec.kind === 'tpu' ? tryChipsOf(this._spec.topology) : undefined;
    return chips === undefined || this.count === 0 ? undefined : chips / this.count;
  }

  /** Name of the resource, if it is not that of whole GPUs. @internal */
  public get _gpuResourceName(): string | undefined {
    return this.requirements.gpuResourceName;
  }

  /** Combinations that may not work or are unconfirmed. Never errors; `trainyard validate` shows them too. */
  public get warnings(): string[] {
    return warningsOf(this._findings('accelerator')).map(formatViolation);
  }

  /** Errors and warnings about the request. @internal */
  public _findings(path: string): Finding[] {
    switch (this._spec.kind) {
      case 'gpu': return checkGpuRequest(this._spec, path);
      case 'tpu': return checkTpuRequest(this._spec, path);
      case 'plugin-gpu': return checkPluginRequest(this._spec, path).map((violation) => ({ ...violation, severity: 'error' }));
    }
  }

  /** Tolerations in addition to that of the resource's own taint. @internal */
  public get _tolerations(): AcceleratorRequirements['tolerations'] {
    return this.requirements.tolerations;
  }
}
