/** Node pools of Config Connector and Pulumi, and the priorities of GKE's ComputeClass. */
import { at, fieldsAt, listAt, numberAt, textAt } from './fields';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { findMachine, machinesWith, findGpu } from '../../model/accelerators/catalogue';
import type { Pool } from '../../model/cost/pools';
import type { Purchase } from '../../model/cost/prices';
import { range, times, type Range } from '../../model/cost/ranges';
import type { JsonRecord } from '../../model/json-parts';

/** GKE's default number of zones of a regional cluster. */
const ZONES_OF_REGION = 3;

export function configConnectorPools(object: ManifestObject): Pool[] {
  const spec = fieldsAt(object, 'spec');
  const { name = '', namespace } = object.metadata ?? {};
  return [{ kind: 'ContainerNodePool', name: textAt(spec, 'resourceID') ?? name, namespace, ...poolOf(spec, listAt(spec, 'nodeConfig', 'guestAccelerator')) }];
}

/** The pool of Pulumi, or of anything else that has the fields of Google's provider. */
export function pulumiPool(name: string, stack: string, inputs: JsonRecord): Pool {
  return { kind: 'NodePool', name: textAt(inputs, 'name') ?? name, namespace: stack, ...poolOf(inputs, listAt(inputs, 'nodeConfig', 'guestAccelerators')) };
}

function poolOf(spec: JsonRecord, accelerators: readonly JsonRecord[]): Omit<Pool, 'kind' | 'name'> {
  const config = fieldsAt(spec, 'nodeConfig');
  const machineType = textAt(config, 'machineType');
  const [type, GiB] = [textAt(config, 'diskType'), numberAt(config, 'diskSizeGb')];
  const { nodes, notes } = nodesOf(spec);
  const localSsds = ['ephemeralStorageLocalSsdConfig', 'localNvmeSsdBlockConfig'].reduce((total, field) => total + (numberAt(config, field, 'localSsdCount') ?? 0), 0);
  const own = findMachine(machineType ?? '')?.machine.localSsd;
  return {
    ...(machineType !== undefined && { machineType }),
    ...devicesOf(machineType, accelerators.map((entry) => ({ type: textAt(entry, 'type') ?? '', count: numberAt(entry, 'count') ?? 1 }))),
    purchase: purchaseOfPool(spec, config),
    ...(nodes !== undefined && { nodes }),
    ...(type !== undefined && GiB !== undefined && { bootDisk: { type, GiB } }),
    // The price of some machines includes their SSDs.
    ...(localSsds > 0 && own?.mode !== 'automatic' && { localSsds }),
    notes: [...notes, ...(type === undefined || GiB === undefined ? ['its boot disks are not in the price: the pool does not set their type and size'] : [])],
  };
}

function devicesOf(machineType: string | undefined, accelerators: readonly { readonly type: string; readonly count: number }[]): Pick<Pool, 'devices'> {
  const [first] = accelerators;
  const { machine, accelerators: known = [] } = findMachine(machineType ?? '') ?? {};
  // Pools of TPUs only have a machine type.
  const devices = first ?? (machine?.devices === undefined ? undefined : { type: known[0].type, count: machine.devices });
  return devices === undefined ? {} : { devices };
}

function purchaseOfPool(spec: JsonRecord, config: JsonRecord): Purchase {
  if (at(spec, 'queuedProvisioning', 'enabled') === true) {
    return 'queued';
  }
  if (config.flexStart === true) {
    return 'flexStart';
  }
  if (config.spot === true || config.preemptible === true) {
    return 'spot';
  }
  const affinity = textAt(config, 'reservationAffinity', 'consumeReservationType');
  return affinity === undefined || affinity === 'NO_RESERVATION' || affinity === 'ANY_RESERVATION' ? 'onDemand' : 'reserved';
}

