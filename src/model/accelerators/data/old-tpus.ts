/** TPUs of old families. */
import { NO_SSD } from './local-ssds';
import { SOURCES } from '../sources';
import type { TpuAccelerator } from '../types';

export const TPU_V3_DEVICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v3-device',
  title: 'TPU v3 (device)',
  generation: 'v3',
  memoryGiB: 32,
  counts: [4],
  machineFamily: 'ct3',
  machines: [
    { name: 'ct3-hightpu-4t', devices: 4, vcpu: 96, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: '2x2' },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-ssd', 'pd-standard'],
  spot: null,
  topology: { dims: 2, allowed: ['2x2'] },
  dws: false,
  caution: 'belongs to an old generation',
  sources: [SOURCES.tpuConfig, SOURCES.tpuV3Memory],
};

export const TPU_V3_SLICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v3-slice',
  title: 'TPU v3 (slice)',
  generation: 'v3',
  memoryGiB: 32,
  counts: [4],
  machineFamily: 'ct3p',
  machines: [
    { name: 'ct3p-hightpu-4t', devices: 4, vcpu: 48, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: null },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-ssd', 'pd-standard'],
  spot: null,
  topology: { dims: 2, multiHostOnly: true },
  dws: false,
  caution: 'belongs to an old generation',
  sources: [SOURCES.tpuConfig],
};

export const TPU_V5_LITE_DEVICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v5-lite-device',
  title: 'TPU v5e (device)',
  generation: 'v5e',
  memoryGiB: 16,
  counts: [1, 4, 8],
  machineFamily: 'ct5l',
  machines: [
    { name: 'ct5l-hightpu-8t', devices: 8, vcpu: 224, memoryGiB: 384, localSsd: NO_SSD, singleHostTopology: '2x4' },
    { name: 'ct5l-hightpu-4t', devices: 4, vcpu: 112, memoryGiB: 192, localSsd: NO_SSD, singleHostTopology: '2x2' },
    { name: 'ct5l-hightpu-1t', devices: 1, vcpu: 24, memoryGiB: 48, localSsd: NO_SSD, singleHostTopology: '1x1' },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-balanced',
  attachableDiskTypes: ['hyperdisk-ml', 'pd-balanced', 'pd-ssd'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
  spot: null,
  topology: { dims: 2, allowed: ['1x1', '2x2', '2x4'] },
  dws: false,
  caution: 'belongs to an old family of single hosts; new ones are tpu-v5-lite-podslice',
  sources: [SOURCES.tpuConfig],
};
