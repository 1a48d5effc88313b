/** B200 on A4, and the Grace Blackwell machines of A4X, whose nodes are arm64. */
import { NO_SSD, ownSsds } from './local-ssds';
import { SOURCES } from '../sources';
import type { GpuAccelerator } from '../types';

/** What all of them have. */
const BLACKWELL = {
  kind: 'gpu',
  networking: 'rdma',
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'hyperdisk-ml'],
  attachableToN1: false,
} as const satisfies Partial<GpuAccelerator>;

export const NVIDIA_B200: GpuAccelerator = {
  ...BLACKWELL,
  type: 'nvidia-b200',
  title: 'NVIDIA B200',
  memoryGiB: 180,
  counts: [8],
  machineFamily: 'a4',
  machines: [
    { name: 'a4-highgpu-8g', devices: 8, vcpu: 224, memoryGiB: 3968, localSsd: ownSsds(32) },
    { name: 'a4-highgpu-8g-nolssd', devices: 8, vcpu: 224, memoryGiB: 3968, localSsd: NO_SSD, explicitRequestOnly: true },
  ],
  architecture: 'amd64',
  network: { extraGvnic: 1, rdmaNics: 8, mtu: 8896, networkProfile: '{zone}-vpc-roce' },
  spot: true,
  migProfiles: [
    { profile: '1g.23gb', perGpu: 7 },
    { profile: '1g.45gb', perGpu: 4 },
    { profile: '2g.45gb', perGpu: 3 },
    { profile: '3g.90gb', perGpu: 2 },
    { profile: '7g.180gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.90gb'],
  compactPlacementMaxNodes: 1500,
  onDemand: false,
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.dranet, SOURCES.a4OnDemand, SOURCES.gpuSharing, SOURCES.mpsDocs],
};

export const NVIDIA_GB200: GpuAccelerator = {
  ...BLACKWELL,
  type: 'nvidia-gb200',
  title: 'NVIDIA GB200',
  memoryGiB: 186,
  counts: [4],
  machineFamily: 'a4x',
  machines: [
    { name: 'a4x-highgpu-4g', devices: 4, vcpu: 140, memoryGiB: 884, localSsd: ownSsds(4) },
    { name: 'a4x-highgpu-4g-nolssd', devices: 4, vcpu: 140, memoryGiB: 884, localSsd: NO_SSD, explicitRequestOnly: true },
  ],
  architecture: 'arm64',
  network: { extraGvnic: 1, rdmaNics: 4, mtu: 8896 },
  spot: null,
  migProfiles: [
    { profile: '1g.23gb', perGpu: 7 },
    { profile: '1g.47gb', perGpu: 4 },
    { profile: '2g.47gb', perGpu: 3 },
    { profile: '3g.93gb', perGpu: 2 },
    { profile: '7g.186gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.93gb'],
  nvlinkTopology: '1x72',
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.dranet, SOURCES.xpk, SOURCES.a4xDisks, SOURCES.gpuSharing, SOURCES.mpsDocs],
};

export const NVIDIA_GB300: GpuAccelerator = {
  ...BLACKWELL,
  type: 'nvidia-gb300',
  title: 'NVIDIA GB300',
  memoryGiB: 279,
  counts: [4],
  machineFamily: 'a4x',
  machines: [
    { name: 'a4x-maxgpu-4g-metal', devices: 4, vcpu: 144, memoryGiB: 960, localSsd: ownSsds(4), explicitRequestOnly: true },
  ],
  architecture: 'arm64',
  network: { extraGvnic: 1, rdmaNics: 8, mtu: 8896, networkProfile: '{zone}-vpc-roce-metal' },
  spot: null,
  migProfiles: [],
  migDriverOnly: [],
  nvlinkTopology: '1x72',
  sources: [SOURCES.machineConfig, SOURCES.dranet, SOURCES.toolkitA4xMax, SOURCES.toolkitRdma, SOURCES.armSeries],
};
