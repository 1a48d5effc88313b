/** What each rendering of a node pool means, in words that can be compared. */

/** What is compared. */
export interface Meaning {
  readonly machine?: string;
  readonly accelerator?: string;
  readonly count?: number;
  readonly partition?: string;
  readonly sharing?: readonly [string, number];
  readonly driver?: string;
  readonly way: string;
  readonly lifetime?: number;
  readonly reservation?: string;
  readonly labels: { readonly [name: string]: string };
  readonly taints: readonly string[];
  readonly zones: readonly string[];
  readonly locationPolicy?: string;
  readonly metadata?: string;
  readonly bootDisk: readonly [string?, number?];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what comes back is read, and compared
export type Fields = { readonly [field: string]: any };

const EFFECTS: Fields = { NO_SCHEDULE: 'NoSchedule', PREFER_NO_SCHEDULE: 'PreferNoSchedule', NO_EXECUTE: 'NoExecute' };
const DRIVERS: Fields = { 'DEFAULT': 'default', 'LATEST': 'latest', 'INSTALLATION_DISABLED': 'autoinstall-disabled' };

/** Config Connector's `spec`, and Pulumi's inputs: they differ by the names of two fields. */
export function meaningOfNodePool(
  spec: Fields, names: { readonly guests: string; readonly taints: string },
): Meaning & { readonly autoscaling?: Fields } {
  const { nodeConfig } = spec;
  const [guest] = nodeConfig[names.guests] ?? [];
  const affinity = nodeConfig.reservationAffinity?.consumeReservationType;
  const reserved = affinity === 'SPECIFIC_RESERVATION' || affinity === 'ANY_RESERVATION_THEN_FAIL';
  return {
    machine: nodeConfig.machineType,
    accelerator: guest?.type,
    count: guest?.count,
    partition: guest?.gpuPartitionSize,
    sharing: guest?.gpuSharingConfig && [guest.gpuSharingConfig.gpuSharingStrategy, guest.gpuSharingConfig.maxSharedClientsPerGpu],
    driver: guest && DRIVERS[guest.gpuDriverInstallationConfig.gpuDriverVersion],
    way: wayOf(nodeConfig.spot, nodeConfig.flexStart, reserved),
    lifetime: nodeConfig.maxRunDuration && Number(nodeConfig.maxRunDuration.replace('s', '')),
    reservation: nodeConfig.reservationAffinity?.values?.[0],
    labels: nodeConfig.labels ?? {},
    taints: (nodeConfig[names.taints] ?? []).map(({ key, value, effect }: Fields) => `${key}=${value}:${EFFECTS[effect]}`),
    zones: spec.nodeLocations ?? [],
    locationPolicy: spec.autoscaling?.locationPolicy,
    metadata: nodeConfig.workloadMetadataConfig?.mode,
    bootDisk: [nodeConfig.diskType, nodeConfig.diskSizeGb],
    autoscaling: spec.autoscaling,
  };
}

/** `spec` of a ComputeClass: each of its priorities, and the nodes that are always there. */
export function meaningOfPriority(spec: Fields): { readonly priorities: Meaning[]; readonly minimum: number } {
  const config = spec.nodePoolConfig ?? {};
  const priorities = spec.priorities.map((priority: Fields): Meaning => {
    const { gpu, storage, location, reservations } = priority;
    const specific = reservations?.specific?.[0];
    return {
      machine: priority.machineType,
      accelerator: gpu?.type,
      count: gpu?.count,
      partition: gpu?.gpuSharing?.gpuPartitionSize,
      sharing: gpu?.gpuSharing?.sharingStrategy && [gpu.gpuSharing.sharingStrategy, gpu.gpuSharing.maxSharedClientsPerGPU],
      driver: gpu?.driverVersion,
      way: wayOf(priority.spot, priority.flexStart?.enabled, reservations?.affinity === 'Specific' || reservations?.affinity === 'AnyThenFail'),
      lifetime: priority.maxRunDurationSeconds,
      reservation: specific && (specific.project === undefined ? specific.name : `projects/${specific.project}/reservations/${specific.name}`),
      labels: config.nodeLabels ?? {},
      taints: (config.taints ?? []).map(({ key, value, effect }: Fields) => `${key}=${value ?? ''}:${effect}`),
      zones: location?.zones ?? [],
      locationPolicy: location?.locationPolicy,
      metadata: config.workloadMetadata,
      bootDisk: [storage?.bootDiskType, storage?.bootDiskSize],
    };
  });
  return { priorities, minimum: spec.minimumCapacity?.targetNodeCount ?? 0 };
}

/** One word for how the machines are had; all that is said where it is more than one way. */
function wayOf(spot: unknown, flexStart: unknown, reserved: boolean): string {
  const ways = [...(spot ? ['spot'] : []), ...(flexStart ? ['flexStart'] : []), ...(reserved ? ['reservation'] : [])];
  return ways.length === 0 ? 'onDemand' : ways.join(' and ');
}
