import { condition, makeWorkload } from './support';
import { flavorsOf, placementsOf, type ResourceFlavor } from '../../../src/operator/kueue/placement';
import type { WorkloadStatus } from '../../../src/operator/kueue/workload';

const workload = (status: Partial<WorkloadStatus>) => makeWorkload([], { status: { conditions: [condition('Admitted=True')], ...status } });
const FLAVORS = new Map<string, ResourceFlavor>([
  ['spot', { spec: { nodeLabels: { pool: 'spot' }, tolerations: [{ key: 'spot', operator: 'Exists' }] } }],
  ['gpu', { spec: { nodeLabels: { gpu: 'h100' } } }],
]);

test('pods get the labels and tolerations of all flavors that their set was given', () => {
  const admitted = workload({ admission: { podSetAssignments: [
    { name: 'master', flavors: { cpu: 'spot' } }, { name: 'worker', flavors: { 'cpu': 'spot', 'memory': 'spot', 'nvidia.com/gpu': 'gpu' } },
  ] } });
  expect(flavorsOf(admitted)).toEqual(['spot', 'gpu']);
  const placements = placementsOf(admitted, FLAVORS);
  expect(placements.get('master')).toMatchObject({ nodeSelector: { pool: 'spot' }, tolerations: [{ key: 'spot', operator: 'Exists' }], schedulingGates: [] });
  expect(placements.get('worker')).toMatchObject({
    nodeSelector: { pool: 'spot', gpu: 'h100' }, tolerations: [{ key: 'spot', operator: 'Exists' }],
    labels: { 'kueue.x-k8s.io/podset': 'worker' }, annotations: { 'kueue.x-k8s.io/workload': 'mltj-net-12345' },
  });
});

test('what admission checks add comes with it, for the set that they name', () => {
  const placements = placementsOf(workload({
    admission: { podSetAssignments: [{ name: 'master' }, { name: 'worker' }] },
    admissionChecks: [
      { name: 'one', state: 'Ready', podSetUpdates: [{ name: 'worker', annotations: { request: 'r-1' }, nodeSelector: { zone: 'a' } }] },
      { name: 'two', state: 'Ready', podSetUpdates: [{ name: 'worker', labels: { l: '1' }, tolerations: [{ key: 't', operator: 'Exists' }] }] },
    ],
  }), FLAVORS);
  expect(placements.get('worker')).toMatchObject({
    annotations: { request: 'r-1' }, nodeSelector: { zone: 'a' }, labels: { l: '1' }, tolerations: [{ key: 't', operator: 'Exists' }],
  });
  expect(placements.get('master')?.nodeSelector).toEqual({});
});

test('pods wait at a gate for the domain that Kueue has chosen for each of them', () => {
  const placements = placementsOf(workload({ admission: { podSetAssignments: [{ name: 'worker', topologyAssignment: { levels: ['rack'], slices: [] } }] } }), FLAVORS);
  expect(placements.get('worker')?.schedulingGates).toEqual(['kueue.x-k8s.io/topology']);
});
