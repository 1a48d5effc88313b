/**
 * A ContainerNodePool read back: the fields of it that cannot change on a pool that is there, for comparisons of what was applied with what will be.
 * What else the object says is not read.
 */
import { CONFIG_CONNECTOR_CONTAINER } from './container-node-pool';
import { DRIVER_VERSIONS, EFFECTS, RESERVATION_AFFINITIES, SHARING_STRATEGIES } from './gke-values';
import { findMachine, findTpu } from '../../model/accelerators/catalogue';
import type { NodePoolSpec, PoolCapacity, PoolGpus, PoolNetwork, PoolReservation, PoolTaint, PoolTpus } from '../../model/node-pools/spec';

interface Fields {
  readonly [field: string]: unknown;
}

/** `projects/P/reservations/R/reservationBlocks/B/reservationSubBlocks/S`, of which only R is always there. */
const RESERVATION_PATH = /^(?:projects\/(?<project>[^/]+)\/reservations\/)?(?<name>[^/]+)(?:\/reservationBlocks\/(?<block>[^/]+))?(?:\/reservationSubBlocks\/(?<subBlock>[^/]+))?$/;

/** Whether an object is a ContainerNodePool, of whatever version. */
export function isContainerNodePool({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): boolean {
  return kind === 'ContainerNodePool' && apiVersion?.split('/')[0] === CONFIG_CONNECTOR_CONTAINER.split('/')[0];
}

/**
 * The pool of an object.
 * @param name name of the object
 */
export function readContainerNodePool(name: string, spec: unknown): NodePoolSpec {
  const pool = fields(spec);
  const config = fields(pool.nodeConfig);
  const machineType = text(config.machineType);
  const placement = fields(pool.placementPolicy);
  const topology = text(placement.tpuTopology);
  const policyName = refName(placement.policyNameRef);
  return {
    name: text(pool.resourceID) ?? name,
    machineType,
    gpus: readGpus(fields(list(config.guestAccelerator)[0])),
    tpus: topology === undefined ? undefined : readSlice(machineType, topology),
    capacity: readCapacity(config, pool),
    placement: policyName !== undefined ? { policyName } : placement.type === 'COMPACT' && topology === undefined ? { compact: true } : undefined,
    network: readNetwork(config, fields(pool.networkConfig)),
    bootDiskType: text(config.diskType),
    bootDiskGiB: count(config.diskSizeGb),
    localSsdEphemeral: count(fields(config.ephemeralStorageLocalSsdConfig).localSsdCount),
    localSsdBlock: count(fields(config.localNvmeSsdBlockConfig).localSsdCount),
    imageStreaming: flag(fields(config.gcfsConfig).enabled),
    serviceAccount: refName(config.serviceAccountRef),
    secureBoot: flag(fields(config.shieldedInstanceConfig).enableSecureBoot),
    confidentialNodeType: text(fields(config.confidentialNodes).confidentialInstanceType),
    maxPodsPerNode: count(pool.maxPodsPerNode),
    taints: list(config.taint).map(fields).map(({ key, value, effect }): PoolTaint => (
      { key: String(key), value: text(value) ?? '', effect: inWords(EFFECTS, text(effect)) ?? 'NoSchedule' })),
  };
}

function readGpus({ type, count: number, gpuPartitionSize, gpuSharingConfig, gpuDriverInstallationConfig }: Fields): PoolGpus | undefined {
  const { gpuSharingStrategy, maxSharedClientsPerGpu } = fields(gpuSharingConfig);
  return text(type) === undefined ? undefined : {
    type: text(type)!,
    count: count(number) ?? 0,
    partition: text(gpuPartitionSize),
    sharing: gpuSharingStrategy === undefined
      ? undefined : { strategy: inWords(SHARING_STRATEGIES, text(gpuSharingStrategy)) as NonNullable<PoolGpus['sharing']>['strategy'], clients: count(maxSharedClientsPerGpu) ?? 0 },
    driver: inWords(DRIVER_VERSIONS, text(fields(gpuDriverInstallationConfig).gpuDriverVersion)),
  };
}

function readSlice(machineType: string | undefined, topology: string): PoolTpus {
  const tpu = findMachine(machineType ?? '')?.accelerators.find(({ type }) => findTpu(type) !== undefined);
  return { type: tpu?.type ?? 'unknown', topology };
}

function readCapacity(config: Fields, { queuedProvisioning }: Fields): PoolCapacity {
  const { consumeReservationType, values } = fields(config.reservationAffinity);
  const spot = flag(config.spot);
  const queued = flag(fields(queuedProvisioning).enabled);
  const affinity = text(consumeReservationType);
  const isSpecific = affinity === 'SPECIFIC_RESERVATION';
  // Spot and queued machines come from no reservation, and need not say so.
  const isImplied = affinity === RESERVATION_AFFINITIES.none && (spot === true || queued === true);
  return {
    spot,
    queued,
    reservation: isSpecific ? readReservation(text(list(values)[0]) ?? '') : undefined,
    reservationAffinity: isSpecific || isImplied ? undefined : inWords(RESERVATION_AFFINITIES, affinity),
  };
}

function readReservation(path: string): PoolReservation {
  const { name = path, project, block, subBlock } = RESERVATION_PATH.exec(path)?.groups ?? {};
  return { name, project, block, subBlock };
}

function readNetwork(config: Fields, { additionalNodeNetworkConfigs }: Fields): PoolNetwork {
  const networks = list(additionalNodeNetworkConfigs).map(fields).map(({ networkRef, subnetworkRef }) => ({ network: refName(networkRef) ?? '', subnetwork: refName(subnetworkRef) ?? '' }));
  return { gvnic: flag(fields(config.gvnic).enabled), additionalNetworks: networks.length === 0 ? undefined : networks };
}

/** What a reference names: something outside of the cluster, or an object in it. */
function refName(reference: unknown): string | undefined {
  const { external, name } = fields(reference);
  return text(external) ?? text(name);
}

/** The model's word for one of GKE's. */
function inWords(table: { readonly [word: string]: string }, word: string | undefined): string | undefined {
  return Object.keys(table).find((key) => table[key] === word) ?? word;
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value as Fields : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
