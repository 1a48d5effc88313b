/**
 * The networks that carry the traffic between GPUs, and what NCCL has to know of them.
 *
 * Google's plugins bring a profile of their own tuning (`/usr/local/gib/scripts/set_nccl_env.sh` for RDMA, `nccl-env-profile.sh` for TCPXO),
 * which has to fit their version: copies of it in job templates broke. So only what does not change with versions is set: which interfaces carry
 * control and which carry data, as they are named on pods with `networking.gke.io/interfaces`: `eth0` is the pod's own, data interfaces follow
 * from `eth1`.
 * @see https://github.com/NVIDIA/aicr/pull/422
 * @see https://docs.cloud.google.com/ai-hypercomputer/docs/nccl/overview
 */
import { machinesWith } from './catalogue';
import type { GpuAccelerator, Networking } from './types';

export interface GpuNetwork {
  readonly family: Exclude<Networking, 'none'>;
  /** Interfaces in addition to the pod's own that carry data between GPUs. */
  readonly dataNics: number;
  /** Networks in addition to the cluster's that a node pool needs. */
  readonly extraNetworks: number;
  /** Largest packets, in bytes; undefined for the cluster's own network. */
  readonly mtu?: number;
  /** Profile of the VPC, with the zone to fill in. */
  readonly networkProfile?: string;
}

/** The interface that every pod has. */
const OWN_INTERFACE = 'eth0';

const ORDINARY: GpuNetwork = { family: 'gvnic', dataNics: 0, extraNetworks: 0 };

export function networkOfMachine(gpu: GpuAccelerator, machineType: string): GpuNetwork {
  const { network } = gpu;
  const base = machineType.replace(/-nolssd$/, '');
  if (network === undefined || (network.appliesTo !== undefined && !network.appliesTo.includes(base))) {
    return ORDINARY;
  }
  const { dataNics = 0, rdmaNics = 0, extraGvnic = 0, mtu, networkProfile } = network;
  return {
    family: gpu.networking as GpuNetwork['family'],
    dataNics: dataNics + rdmaNics,
    // The networks of RDMA are subnets of one VPC; they count one by one as interfaces of a pool.
    extraNetworks: dataNics + rdmaNics + extraGvnic,
    mtu,
    ...(networkProfile !== undefined && { networkProfile }),
  };
}

/** The network of a pod: only one that has a whole machine gets more than the ordinary. */
export function networkOfPod(gpu: GpuAccelerator, count: number, machineType?: string): GpuNetwork {
  const machines = machinesWith(gpu, count).map(({ name }) => name);
  const machine = machineType ?? machines[0];
  const known = gpu.machines.find(({ name }) => name === machine);
  return known === undefined || known.devices !== count ? ORDINARY : networkOfMachine(gpu, known.name);
}

/** Variables of NCCL that name the interfaces of a network; empty for an ordinary one. */
export function ncclVariables({ family, dataNics }: GpuNetwork): { [name: string]: string } {
  const data = Array.from({ length: dataNics }, (_nic, index) => `eth${index + 1}`).join(',');
  switch (family) {
    case 'tcpx':
      return { NCCL_SOCKET_IFNAME: OWN_INTERFACE, NCCL_GPUDIRECTTCPX_CTRL_DEV: OWN_INTERFACE, NCCL_GPUDIRECTTCPX_SOCKET_IFNAME: data };
    case 'tcpxo':
      return { NCCL_SOCKET_IFNAME: OWN_INTERFACE, NCCL_FASTRAK_CTRL_DEV: OWN_INTERFACE, NCCL_FASTRAK_IFNAME: data };
    case 'rdma':
      return { NCCL_SOCKET_IFNAME: OWN_INTERFACE };
    case 'gvnic':
      return {};
  }
}
