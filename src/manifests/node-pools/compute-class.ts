/**
 * GKE's ComputeClass: pools that GKE creates itself, or named pools, in order of preference. What it has no field for is in
 * `computeClassGaps`.
 * @see https://github.com/GoogleCloudPlatform/compute-class-api/blob/8067eae/api/cloud.google.com/v1/types.go
 */
import { SHARING_STRATEGIES } from './gke-values';
import { findGpu } from '../../model/accelerators/catalogue';
import { devicesPerNode, writtenLabels } from '../../model/node-pools/nodes';
import type { NodePoolSpec } from '../../model/node-pools/spec';
import { plainObject } from '../plain-object';

/** `apiVersion` of a ComputeClass. */
export const COMPUTE_CLASS_VERSION = 'cloud.google.com/v1';

export interface ComputeClassSpec {
  /** Pools that GKE creates, the preferred one first. */
  readonly choices: readonly NodePoolSpec[];
  /** Names of existing pools, the preferred one first. They replace the others. */
  readonly poolNames?: readonly string[];
  readonly description?: string;
  /** What happens to pods that no choice has room for: `ScaleUpAnyway` or `DoNotScaleUp`. Always written, because its default has changed. */
  readonly whenUnsatisfiable: string;
  /** Whether pods move to a preferred choice when there is room again. */
  readonly moveUp?: boolean;
  readonly consolidationDelayMinutes?: number;
}

/** Values of the class for who installs the driver. */
const DRIVERS: { readonly [driver: string]: string } = { default: 'default', latest: 'latest', disabled: 'autoinstall-disabled' };

/** `spec` of the class. */
export function constructComputeClassSpec(spec: ComputeClassSpec): { [field: string]: unknown } {
  const { choices, poolNames } = spec;
  return plainObject({
    description: spec.description,
    priorities: poolNames === undefined ? choices.map(priority) : poolNames.map((name) => ({ nodepools: [name] })),
    nodePoolAutoCreation: poolNames === undefined ? autoCreation(choices[0]) : { enabled: false },
    nodePoolConfig: poolNames === undefined && choices.length > 0 ? nodePoolConfig(choices) : undefined,
    // For the whole class: on each priority it would keep as many nodes of every choice.
    minimumCapacity: poolNames === undefined && choices.length > 0 && minimum(choices[0]) > 0 ? { targetNodeCount: minimum(choices[0]) } : undefined,
    activeMigration: spec.moveUp === undefined ? undefined : { optimizeRulePriority: spec.moveUp },
    autoscalingPolicy: spec.consolidationDelayMinutes === undefined ? undefined : { consolidationDelayMinutes: spec.consolidationDelayMinutes },
    whenUnsatisfiable: spec.whenUnsatisfiable,
  });
}

function autoCreation(first: NodePoolSpec | undefined): object {
  const enableSecureBoot = first?.secureBoot;
  const shieldedInstanceConfig = enableSecureBoot === undefined ? undefined : { enableSecureBoot, enableIntegrityMonitoring: true };
  return { enabled: true, shieldedInstanceConfig };
}

