import { sliceGpus, visibleGpus } from '../../../src/local/runner/gpu-slices';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

function slices(spec: Partial<TrainingJobSpec>, gpus: string[]) {
  const job = resolveTrainingJob('job', { framework: 'pytorch', image: 'img', replicas: 2, ...spec } as TrainingJobSpec);
  const sliced = sliceGpus(job, gpus);
  return { devices: job.replicas.map((replica) => sliced.visibleDevices(replica)), warning: sliced.warning };
}

test('gives each replica GPUs of its own, in the order of ranks', () => {
  expect(slices({ resources: { gpu: 2 } }, ['0', '1', '2', '3', '4'])).toEqual({ devices: ['0,1', '2,3'], warning: undefined });
});

test('hides GPUs from a replica that asks for none while others ask', () => {
  const roles = [{ name: 'master' }, { name: 'worker', replicas: 2, resources: { gpu: 1 } }];
  expect(slices({ replicas: undefined, roles }, ['4', '6']).devices).toEqual(['', '4', '6']);
});

test('leaves the variable alone when the job asks for no GPU', () => {
  expect(slices({}, ['0', '1'])).toEqual({ devices: [undefined, undefined], warning: undefined });
});

test('leaves it alone and says so when there are too few', () => {
  expect(slices({ resources: { gpu: 8 } }, ['0'])).toEqual({
    devices: [undefined, undefined], warning: 'the job requests 16 GPUs and this machine has 1: replicas run with what is available',
  });
  expect(slices({ resources: { gpu: 1 } }, []).warning).toContain('this machine has none');
});

test('does not count other vendors\' devices', () => {
  expect(slices({ resources: { gpu: 1, gpuResourceName: 'amd.com/gpu' } }, ['0', '1']).devices).toEqual([undefined, undefined]);
});

test('takes the GPUs that the user\'s environment shows', () => {
  expect(visibleGpus({ CUDA_VISIBLE_DEVICES: '3, GPU-1234' })).toEqual(['3', 'GPU-1234']);
  expect(visibleGpus({ CUDA_VISIBLE_DEVICES: '' })).toEqual([]);
  expect(visibleGpus({ CUDA_VISIBLE_DEVICES: '-1' })).toEqual([]);
});
