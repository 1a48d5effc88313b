/** The needs of a pod: devices, vCPUs, memory and, from its selectors, the machine and how it is paid. */
import { at, fieldsAt, listAt } from './fields';
import type { Surroundings } from './surroundings';
import { partitionsPerGpu, findGpu } from '../../model/accelerators/catalogue';
import { GPU_RESOURCE, INSTANCE_TYPE_LABEL, NODE_LABELS, TPU_RESOURCE_NAME } from '../../model/accelerators/labels';
import type { DeviceNeed, PodNeed } from '../../model/cost/machines';
import type { Pool } from '../../model/cost/pools';
import type { Purchase } from '../../model/cost/prices';
import { familiesOfProduct, mostOf } from '../../model/gpu-operator/mig-geometry';
import type { JsonRecord } from '../../model/json-parts';
import { tryParseQuantity } from '../../model/quantities';

/** Label of GPU feature discovery that names the product, off GKE. */
const PRODUCT_LABEL = 'nvidia.com/gpu.product';

/** Labels of spot nodes, of other clouds and of Karpenter. */
const SPOT_LABELS: { readonly [label: string]: string } = {
  'karpenter.sh/capacity-type': 'spot', 'eks.amazonaws.com/capacityType': 'SPOT', 'kubernetes.azure.com/scalesetpriority': 'spot',
  [NODE_LABELS.spot]: 'true', [NODE_LABELS.preemptible]: 'true',
};

/** Maximum number of combinations of label values. */
const MOST_CHOICES = 16;

type Selectors = { readonly [label: string]: string };

/** One result for each kind of node that the pod may run on. */
export function podNeeds(spec: JsonRecord, surroundings: Surroundings): PodNeed[] {
  const resources = podResources(spec);
  return selectorsOf(spec).flatMap((selectors) => placesOf(selectors, surroundings).map((pool) => needOf(resources, selectors, pool)));
}

/** The node selector of a pod, with each combination of values that its affinity allows. */
function selectorsOf(spec: JsonRecord): Selectors[] {
  const texts = Object.entries(fieldsAt(spec, 'nodeSelector')).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const own: Selectors = Object.fromEntries(texts);
  const terms = listAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const all = (terms.length === 0 ? [{}] : terms).flatMap((term) => (
    listAt(term, 'matchExpressions').filter(({ operator, values }) => operator === 'In' && Array.isArray(values) && values.length > 0)
      .reduce<Selectors[]>((choices, { key, values }) => (
        choices.flatMap((choice) => (values as unknown[]).map((value) => ({ ...choice, [String(key)]: String(value) })))
      ), [own])));
  return all.slice(0, MOST_CHOICES);
}

/** The pools that the selectors name, or an empty one. */
function placesOf(selectors: Selectors, { pools, classes }: Surroundings): (Partial<Pool>)[] {
  const named = selectors[NODE_LABELS.nodePool] as string | undefined;
  const pool = named === undefined ? undefined : pools.find(({ name, kind }) => name === named && kind !== 'ComputeClass');
  const ofClass = classes.get(selectors[NODE_LABELS.computeClass] ?? '') ?? [];
  return pool !== undefined ? [pool] : ofClass.length > 0 ? [...ofClass] : [{}];
}

function needOf({ vcpu, memoryGiB, devices }: PodResources, selectors: Selectors, pool: Partial<Pool>): PodNeed {
  const label = (name: string) => selectors[name] as string | undefined;
  const machineType = label(INSTANCE_TYPE_LABEL) ?? pool.machineType;
  const [device] = devices;
  return {
    vcpu,
    memoryGiB,
    ...(machineType !== undefined && { machineType }),
    ...(device !== undefined && { devices: deviceNeed(device, selectors, pool) }),
    purchase: pool.purchase ?? purchaseOf(selectors),
  };
}

