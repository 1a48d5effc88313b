/** What people ask for and cannot have, each with the field, the value, words of the rule and the fix, and a rule that names its source. */
import { errorsOf, warningsOf, type Finding } from '../../../src/model/findings';
import type { GpuRequest, TpuRequest } from '../../../src/model/accelerators/requests';
import { checkGpuRequest } from '../../../src/model/accelerators/rules/gpu-rules';
import { RULES } from '../../../src/model/accelerators/rules/rule-list';
import { checkTpuRequest } from '../../../src/model/accelerators/rules/tpu-rules';
import { SOURCES } from '../../../src/model/accelerators/sources';

type GpuCase = [what: string, request: Omit<GpuRequest, 'kind'>, rule: keyof typeof RULES, path: string, value: unknown, ...words: string[]];
type TpuCase = [what: string, request: Omit<TpuRequest, 'kind'> & { readonly replicas?: number }, rule: keyof typeof RULES, path: string, value: unknown, ...words: string[]];

const gpu = (type: string, count: number, more: Partial<GpuRequest> = {}) => ({ type, count, ...more });
const tpu = (type: string, topology: string, more: object = {}) => ({ type, topology, ...more });
const shared = (strategy: string, clients: number) => ({ sharing: { strategy, clients } });

const GPU_MISTAKES: readonly GpuCase[] = [
  ['three H100', gpu('nvidia-h100-80gb', 3), 'gpuCount', 'a.count', 3, 'a3-highgpu', 'machines have 1, 2, 4 or 8 nvidia-h100-80gb', 'Use 4'],
  ['six L4', gpu('nvidia-l4', 6), 'gpuCount', 'a.count', 6, 'g2-standard machines have 1, 2, 4 or 8', 'Use 8'],
  ['sixteen H100 in one pod', gpu('nvidia-h100-80gb', 16), 'gpuCount', 'a.count', 16, 'Use 8 and more replicas'],
  ['one H200', gpu('nvidia-h200-141gb', 1), 'gpuCount', 'a.count', 1, 'a3-ultragpu machines have 8', 'Use 8'],
  ['one H100 of a mega machine', gpu('nvidia-h100-mega-80gb', 1), 'gpuCount', 'a.count', 1, 'a3-megagpu machines have 8'],
  ['eight GB200', gpu('nvidia-gb200', 8), 'gpuCount', 'a.count', 8, 'a4x-highgpu machines have 4', 'Use 4 and more replicas'],
  ['three T4', gpu('nvidia-tesla-t4', 3), 'gpuCount', 'a.count', 3, 'N1 machines can have 1, 2 or 4', 'Use 4'],
  ['no GPU', gpu('nvidia-l4', 0), 'gpuCount', 'a.count', 0, '1 or more'],
  ['half a GPU', gpu('nvidia-l4', 0.5), 'gpuCount', 'a.count', 0.5, 'whole number'],
  ['more than the machine has', gpu('nvidia-h100-80gb', 8, { machineType: 'a3-highgpu-2g' }), 'machineCount', 'a.count', 8, 'more than a3-highgpu-2g has: 2', 'Use 2'],
  ['two L4 on a machine with one', gpu('nvidia-l4', 2, { machineType: 'g2-standard-16' }), 'machineCount', 'a.count', 2, 'more than g2-standard-16 has: 1'],
  ['a slip in the type', gpu('nvidia-h100-80g', 8), 'type', 'a.type', 'nvidia-h100-80g', 'is not a GPU type on GKE', "Did you mean 'nvidia-h100-80gb'?"],
  ['the short name', gpu('H100', 8), 'type', 'a.type', 'H100', "Did you mean 'nvidia-h100-80gb'?"],
  ['tesla in the 80 GB A100', gpu('nvidia-tesla-a100-80gb', 1), 'type', 'a.type', 'nvidia-tesla-a100-80gb', "Did you mean 'nvidia-a100-80gb'?"],
  ['no tesla in the 40 GB A100', gpu('nvidia-a100', 1), 'type', 'a.type', 'nvidia-a100', "Did you mean 'nvidia-tesla-a100'?"],
  ['tesla in the L4', gpu('nvidia-tesla-l4', 1), 'type', 'a.type', 'nvidia-tesla-l4', "Did you mean 'nvidia-l4'?"],
  ['a TPU as a GPU', gpu('tpu-v6e-slice', 4), 'type', 'a.type', 'tpu-v6e-slice', 'is a TPU, not a GPU'],
  ['a K80', gpu('nvidia-tesla-k80', 1), 'ended', 'a.type', 'nvidia-tesla-k80', 'ended its support', 'nvidia-tesla-t4 or nvidia-l4'],
  ['the 40 GB A100 on a machine with 80 GB', gpu('nvidia-tesla-a100', 1, { machineType: 'a2-ultragpu-1g' }), 'machineAccelerator', 'a.machineType', 'a2-ultragpu-1g',
    'has nvidia-a100-80gb, not nvidia-tesla-a100', 'Use a2-highgpu-1g'],
  ['the 80 GB A100 on a machine with 40 GB', gpu('nvidia-a100-80gb', 1, { machineType: 'a2-highgpu-1g' }), 'machineAccelerator', 'a.machineType', 'a2-highgpu-1g', 'Use a2-ultragpu-1g'],
  ['the high H100 on a mega machine', gpu('nvidia-h100-80gb', 8, { machineType: 'a3-megagpu-8g' }), 'machineAccelerator', 'a.machineType', 'a3-megagpu-8g', 'has nvidia-h100-mega-80gb'],
  ['the mega H100 on a high machine', gpu('nvidia-h100-mega-80gb', 8, { machineType: 'a3-highgpu-8g' }), 'machineAccelerator', 'a.machineType', 'a3-highgpu-8g', 'Use a3-megagpu-8g'],
  ['an L4 on N1', gpu('nvidia-l4', 1, { machineType: 'n1-standard-8' }), 'machineAccelerator', 'a.machineType', 'n1-standard-8', 'has GPUs of older types', 'Use g2-standard-4'],
  ['a T4 on G2', gpu('nvidia-tesla-t4', 1, { machineType: 'g2-standard-8' }), 'machineAccelerator', 'a.machineType', 'g2-standard-8', 'has nvidia-l4'],
  ['a GPU on N2', gpu('nvidia-tesla-t4', 1, { machineType: 'n2-standard-8' }), 'generalPurpose', 'a.machineType', 'n2-standard-8', 'only N1 can', 'Use n1-standard-8'],
  ['a GPU on the default machine', gpu('nvidia-l4', 1, { machineType: 'e2-medium' }), 'generalPurpose', 'a.machineType', 'e2-medium', 'comes with its own machine type', 'g2-standard-4'],
  ['a slip in the machine type', gpu('nvidia-h100-80gb', 8, { machineType: 'a3-hihgpu-8g' }), 'machineType', 'a.machineType', 'a3-hihgpu-8g', "Did you mean 'a3-highgpu-8g'?"],
  ['too many vCPUs for one T4', gpu('nvidia-tesla-t4', 1, { machineType: 'n1-standard-64' }), 'vcpu', 'a.machineType', 'n1-standard-64', 'at most 48', 'or 4 GPUs'],
  ['too many vCPUs for one V100', gpu('nvidia-tesla-v100', 1, { machineType: 'n1-standard-16' }), 'vcpu', 'a.machineType', 'n1-standard-16', 'at most 12', 'n1-standard-8, or 2 GPUs'],
  ['a partition of the 80 GB A100 on the 40 GB one', gpu('nvidia-tesla-a100', 1, { partition: '1g.10gb' }), 'migSize', 'a.partition', '1g.10gb', '1g.5gb, 2g.10gb, 3g.20gb or 7g.40gb', 'Did you mean'],
  ['a partition that only H100 has', gpu('nvidia-a100-80gb', 1, { partition: '1g.20gb' }), 'migSize', 'a.partition', '1g.20gb', 'is not a partition of nvidia-a100-80gb'],
  ['a partition that only the driver knows', gpu('nvidia-h100-80gb', 1, { partition: '4g.40gb' }), 'migDriverOnly', 'a.partition', '4g.40gb', "refused by GKE's autoscaler", 'Use 1g.10gb'],
  ['a partition of an L4', gpu('nvidia-l4', 1, { partition: '1g.5gb' }), 'migSize', 'a.partition', '1g.5gb', 'GKE has no partitions of nvidia-l4', 'share them'],
  ['a partition of a GB300', gpu('nvidia-gb300', 1, { partition: '1g.34gb' }), 'migSize', 'a.partition', '1g.34gb', 'GKE has no partitions of nvidia-gb300'],
  ['two partitions for one process', gpu('nvidia-h100-80gb', 2, { partition: '1g.10gb' }), 'migCount', 'a.count', 2, 'a process uses one', 'Use 1'],
  ['one client', gpu('nvidia-l4', 1, shared('time-sharing', 1)), 'sharingClients', 'a.sharing.clients', 1, 'from 2 to 48', 'so omit it'],
  ['49 clients', gpu('nvidia-l4', 1, shared('mps', 49)), 'sharingClients', 'a.sharing.clients', 49, 'from 2 to 48'],
  ['the strategy as the API of node pools writes it', gpu('nvidia-l4', 1, shared('TIME_SHARING', 4)), 'sharingStrategy', 'a.sharing.strategy', 'TIME_SHARING', "Did you mean 'time-sharing'?"],
  ['a strategy that is none', gpu('nvidia-l4', 1, shared('mpss', 4)), 'sharingStrategy', 'a.sharing.strategy', 'mpss', "Did you mean 'mps'?"],
  ['two shares of a GPU', gpu('nvidia-l4', 2, shared('time-sharing', 4)), 'sharingCount', 'a.count', 2, 'never gives', 'Use 1, or whole GPUs'],
  ['two shares by MPS on any machine', gpu('nvidia-l4', 2, shared('mps', 4)), 'sharingCount', 'a.count', 2, 'exactly one GPU', 'a machine type with one GPU'],
  ['two shares by MPS on a machine with two', gpu('nvidia-l4', 2, { ...shared('mps', 4), machineType: 'g2-standard-24' }), 'sharingCount', 'a.count', 2, 'exactly one GPU'],
];

