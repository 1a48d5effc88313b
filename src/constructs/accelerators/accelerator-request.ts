import { Size } from 'cdk8s';
import type { Accelerator } from './accelerator';
import { warningsOf, type Finding } from '../../model/findings';
import { GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../model/accelerators/labels';
import type { AcceleratorRequestSpec } from '../../model/accelerators/requests';
import { acceleratorRequirements, type AcceleratorRequirements } from '../../model/accelerators/requirements';
import { checkGpuRequest } from '../../model/accelerators/rules/gpu-rules';
import { checkTpuRequest } from '../../model/accelerators/rules/tpu-rules';
import { tryChipsOf } from '../../model/accelerators/topology';
import { checkPluginRequest } from '../../model/gpu-operator/plugin-requests';
import { formatViolation } from '../../model/violations';

/** Accelerators of one replica, as its pod asks for them. Made by `Accelerator.count` and `Accelerator.perHost`. */
export class AcceleratorRequest {
  /** Extended resource that counts them. */
  public readonly resourceName: string;

  /** How many the pod asks for: GPUs, partitions, shares or TPU chips. */
  public readonly count: number;

  /** The request in the model's terms. @internal */
  public readonly _spec: AcceleratorRequestSpec;

  private readonly requirements: AcceleratorRequirements;

  /**
   * @param accelerator what is asked for
   * @param count how many GPUs, partitions or shares; of TPUs the machine type decides
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

  /** Variables that name the interfaces of the machine's network to NCCL, as a copy; empty where it has only the ordinary one. */
  public get environment(): { [name: string]: string } {
    return { ...this.requirements.env };
  }

  /** `/dev/shm` that processes on whole GPUs want; undefined for partitions, shares and TPUs. */
  public get sharedMemory(): Size | undefined {
    const { sharedMemoryGiB } = this.requirements;
    return sharedMemoryGiB === undefined ? undefined : Size.gibibytes(sharedMemoryGiB);
  }

  /** Pods of one slice, each on a host of its own; undefined for GPUs and for unknown slices. */
  public get hosts(): number | undefined {
    const chips = this._spec.kind === 'tpu' ? tryChipsOf(this._spec.topology) : undefined;
    return chips === undefined || this.count === 0 ? undefined : chips / this.count;
  }

  /** Name of the resource, where it is not that of whole GPUs. @internal */
  public get _gpuResourceName(): string | undefined {
    return this.requirements.gpuResourceName;
  }

  /** What may not work, or is not known to: told by `trainyard validate` too, and never an error. */
  public get warnings(): string[] {
    return warningsOf(this._findings('accelerator')).map(formatViolation);
  }

  /** What is wrong with the request. @internal */
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
