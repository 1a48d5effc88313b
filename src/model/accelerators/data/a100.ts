/** A100, on A2 machines. The 40 GB one has `tesla` in its name, the 80 GB one has not. */
import { NO_SSD, ownSsds, ssds } from './local-ssds';
import { SOURCES } from '../sources';
import type { GpuAccelerator } from '../types';

/** What both have. */
const A100 = {
  kind: 'gpu',
  machineFamily: 'a2',
  architecture: 'amd64',
  networking: 'gvnic',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['hyperdisk-ml', 'pd-balanced', 'pd-extreme', 'pd-ssd', 'pd-standard'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
  spot: true,
  attachableToN1: false,
  compactPlacementMaxNodes: 150,
} as const satisfies Partial<GpuAccelerator>;

export const NVIDIA_TESLA_A100: GpuAccelerator = {
  ...A100,
  type: 'nvidia-tesla-a100',
  title: 'NVIDIA A100 40 GB',
  memoryGiB: 40,
  counts: [1, 2, 4, 8, 16],
  machines: [
    { name: 'a2-highgpu-1g', devices: 1, vcpu: 12, memoryGiB: 85, localSsd: ssds(1, 2, 4, 8) },
    { name: 'a2-highgpu-2g', devices: 2, vcpu: 24, memoryGiB: 170, localSsd: ssds(2, 4, 8) },
    { name: 'a2-highgpu-4g', devices: 4, vcpu: 48, memoryGiB: 340, localSsd: ssds(4, 8) },
    { name: 'a2-highgpu-8g', devices: 8, vcpu: 96, memoryGiB: 680, localSsd: ssds(8) },
    { name: 'a2-megagpu-16g', devices: 16, vcpu: 96, memoryGiB: 1360, localSsd: ssds(8) },
  ],
  migProfiles: [
    { profile: '1g.5gb', perGpu: 7 },
    { profile: '2g.10gb', perGpu: 3 },
    { profile: '3g.20gb', perGpu: 2 },
    { profile: '7g.40gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.20gb'],
  sources: [
    SOURCES.gpuConfig,
    SOURCES.machineConfig,
    SOURCES.pluginMig,
    SOURCES.partitionGpu,
    SOURCES.platformsGpu,
    SOURCES.gpuSharing,
    SOURCES.mpsDocs,
  ],
};

export const NVIDIA_A100_80GB: GpuAccelerator = {
  ...A100,
  type: 'nvidia-a100-80gb',
  title: 'NVIDIA A100 80 GB',
  memoryGiB: 80,
  counts: [1, 2, 4, 8],
  machines: [
    { name: 'a2-ultragpu-1g', devices: 1, vcpu: 12, memoryGiB: 170, localSsd: ownSsds(1) },
    { name: 'a2-ultragpu-2g', devices: 2, vcpu: 24, memoryGiB: 340, localSsd: ownSsds(2) },
    { name: 'a2-ultragpu-4g', devices: 4, vcpu: 48, memoryGiB: 680, localSsd: ownSsds(4) },
    { name: 'a2-ultragpu-8g', devices: 8, vcpu: 96, memoryGiB: 1360, localSsd: ownSsds(8) },
    { name: 'a2-ultragpu-1g-nolssd', devices: 1, vcpu: 12, memoryGiB: 170, localSsd: NO_SSD, explicitRequestOnly: true },
    { name: 'a2-ultragpu-2g-nolssd', devices: 2, vcpu: 24, memoryGiB: 340, localSsd: NO_SSD, explicitRequestOnly: true },
    { name: 'a2-ultragpu-4g-nolssd', devices: 4, vcpu: 48, memoryGiB: 680, localSsd: NO_SSD, explicitRequestOnly: true },
    { name: 'a2-ultragpu-8g-nolssd', devices: 8, vcpu: 96, memoryGiB: 1360, localSsd: NO_SSD, explicitRequestOnly: true },
  ],
  migProfiles: [
    { profile: '1g.10gb', perGpu: 7 },
    { profile: '2g.20gb', perGpu: 3 },
    { profile: '3g.40gb', perGpu: 2 },
    { profile: '7g.80gb', perGpu: 1 },
  ],
  migDriverOnly: ['4g.40gb'],
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.pluginMig, SOURCES.platformsGpu, SOURCES.gpuSharing, SOURCES.mpsDocs],
};
