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
