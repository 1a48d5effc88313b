/** What a request for an accelerator becomes in a pod: resources, node selector, tolerations, shared memory and variables of NCCL. */
import { findGpu, findTpu } from './catalogue';
import { ARCHITECTURE_LABEL, GPU_RESOURCE, INSTANCE_TYPE_LABEL, NODE_LABELS } from './labels';
import { ncclVariables, networkOfPod } from './networks';
import type { AcceleratorRequestSpec, GpuRequest, PluginGpuRequest, TpuRequest } from './requests';
import { sharedMemoryGiBOf } from './shared-memory';
import { defaultMachineFor } from './topology';
import { pluginResource, pluginSelector } from '../gpu-operator/plugin-requests';

/** A toleration that matches any value of a taint. */
export interface TaintToleration {
  readonly key: string;
  readonly operator: 'Exists';
  readonly effect: 'NoSchedule';
}

/** What a pod says to get its accelerators. */
export interface AcceleratorRequirements {
  /** `nvidia.com/gpu`, or the resource of the next field. */
  readonly gpu?: number;
  /** Extended resource that `gpu` counts, where it has another name. */
  readonly gpuResourceName?: string;
  /** `google.com/tpu`. */
  readonly tpu?: number;
  readonly nodeSelector: { readonly [label: string]: string };
  /** Tolerations in addition to those of the resource's own taint, which every pod of a job gets that asks for it. */
  readonly tolerations: readonly TaintToleration[];
  /** GiB of `/dev/shm` that processes on whole GPUs want; undefined for partitions, shares and TPUs. */
  readonly sharedMemoryGiB?: number;
  readonly env: { readonly [name: string]: string };
}

/** What a request becomes. The request keeps its rules; what is not in the tables is passed on as it is. */
export function acceleratorRequirements(request: AcceleratorRequestSpec): AcceleratorRequirements {
  switch (request.kind) {
    case 'gpu': return gpuRequirements(request);
    case 'tpu': return tpuRequirements(request);
    case 'plugin-gpu': return pluginRequirements(request);
  }
}

function pluginRequirements(request: PluginGpuRequest): AcceleratorRequirements {
  const { count, partition, sharing } = request;
  const resource = pluginResource(request);
  return {
    gpu: count,
    ...(resource !== GPU_RESOURCE && { gpuResourceName: resource }),
    nodeSelector: pluginSelector(request),
    // Nodes carry the taint of the GPU, whatever their shares are named.
    tolerations: resource.endsWith('.shared') ? [{ key: GPU_RESOURCE, operator: 'Exists', effect: 'NoSchedule' }] : [],
    ...(partition === undefined && sharing === undefined && { sharedMemoryGiB: sharedMemoryGiBOf(count) }),
    env: {},
  };
}

function gpuRequirements({ type, count, machineType, partition, sharing }: GpuRequest): AcceleratorRequirements {
  const gpu = findGpu(type);
  const whole = partition === undefined && sharing === undefined;
  return {
    gpu: count,
    nodeSelector: {
      [NODE_LABELS.accelerator]: type,
      ...(partition !== undefined && { [NODE_LABELS.partitionSize]: partition }),
      ...(sharing !== undefined && {
        [NODE_LABELS.sharingStrategy]: sharing.strategy,
        [NODE_LABELS.sharedClients]: String(sharing.clients),
      }),
      ...(machineType !== undefined && { [INSTANCE_TYPE_LABEL]: machineType }),
    },
    tolerations: gpu?.architecture === 'arm64' ? [{ key: ARCHITECTURE_LABEL, operator: 'Exists', effect: 'NoSchedule' }] : [],
    ...(whole && { sharedMemoryGiB: sharedMemoryGiBOf(count) }),
    env: gpu === undefined || !whole ? {} : ncclVariables(networkOfPod(gpu, count, machineType)),
  };
}

function tpuRequirements(request: TpuRequest): AcceleratorRequirements {
  const { type, topology, machineType } = request;
  const chips = chipsPerHost(request);
  return {
    ...(chips !== undefined && { tpu: chips }),
    nodeSelector: {
      [NODE_LABELS.tpuAccelerator]: type,
      [NODE_LABELS.tpuTopology]: topology,
      ...(machineType !== undefined && { [INSTANCE_TYPE_LABEL]: machineType }),
    },
    tolerations: [],
    env: {},
  };
}

/** Chips of each host of a slice; undefined when the tables have no such machine type. */
function chipsPerHost({ type, topology, machineType }: TpuRequest): number | undefined {
  const tpu = findTpu(type);
  if (tpu === undefined) {
    return undefined;
  }
  const machine = machineType === undefined ? defaultMachineFor(tpu, topology) : tpu.machines.find(({ name }) => name === machineType);
  return machine?.devices;
}
