import { constructResources, deviceTolerations, withRequestsOfLimits } from '../../../src/manifests/pod/resources';

describe('resources of a replica', () => {
  test('cpu, memory and disk are asked for and limited to the same', () => {
    const shared = { 'cpu': '4', 'memory': '16Gi', 'ephemeral-storage': '100Gi' };
    expect(constructResources({ cpu: '4', memory: '16Gi', ephemeralStorage: '100Gi' })).toEqual({ requests: shared, limits: shared });
  });

  test('devices are limits', () => {
    expect(constructResources({ gpu: 8 })).toEqual({ limits: { 'nvidia.com/gpu': '8' } });
    expect(constructResources({ gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb', extended: { 'rdma/hca': '2' } }))
      .toEqual({ limits: { 'nvidia.com/mig-1g.5gb': '1', 'rdma/hca': '2' } });
    expect(constructResources({ tpu: 4, cpu: '1' })).toEqual({ requests: { cpu: '1' }, limits: { 'cpu': '1', 'google.com/tpu': '4' } });
  });

  test('quantities are canonical, as a controller that writes the object back leaves them', () => {
    expect(constructResources({ cpu: '0.5', memory: '2048Mi', extended: { 'acme.com/x': '1000' } })).toEqual({
      requests: { cpu: '500m', memory: '2Gi' }, limits: { 'cpu': '500m', 'memory': '2Gi', 'acme.com/x': '1k' },
    });
  });

  test('limits of a pod can be requests too, where nobody else fills them in', () => {
    expect(withRequestsOfLimits({
      containers: [{ name: 'a', resources: { limits: { 'nvidia.com/gpu': '8', 'cpu': '4' }, requests: { cpu: '2' } } }, { name: 'b', resources: {} }, { name: 'c' }],
      initContainers: [{ name: 'i', resources: { limits: { memory: '1Gi' } } }],
    })).toEqual({
      containers: [
        { name: 'a', resources: { limits: { 'nvidia.com/gpu': '8', 'cpu': '4' }, requests: { 'nvidia.com/gpu': '8', 'cpu': '2' } } }, { name: 'b', resources: {} }, { name: 'c' },
      ],
      initContainers: [{ name: 'i', resources: { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } } }],
    });
  });

  test('none of anything is nothing at all', () => {
    expect(constructResources({})).toBeUndefined();
    expect(constructResources({ gpu: 0, gpuResourceName: 'amd.com/gpu', tpu: 0, sharedMemory: '1Gi' })).toBeUndefined();
  });

  test('taints of devices are tolerated under the name of each', () => {
    const toleration = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });
    expect(deviceTolerations({ cpu: '1' })).toEqual([]);
    expect(deviceTolerations({ gpu: 1, extended: { 'rdma/hca': '1' } })).toEqual([toleration('nvidia.com/gpu'), toleration('rdma/hca')]);
    expect(deviceTolerations({ gpu: 1, gpuResourceName: 'amd.com/gpu' })).toEqual([toleration('amd.com/gpu')]);
    expect(deviceTolerations({ tpu: 4 })).toEqual([toleration('google.com/tpu')]);
  });

  test('a MIG slice is on a node with the taint of the whole GPU', () => {
    expect(deviceTolerations({ gpu: 1, gpuResourceName: 'nvidia.com/mig-3g.20gb', extended: { 'nvidia.com/mig-1g.5gb': '1' } }))
      .toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });
});
