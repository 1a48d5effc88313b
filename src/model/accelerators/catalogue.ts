/** All accelerators, and how they are found by what people write: types, machine types, families. */
import { GPUS } from './data/gpus';
import { TPUS } from './data/tpus';
import type { AcceleratorInfo, GpuAccelerator, MachineType, TpuAccelerator } from './types';

/** When the facts were collected: what came later is not in the tables, and only warned about. */
export const FACTS_OF = '2026-11-21';

export { GPUS, TPUS };

const ALL: readonly AcceleratorInfo[] = [...GPUS, ...TPUS];

const GPU_BY_TYPE = new Map(GPUS.map((gpu) => [gpu.type, gpu]));

const TPU_BY_TYPE = new Map(TPUS.map((tpu) => [tpu.type, tpu]));

/** A machine type, and all accelerators that it can have: one, or on N1 several. */
export interface KnownMachine {
  readonly machine: MachineType;
  readonly accelerators: readonly AcceleratorInfo[];
}

const MACHINES = new Map<string, KnownMachine>();
for (const accelerator of ALL) {
  for (const machine of accelerator.machines) {
    MACHINES.set(machine.name, { machine, accelerators: [...MACHINES.get(machine.name)?.accelerators ?? [], accelerator] });
  }
}

/** The GPU of a type such as `nvidia-l4`; undefined when the table has none. */
export function findGpu(type: string): GpuAccelerator | undefined {
  return GPU_BY_TYPE.get(type);
}

/** The TPU of a type such as `tpu-v6e-slice`; undefined when the table has none. */
export function findTpu(type: string): TpuAccelerator | undefined {
  return TPU_BY_TYPE.get(type);
}

/** The machine type of a name; undefined when no accelerator of the table has it. */
export function findMachine(name: string): KnownMachine | undefined {
  return MACHINES.get(name);
}

export function machineNames(): string[] {
  return [...MACHINES.keys()];
}

/** `a3-highgpu` of `a3-highgpu-8g`: what machine types of different sizes have in common. */
export function machineSeries(name: string): string {
  return name.split('-').slice(0, 2).join('-');
}

/** `a3` of `a3-highgpu-8g`. */
export function machineFamilyOf(name: string): string {
  return name.split('-')[0];
}

/** Machine types that people would choose: without those that have to be asked for by name, and those of edge sites. */
export function ordinaryMachines(accelerator: AcceleratorInfo): readonly MachineType[] {
  const ordinary = accelerator.machines.filter(({ explicitRequestOnly, dwsDisabled }) => !explicitRequestOnly && !dwsDisabled);
  return ordinary.length > 0 ? ordinary : accelerator.machines;
}

/** Machine types of a GPU with exactly so many of them; all of N1 when they can have as many. */
export function machinesWith(gpu: GpuAccelerator, count: number): readonly MachineType[] {
  if (gpu.attachableToN1) {
    const limit = gpu.maxVcpuByCount?.[count];
    return limit === undefined ? [] : gpu.machines.filter(({ vcpu }) => vcpu <= limit);
  }
  return ordinaryMachines(gpu).filter(({ devices }) => devices === count);
}

/** Fewest and most clients that one GPU, or one partition, is shared by. */
export const SHARED_CLIENTS = { min: 2, max: 48 } as const;

interface GpuDivision {
  readonly gpus: number;
  /** Partitions of each GPU. @default 1 */
  readonly partitionsPerGpu?: number;
  /** Clients that share each GPU or each partition. @default 1 */
  readonly clientsPerDevice?: number;
}

/** `nvidia.com/gpu` that a node has to give: GPUs x partitions x clients, as GKE's autoscaler counts. */
export function allocatableGpus({ gpus, partitionsPerGpu = 1, clientsPerDevice = 1 }: GpuDivision): number {
  return gpus * partitionsPerGpu * clientsPerDevice;
}

/** Partitions of a size that one GPU gives; undefined when it has none of the size. */
export function partitionsPerGpu(gpu: GpuAccelerator, size: string): number | undefined {
  return gpu.migProfiles.find(({ profile }) => profile === size)?.perGpu;
}
