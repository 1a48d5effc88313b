/** H100 and H200, on A3 machines. The high and the mega machines have GPUs of different names. */
import { NO_SSD, ownSsds } from './local-ssds';
import { SOURCES } from '../sources';
import type { GpuAccelerator } from '../types';

/** What all of them have. */
const HOPPER = {
  kind: 'gpu',
  machineFamily: 'a3',
  architecture: 'amd64',
  attachableDiskTypes: [
    'hyperdisk-balanced',
    'hyperdisk-balanced-high-availability',
    'hyperdisk-extreme',
    'hyperdisk-throughput',
    'hyperdisk-ml',
    'pd-balanced',
    'pd-ssd',
  ],
  spot: true,
  attachableToN1: false,
  compactPlacementMaxNodes: 96,
} as const satisfies Partial<GpuAccelerator>;

/** What both H100 have. */
const H100 = {
  ...HOPPER,
  memoryGiB: 80,
  bootDiskTypes: ['pd-balanced', 'pd-ssd', 'hyperdisk-balanced'],
  defaultBootDiskType: 'pd-balanced',
  migProfiles: [
    { profile: '1g.10gb', perGpu: 7 },
    { profile: '1g.20gb', perGpu: 4 },
    { profile: '2g.20gb', perGpu: 3 },
    { profile: '3g.40gb', perGpu: 2 },
    { profile: '7g.80gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.40gb'],
} as const satisfies Partial<GpuAccelerator>;

export const NVIDIA_H100_80GB: GpuAccelerator = {
  ...H100,
  type: 'nvidia-h100-80gb',
  title: 'NVIDIA H100 80 GB',
  counts: [1, 2, 4, 8],
  machines: [
    { name: 'a3-highgpu-1g', devices: 1, vcpu: 26, memoryGiB: 234, localSsd: ownSsds(2), confidentialNodeTypes: ['TDX'] },
    { name: 'a3-highgpu-2g', devices: 2, vcpu: 52, memoryGiB: 468, localSsd: ownSsds(4) },
    { name: 'a3-highgpu-4g', devices: 4, vcpu: 104, memoryGiB: 936, localSsd: ownSsds(8) },
    { name: 'a3-highgpu-8g', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: ownSsds(16) },
    { name: 'a3-edgegpu-8g', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: ownSsds(16), dwsDisabled: true },
    { name: 'a3-highgpu-8g-nolssd', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: NO_SSD, explicitRequestOnly: true },
    { name: 'a3-edgegpu-8g-nolssd', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: NO_SSD, dwsDisabled: true, explicitRequestOnly: true },
    { name: 'a3-highgpu-1g-nolssd', devices: 1, vcpu: 26, memoryGiB: 234, localSsd: NO_SSD, explicitRequestOnly: true, confidentialNodeTypes: ['TDX'] },
    { name: 'a3-highgpu-2g-nolssd', devices: 2, vcpu: 52, memoryGiB: 468, localSsd: NO_SSD, explicitRequestOnly: true },
    { name: 'a3-highgpu-4g-nolssd', devices: 4, vcpu: 104, memoryGiB: 936, localSsd: NO_SSD, explicitRequestOnly: true },
  ],
  networking: 'tcpx',
  network: { appliesTo: ['a3-highgpu-8g', 'a3-edgegpu-8g'], dataNics: 4, mtu: 8244 },
  sources: [
    SOURCES.gpuConfig,
    SOURCES.machineConfig,
    SOURCES.dranet,
    SOURCES.toolkitDirect,
    SOURCES.platformsGpu,
    SOURCES.gpuSharing,
    SOURCES.mpsDocs,
  ],
};

export const NVIDIA_H100_MEGA_80GB: GpuAccelerator = {
  ...H100,
  type: 'nvidia-h100-mega-80gb',
  title: 'NVIDIA H100 Mega 80 GB',
  counts: [8],
  machines: [
    { name: 'a3-megagpu-8g', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: ownSsds(16) },
    { name: 'a3-megagpu-8g-nolssd', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: NO_SSD, explicitRequestOnly: true },
  ],
  networking: 'tcpxo',
  network: { dataNics: 8, mtu: 8244 },
  sources: [SOURCES.gpuConfig, SOURCES.dranet, SOURCES.toolkitDirect, SOURCES.platformsGpu, SOURCES.gpuSharing, SOURCES.mpsDocs],
};

export const NVIDIA_H200_141GB: GpuAccelerator = {
  ...HOPPER,
  type: 'nvidia-h200-141gb',
  title: 'NVIDIA H200',
  memoryGiB: 141,
  counts: [8],
  machines: [
    { name: 'a3-ultragpu-8g', devices: 8, vcpu: 224, memoryGiB: 2952, localSsd: ownSsds(32), bootDiskTypes: ['hyperdisk-balanced'] },
    { name: 'a3-ultragpu-8g-nolssd', devices: 8, vcpu: 224, memoryGiB: 2952, localSsd: NO_SSD, explicitRequestOnly: true, bootDiskTypes: ['hyperdisk-balanced'] },
  ],
  networking: 'rdma',
  network: { extraGvnic: 1, rdmaNics: 8, mtu: 8896, networkProfile: '{zone}-vpc-roce' },
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  migProfiles: [
    { profile: '1g.18gb', perGpu: 7 },
    { profile: '1g.35gb', perGpu: 4 },
    { profile: '2g.35gb', perGpu: 3 },
    { profile: '3g.71gb', perGpu: 2 },
    { profile: '7g.141gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.71gb'],
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.dranet, SOURCES.platformsGpu, SOURCES.gpuSharing, SOURCES.mpsDocs],
};
