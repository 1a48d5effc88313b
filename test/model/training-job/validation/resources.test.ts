import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import type { ResourcesSpec } from '../../../../src/model/training-job/spec';
import { job, jobWithRoles, testMistakes } from '../mistakes';

const withResources = (resources: ResourcesSpec) => job({ resources });

describe('resources that contradict each other are named', () => {
  testMistakes([
    ['GPUs beside TPUs', withResources({ gpu: 1, tpu: 4 }), 'spec.resources.tpu', 4, ['cannot be combined with gpu', 'Remove one']],
    ['a GPU resource that is not an extended resource', withResources({ gpu: 1, gpuResourceName: 'gpu' }), 'spec.resources.gpuResourceName', 'gpu', ['nvidia.com/gpu or amd.com/gpu']],
    ['a GPU resource of Kubernetes\' own domain', withResources({ gpu: 1, gpuResourceName: 'kubernetes.io/gpu' }), 'spec.resources.gpuResourceName', 'kubernetes.io/gpu', ['extended resource']],
    ['shared memory above the memory that it counts against', withResources({ memory: '1Gi', sharedMemory: '1025Mi' }), 'spec.resources.sharedMemory', '1025Mi', ['counts against memory (1Gi)', 'Raise memory']],
    ['memory in thousandths of a byte', withResources({ memory: '512m' }), 'spec.resources.memory', '512m', ['thousandths of a byte', "Did you mean 'M' or 'Mi'?"]],
    ['cpu as an extended resource', withResources({ extended: { cpu: '4' } }), 'spec.resources.extended.cpu', '4', ['field of its own', 'Set spec.resources.cpu']],
    ['disk as an extended resource', withResources({ extended: { 'ephemeral-storage': '1Gi' } }), "spec.resources.extended['ephemeral-storage']", '1Gi', ['Set spec.resources.ephemeralStorage']],
    ['TPUs as an extended resource', withResources({ extended: { 'google.com/tpu': '4' } }), "spec.resources.extended['google.com/tpu']", '4', ['Set spec.resources.tpu']],
    ['an extended resource without a domain', withResources({ extended: { rdma: '1' } }), 'spec.resources.extended.rdma', '1', ['DOMAIN/NAME', 'rdma/hca']],
    ['an extended resource with a name from JavaScript', withResources({ extended: { constructor: '1' } as never }), 'spec.resources.extended.constructor', '1', ['is not an extended resource']],
    ['an extended resource of Kubernetes', withResources({ extended: { 'node.kubernetes.io/x': '1' } }), "spec.resources.extended['node.kubernetes.io/x']", '1', ['is not an extended resource']],
    ['GPUs twice', withResources({ gpu: 1, extended: { 'nvidia.com/gpu': '1' } }), "spec.resources.extended['nvidia.com/gpu']", '1', ['already asked for by spec.resources.gpu']],
    ['GPUs of another vendor twice', withResources({ gpu: 1, gpuResourceName: 'amd.com/gpu', extended: { 'amd.com/gpu': '1' } }), "spec.resources.extended['amd.com/gpu']", '1', ['already asked for']],
    ['half an extended resource', withResources({ extended: { 'rdma/hca': '0.5' } }), "spec.resources.extended['rdma/hca']", '0.5', ['whole number']],
  ]);
});

test('a role\'s resources are named where they stand, and the job\'s once for all roles', () => {
  const wrong = { gpu: 1, tpu: 1 };
  expect(validateTrainingJob('net', jobWithRoles([{ name: 'master' }, { name: 'worker', resources: wrong }])).map((violation) => violation.path)).toEqual([
    'spec.roles[1].resources.tpu',
  ]);
  expect(validateTrainingJob('net', jobWithRoles([{ name: 'master' }, { name: 'worker' }], { resources: wrong })).map((violation) => violation.path)).toEqual([
    'spec.resources.tpu',
  ]);
});

test.each<ResourcesSpec>([
  {},
  { gpu: 8, memory: '16Gi', cpu: '4' },
  { gpu: 1, gpuResourceName: 'amd.com/gpu' },
  { gpu: 1, gpuResourceName: 'nvidia.com/mig-1g.5gb' },
  { gpu: 1, gpuResourceName: 'gpu.intel.com/i915' },
  { tpu: 4, cpu: '500m' },
  { gpu: 0, tpu: 4 },
  { memory: '1.5Gi', sharedMemory: '1536Mi', ephemeralStorage: '100G' },
  { sharedMemory: '64Gi' },
  { gpu: 8, extended: { 'rdma/hca': '8', 'vpc.amazonaws.com/efa': '4' } },
])('resources can be %j', (resources) => {
  expect(validateTrainingJob('net', withResources(resources))).toEqual([]);
});
