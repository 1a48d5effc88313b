/** GPUs of Google Cloud, with the machines that they come with. */
import type { GpuAccelerator, LocalSsd, MachineType, MigProfile } from '../types';

/** No local SSDs can be added. */
export const NO_SSD: LocalSsd = { mode: 'none' };

/** As many as these can be added. */
function ssds(...allowedCounts: readonly number[]): LocalSsd {
  return { mode: 'optional', allowedCounts };
}

/** The machine comes with them. */
function ownSsds(count: number): LocalSsd {
  return { mode: 'automatic', count };
}

function withoutSsds(machine: MachineType): MachineType {
  return { ...machine, name: `${machine.name}-nolssd`, localSsd: NO_SSD, explicitRequestOnly: true };
}

function withAndWithoutSsds(machine: MachineType): MachineType[] {
  return [machine, withoutSsds(machine)];
}

/** Sizes of partitions, and how many of each one GPU has room for. */
function mig(perGpuBySize: { readonly [profile: string]: number }): MigProfile[] {
  return Object.entries(perGpuBySize).map(([profile, perGpu]) => ({ profile, perGpu }));
}

/** B200 on A4, and the Grace Blackwell machines of A4X, whose nodes are arm64. */
const BLACKWELL = {
  kind: 'gpu',
  networking: 'rdma',
  bootDiskTypes: ['hyperdisk-balanced'],
  defaultBootDiskType: 'hyperdisk-balanced',
  attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-extreme', 'hyperdisk-ml'],
  attachableToN1: false,
} as const satisfies Partial<GpuAccelerator>;

/** H100 and H200, on A3 machines. The high and the mega machines have GPUs of different names. */
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

const H100 = {
  ...HOPPER,
  memoryGiB: 80,
  bootDiskTypes: ['pd-balanced', 'pd-ssd', 'hyperdisk-balanced'],
  defaultBootDiskType: 'pd-balanced',
  migProfiles: mig({ '1g.10gb': 7, '1g.20gb': 4, '2g.20gb': 3, '3g.40gb': 2, '7g.80gb': 1 }),
  migDriverOnly: ['4g.40gb'],
} as const satisfies Partial<GpuAccelerator>;

/** A100, on A2 machines. The 40 GB one has `tesla` in its name, the 80 GB one has not. */
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

/** Machines of the larger A100, with local SSDs. */
const A2_ULTRA: readonly MachineType[] = [
  { name: 'a2-ultragpu-1g', devices: 1, vcpu: 12, memoryGiB: 170, localSsd: ownSsds(1) },
  { name: 'a2-ultragpu-2g', devices: 2, vcpu: 24, memoryGiB: 340, localSsd: ownSsds(2) },
  { name: 'a2-ultragpu-4g', devices: 4, vcpu: 48, memoryGiB: 680, localSsd: ownSsds(4) },
  { name: 'a2-ultragpu-8g', devices: 8, vcpu: 96, memoryGiB: 1360, localSsd: ownSsds(8) },
];

/** What GPUs of the G series have, which are for inference, graphics and small training. */
const G_SERIES = {
  kind: 'gpu', architecture: 'amd64', networking: 'gvnic', spot: true, attachableToN1: false,
} as const satisfies Partial<GpuAccelerator>;

/** Machine types that GPUs are attached to, by their GiB of memory for each vCPU; shared-core ones cannot have any. */
const N1_MACHINES: readonly MachineType[] = [
  ...n1('standard', 3.75, [1, 2, 4, 8, 16, 32, 64, 96]),
  ...n1('highcpu', 0.9, [2, 4, 8, 16, 32, 64, 96]),
  ...n1('highmem', 6.5, [2, 4, 8, 16, 32, 64, 96]),
];

function n1(kind: string, perVcpuGiB: number, vcpus: readonly number[]): MachineType[] {
  return vcpus.map((vcpu) => ({ name: `n1-${kind}-${vcpu}`, vcpu, memoryGiB: vcpu * perVcpuGiB, localSsd: ssds(1, 2, 3, 4, 5, 6, 7, 8, 16, 24) }));
}

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

