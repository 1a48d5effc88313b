import type { PodObject } from '../../../src/cli/jobs/objects';
import { gpuContainer, gpusIn } from '../../../src/cli/jobs/top/gpus';
import { topLines } from '../../../src/cli/jobs/top/lines';
import { limitsOf, usagesIn } from '../../../src/cli/jobs/top/usage';
import { byteText, coreText } from '../../../src/cli/text';

test('usage is the sum of a pod\'s containers', () => {
  const containers = [{ name: 'a', usage: { cpu: '1934567890n', memory: '3145728Ki' } }, { name: 'b', usage: { cpu: '65m', memory: '1Gi' } }];
  expect(usagesIn({ items: [{ metadata: { name: 'p' }, containers }, { metadata: { name: 'q' } }] })).toEqual([
    ['p', { cores: 1.99956789, bytes: 4 * 2 ** 30 }], ['q', { cores: 0, bytes: 0 }]]);
  expect(usagesIn('nothing')).toEqual([]);
});

test('limits are known when all containers have one', () => {
  const pod = (...limits: object[]) => ({ spec: { containers: limits.map((one) => ({ name: 'c', resources: { limits: one } })) } }) as unknown as PodObject;
  expect(limitsOf(pod({ cpu: '4', memory: '8Gi' }, { cpu: '500m', memory: '1Gi' }))).toEqual({ cores: 4.5, bytes: 9 * 2 ** 30 });
  expect(limitsOf(pod({ cpu: '4' }, {}))).toEqual({ cores: undefined, bytes: undefined });
  expect(limitsOf({} as PodObject)).toEqual({ cores: undefined, bytes: undefined });
});

test('what nvidia-smi writes', () => {
  expect(gpusIn('0, 87, 20110, 81559\n1, [N/A], [N/A], 81559\r\nFailed to initialize NVML\n')).toEqual([
    { index: '0', percentage: 87, usedMib: 20110, totalMib: 81559 }, { index: '1', percentage: undefined, usedMib: undefined, totalMib: 81559 }]);
});

test('the container with GPUs', () => {
  const pod = (...limits: object[]) => ({ spec: { containers: limits.map((one, at) => ({ name: `c${at}`, resources: { limits: one } })) } }) as unknown as PodObject;
  expect(gpuContainer(pod({}, { 'nvidia.com/gpu': '8' }))).toBe('c1');
  expect(gpuContainer(pod({ 'nvidia.com/mig-1g.10gb': 1 }))).toBe('c0');
  expect(gpuContainer(pod({ 'nvidia.com/gpu': '0', 'google.com/tpu': '4' }))).toBeUndefined();
});

test('amounts', () => {
  expect([0, 1023, 1536, 20110 * 2 ** 20, 2 ** 40].map(byteText)).toEqual(['0 B', '1023 B', '1.5 KiB', '19.6 GiB', '1.0 TiB']);
  expect([0, 0.004, 1.934, 12.6].map(coreText)).toEqual(['0', '0', '1.93', '13']);
});

test('lines', () => {
  const gpus = [{ index: '0', percentage: 87, usedMib: 20480, totalMib: 81920 }, { index: '1', percentage: 91 }];
  expect(topLines([
    { pod: 'd-worker-0', rank: 0, role: 'worker', state: 'Running', usage: { cores: 1.5, bytes: 2 ** 30 }, limits: { cores: 4, bytes: 2 ** 33 }, gpus },
    { pod: 'd-worker-1', rank: 1, role: 'worker', state: 'Running', limits: {}, gpus: 'no program of that name' },
    { pod: 'd-worker-2', rank: 2, role: 'worker', state: 'Running', limits: {}, gpus: 'no program of that name' },
  ])).toEqual([
    'RANK   ROLE     POD          STATE     CPU        MEMORY               GPUS',
    '0      worker   d-worker-0   Running   1.5 of 4   1.0 GiB of 8.0 GiB   2, 89 %',
    '1      worker   d-worker-1   Running   -          -                    ?',
    '2      worker   d-worker-2   Running   -          -                    ?',
    '',
    'RANK   POD          GPU   USE    MEMORY',
    '0      d-worker-0   0     87 %   20.0 GiB of 80.0 GiB',
    '0      d-worker-0   1     91 %   -',
    'GPU use of d-worker-1 and 1 more is unknown: no program of that name',
  ]);
  // Columns that nobody knows are left out.
  expect(topLines([{ pod: 'p', state: 'Pending', limits: {} }])).toEqual(['POD   STATE', 'p     Pending']);
});
