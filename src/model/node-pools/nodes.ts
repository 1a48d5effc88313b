/** What distinguishes the nodes of a pool for pods and queues: labels that the pool gives them, labels that GKE gives them, and taints. */
import type { NodePoolSpec, PoolCapacity, PoolTaint } from './spec';
import { findGpu, findMachine, findTpu } from '../accelerators/catalogue';
import { INSTANCE_TYPE_LABEL, NODE_LABELS, TAINTS } from '../accelerators/labels';

/** Labels that the pool writes on its nodes: its own, and those that GKE leaves to the owner of the pool. */
export function writtenLabels({ labels = {}, capacity, computeClass, network }: NodePoolSpec): { [name: string]: string } {
  return {
    ...(capacity?.queued && { [NODE_LABELS.queued]: 'true' }),
    ...(computeClass !== undefined && { [NODE_LABELS.computeClass]: computeClass }),
    // DRANET's networks are handed out by its driver, which looks for this label.
    ...(network?.acceleratorNetworkProfile !== undefined && { [NODE_LABELS.networkingDra]: 'true' }),
    ...labels,
  };
}

/** Taints that the pool writes on its nodes. Those of accelerators and of queued pools are GKE's to write. */
export function writtenTaints({ taints = [], computeClass }: NodePoolSpec): PoolTaint[] {
  const ofClass: PoolTaint[] = computeClass === undefined || taints.some(({ key }) => key === NODE_LABELS.computeClass)
    ? []
    : [{ key: NODE_LABELS.computeClass, value: computeClass, effect: 'NoSchedule' }];
  return [...ofClass, ...taints];
}

/** Taints that come with the kind of node, and do not reserve it for one user: what a queue for such nodes tolerates for its pods. */
export function taintsOfKind({ gpus, tpus, capacity, computeClass }: NodePoolSpec): PoolTaint[] {
  const accelerator = gpus === undefined ? undefined : findGpu(gpus.type);
  return [
    ...(gpus === undefined ? [] : [TAINTS.gpu]),
    ...(tpus === undefined ? [] : [TAINTS.tpu]),
    ...(accelerator?.architecture === 'arm64' ? [TAINTS.arm64] : []),
    ...(capacity?.queued ? [TAINTS.queued] : []),
    ...(computeClass === undefined ? [] : [{ key: NODE_LABELS.computeClass, value: computeClass, effect: 'NoSchedule' }]),
  ];
}

/** Labels that only nodes of a pool have that was made by its name. */
export function labelsOfPool({ name }: NodePoolSpec): { [name: string]: string } {
  return { [NODE_LABELS.nodePool]: name };
}

/** Labels that only nodes of a choice of a ComputeClass have: the class, the accelerator, the machine, and how they were had. */
export function labelsOfChoice({ machineType, gpus, tpus, capacity = {} }: NodePoolSpec, computeClass: string): { [name: string]: string } {
  return {
    [NODE_LABELS.computeClass]: computeClass,
    ...(gpus !== undefined && { [NODE_LABELS.accelerator]: gpus.type }),
    ...(gpus?.partition !== undefined && { [NODE_LABELS.partitionSize]: gpus.partition }),
    ...(tpus !== undefined && { [NODE_LABELS.tpuAccelerator]: tpus.type, [NODE_LABELS.tpuTopology]: tpus.topology }),
    ...(machineType !== undefined && { [INSTANCE_TYPE_LABEL]: machineType }),
    ...labelsOfCapacity(capacity),
  };
}

function labelsOfCapacity({ reservation, reservationAffinity = 'none', spot, flexStart }: PoolCapacity): { [name: string]: string } {
  if (reservation !== undefined) {
    return { [NODE_LABELS.reservationName]: reservation.name };
  }
  return reservationAffinity !== 'none'
    ? { [NODE_LABELS.reservationAffinity]: 'any' }
    : { [NODE_LABELS.provisioning]: spot ? 'spot' : flexStart ? 'flex-start' : 'standard' };
}

/** GPUs or chips of each node; undefined where no table knows the machine. */
export function devicesPerNode({ gpus, tpus, machineType }: NodePoolSpec): number | undefined {
  if (gpus !== undefined) {
    return gpus.count;
  }
  return tpus === undefined || findTpu(tpus.type) === undefined ? undefined : findMachine(machineType ?? '')?.machine.devices;
}
