/** Rules on the GPUs that one pod asks for. */
import { checkMachine, checkVcpus } from './machine-rules';
import { RULES } from './rule-list';
import { checkPartition, checkSharing } from './sharing-rules';
import { FACTS_OF, GPUS, findGpu, findTpu, machineSeries, ordinaryMachines } from '../catalogue';
import { FindingCollector, both, either, type Finding } from '../../findings';
import type { GpuRequest } from '../requests';
import { entryOf } from '../../lists';
import type { AcceleratorInfo, GpuAccelerator } from '../types';
import { didYouMean } from '../../violations';

/** Names that people use, and the type that they mean. */
const ALIASES: { readonly [name: string]: string } = {
  't4': 'nvidia-tesla-t4', 'v100': 'nvidia-tesla-v100', 'p100': 'nvidia-tesla-p100', 'l4': 'nvidia-l4', 'nvidia-tesla-l4': 'nvidia-l4',
  'a100': 'nvidia-tesla-a100', 'nvidia-a100': 'nvidia-tesla-a100', 'nvidia-a100-40gb': 'nvidia-tesla-a100', 'nvidia-tesla-a100-80gb': 'nvidia-a100-80gb',
  'h100': 'nvidia-h100-80gb', 'nvidia-h100': 'nvidia-h100-80gb', 'nvidia-h100-mega': 'nvidia-h100-mega-80gb', 'nvidia-tesla-h100': 'nvidia-h100-80gb',
  'h200': 'nvidia-h200-141gb', 'nvidia-h200': 'nvidia-h200-141gb', 'b200': 'nvidia-b200', 'gb200': 'nvidia-gb200', 'gb300': 'nvidia-gb300',
};

/** Checks what a pod asks for. @param path where the request stands */
export function checkGpuRequest(request: GpuRequest, path: string): Finding[] {
  const findings = new FindingCollector();
  const gpu = checkGpuType(request.type, `${path}.type`, findings);
  if (findings.whole(RULES.gpuCount, `${path}.count`, request.count, 1) && gpu !== undefined) {
    checkKnown(gpu, request, path, findings);
  }
  return findings.findings;
}

/** Checks the type of a GPU. @returns what is known of it */
export function checkGpuType(type: string, path: string, findings: FindingCollector): GpuAccelerator | undefined {
  const gpu = findGpu(type);
  if (gpu?.endOfSupport !== undefined) {
    findings.error(RULES.ended, path, type, `is no longer available:  ${gpu.endOfSupport}. Use nvidia-tesla-t4 or nvidia-l4.`);
    return undefined;
  }
  if (findTpu(type) !== undefined) {
    findings.error(RULES.type, path, type, 'is a TPU, not a GPU: TPU slices have a topology.');
  } else if (gpu === undefined) {
    reportUnknownType(type, { what: 'GPU', aliases: ALIASES, known: GPUS }, path, findings);
  }
  return gpu;
}

/** Accelerators of one sort. */
interface AcceleratorSort {
  readonly what: 'GPU' | 'TPU';
  /** Names that people use, and the type that they mean. */
  readonly aliases: { readonly [name: string]: string };
  readonly known: readonly AcceleratorInfo[];
}

/** Reports a type that is not in the tables: it is a slip, or newer than they are. */
export function reportUnknownType(type: string, { what, aliases, known }: AcceleratorSort, path: string, findings: FindingCollector): void {
  const types = known.map((accelerator) => accelerator.type);
  const alias = entryOf(aliases, type.toLowerCase());
  const guess = alias === undefined ? didYouMean(type, types) : ` Did you mean '${alias}'?`;
  if (guess !== '') {
    findings.error(RULES.type, path, type, `is not a ${what} type on GKE.${guess}`);
  } else {
    findings.warn(RULES.type, path, type, `was not a ${what} type on GKE on ${FACTS_OF}, so it is not checked further. Known: ${types.join(', ')}.`);
  }
}

function checkKnown(gpu: GpuAccelerator, request: GpuRequest, path: string, findings: FindingCollector): void {
  const { count, machineType, partition, sharing } = request;
  const machine = machineType === undefined ? undefined : checkMachine(gpu, machineType, `${path}.machineType`, findings);
  const whole = partition === undefined && sharing === undefined;
  if (whole) {
    checkCount(gpu, count, `${path}.count`, findings);
  }
  if (machine !== undefined && machineType !== undefined) {
    if (machine.devices === undefined) {
      checkVcpus(gpu, machine, whole ? count : 1, `${path}.machineType`, findings);
    } else if (whole && count > machine.devices) {
      findings.error(RULES.machineCount, `${path}.count`, count, `is more than ${machineType} has: ${machine.devices}. Use ${machine.devices}, or a larger machine.`);
    } else if (whole && machine.devices % count !== 0) {
      findings.warn(RULES.machineCount, `${path}.count`, count, `leaves ${machine.devices % count} of the ${machine.devices} GPUs of ${machineType} unused.`);
    }
  }
  if (partition !== undefined) {
    checkPartition(gpu, partition, `${path}.partition`, findings);
  }
  checkSharing(request, path, machine?.devices, findings);
  if (gpu.architecture === 'arm64') {
    findings.warn(RULES.arm64, `${path}.type`, gpu.type, 'has arm64 nodes: every image of the pod must be built for linux/arm64.');
  }
}

export function checkCount(gpu: GpuAccelerator, count: number, path: string, findings: FindingCollector): void {
  if (gpu.counts.includes(count)) {
    return;
  }
  const more = gpu.counts.find((candidate) => candidate > count);
  const most = Math.max(...gpu.counts);
  const fix = more === undefined ? `Use ${most} and more replicas: a replica is one pod on one machine` : `Use ${more}`;
  findings.error(RULES.gpuCount, path, count, `${sizesOf(gpu)}. ${fix}.`);
}

/** `a3-highgpu machines have 1, 2, 4 or 8 nvidia-h100-80gb`. */
export function sizesOf(gpu: GpuAccelerator): string {
  if (gpu.attachableToN1) {
    return `N1 machines can have ${either(gpu.counts)} ${gpu.type}`;
  }
  const series = [...new Set(ordinaryMachines(gpu).map(({ name }) => machineSeries(name)))];
  return `${both(series)} machines have ${either(gpu.counts)} ${gpu.type}`;
}
