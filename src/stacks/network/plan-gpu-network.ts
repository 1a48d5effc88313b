/** Which networks a machine type needs, with names and ranges: a pure function. */
import { findMachine, machineNames } from '../../model/accelerators/catalogue';
import { networkOfMachine } from '../../model/accelerators/networks';
import type { GpuAccelerator } from '../../model/accelerators/types';
import { didYouMean, type Violation } from '../../model/violations';
import { tryParseRange, trySplitRange } from '../cluster/cidr';

/** A VPC with its subnetworks. */
export interface PlannedNetwork {
  readonly name: string;
  readonly mtu: number;
  /** Network profile, with the zone to fill in. */
  readonly profile?: string;
  /** Whether interfaces in it are ordinary ones, and not for RDMA. */
  readonly isOrdinary: boolean;
  readonly subnetworks: readonly { readonly name: string; readonly range: string }[];
}

/** The networks, or why there are none. */
export interface GpuNetworkPlan {
  readonly violations: readonly Violation[];
  readonly networks: readonly PlannedNetwork[];
}

const SUBNETWORK_PREFIX = 20;

/** Plans the networks. */
export function planGpuNetwork(machineType: string, prefix: string, range: string): GpuNetworkPlan {
  const refused = (path: string, value: unknown, message: string): GpuNetworkPlan => ({ violations: [{ path, value, message }], networks: [] });
  const known = findMachine(machineType);
  if (known === undefined) {
    return refused('machineType', machineType, `is not a known machine with GPUs.${didYouMean(machineType, machineNames())}`);
  }
  const accelerator = known.accelerators[0] as GpuAccelerator;
  const { family, dataNics, extraNetworks, mtu, networkProfile } = networkOfMachine(accelerator, machineType);
  if (extraNetworks === 0 || mtu === undefined) {
    return refused('machineType', machineType, 'has no networks other than that of the cluster. GpuNetwork is for a3 and a4 machines with all of their GPUs.');
  }
  if (family === 'rdma' && (networkProfile === undefined || networkProfile.endsWith('-metal'))) {
    return refused('machineType', machineType, 'gets its networks from DRANET. Set network.acceleratorNetworkProfile: auto on the pool instead.');
  }
  const ranges = trySplitRange(tryParseRange(range)!, SUBNETWORK_PREFIX, extraNetworks);
  if (ranges === undefined) {
    return refused('range', range, `has no room for ${extraNetworks} networks of /${SUBNETWORK_PREFIX}. Use a larger one, such as 192.168.0.0/16.`);
  }
  if (family !== 'rdma') {
    return { violations: [], networks: ranges.map((each, index) => ordinary(`${prefix}-data-${index}`, mtu, each)) };
  }
  const control = extraNetworks - dataNics;
  return {
    violations: [],
    networks: [
      ...ranges.slice(0, control).map((each, index) => ordinary(`${prefix}-gvnic-${index}`, mtu, each)),
      {
        name: `${prefix}-rdma`, mtu, profile: networkProfile, isOrdinary: false,
        subnetworks: ranges.slice(control).map((each, index) => ({ name: `${prefix}-rdma-${index}`, range: each })),
      },
    ],
  };
}

function ordinary(name: string, mtu: number, range: string): PlannedNetwork {
  return { name, mtu, isOrdinary: true, subnetworks: [{ name, range }] };
}