/** All of them, the newest first. */
export const GPUS: readonly GpuAccelerator[] = [
  {
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
    sources: ['machineConfig', 'dranet', 'toolkitA4xMax', 'toolkitRdma', 'armSeries'],
  },
  {
    ...BLACKWELL,
    type: 'nvidia-gb200',
    title: 'NVIDIA GB200',
    memoryGiB: 186,
    counts: [4],
    machineFamily: 'a4x',
    machines: [
      ...withAndWithoutSsds({ name: 'a4x-highgpu-4g', devices: 4, vcpu: 140, memoryGiB: 884, localSsd: ownSsds(4) }),
    ],
    architecture: 'arm64',
    network: { extraGvnic: 1, rdmaNics: 4, mtu: 8896 },
    spot: null,
    migProfiles: mig({ '1g.23gb': 7, '1g.47gb': 4, '2g.47gb': 3, '3g.93gb': 2, '7g.186gb': 1 }),
    migDriverOnly: ['4g.93gb'],
    nvlinkTopology: '1x72',
    sources: ['gpuConfig', 'machineConfig', 'dranet', 'xpk', 'a4xDisks', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...BLACKWELL,
    type: 'nvidia-b200',
    title: 'NVIDIA B200',
    memoryGiB: 180,
    counts: [8],
    machineFamily: 'a4',
    machines: [
      ...withAndWithoutSsds({ name: 'a4-highgpu-8g', devices: 8, vcpu: 224, memoryGiB: 3968, localSsd: ownSsds(32) }),
    ],
    architecture: 'amd64',
    network: { extraGvnic: 1, rdmaNics: 8, mtu: 8896, networkProfile: '{zone}-vpc-roce' },
    spot: true,
    migProfiles: mig({ '1g.23gb': 7, '1g.45gb': 4, '2g.45gb': 3, '3g.90gb': 2, '7g.180gb': 1 }),
    migDriverOnly: ['4g.90gb'],
    compactPlacementMaxNodes: 1500,
    onDemand: false,
    sources: ['gpuConfig', 'machineConfig', 'dranet', 'a4OnDemand', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...HOPPER,
    type: 'nvidia-h200-141gb',
    title: 'NVIDIA H200',
    memoryGiB: 141,
    counts: [8],
    machines: [
      ...withAndWithoutSsds({ name: 'a3-ultragpu-8g', devices: 8, vcpu: 224, memoryGiB: 2952, localSsd: ownSsds(32), bootDiskTypes: ['hyperdisk-balanced'] }),
    ],
    networking: 'rdma',
    network: { extraGvnic: 1, rdmaNics: 8, mtu: 8896, networkProfile: '{zone}-vpc-roce' },
    bootDiskTypes: ['hyperdisk-balanced'],
    defaultBootDiskType: 'hyperdisk-balanced',
    migProfiles: mig({ '1g.18gb': 7, '1g.35gb': 4, '2g.35gb': 3, '3g.71gb': 2, '7g.141gb': 1 }),
    migDriverOnly: ['4g.71gb'],
    sources: ['gpuConfig', 'machineConfig', 'dranet', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...H100,
    type: 'nvidia-h100-mega-80gb',
    title: 'NVIDIA H100 Mega 80 GB',
    counts: [8],
    machines: [
      ...withAndWithoutSsds({ name: 'a3-megagpu-8g', devices: 8, vcpu: 208, memoryGiB: 1872, localSsd: ownSsds(16) }),
    ],
    networking: 'tcpxo',
    network: { dataNics: 8, mtu: 8244 },
    sources: ['gpuConfig', 'dranet', 'toolkitDirect', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
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
    sources: ['gpuConfig', 'machineConfig', 'dranet', 'toolkitDirect', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...G_SERIES,
    type: 'nvidia-rtx-pro-6000',
    title: 'NVIDIA RTX PRO 6000',
    memoryGiB: 96,
    counts: [1, 2, 4, 8],
    machineFamily: 'g4',
    machines: [
      { name: 'g4-standard-6', devices: 1, vcpu: 6, memoryGiB: 22, localSsd: NO_SSD, explicitRequestOnly: true, gpuFraction: '1/8' },
      { name: 'g4-standard-12', devices: 1, vcpu: 12, memoryGiB: 45, localSsd: ssds(1), explicitRequestOnly: true, gpuFraction: '1/4' },
      { name: 'g4-standard-24', devices: 1, vcpu: 24, memoryGiB: 90, localSsd: ssds(2), explicitRequestOnly: true, gpuFraction: '1/2' },
      { name: 'g4-standard-48', devices: 1, vcpu: 48, memoryGiB: 180, localSsd: ssds(4), confidentialNodeTypes: ['SEV'] },
      { name: 'g4-standard-96', devices: 2, vcpu: 96, memoryGiB: 360, localSsd: ssds(8) },
      { name: 'g4-standard-192', devices: 4, vcpu: 192, memoryGiB: 720, localSsd: ssds(16) },
      { name: 'g4-standard-384', devices: 8, vcpu: 384, memoryGiB: 1440, localSsd: ssds(32) },
    ],
    bootDiskTypes: ['hyperdisk-balanced'],
    defaultBootDiskType: 'hyperdisk-balanced',
    attachableDiskTypes: ['hyperdisk-balanced', 'hyperdisk-balanced-high-availability', 'hyperdisk-extreme', 'hyperdisk-throughput'],
    migProfiles: mig({
      '1g.24gb': 4, '1g.24gb.me': 1, '1g.24gb.gfx': 4, '1g.24gb.me.all': 1, '1g.24gb-me': 4, '2g.48gb': 2,
      '2g.48gb.gfx': 2, '2g.48gb.me.all': 1, '2g.48gb-me': 2, '4g.96gb': 1, '4g.96gb.gfx': 1,
    }),
    migDriverOnly: [],
    compactPlacementMaxNodes: 1500,
    sources: ['gpuConfig', 'machineConfig', 'pluginMig', 'pluginMain', 'platformsGpu', 'toolkitG4', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...A100,
    type: 'nvidia-a100-80gb',
    title: 'NVIDIA A100 80 GB',
    memoryGiB: 80,
    counts: [1, 2, 4, 8],
    machines: [...A2_ULTRA, ...A2_ULTRA.map(withoutSsds)],
    migProfiles: mig({ '1g.10gb': 7, '2g.20gb': 3, '3g.40gb': 2, '7g.80gb': 1 }),
    migDriverOnly: ['4g.40gb'],
    sources: ['gpuConfig', 'machineConfig', 'pluginMig', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
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
    migProfiles: mig({ '1g.5gb': 7, '2g.10gb': 3, '3g.20gb': 2, '7g.40gb': 1 }),
    migDriverOnly: ['4g.20gb'],
    sources: ['gpuConfig', 'machineConfig', 'pluginMig', 'partitionGpu', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...G_SERIES,
    type: 'nvidia-l4',
    title: 'NVIDIA L4',
    memoryGiB: 24,
    counts: [1, 2, 4, 8],
    machineFamily: 'g2',
    machines: [
      { name: 'g2-standard-4', devices: 1, vcpu: 4, memoryGiB: 16, localSsd: ssds(1) },
      { name: 'g2-standard-8', devices: 1, vcpu: 8, memoryGiB: 32, localSsd: ssds(1) },
      { name: 'g2-standard-12', devices: 1, vcpu: 12, memoryGiB: 48, localSsd: ssds(1) },
      { name: 'g2-standard-16', devices: 1, vcpu: 16, memoryGiB: 64, localSsd: ssds(1) },
      { name: 'g2-standard-24', devices: 2, vcpu: 24, memoryGiB: 96, localSsd: ssds(2) },
      { name: 'g2-standard-32', devices: 1, vcpu: 32, memoryGiB: 128, localSsd: ssds(1) },
      { name: 'g2-standard-48', devices: 4, vcpu: 48, memoryGiB: 192, localSsd: ssds(4) },
      { name: 'g2-standard-96', devices: 8, vcpu: 96, memoryGiB: 384, localSsd: ssds(8) },
    ],
    bootDiskTypes: ['pd-balanced', 'pd-ssd'],
    defaultBootDiskType: 'pd-balanced',
    attachableDiskTypes: ['hyperdisk-throughput', 'hyperdisk-ml', 'pd-balanced', 'pd-ssd', 'pd-standard'],
    migProfiles: [],
    migDriverOnly: [],
    compactPlacementMaxNodes: 150,
    sources: ['machineConfig', 'platformsGpu', 'gpuSharing', 'mpsDocs'],
  },
  {
    ...N1_GPU,
    type: 'nvidia-tesla-t4',
    title: 'NVIDIA T4',
    memoryGiB: 16,
    counts: [1, 2, 4],
    maxVcpuByCount: { 1: 48, 2: 48, 4: 96 },
    sources: ['gpuConfig', 'machineConfig', 'gpuSharing', 'mpsDocs', 'skypilot', 'memoryTable'],
  },
  {
    ...N1_GPU,
    type: 'nvidia-tesla-v100',
    title: 'NVIDIA V100',
    memoryGiB: 16,
    counts: [1, 2, 4, 8],
    maxVcpuByCount: { 1: 12, 2: 24, 4: 48, 8: 96 },
    sources: ['gpuConfig', 'machineConfig', 'gpuSharing', 'mpsDocs', 'skypilot', 'memoryTable'],
  },
  {
    ...N1_GPU,
    type: 'nvidia-tesla-p100',
    title: 'NVIDIA P100',
    memoryGiB: 16,
    counts: [1, 2, 4],
    maxVcpuByCount: { 1: 16, 2: 32, 4: 64 },
    maxVcpuDisputed: true,
    sources: ['gpuConfig', 'machineConfig', 'gpuSharing', 'mpsDocs', 'skypilot'],
  },
  {
    ...N1_GPU,
    type: 'nvidia-tesla-p4',
    title: 'NVIDIA P4',
    memoryGiB: 8,
    counts: [1, 2, 4],
    maxVcpuByCount: { 1: 24, 2: 48, 4: 96 },
    sources: ['gpuConfig', 'machineConfig', 'gpuSharing', 'mpsDocs', 'skypilot'],
  },
  {
    ...N1_GPU,
    type: 'nvidia-tesla-k80',
    title: 'NVIDIA K80',
    memoryGiB: 11,
    counts: [1, 2, 4, 8],
    maxVcpuByCount: { 1: 8, 2: 16, 4: 32, 8: 64 },
    endOfSupport: 'Google ended its support (https://cloud.google.com/compute/docs/eol/k80-eol)',
    sources: ['gpuConfig', 'machineConfig', 'gpuSharing', 'mpsDocs', 'k80Eol'],
  },
];
