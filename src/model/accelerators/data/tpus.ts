/** TPUs that slices are made of. */
import { NO_SSD } from './local-ssds';
import { SOURCES } from '../sources';
import type { TpuAccelerator } from '../types';

export const TPU_V4_PODSLICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v4-podslice',
  title: 'TPU v4',
  generation: 'v4',
  memoryGiB: 32,
  counts: [4],
  machineFamily: 'ct4p',
  machines: [
    { name: 'ct4p-hightpu-4t', devices: 4, vcpu: 240, memoryGiB: 407, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd', 'hyperdisk-balanced'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-extreme', 'pd-ssd', 'pd-standard'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
  spot: true,
  topology: { dims: 3, small: ['2x2x1', '2x2x2', '2x2x4', '2x4x4'], maxCubes: 64, unsortedDisputed: true },
  dws: false,
  sources: [SOURCES.tpuConfig, SOURCES.machineConfig, SOURCES.toolkitHardware, SOURCES.xpk, SOURCES.platformsTpu, SOURCES.tpuV4Memory],
};

export const TPU_V5_LITE_PODSLICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v5-lite-podslice',
  title: 'TPU v5e',
  generation: 'v5e',
  memoryGiB: 16,
  counts: [1, 4, 8],
  machineFamily: 'ct5lp',
  machines: [
    { name: 'ct5lp-hightpu-8t', devices: 8, vcpu: 224, memoryGiB: 384, localSsd: NO_SSD, singleHostTopology: '2x4' },
    { name: 'ct5lp-hightpu-4t', devices: 4, vcpu: 112, memoryGiB: 192, localSsd: NO_SSD, singleHostTopology: '2x2' },
    { name: 'ct5lp-hightpu-1t', devices: 1, vcpu: 24, memoryGiB: 48, localSsd: NO_SSD, singleHostTopology: '1x1' },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-balanced',
  attachableDiskTypes: ['hyperdisk-ml', 'pd-balanced', 'pd-ssd'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
  spot: true,
  topology: { dims: 2, allowed: ['1x1', '2x2', '2x4', '4x4', '4x8', '8x8', '8x16', '16x16'], multiHostMachineType: 'ct5lp-hightpu-4t' },
  dws: true,
  sources: [SOURCES.tpuConfig, SOURCES.machineConfig, SOURCES.toolkitHardware, SOURCES.xpk, SOURCES.platformsTpu, SOURCES.tpuV5eDocs],
};

export const TPU_V5P_SLICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v5p-slice',
  title: 'TPU v5p',
  generation: 'v5p',
  memoryGiB: 95,
  counts: [4],
  machineFamily: 'ct5p',
  machines: [
    { name: 'ct5p-hightpu-4t', devices: 4, vcpu: 208, memoryGiB: 448, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
  ],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-balanced',
  attachableDiskTypes: ['hyperdisk-ml', 'pd-balanced', 'pd-ssd'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
  spot: true,
  topology: { dims: 3, small: ['2x2x1', '2x2x2', '2x2x4', '2x4x4'], maxCubes: 140 },
  dws: true,
  sources: [SOURCES.tpuConfig, SOURCES.machineConfig, SOURCES.toolkitHardware, SOURCES.xpk, SOURCES.platformsTpu, SOURCES.tpuV5pDocs],
};

export const TPU_V6E_SLICE: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu-v6e-slice',
  title: 'TPU v6e (Trillium)',
  generation: 'v6e',
  memoryGiB: 32,
  counts: [1, 4, 8],
  machineFamily: 'ct6e',
  machines: [
    { name: 'ct6e-standard-1t', devices: 1, vcpu: 44, memoryGiB: 176, localSsd: NO_SSD, singleHostTopology: '1x1' },
    { name: 'ct6e-standard-4t', devices: 4, vcpu: 180, memoryGiB: 720, localSsd: NO_SSD, singleHostTopology: '2x2' },
    { name: 'ct6e-standard-8t', devices: 8, vcpu: 180, memoryGiB: 1440, localSsd: NO_SSD, singleHostTopology: '2x4' },
  ],
  architecture: 'amd64',
  networking: 'gvnic',
  network: { extraNics: { 'ct6e-standard-1t': 1, 'ct6e-standard-4t': 2, 'ct6e-standard-8t': 4 }, mtu: 8896 },
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-ml'],
  spot: true,
  topology: { dims: 2, allowed: ['1x1', '2x2', '2x4', '4x4', '4x8', '8x8', '8x16', '16x16'], multiHostMachineType: 'ct6e-standard-4t' },
  dws: true,
  sources: [
    SOURCES.tpuConfig,
    SOURCES.machineConfig,
    SOURCES.toolkitHardware,
    SOURCES.xpk,
    SOURCES.dranet,
    SOURCES.platformsTpu,
    SOURCES.tpuV6eDocs,
  ],
};

export const TPU7X: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu7x',
  title: 'TPU7x (Ironwood)',
  generation: 'TPU7x',
  memoryGiB: 192,
  counts: [1, 4],
  machineFamily: 'tpu7x',
  machines: [
    { name: 'tpu7x-standard-1t', devices: 1, vcpu: 56, memoryGiB: 248, localSsd: NO_SSD, singleHostTopology: '1x1x1' },
    { name: 'tpu7x-standard-4t', devices: 4, vcpu: 224, memoryGiB: 992, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
    { name: 'tpu7x-ultranet-4t', devices: 4, vcpu: 224, memoryGiB: 992, localSsd: NO_SSD, explicitRequestOnly: true, singleHostTopology: '2x2x1' },
  ],
  architecture: 'amd64',
  networking: 'gvnic',
  network: { extraNics: { 'tpu7x-standard-4t': 2 }, mtu: 8896 },
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'hyperdisk-throughput', 'hyperdisk-ml'],
  spot: null,
  topology: { dims: 3, small: ['2x2x1', '2x2x2', '2x2x4', '2x4x4'], maxCubes: 144, singleChip: '1x1x1' },
  dws: true,
  workloadPolicy: true,
  sources: [
    SOURCES.tpuConfig,
    SOURCES.machineConfig,
    SOURCES.toolkitHardware,
    SOURCES.xpk,
    SOURCES.dranet,
    SOURCES.tpuTotals,
    SOURCES.tpu7xCompact,
    SOURCES.tpu7xDocs,
  ],
};

export const TPU7: TpuAccelerator = {
  kind: 'tpu',
  type: 'tpu7',
  title: 'TPU7',
  generation: 'TPU7',
  memoryGiB: null,
  counts: [1, 4],
  machineFamily: 'tpu7',
  machines: [
    { name: 'tpu7-standard-1t', devices: 1, vcpu: 56, memoryGiB: 240, localSsd: NO_SSD, singleHostTopology: '1x1x1' },
    { name: 'tpu7-standard-4t', devices: 4, vcpu: 224, memoryGiB: 960, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
  ],
  architecture: 'amd64',
  networking: 'none',
  network: { extraNics: { 'tpu7-standard-4t': 4 }, mtu: 8896 },
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'pd-balanced'],
  spot: null,
  topology: { dims: 3, small: ['2x2x1', '2x2x2', '2x2x4', '2x4x4'], maxCubes: 4, singleChip: '1x1x1' },
  dws: true,
  caution: 'no source confirms that it is available',
  sources: [SOURCES.tpuConfig, SOURCES.machineConfig, SOURCES.toolkitHardware, SOURCES.xpk],
};

/** What both forms of v3 have. */
const TPU_V3 = {
  kind: 'tpu',
  generation: 'v3',
  memoryGiB: 32,
  counts: [4],
  architecture: 'amd64',
  networking: 'none',
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-ssd', 'pd-standard'],
  spot: null,
  dws: false,
  caution: 'belongs to an old generation',
} as const satisfies Partial<TpuAccelerator>;

export const TPU_V3_DEVICE: TpuAccelerator = {
  ...TPU_V3,
  type: 'tpu-v3-device',
  title: 'TPU v3 (device)',
  machineFamily: 'ct3',
  machines: [
    { name: 'ct3-hightpu-4t', devices: 4, vcpu: 96, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: '2x2' },
  ],
  topology: { dims: 2, allowed: ['2x2'] },
  sources: [SOURCES.tpuConfig, SOURCES.tpuV3Memory],
};

export const TPU_V3_SLICE: TpuAccelerator = {
  ...TPU_V3,
  type: 'tpu-v3-slice',
  title: 'TPU v3 (slice)',
  machineFamily: 'ct3p',
  machines: [
    { name: 'ct3p-hightpu-4t', devices: 4, vcpu: 48, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: null },
  ],
  topology: { dims: 2, multiHostOnly: true },
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
