import { condition, makeWorkload } from './support';
import { flavorsOf, placementsOf, type ResourceFlavor } from '../../../src/operator/kueue/placement';
import type { PodSetRequest, WorkloadStatus } from '../../../src/operator/kueue/workload';

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

test.each<[string, PodSetRequest['topologyRequest'], object]>([
  ['must be within', { required: 'rack' }, { 'kueue.x-k8s.io/podset-required-topology': 'rack' }],
  ['should be within', { preferred: 'rack' }, { 'kueue.x-k8s.io/podset-preferred-topology': 'rack' }],
  ['chose without being asked', undefined, { 'kueue.x-k8s.io/podset-unconstrained-topology': 'true' }],
])('pods wait at a gate for the domain that Kueue has chosen for each of them, and bear the annotation by which it finds them: one that they %s', (_how, topologyRequest, annotations) => {
  const admitted = workload({ admission: { podSetAssignments: [{ name: 'worker', topologyAssignment: { levels: ['rack'], slices: [] } }] } });
  const placements = placementsOf({ ...admitted, spec: { podSets: [{ name: 'worker', count: 2, ...(topologyRequest && { topologyRequest }) }] } }, FLAVORS);
  expect(placements.get('worker')).toMatchObject({ schedulingGates: ['kueue.x-k8s.io/topology'], annotations });
});