/** What all choices of a class have in common: they differ only in accelerator and capacity. */
function nodePoolConfig(choices: readonly NodePoolSpec[]): object | undefined {
  const [{ imageType, serviceAccount, network, imageStreaming, workloadMetadata, confidentialNodeType, autoUpgrade, taints = [] }] = choices;
  // Flex-start choices are never repaired, whatever the class says about the others.
  const repairs = [...new Set(choices.filter(({ capacity }) => !capacity?.flexStart).map(({ autoRepair }) => autoRepair))];
  const labels = writtenLabels({ ...choices[0], computeClass: undefined, capacity: undefined });
  const config = plainObject({
    imageType: imageType?.toLowerCase(),
    serviceAccount,
    gvnic: network?.gvnic === undefined ? undefined : { enabled: network.gvnic },
    ipType: network?.privateNodes === undefined ? undefined : network.privateNodes ? 'private' : 'public',
    imageStreaming: imageStreaming === undefined ? undefined : { enabled: imageStreaming },
    workloadMetadata,
    confidentialNodeType,
    autoRepair: repairs.length === 1 ? repairs[0] : undefined,
    autoUpgrade,
    nodeLabels: Object.keys(labels).length === 0 ? undefined : labels,
    taints: taints.length === 0 ? undefined : taints.map(({ key, value, effect }) => ({ key, value: value === '' ? undefined : value, effect })),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function priority(pool: NodePoolSpec): object {
  const { capacity = {}, network = {}, placement, size = {}, zones = [] } = pool;
  return {
    machineType: pool.machineType,
    gpu: gpu(pool),
    tpu: pool.tpus && { type: pool.tpus.type, count: devicesPerNode(pool), topology: pool.tpus.topology },
    spot: capacity.spot || undefined,
    flexStart: capacity.flexStart ? { enabled: true } : undefined,
    reservations: reservations(pool),
    maxRunDurationSeconds: capacity.maxRunSeconds,
    maxPodsPerNode: pool.maxPodsPerNode,
    location: location(zones, size.locationPolicy),
    placement: placement?.policyName === undefined ? undefined : { policyName: placement.policyName },
    acceleratorNetworkProfile: network.acceleratorNetworkProfile,
    gpuDirect: network.gpuDirect,
    storage: storage(pool),
  };
}

function location(zones: readonly string[], locationPolicy: string | undefined): object | undefined {
  return zones.length === 0 && locationPolicy === undefined ? undefined : { zones: zones.length === 0 ? undefined : [...zones], locationPolicy };
}

function gpu({ gpus, placement }: NodePoolSpec): object | undefined {
  if (gpus === undefined) {
    return undefined;
  }
  const { sharing, partition } = gpus;
  // The class accepts a topology only for GB200, and only with the policy that creates it.
  const topology = gpus.type === 'nvidia-gb200' && placement?.policyName !== undefined ? findGpu(gpus.type)?.nvlinkTopology : undefined;
  return {
    type: gpus.type,
    count: gpus.count,
    driverVersion: DRIVERS[gpus.driver ?? 'default'] ?? gpus.driver,
    topology,
    gpuSharing: sharing === undefined && partition === undefined ? undefined : {
      gpuPartitionSize: partition,
      sharingStrategy: sharing && (SHARING_STRATEGIES[sharing.strategy] ?? sharing.strategy),
      maxSharedClientsPerGPU: sharing?.clients,
    },
  };
}

const AFFINITIES: { readonly [affinity: string]: string } = { 'none': 'None', 'any': 'AnyBestEffort', 'any-then-fail': 'AnyThenFail' };

function reservations({ capacity = {}, zones = [] }: NodePoolSpec): object | undefined {
  const { reservation, reservationAffinity: affinity } = capacity;
  if (reservation === undefined) {
    return affinity === undefined ? undefined : { affinity: AFFINITIES[affinity] ?? affinity };
  }
  const { name, project, block, subBlock } = reservation;
  return {
    affinity: 'Specific',
    specific: [{
      name,
      project,
      zones: zones.length === 0 ? undefined : [...zones],
      reservationBlock: block === undefined ? undefined : { name: block, reservationSubBlock: subBlock && { name: subBlock } },
    }],
  };
}

/** Nodes that always exist, over all zones. */
function minimum({ size = {}, zones = [] }: NodePoolSpec): number {
  return size.totalMin ?? (size.minPerZone ?? 0) * zones.length;
}

function storage({ bootDiskType, bootDiskGiB, localSsdEphemeral, secondaryBootDisks }: NodePoolSpec): object | undefined {
  const disks = plainObject({
    bootDiskType,
    bootDiskSize: bootDiskGiB,
    localSSDCount: localSsdEphemeral || undefined,
    secondaryBootDisks: secondaryBootDisks?.map(({ image, project }) => ({ diskImageName: image, project, mode: 'CONTAINER_IMAGE_CACHE' })),
  });
  return Object.keys(disks).length === 0 ? undefined : disks;
}
