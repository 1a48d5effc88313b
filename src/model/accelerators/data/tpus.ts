/** TPUs that slices consist of. */
import { NO_SSD } from './gpus';
import type { TpuAccelerator } from '../types';

/** What most of them have. */
const TPU = { kind: 'tpu', architecture: 'amd64', networking: 'none' } as const;

/** Slices of three dimensions that are smaller than one cube. */
const SMALL = ['2x2x1', '2x2x2', '2x2x4', '2x4x4'];

/** Slices of two dimensions. */
const FLAT = ['1x1', '2x2', '2x4', '4x4', '4x8', '8x8', '8x16', '16x16'];

const HYPERDISK_BOOT = { bootDiskTypes: ['hyperdisk-balanced'], defaultBootDiskType: 'hyperdisk-balanced' } as const;

const V5_DISKS = {
  bootDiskTypes: ['pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-balanced',
  attachableDiskTypes: ['hyperdisk-ml', 'pd-balanced', 'pd-ssd'],
  confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
} as const satisfies Partial<TpuAccelerator>;

/** What both forms of v5e have. */
const v5e = (machineFamily: string) => ({
  generation: 'v5e',
  memoryGiB: 16,
  counts: [1, 4, 8],
  machineFamily,
  machines: [
    { name: `${machineFamily}-hightpu-8t`, devices: 8, vcpu: 224, memoryGiB: 384, localSsd: NO_SSD, singleHostTopology: '2x4' },
    { name: `${machineFamily}-hightpu-4t`, devices: 4, vcpu: 112, memoryGiB: 192, localSsd: NO_SSD, singleHostTopology: '2x2' },
    { name: `${machineFamily}-hightpu-1t`, devices: 1, vcpu: 24, memoryGiB: 48, localSsd: NO_SSD, singleHostTopology: '1x1' },
  ],
});

/** What both forms of v3 have. */
const V3 = {
  ...TPU,
  generation: 'v3',
  memoryGiB: 32,
  counts: [4],
  bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd'],
  defaultBootDiskType: 'pd-standard',
  attachableDiskTypes: ['pd-balanced', 'pd-ssd', 'pd-standard'],
  spot: null,
  dws: false,
  caution: 'belongs to an old generation',
} as const satisfies Partial<TpuAccelerator>;

/** All of them, the newest first. */
export const TPUS: readonly TpuAccelerator[] = [
  {
    ...TPU,
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
    networking: 'gvnic',
    network: { extraNics: { 'tpu7x-standard-4t': 2 }, mtu: 8896 },
    ...HYPERDISK_BOOT,
    attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'hyperdisk-throughput', 'hyperdisk-ml'],
    spot: null,
    topology: { dims: 3, small: SMALL, maxCubes: 144, singleChip: '1x1x1' },
    dws: true,
    workloadPolicy: true,
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk', 'dranet', 'tpuTotals', 'tpu7xCompact', 'tpu7xDocs'],
  },
  {
    ...TPU,
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
    network: { extraNics: { 'tpu7-standard-4t': 4 }, mtu: 8896 },
    ...HYPERDISK_BOOT,
    attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'pd-balanced'],
    spot: null,
    topology: { dims: 3, small: SMALL, maxCubes: 4, singleChip: '1x1x1' },
    dws: true,
    caution: 'no source confirms that it is available',
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk'],
  },
  {
    ...TPU,
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
    networking: 'gvnic',
    network: { extraNics: { 'ct6e-standard-1t': 1, 'ct6e-standard-4t': 2, 'ct6e-standard-8t': 4 }, mtu: 8896 },
    ...HYPERDISK_BOOT,
    attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-ml'],
    spot: true,
    topology: { dims: 2, allowed: FLAT, multiHostMachineType: 'ct6e-standard-4t' },
    dws: true,
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk', 'dranet', 'platformsTpu', 'tpuV6eDocs'],
  },
  {
    ...TPU,
    type: 'tpu-v5p-slice',
    title: 'TPU v5p',
    generation: 'v5p',
    memoryGiB: 95,
    counts: [4],
    machineFamily: 'ct5p',
    machines: [
      { name: 'ct5p-hightpu-4t', devices: 4, vcpu: 208, memoryGiB: 448, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
    ],
    ...V5_DISKS,
    spot: true,
    topology: { dims: 3, small: SMALL, maxCubes: 140 },
    dws: true,
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk', 'platformsTpu', 'tpuV5pDocs'],
  },
  {
    ...TPU,
    type: 'tpu-v5-lite-podslice',
    title: 'TPU v5e',
    ...v5e('ct5lp'),
    ...V5_DISKS,
    spot: true,
    topology: { dims: 2, allowed: FLAT, multiHostMachineType: 'ct5lp-hightpu-4t' },
    dws: true,
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk', 'platformsTpu', 'tpuV5eDocs'],
  },
  {
    ...TPU,
    type: 'tpu-v4-podslice',
    title: 'TPU v4',
    generation: 'v4',
    memoryGiB: 32,
    counts: [4],
    machineFamily: 'ct4p',
    machines: [
      { name: 'ct4p-hightpu-4t', devices: 4, vcpu: 240, memoryGiB: 407, localSsd: NO_SSD, singleHostTopology: '2x2x1' },
    ],
    bootDiskTypes: ['pd-standard', 'pd-balanced', 'pd-ssd', 'hyperdisk-balanced'],
    defaultBootDiskType: 'pd-standard',
    attachableDiskTypes: ['pd-balanced', 'pd-extreme', 'pd-ssd', 'pd-standard'],
    confidentialOnlyDiskTypes: ['hyperdisk-balanced'],
    spot: true,
    topology: { dims: 3, small: SMALL, maxCubes: 64, unsortedDisputed: true },
    dws: false,
    sources: ['tpuConfig', 'machineConfig', 'toolkitHardware', 'xpk', 'platformsTpu', 'tpuV4Memory'],
  },
  {
    ...TPU,
    type: 'tpu-v5-lite-device',
    title: 'TPU v5e (device)',
    ...v5e('ct5l'),
    ...V5_DISKS,
    spot: null,
    topology: { dims: 2, allowed: ['1x1', '2x2', '2x4'] },
    dws: false,
    caution: 'belongs to an old family of single hosts; new ones are tpu-v5-lite-podslice',
    sources: ['tpuConfig'],
  },
  {
    ...V3,
    type: 'tpu-v3-slice',
    title: 'TPU v3 (slice)',
    machineFamily: 'ct3p',
    machines: [
      { name: 'ct3p-hightpu-4t', devices: 4, vcpu: 48, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: null },
    ],
    topology: { dims: 2, multiHostOnly: true },
    sources: ['tpuConfig'],
  },
  {
    ...V3,
    type: 'tpu-v3-device',
    title: 'TPU v3 (device)',
    machineFamily: 'ct3',
    machines: [
      { name: 'ct3-hightpu-4t', devices: 4, vcpu: 96, memoryGiB: 340, localSsd: NO_SSD, singleHostTopology: '2x2' },
    ],
    topology: { dims: 2, allowed: ['2x2'] },
    sources: ['tpuConfig', 'tpuV3Memory'],
  },
];
