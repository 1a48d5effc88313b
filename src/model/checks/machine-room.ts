/** Whether a machine of GKE with the GPUs that a pod asks for has the cpu and the memory too, beside what GKE keeps for itself. */
import type { CheckedPod, CheckedResources, Placed } from './checked-pod';
import { CHECK_RULES } from './rule-list';
import { findGpu, findMachine, machinesWith } from '../accelerators/catalogue';
import { INSTANCE_TYPE_LABEL, NODE_LABELS } from '../accelerators/labels';
import type { MachineType } from '../accelerators/types';
import type { FindingCollector } from '../findings';

const GIB = 2 ** 30;

/** Cores that agents of GKE and DaemonSets (logging, metrics, network, drivers) ask for on a node with GPUs, about. */
const DAEMONS_CPU = 0.5;

/** Memory that they ask for, about, in GiB. */
const DAEMONS_GIB = 1;

/** Part of a machine's memory that its kernel takes. */
const KERNEL_SHARE = 0.015;

/**
 * Cores of a node that pods can have: GKE keeps 6 % of the first, 1 % of the second, 0.5 % of the next two and 0.25 % of those above.
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
function allocatableCpu(vcpu: number): number {
  const kept = part(vcpu, 0, 1, 0.06) + part(vcpu, 1, 2, 0.01) + part(vcpu, 2, 4, 0.005) + part(vcpu, 4, Infinity, 0.0025);
  return vcpu - kept - DAEMONS_CPU;
}

/**
 * Memory of a node that pods can have, in GiB: GKE keeps 25 % of the first 4, 20 % of the next 4, 10 % of the next 8, 6 % of the next 112, 2 % of the
 * rest, and 100 MiB for evictions.
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
function allocatableMemoryGiB(machine: number): number {
  // What the machine's own kernel takes is not counted by GKE.
  const memory = machine * (1 - KERNEL_SHARE);
  const kept = part(memory, 0, 4, 0.25) + part(memory, 4, 8, 0.2) + part(memory, 8, 16, 0.1)
    + part(memory, 16, 128, 0.06) + part(memory, 128, Infinity, 0.02);
  return memory - kept - 100 / 1024 - DAEMONS_GIB;
}

function part(amount: number, from: number, to: number, share: number): number {
  return Math.max(0, Math.min(amount, to) - from) * share;
}

/** Checks a pod whose node selector names a GPU, or a machine type. */
export function checkMachineRoom(pod: CheckedPod, findings: FindingCollector): void {
  if (pod.nodeSelector[NODE_LABELS.accelerator] === undefined && pod.nodeSelector[INSTANCE_TYPE_LABEL] === undefined) {
    return;
  }
  const gpu = findGpu(pod.nodeSelector[NODE_LABELS.accelerator] ?? '');
  const named = findMachine(pod.nodeSelector[INSTANCE_TYPE_LABEL] ?? '');
  const resources = pod.containers.filter(({ isInit }) => !isInit).map((container) => container.resources);
  const gpus = resources.reduce((sum, container) => sum + container.gpus, 0);
  const isShared = pod.nodeSelector[NODE_LABELS.partitionSize] !== undefined || pod.nodeSelector[NODE_LABELS.sharingStrategy] !== undefined;
  const ofGpu = gpu !== undefined && gpus > 0 && !isShared ? machinesWith(gpu, gpus) : [];
  const machines: readonly MachineType[] = named === undefined ? ofGpu : [named.machine];
  if (machines.length === 0) {
    return;
  }
  const title = named?.machine.name ?? `${gpus} ${gpu!.type}`;
  const largestCpu = Math.max(...machines.map(({ vcpu }) => vcpu));
  const largestMemory = Math.max(...machines.map(({ memoryGiB }) => memoryGiB));
  check({ sum: sumOf(resources, 'cpu'), most: largestCpu, allocatable: allocatableCpu(largestCpu), unit: '', what: `vCPUs on a machine with ${title}` }, findings);
  check({
    sum: sumOf(resources, 'memory', GIB), most: largestMemory, allocatable: allocatableMemoryGiB(largestMemory), unit: 'Gi', what: `GiB of memory on a machine with ${title}`,
  }, findings);
}

interface Need {
  readonly sum: Placed<number> | undefined;
  readonly most: number;
  readonly allocatable: number;
  readonly unit: string;
  readonly what: string;
}

function check({ sum, most, allocatable, unit, what }: Need, findings: FindingCollector): void {
  if (sum === undefined) {
    return;
  }
  const value = `${round(sum.value)}${unit}`;
  const fits = `Ask for at most ${Math.floor(allocatable)}${unit}.`;
  if (sum.value > most) {
    findings.error(CHECK_RULES.machineRoom, sum.path, value, `is more than the ${most} ${what}: the pod would wait forever. ${fits}`);
  } else if (sum.value > allocatable) {
    findings.warn(CHECK_RULES.machineRoom, sum.path, value, `is more than pods can use of the ${most} ${what}: GKE and its agents reserve some. ${fits}`);
  }
}

function sumOf(resources: readonly CheckedResources[], field: 'cpu' | 'memory', unit = 1): Placed<number> | undefined {
  const given = resources.map((container) => container[field]).filter((placed) => placed !== undefined);
  return given.length === 0 ? undefined : { value: given.reduce((sum, { value }) => sum + value, 0) / unit, path: given[0].path };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