const TPU_MISTAKES: readonly TpuCase[] = [
  ['a slip in the type', tpu('tpu-v6e-slices', '4x4'), 'type', 'a.type', 'tpu-v6e-slices', "Did you mean 'tpu-v6e-slice'?"],
  ['the name of the generation', tpu('tpu-v5e', '4x4'), 'type', 'a.type', 'tpu-v5e', "Did you mean 'tpu-v5-lite-podslice'?"],
  ['the name of another pattern', tpu('tpu-v7x', '2x2x1'), 'type', 'a.type', 'tpu-v7x', "Did you mean 'tpu7x'?"],
  ['a GPU as a TPU', tpu('nvidia-l4', '2x2'), 'type', 'a.type', 'nvidia-l4', 'is a GPU, not a TPU'],
  ['a topology with a dimension too few', tpu('tpu-v5p-slice', '2x2'), 'topology', 'a.topology', '2x2', '3 dimensions', '2x2x1'],
  ['a topology with a dimension too many', tpu('tpu-v6e-slice', '2x2x2'), 'topology', 'a.topology', '2x2x2', '2 dimensions'],
  ['a number of chips for a topology', tpu('tpu-v6e-slice', '16'), 'topology', 'a.topology', '16', '2 dimensions', 'such as 1x1'],
  ['a slice that there is not', tpu('tpu-v6e-slice', '4x6'), 'topology', 'a.topology', '4x6', 'Use 4x4 (16 chips) or 4x8 (32 chips)'],
  ['a slice above the largest', tpu('tpu-v6e-slice', '32x32'), 'topology', 'a.topology', '32x32', 'Use 16x16 (256 chips)'],
  ['dimensions in the wrong order', tpu('tpu-v6e-slice', '4x2'), 'topologyOrder', 'a.topology', '4x2', "Did you mean '2x4'?"],
  ['dimensions in the wrong order, in a cube', tpu('tpu7x', '8x4x4'), 'topologyOrder', 'a.topology', '8x4x4', "Did you mean '4x4x8'?"],
  ['a slice that is not made of cubes', tpu('tpu-v5p-slice', '4x4x6'), 'topology', 'a.topology', '4x4x6', 'multiples of 4', 'at most 140 cubes'],
  ['more cubes than there are', tpu('tpu-v4-podslice', '16x16x20'), 'topology', 'a.topology', '16x16x20', 'at most 64 cubes'],
  ['one chip of a TPU that has no single ones', tpu('tpu-v5p-slice', '1x1x1'), 'topology', 'a.topology', '1x1x1', 'Use 2x2x1 (4 chips)'],
  ['a large slice on machines of eight', tpu('tpu-v6e-slice', '4x4', { machineType: 'ct6e-standard-8t' }), 'tpuMachine', 'a.machineType', 'ct6e-standard-8t',
    'is a slice of 2x4 only; 4x4 has 16', 'Use ct6e-standard-4t'],
  ['a slice of four on machines of one', tpu('tpu-v5-lite-podslice', '2x2', { machineType: 'ct5lp-hightpu-1t' }), 'tpuMachine', 'a.machineType', 'ct5lp-hightpu-1t', 'Use ct5lp-hightpu-4t'],
  ['one chip on a machine of four', tpu('tpu-v6e-slice', '1x1', { machineType: 'ct6e-standard-4t' }), 'tpuMachine', 'a.machineType', 'ct6e-standard-4t', 'Use ct6e-standard-1t'],
  ['a machine type of another TPU', tpu('tpu-v6e-slice', '2x2', { machineType: 'ct5lp-hightpu-4t' }), 'machineAccelerator', 'a.machineType', 'ct5lp-hightpu-4t', 'has tpu-v5-lite-podslice'],
  ['a machine type with GPUs', tpu('tpu-v6e-slice', '2x2', { machineType: 'g2-standard-4' }), 'machineAccelerator', 'a.machineType', 'g2-standard-4', 'has nvidia-l4'],
  ['too few replicas for the slice', tpu('tpu-v6e-slice', '4x4', { replicas: 2 }), 'tpuHosts', 'spec.replicas', 2, '16 chips on 4 hosts of 4', 'Use 4 for one slice'],
  ['replicas that do not make whole slices', tpu('tpu-v6e-slice', '4x4', { replicas: 7 }), 'tpuHosts', 'spec.replicas', 7, 'Use 8 for 2 slices'],
  ['a replica for each chip', tpu('tpu-v5p-slice', '2x2x2', { replicas: 9 }), 'tpuHosts', 'spec.replicas', 9, '8 chips on 2 hosts', 'Use 10 for 5 slices'],
];

