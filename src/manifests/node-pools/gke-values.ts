/** Values of GKE's API for those of the model, shared by Config Connector and Pulumi. */
import { hostsOf } from '../../model/accelerators/topology';
import { findMachine } from '../../model/accelerators/catalogue';
import { writtenLabels, writtenTaints } from '../../model/node-pools/nodes';
import type { NodePoolSpec, PoolNetwork, PoolReservation, PoolTaint } from '../../model/node-pools/spec';
import { PRICE_ANNOTATION } from '../../model/labels';
import { describeChoice, type PoolChoice } from '../../model/node-pools/preferences';

/** Who installs the driver. */
export const DRIVER_VERSIONS: { readonly [driver: string]: string } = { default: 'DEFAULT', latest: 'LATEST', disabled: 'INSTALLATION_DISABLED' };

/** How GPUs are shared. */
export const SHARING_STRATEGIES: { readonly [strategy: string]: string } = { 'time-sharing': 'TIME_SHARING', 'mps': 'MPS' };

/** Effects of taints. */
export const EFFECTS: { readonly [effect: string]: string } = { NoSchedule: 'NO_SCHEDULE', PreferNoSchedule: 'PREFER_NO_SCHEDULE', NoExecute: 'NO_EXECUTE' };

/** Reservations without a name. */
export const RESERVATION_AFFINITIES: { readonly [affinity: string]: string } = { 'none': 'NO_RESERVATION', 'any': 'ANY_RESERVATION', 'any-then-fail': 'ANY_RESERVATION_THEN_FAIL' };

const RESERVATION_KEY = 'compute.googleapis.com/reservation-name';

/** A taint as GKE's API spells it. */
export interface GkeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export function gkeTaints(pool: NodePoolSpec): GkeTaint[] | undefined {
  const taints = writtenTaints(pool).map(({ key, value, effect }: PoolTaint) => ({ key, value, effect: EFFECTS[effect] ?? effect }));
  return taints.length === 0 ? undefined : taints;
}

export function gkeLabels(pool: NodePoolSpec): { [name: string]: string } | undefined {
  const labels = writtenLabels(pool);
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** GPUs of a node, in the fields of both. */
export function guestAccelerators({ gpus }: NodePoolSpec): object[] | undefined {
  return gpus === undefined ? undefined : [{
    type: gpus.type,
    count: gpus.count,
    gpuDriverInstallationConfig: { gpuDriverVersion: DRIVER_VERSIONS[gpus.driver ?? 'default'] ?? gpus.driver },
    gpuPartitionSize: gpus.partition,
    gpuSharingConfig: gpus.sharing && {
      gpuSharingStrategy: SHARING_STRATEGIES[gpus.sharing.strategy] ?? gpus.sharing.strategy,
      maxSharedClientsPerGpu: gpus.sharing.clients,
    },
  }];
}

/** Which reservations the machines come from. Spot, flex-start and queued machines never come from one, and say so. */
export function reservationAffinity({ capacity = {} }: NodePoolSpec): object | undefined {
  const { reservation, reservationAffinity: affinity, spot, flexStart, queued } = capacity;
  if (reservation !== undefined) {
    return { consumeReservationType: 'SPECIFIC_RESERVATION', key: RESERVATION_KEY, values: [reservationPath(reservation)] };
  }
  const words = affinity ?? (spot || flexStart || queued ? 'none' : undefined);
  return words === undefined ? undefined : { consumeReservationType: RESERVATION_AFFINITIES[words] ?? words };
}

/** A reservation by its name, or by its path if it has blocks or another project. */
function reservationPath({ name, project, block, subBlock }: PoolReservation): string {
  return [
    project === undefined ? name : `projects/${project}/reservations/${name}`,
    ...(block === undefined ? [] : [`reservationBlocks/${block}`]),
    ...(subBlock === undefined ? [] : [`reservationSubBlocks/${subBlock}`]),
  ].join('/');
}

/** Limits of autoscaling; undefined for a fixed number of nodes. */
export function autoscaling({ size = {}, tpus, machineType }: NodePoolSpec): object | undefined {
  const { minPerZone, maxPerZone, totalMin, totalMax } = size;
  if (maxPerZone === undefined && totalMax === undefined) {
    return undefined;
  }
  const hosts = tpus === undefined ? undefined : hostsOf(tpus.topology, findMachine(machineType ?? '')?.machine.devices ?? 0);
  // Nodes spread over zones form no slice.
  const locationPolicy = size.locationPolicy ?? (hosts !== undefined && hosts > 1 ? 'ANY' : undefined);
  return maxPerZone !== undefined
    ? { minNodeCount: minPerZone ?? 0, maxNodeCount: maxPerZone, locationPolicy }
    : { totalMinNodeCount: totalMin ?? 0, totalMaxNodeCount: totalMax, locationPolicy };
}

/** How nodes are placed: compactly, by a named policy, or in the topology of a slice over several hosts. */
export interface PlacementPolicy {
  readonly type: string;
  readonly policyName?: string;
  readonly tpuTopology?: string;
}

/** The placement of a pool; undefined for machines anywhere. */
export function placementPolicy({ placement = {}, tpus, machineType }: NodePoolSpec): PlacementPolicy | undefined {
  const hosts = tpus === undefined ? undefined : hostsOf(tpus.topology, findMachine(machineType ?? '')?.machine.devices ?? 0);
  const isSlice = hosts !== undefined && hosts > 1;
  if (placement.policyName !== undefined) {
    // A workload policy defines the placement itself, topology included, and the API refuses COMPACT with it. The type is required but may be empty.
    return { type: '', policyName: placement.policyName };
  }
  if (isSlice) {
    return { type: 'COMPACT', tpuTopology: tpus!.topology };
  }
  return placement.compact ? { type: 'COMPACT' } : undefined;
}

/**
 * Whether nodes have no public addresses, for a pool whose other network fields are written. Google's providers for Terraform, Pulumi and Config
 * Connector send false beside those fields if nothing is said, and the nodes get public addresses even in a private cluster.
 */
export function privateNodes(network: PoolNetwork): boolean {
  return network.privateNodes ?? true;
}

/** Whether nodes are repaired and upgraded automatically. */
export function management({ autoRepair, autoUpgrade }: NodePoolSpec): { readonly autoRepair?: boolean; readonly autoUpgrade?: boolean } | undefined {
  return autoRepair === undefined && autoUpgrade === undefined ? undefined : { autoRepair, autoUpgrade };
}

export function upgradeSettings({ upgrade }: NodePoolSpec): object | undefined {
  if (upgrade === undefined) {
    return undefined;
  }
  const { strategy, maxSurge, maxUnavailable, blueGreen } = upgrade;
  return {
    strategy,
    maxSurge,
    maxUnavailable,
    blueGreenSettings: blueGreen && {
      nodePoolSoakDuration: seconds(blueGreen.soakSeconds),
      standardRolloutPolicy: {
        batchNodeCount: blueGreen.batchNodes,
        batchPercentage: blueGreen.batchPercentage,
        batchSoakDuration: seconds(blueGreen.batchSoakSeconds),
      },
    },
  };
}

/** `3600s`. */
export function seconds(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count}s`;
}

/** Annotation with the price of a choice, on the objects that are created from it. None if the choice has no price. */
export function priceAnnotation(choice: PoolChoice): { readonly [name: string]: string } {
  return choice.perHour === undefined ? {} : { [PRICE_ANNOTATION]: describeChoice(choice) };
}