function deviceNeed({ resource, count }: Device, selectors: Selectors, pool: Partial<Pool>): DeviceNeed {
  const label = (name: string) => selectors[name] as string | undefined;
  if (resource === TPU_RESOURCE_NAME) {
    return { resource, count, type: label(NODE_LABELS.tpuAccelerator) ?? pool.devices?.type, topology: label(NODE_LABELS.tpuTopology) };
  }
  const type = label(NODE_LABELS.accelerator) ?? pool.devices?.type ?? productOf(selectors);
  const size = label(NODE_LABELS.partitionSize) ?? /^nvidia\.com\/mig-(.*)$/.exec(resource)?.[1].replace(/\.shared$/, '');
  const partitions = size === undefined ? 1 : partitionsOf(type ?? '', size);
  const clients = Number(label(NODE_LABELS.sharedClients) ?? label('nvidia.com/gpu.replicas') ?? 1);
  return { resource, type, count: count / partitions / (clients >= 1 ? clients : 1) };
}

/** The product of the whole GPUs of nodes with NVIDIA's device plugin. The label may have the partition in its name or value. */
function productOf(selectors: Selectors): string | undefined {
  const label = Object.keys(selectors).find((key) => key === PRODUCT_LABEL || /^nvidia\.com\/mig-.*\.product$/.test(key));
  return label === undefined ? undefined : selectors[label].replace(/-MIG-.*|-SHARED$/s, '');
}

function partitionsOf(type: string, size: string): number {
  const gpu = findGpu(type);
  const [family] = familiesOfProduct(type);
  return (gpu === undefined ? family && mostOf(family, size) : partitionsPerGpu(gpu, size)) || 1;
}

/** How nodes with such labels are paid. */
function purchaseOf(labels: { readonly [label: string]: string }): Purchase {
  const provisioning = labels[NODE_LABELS.provisioning];
  if (labels[NODE_LABELS.queued] === 'true') {
    return 'queued';
  }
  if (provisioning === 'flex-start' || labels[NODE_LABELS.flexStart] === 'true') {
    return 'flexStart';
  }
  if (provisioning === 'spot' || provisioning === 'preemptible' || Object.entries(SPOT_LABELS).some(([label, value]) => labels[label] === value)) {
    return 'spot';
  }
  return labels[NODE_LABELS.reservationName] !== undefined || labels[NODE_LABELS.reservationAffinity] !== undefined ? 'reserved' : 'onDemand';
}

interface Device {
  readonly resource: string;
  readonly count: number;
}

interface PodResources {
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly devices: readonly Device[];
}

/** The requests that the scheduler counts: the sum of all containers and sidecars, or of an init container if that is more. */
function podResources(spec: JsonRecord): PodResources {
  const init = listAt(spec, 'initContainers');
  const together = [...listAt(spec, 'containers'), ...init.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const alone = init.filter(({ restartPolicy }) => restartPolicy !== 'Always');
  const wanted = (resource: string) => Math.max(
    together.reduce((total, container) => total + requestOf(container, resource), 0),
    ...alone.map((container) => requestOf(container, resource)),
    tryParseQuantity(String(at(spec, 'resources', 'requests', resource) ?? '')) ?? 0,
  );
  const names = [...new Set([...together, ...alone].flatMap((container) => (
    ['requests', 'limits'].flatMap((kind) => Object.keys(fieldsAt(container, 'resources', kind))))))];
  const devices = names.filter(isDevice).map((resource) => ({ resource, count: wanted(resource) })).filter(({ count }) => count > 0);
  return { vcpu: wanted('cpu'), memoryGiB: wanted('memory') / 2 ** 30, devices: devices.sort((one, other) => rank(one.resource) - rank(other.resource)) };
}

/** Prefixes of extended resources that are accelerators, and not networks, disks or FUSE. */
const DEVICES: readonly string[] = [
  TPU_RESOURCE_NAME, 'nvidia.com/gpu', 'nvidia.com/mig-', 'amd.com/gpu', 'habana.ai/gaudi', 'aws.amazon.com/neuron', 'gpu.intel.com/',
];

function isDevice(resource: string): boolean {
  return DEVICES.some((begin) => resource.startsWith(begin));
}

function rank(resource: string): number {
  return resource === GPU_RESOURCE || resource === TPU_RESOURCE_NAME ? 0 : 1;
}

function requestOf(container: JsonRecord, resource: string): number {
  const written = at(container, 'resources', 'requests', resource) ?? at(container, 'resources', 'limits', resource);
  return tryParseQuantity(String(written ?? '')) ?? 0;
}

