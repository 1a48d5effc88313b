/** GPUs that are attached to N1 machines. */
import { ssds } from './local-ssds';
import { SOURCES } from '../sources';
import type { GpuAccelerator, MachineType } from '../types';

const N1_SSDS = ssds(1, 2, 3, 4, 5, 6, 7, 8, 16, 24);

/** Machine types that GPUs are attached to; shared-core ones cannot have any. */
const N1_MACHINES: readonly MachineType[] = [
  { name: 'n1-standard-1', vcpu: 1, memoryGiB: 3.75, localSsd: N1_SSDS },
  { name: 'n1-standard-2', vcpu: 2, memoryGiB: 7.5, localSsd: N1_SSDS },
  { name: 'n1-standard-4', vcpu: 4, memoryGiB: 15, localSsd: N1_SSDS },
  { name: 'n1-standard-8', vcpu: 8, memoryGiB: 30, localSsd: N1_SSDS },
  { name: 'n1-standard-16', vcpu: 16, memoryGiB: 60, localSsd: N1_SSDS },
  { name: 'n1-standard-32', vcpu: 32, memoryGiB: 120, localSsd: N1_SSDS },
  { name: 'n1-standard-64', vcpu: 64, memoryGiB: 240, localSsd: N1_SSDS },
  { name: 'n1-standard-96', vcpu: 96, memoryGiB: 360, localSsd: N1_SSDS },
  { name: 'n1-highcpu-2', vcpu: 2, memoryGiB: 1.8, localSsd: N1_SSDS },
  { name: 'n1-highcpu-4', vcpu: 4, memoryGiB: 3.6, localSsd: N1_SSDS },
  { name: 'n1-highcpu-8', vcpu: 8, memoryGiB: 7.2, localSsd: N1_SSDS },
  { name: 'n1-highcpu-16', vcpu: 16, memoryGiB: 14.4, localSsd: N1_SSDS },
  { name: 'n1-highcpu-32', vcpu: 32, memoryGiB: 28.8, localSsd: N1_SSDS },
  { name: 'n1-highcpu-64', vcpu: 64, memoryGiB: 57.6, localSsd: N1_SSDS },
  { name: 'n1-highcpu-96', vcpu: 96, memoryGiB: 86.4, localSsd: N1_SSDS },
  { name: 'n1-highmem-2', vcpu: 2, memoryGiB: 13, localSsd: N1_SSDS },
  { name: 'n1-highmem-4', vcpu: 4, memoryGiB: 26, localSsd: N1_SSDS },
  { name: 'n1-highmem-8', vcpu: 8, memoryGiB: 52, localSsd: N1_SSDS },
  { name: 'n1-highmem-16', vcpu: 16, memoryGiB: 104, localSsd: N1_SSDS },
  { name: 'n1-highmem-32', vcpu: 32, memoryGiB: 208, localSsd: N1_SSDS },
  { name: 'n1-highmem-64', vcpu: 64, memoryGiB: 416, localSsd: N1_SSDS },
  { name: 'n1-highmem-96', vcpu: 96, memoryGiB: 624, localSsd: N1_SSDS },
];

/** What all of them have. */
const N1_GPU = {
  kind: 'gpu',
  machineFamily: 'n1',
  machines: N1_MACHINES,
  architecture: 'amd64',
  networking: 'gvnic',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-extreme', 'pd-ssd', 'pd-standard'],
  spot: null,
  attachableToN1: true,
  migProfiles: [],
  migDriverOnly: [],
} as const satisfies Partial<GpuAccelerator>;

export const NVIDIA_TESLA_T4: GpuAccelerator = {
  ...N1_GPU,
  type: 'nvidia-tesla-t4',
  title: 'NVIDIA T4',
  memoryGiB: 16,
  counts: [1, 2, 4],
  maxVcpuByCount: { 1: 48, 2: 48, 4: 96 },
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.gpuSharing, SOURCES.mpsDocs, SOURCES.skypilot, SOURCES.memoryTable],
};

export const NVIDIA_TESLA_V100: GpuAccelerator = {
  ...N1_GPU,
  type: 'nvidia-tesla-v100',
  title: 'NVIDIA V100',
  memoryGiB: 16,
  counts: [1, 2, 4, 8],
  maxVcpuByCount: { 1: 12, 2: 24, 4: 48, 8: 96 },
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.gpuSharing, SOURCES.mpsDocs, SOURCES.skypilot, SOURCES.memoryTable],
};

export const NVIDIA_TESLA_P100: GpuAccelerator = {
  ...N1_GPU,
  type: 'nvidia-tesla-p100',
  title: 'NVIDIA P100',
  memoryGiB: 16,
  counts: [1, 2, 4],
  maxVcpuByCount: { 1: 16, 2: 32, 4: 64 },
  maxVcpuDisputed: true,
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.gpuSharing, SOURCES.mpsDocs, SOURCES.skypilot],
};

export const NVIDIA_TESLA_P4: GpuAccelerator = {
  ...N1_GPU,
  type: 'nvidia-tesla-p4',
  title: 'NVIDIA P4',
  memoryGiB: 8,
  counts: [1, 2, 4],
  maxVcpuByCount: { 1: 24, 2: 48, 4: 96 },
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.gpuSharing, SOURCES.mpsDocs, SOURCES.skypilot],
};

export const NVIDIA_TESLA_K80: GpuAccelerator = {
  ...N1_GPU,
  type: 'nvidia-tesla-k80',
  title: 'NVIDIA K80',
  memoryGiB: 11,
  counts: [1, 2, 4, 8],
  maxVcpuByCount: { 1: 8, 2: 16, 4: 32, 8: 64 },
  endOfSupport: 'Google ended its support (https://cloud.google.com/compute/docs/eol/k80-eol)',
  sources: [SOURCES.gpuConfig, SOURCES.machineConfig, SOURCES.gpuSharing, SOURCES.mpsDocs, SOURCES.k80Eol],
};