function tell(findings: readonly Finding[], rule: keyof typeof RULES, path: string, value: unknown, words: readonly string[]): void {
  const errors = errorsOf(findings);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ rule: RULES[rule].id, source: SOURCES[RULES[rule].source], path, value });
  words.forEach((part) => expect(errors[0].message).toContain(part));
}

describe('a request for GPUs is refused for', () => {
  test.each(GPU_MISTAKES)('%s', (_what, request, rule, path, value, ...words) => {
    tell(checkGpuRequest({ kind: 'gpu', ...request }, 'a'), rule, path, value, words);
  });
});

describe('a request for a TPU slice is refused for', () => {
  test.each(TPU_MISTAKES)('%s', (_what, { replicas, ...request }, rule, path, value, ...words) => {
    tell(checkTpuRequest({ kind: 'tpu', ...request }, 'a', replicas === undefined ? undefined : { count: replicas, path: 'spec.replicas' }), rule, path, value, words);
  });
});

test('at least 60 mistakes are told here', () => {
  expect(GPU_MISTAKES.length + TPU_MISTAKES.length).toBeGreaterThanOrEqual(60);
});

describe('what is not certain is a warning and no error:', () => {
  test.each<[string, readonly Finding[], keyof typeof RULES, string]>([
    ['a GPU that is newer than the table', checkGpuRequest({ kind: 'gpu', type: 'nvidia-rubin-r100', count: 8 }, 'a'), 'type', 'it is not checked'],
    ['a TPU that is newer than the table', checkTpuRequest({ kind: 'tpu', type: 'cloud-brain', topology: '3x3' }, 'a'), 'type', 'it is not checked'],
    ['a machine type that is newer than the table', checkGpuRequest({ kind: 'gpu', type: 'nvidia-b200', count: 8, machineType: 'a4-hypergpu-16g-metal' }, 'a'), 'machineType', 'it is not checked'],
    ['a size with a suffix', checkGpuRequest({ kind: 'gpu', type: 'nvidia-rtx-pro-6000', count: 1, partition: '1g.24gb.gfx' }, 'a'), 'migSpelling', 'spell differently'],
    ['MPS on partitions', checkGpuRequest({ kind: 'gpu', type: 'nvidia-h100-80gb', count: 1, partition: '1g.10gb', ...shared('mps', 4) }, 'a'), 'mpsOnMig', 'Use time-sharing'],
    ['the vCPUs of the largest P100 machines', checkGpuRequest({ kind: 'gpu', type: 'nvidia-tesla-p100', count: 4, machineType: 'n1-standard-96' }, 'a'), 'vcpu', 'allow 96'],
    ['images for arm64 nodes', checkGpuRequest({ kind: 'gpu', type: 'nvidia-gb200', count: 4 }, 'a'), 'arm64', 'linux/arm64'],
    ['a TPU that nobody has seen', checkTpuRequest({ kind: 'tpu', type: 'tpu7', topology: '2x2x1' }, 'a'), 'caution', 'no source confirms'],
    ['a topology of v4 in another order', checkTpuRequest({ kind: 'tpu', type: 'tpu-v4-podslice', topology: '8x4x4' }, 'a'), 'topologyOrder', "'4x4x8'"],
    ['the topology of a TPU whose slices nobody lists', checkTpuRequest({ kind: 'tpu', type: 'tpu-v3-slice', topology: '4x8' }, 'a'), 'topology', 'no source lists them'],
  ])('%s', (_what, findings, rule, words) => {
    expect(errorsOf(findings)).toEqual([]);
    expect(warningsOf(findings)).toContainEqual(expect.objectContaining({ rule: RULES[rule].id, message: expect.stringContaining(words) }));
  });
});

