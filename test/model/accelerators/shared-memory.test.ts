import { sharedMemoryFor, statedSharedMemory } from '../../../src/model/accelerators/shared-memory';

describe('/dev/shm', () => {
  test.each([
    ['8 GiB for one GPU', { gpu: 1 }, '8Gi'],
    ['8 GiB for each of several GPUs', { gpu: 8, memory: '500Gi' }, '64Gi'],
    ['at most half of the memory', { gpu: 8, memory: '20Gi' }, '10240Mi'],
    ['as much for GPUs of another vendor', { gpu: 2, gpuResourceName: 'amd.com/gpu' }, '16Gi'],
    ['what is asked for', { gpu: 8, sharedMemory: '4Gi' }, '4Gi'],
    ['what is asked for without GPUs', { sharedMemory: '1Gi' }, '1Gi'],
    ['nothing without GPUs', { memory: '64Gi' }, undefined],
    ['nothing with 0', { gpu: 8, sharedMemory: '0' }, undefined],
    ['nothing with 0 of any unit', { gpu: 8, sharedMemory: '0Ki' }, undefined],
    ['nothing for a MIG slice', { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' }, undefined],
    ['nothing for a share', { gpu: 1, gpuResourceName: 'nvidia.com/gpu.shared' }, undefined],
  ])('is %s', (_what, resources, expected) => {
    expect(sharedMemoryFor({ resources })).toBe(expected);
  });

  test.each([
    'cloud.google.com/gke-gpu-partition-size', 'cloud.google.com/gke-gpu-sharing-strategy', 'nvidia.com/gpu.sharing-strategy', 'nvidia.com/mig.strategy',
  ])('is nothing on nodes with %s, whose GPUs are parts', (label) => {
    expect(sharedMemoryFor({ resources: { gpu: 1 }, nodeSelector: { [label]: 'x' } })).toBeUndefined();
  });

  test.each(['/dev/shm', '/dev/shm/'])('is left to who mounts something at %s', (mountPath) => {
    expect(sharedMemoryFor({ resources: { gpu: 1 }, volumeMounts: [{ mountPath }] })).toBeUndefined();
  });

  test('is stated by a size, and not by 0', () => {
    expect([{}, { sharedMemory: '0' }, { sharedMemory: '1Gi' }].map(statedSharedMemory)).toEqual([undefined, undefined, '1Gi']);
  });
});
