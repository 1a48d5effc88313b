/**
 * A ContainerNodePool read back: only the fields that cannot change on an existing pool, to compare what was applied with what will be.
 */
import { CONFIG_CONNECTOR_CONTAINER } from './container-node-pool';
import { DRIVER_VERSIONS, EFFECTS, RESERVATION_AFFINITIES, SHARING_STRATEGIES } from './gke-values';
import { findMachine, findTpu } from '../../model/accelerators/catalogue';
import type { NodePoolSpec, PoolCapacity, PoolGpus, PoolNetwork, PoolReservation, PoolTaint, PoolTpus } from '../../model/node-pools/spec';
import { flagIn, numberIn, record, textIn, type JsonRecord } from '../../model/json-parts';

/** `projects/P/reservations/R/reservationBlocks/B/reservationSubBlocks/S`, of which only R is required. */
const RESERVATION_PATH = /^(?:projects\/(?<project>[^/]+)\/reservations\/)?(?<name>[^/]+)(?:\/reservationBlocks\/(?<block>[^/]+))?(?:\/reservationSubBlocks\/(?<subBlock>[^/]+))?$/;

/** Whether an object is a ContainerNodePool of any version. */
export function isContainerNodePool({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): boolean {
  return kind === 'ContainerNodePool' && apiVersion?.split('/')[0] === CONFIG_CONNECTOR_CONTAINER.split('/')[0];
}

/** The pool of an object. @param name name of the object */
export function readContainerNodePool(name: string, spec: unknown): NodePoolSpec {
  const pool = record(spec);
  const config = record(pool.nodeConfig);
  const machineType = textIn(config.machineType);
  const placement = record(pool.placementPolicy);
  const topology = textIn(placement.tpuTopology);
  const policyName = refName(placement.policyNameRef);
  return {
    name: textIn(pool.resourceID) ?? name,
    machineType,
    gpus: readGpus(record(list(config.guestAccelerator)[0])),
    tpus: topology === undefined ? undefined : readSlice(machineType, topology),
    capacity: readCapacity(config, pool),
    placement: policyName !== undefined ? { policyName } : placement.type === 'COMPACT' && topology === undefined ? { compact: true } : undefined,
    network: readNetwork(config, record(pool.networkConfig)),
    bootDiskType: textIn(config.diskType),
    bootDiskGiB: numberIn(config.diskSizeGb),
    localSsdEphemeral: numberIn(record(config.ephemeralStorageLocalSsdConfig).localSsdCount),
    localSsdBlock: numberIn(record(config.localNvmeSsdBlockConfig).localSsdCount),
    imageStreaming: flagIn(record(config.gcfsConfig).enabled),
    serviceAccount: refName(config.serviceAccountRef),
    secureBoot: flagIn(record(config.shieldedInstanceConfig).enableSecureBoot),
    confidentialNodeType: textIn(record(config.confidentialNodes).confidentialInstanceType),
    maxPodsPerNode: numberIn(pool.maxPodsPerNode),
    taints: list(config.taint).map(record).map(({ key, value, effect }): PoolTaint => (
      { key: String(key), value: textIn(value) ?? '', effect: modelValue(EFFECTS, textIn(effect)) ?? 'NoSchedule' })),
  };
}

function readGpus({ type, count: number, gpuPartitionSize, gpuSharingConfig, gpuDriverInstallationConfig }: JsonRecord): PoolGpus | undefined {
  const { gpuSharingStrategy, maxSharedClientsPerGpu } = record(gpuSharingConfig);
  return textIn(type) === undefined ? undefined : {
    type: textIn(type)!,
    count: numberIn(number) ?? 0,
    partition: textIn(gpuPartitionSize),
    sharing: gpuSharingStrategy === undefined
      ? undefined : {
        strategy: modelValue(SHARING_STRATEGIES, textIn(gpuSharingStrategy)) as NonNullable<PoolGpus['sharing']>['strategy'],
        clients: numberIn(maxSharedClientsPerGpu) ?? 0,
      },
    driver: modelValue(DRIVER_VERSIONS, textIn(record(gpuDriverInstallationConfig).gpuDriverVersion)),
  };
}

function readSlice(machineType: string | undefined, topology: string): PoolTpus {
  const tpu = findMachine(machineType ?? '')?.accelerators.find(({ type }) => findTpu(type) !== undefined);
  return { type: tpu?.type ?? 'unknown', topology };
}

function readCapacity(config: JsonRecord, { queuedProvisioning }: JsonRecord): PoolCapacity {
  const { consumeReservationType, values } = record(config.reservationAffinity);
  const spot = flagIn(config.spot);
  const queued = flagIn(record(queuedProvisioning).enabled);
  const affinity = textIn(consumeReservationType);
  const isSpecific = affinity === 'SPECIFIC_RESERVATION';
  // Spot and queued machines come from no reservation, which need not be written.
  const isImplied = affinity === RESERVATION_AFFINITIES.none && (spot === true || queued === true);
  return {
    spot,
    queued,
    reservation: isSpecific ? readReservation(textIn(list(values)[0]) ?? '') : undefined,
    reservationAffinity: isSpecific || isImplied ? undefined : modelValue(RESERVATION_AFFINITIES, affinity),
  };
}

function readReservation(path: string): PoolReservation {
  const { name = path, project, block, subBlock } = RESERVATION_PATH.exec(path)?.groups ?? {};
  return { name, project, block, subBlock };
}

function readNetwork(config: JsonRecord, { additionalNodeNetworkConfigs }: JsonRecord): PoolNetwork {
  const networks = list(additionalNodeNetworkConfigs).map(record).map(({ networkRef, subnetworkRef }) => (
    { network: refName(networkRef) ?? '', subnetwork: refName(subnetworkRef) ?? '' }));
  return { gvnic: flagIn(record(config.gvnic).enabled), additionalNetworks: networks.length === 0 ? undefined : networks };
}

/** What a reference names: a resource outside the cluster, or an object in it. */
function refName(reference: unknown): string | undefined {
  const { external, name } = record(reference);
  return textIn(external) ?? textIn(name);
}

/** The model's word for one of GKE's. */
function modelValue(table: { readonly [word: string]: string }, word: string | undefined): string | undefined {
  return Object.keys(table).find((key) => table[key] === word) ?? word;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