describe('nothing is said of', () => {
  test.each([
    ['eight H100', gpu('nvidia-h100-80gb', 8)],
    ['four on a machine with eight', gpu('nvidia-h100-80gb', 4, { machineType: 'a3-highgpu-8g' })],
    ['one partition', gpu('nvidia-h100-80gb', 1, { partition: '1g.10gb' })],
    ['one share', gpu('nvidia-l4', 1, shared('time-sharing', 48))],
    ['several shares by MPS on a machine with one GPU', gpu('nvidia-l4', 2, { ...shared('mps', 4), machineType: 'g2-standard-8' })],
    ['a share of a partition', gpu('nvidia-h100-80gb', 1, { partition: '1g.10gb', ...shared('time-sharing', 3) })],
    ['a T4 on a small machine', gpu('nvidia-tesla-t4', 1, { machineType: 'n1-highmem-8' })],
  ])('%s', (_what, request) => {
    expect(checkGpuRequest({ kind: 'gpu', ...request }, 'a')).toEqual([]);
  });

  test.each([
    ['tpu-v6e-slice', '4x4', 4, undefined],
    ['tpu-v6e-slice', '4x4', 8, undefined],
    ['tpu-v6e-slice', '2x4', 1, undefined],
    ['tpu-v6e-slice', '2x4', 2, 'ct6e-standard-4t'],
    ['tpu-v5p-slice', '2x2x1', 3, undefined],
    ['tpu7x', '2x2x2', 2, 'tpu7x-ultranet-4t'],
  ])('%s %s with %d replicas on %s', (type, topology, replicas, machineType) => {
    expect(checkTpuRequest({ kind: 'tpu', type, topology, machineType }, 'a', { count: replicas, path: 'r' })).toEqual([]);
  });
});