/** Minimum and maximum number of nodes of all zones. */
function nodesOf(spec: JsonRecord): { readonly nodes?: Range; readonly notes: readonly string[] } {
  const limits = fieldsAt(spec, 'autoscaling');
  const total = range(numberAt(limits, 'totalMinNodeCount') ?? 0, numberAt(limits, 'totalMaxNodeCount') ?? -1);
  if (total.max >= 0) {
    return { nodes: total, notes: [] };
  }
  const fixed = numberAt(spec, 'nodeCount') ?? (numberAt(limits, 'maxNodeCount') === undefined ? numberAt(spec, 'initialNodeCount') : undefined);
  const perZone = fixed === undefined ? range(numberAt(limits, 'minNodeCount') ?? 0, numberAt(limits, 'maxNodeCount') ?? -1) : range(fixed);
  if (perZone.max < 0) {
    return { notes: ['its number of nodes is not set: the price is for one'] };
  }
  const { zones, note } = zonesOf(spec);
  return { nodes: times(perZone, zones), notes: note === undefined ? [] : [note] };
}

function zonesOf(spec: JsonRecord): { readonly zones: number; readonly note?: string } {
  const { nodeLocations } = spec;
  if (Array.isArray(nodeLocations) && nodeLocations.length > 0) {
    return { zones: nodeLocations.length };
  }
  const location = textAt(spec, 'location');
  if (location !== undefined && /-[a-z]$/.test(location)) {
    return { zones: 1 };
  }
  return { zones: ZONES_OF_REGION, note: `counts nodes per zone but names no zones: estimated with ${ZONES_OF_REGION} zones` };
}

/** The choices of a class: pools that GKE creates, or existing ones. */
export function computeClassPools(object: ManifestObject, nodePools: readonly Pool[]): Pool[] {
  const name = object.metadata?.name ?? '';
  return listAt(object, 'spec', 'priorities').flatMap((priority, index): Pool[] => {
    const named = Array.isArray(priority.nodepools) ? (priority.nodepools as unknown[]).map(String) : [];
    const notes = ['its number of nodes is not set: the price is for one'];
    const choice = { kind: 'ComputeClass', name: `${name} (${index + 1}.)`, notes };
    if (named.length > 0) {
      return named.map((pool) => {
        const known = nodePools.find((candidate) => candidate.name === pool);
        return { ...known, ...choice, purchase: known?.purchase ?? 'onDemand', nodes: undefined };
      });
    }
    const { machineType, devices } = machineOf(priority);
    const machine = { ...(machineType !== undefined && { machineType }), ...(devices !== undefined && { devices }) };
    return [{ ...choice, ...machine, purchase: purchaseOfPriority(priority), ...diskOf(priority) }];
  });
}

function machineOf(priority: JsonRecord): Pick<Pool, 'machineType' | 'devices'> {
  const device = ['gpu', 'tpu'].map((kind) => fieldsAt(priority, kind)).find(({ type }) => typeof type === 'string');
  const devices = device === undefined ? undefined : { type: String(device.type), count: numberAt(device, 'count') ?? 1 };
  const gpu = findGpu(devices?.type ?? '');
  const machines = gpu === undefined || gpu.attachableToN1 ? [] : machinesWith(gpu, devices!.count);
  // For most types, the number of GPUs determines the machine.
  return { machineType: textAt(priority, 'machineType') ?? (machines.length === 1 ? machines[0].name : undefined), devices };
}

function diskOf(priority: JsonRecord): Pick<Pool, 'bootDisk'> {
  const [type, GiB] = [textAt(priority, 'storage', 'bootDiskType'), numberAt(priority, 'storage', 'bootDiskSize')];
  return type === undefined || GiB === undefined ? {} : { bootDisk: { type, GiB } };
}

function purchaseOfPriority(priority: JsonRecord): Purchase {
  if (at(priority, 'flexStart', 'enabled') === true) {
    return 'flexStart';
  }
  const affinity = textAt(priority, 'reservations', 'affinity');
  return priority.spot === true ? 'spot' : affinity === undefined || affinity === 'None' || affinity === 'AnyBestEffort' ? 'onDemand' : 'reserved';
}
