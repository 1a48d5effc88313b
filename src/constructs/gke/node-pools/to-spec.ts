/** Converts the properties of node pools to specs. */
import type { NodeDisks, NodeNetworkOptions } from './node-options';
import type { GpuNodePoolProps } from './pool-props';
import { findGpu, findMachine, findTpu, ordinaryMachines } from '../../../model/accelerators/catalogue';
import { NO_DEVICE_PLUGIN_LABEL } from '../../../model/accelerators/labels';
import { defaultMachineFor } from '../../../model/accelerators/topology';
import type { AcceleratorPreference, PoolPreferences } from '../../../model/node-pools/preferences';
import type { NodePoolSpec, PoolNetwork } from '../../../model/node-pools/spec';
import type { Accelerator } from '../../accelerators/accelerator';
import { defined } from '../../../model/lists';

/** Preferences of a pool with a name. */
export function toPreferences(props: GpuNodePoolProps, name: string): PoolPreferences {
  const { accelerator, anyOf = accelerator === undefined ? [] : [accelerator] } = props;
  return {
    base: toBase(props, name),
    anyOf: anyOf.map((one) => toAccelerator(one, props)),
    capacity: props.capacity?.map((one) => one._toSpec()),
    maxPricePerHour: props.maxPrice,
    prices: props.prices?.map(({ machineType, capacity, perHour }) => ({ machineType, kind: capacity._kind, perHour })),
  };
}

function toAccelerator(accelerator: Accelerator, { driver, gpusPerNode }: GpuNodePoolProps): AcceleratorPreference {
  const request = accelerator._request();
  if (request.kind === 'plugin-gpu') {
    throw new Error(`Accelerator '${accelerator.type}': a GKE node pool cannot use an accelerator of other clusters. Use a GKE type, such as Accelerator.NVIDIA_H100_80GB.`);
  }
  const machineType = request.machineType ?? onlyMachine(accelerator);
  const where = machineType === undefined ? {} : { machineType };
  if (request.kind === 'tpu') {
    return { ...where, tpus: { type: request.type, topology: request.topology } };
  }
  const count = gpusPerNode ?? findMachine(machineType ?? '')?.machine.devices ?? 1;
  const { type, partition, sharing } = request;
  return {
    ...where,
    gpus: {
      type,
      count,
      ...(partition !== undefined && { partition }),
      ...(sharing !== undefined && { sharing }),
      ...(driver !== undefined && { driver: driver.version }),
    },
  };
}

/** The machine type of an accelerator, if there is only one. */
function onlyMachine({ type, topology }: Accelerator): string | undefined {
  const tpu = topology === undefined ? undefined : findTpu(type);
  if (tpu !== undefined) {
    return defaultMachineFor(tpu, topology!)?.name;
  }
  const gpu = findGpu(type);
  const machines = gpu === undefined ? [] : ordinaryMachines(gpu);
  return machines.length === 1 ? machines[0].name : undefined;
}

/** Fields with the same name and form as the property. */
const SAME_FIELDS = [
  'zones', 'imageType', 'imageStreaming', 'resourceLabels', 'tags', 'computeClass', 'maxPodsPerNode', 'serviceAccount', 'secureBoot',
  'confidentialNodeType', 'autoRepair', 'autoUpgrade', 'blueGreen',
] as const;

function toBase(props: GpuNodePoolProps, name: string): Omit<NodePoolSpec, 'machineType' | 'gpus' | 'tpus' | 'capacity'> {
  const { driver, compactPlacement, placementPolicy, taints, metadataServer = 'GKE_METADATA' } = props;
  const placed = compactPlacement !== undefined || placementPolicy !== undefined;
  return {
    name,
    ...Object.fromEntries(SAME_FIELDS.map((field) => [field, props[field]]).filter(([, value]) => value !== undefined)),
    ...defined({
      size: props.size?._toSpec(),
      placement: placed ? defined({ compact: compactPlacement, policyName: placementPolicy }) : undefined,
      network: props.network && toNetwork(props.network),
      labels: driver?.isOperator ? { [NO_DEVICE_PLUGIN_LABEL]: 'true', ...props.labels } : props.labels,
      taints: taints?.map(({ key, value = '', effect = 'NoSchedule' }) => ({ key, value, effect })),
      workloadMetadata: metadataServer,
      upgrade: props.upgrade?._toSpec(),
      gpuOperator: driver?.isOperator || undefined,
      ...toDisks(props.disks ?? {}),
    }),
  };
}

function toNetwork({ gvnic, fastSocket, additionalNetworks, managedNetworks, gpuDirectRdma, privateNodes }: NodeNetworkOptions): PoolNetwork {
  return defined({
    gvnic,
    fastSocket,
    additionalNetworks,
    acceleratorNetworkProfile: managedNetworks ? 'auto' : undefined,
    gpuDirect: gpuDirectRdma ? 'rdma' : undefined,
    privateNodes,
  });
}

function toDisks({ bootType, bootSize, localSsdEphemeral, localSsdBlock, imageCaches, attached }: NodeDisks): Partial<NodePoolSpec> {
  return {
    bootDiskType: bootType,
    bootDiskGiB: bootSize?.toGibibytes(),
    localSsdEphemeral,
    localSsdBlock,
    secondaryBootDisks: imageCaches?.map(({ image, project }) => defined({ image, project })),
    attachedDiskTypes: attached,
  };
}
