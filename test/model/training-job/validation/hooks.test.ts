import type { HooksSpec } from '../../../../src/model/training-job/hooks';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

function complaints(hooks: HooksSpec, more: Partial<TrainingJobSpec> = {}): string[] {
  return validateTrainingJob('net', { framework: 'plain', image: 'img', replicas: 1, command: ['train'], ...more, hooks } as TrainingJobSpec)
    .map(({ path, message }) => `${path}: ${message}`);
}

const command = ['x'];

test('a hook with all fields is valid', () => {
  expect(complaints({ before: { command, image: 'tools', env: [{ name: 'A', value: '1' }], resources: { cpu: '1', memory: '1Gi' }, timeoutSeconds: 60, backoffLimit: 10 } })).toEqual([]);
});

test.each<[string, HooksSpec, Partial<TrainingJobSpec>, RegExp]>([
  ['no command', { after: {} as never }, {}, /^spec\.hooks\.after\.command: is required: what the hook runs/],
  ['an empty command', { after: { command: [] } }, {}, /^spec\.hooks\.after\.command: /],
  ['GPUs', { before: { command, resources: { gpu: 1 } } }, {}, /^spec\.hooks\.before\.resources: has no GPUs, TPUs or other devices/],
  ['other devices', { onExit: { command, resources: { extended: { 'rdma/hca': '1' } } } }, {}, /^spec\.hooks\.onExit\.resources: has no GPUs/],
  ['more /dev/shm than memory', { onExit: { command, resources: { memory: '1Gi', sharedMemory: '2Gi' } } }, {}, /^spec\.hooks\.onExit\.resources\.sharedMemory: counts against memory \(1Gi\)/],
  ['too many tries', { onExit: { command, backoffLimit: 11 } }, {}, /^spec\.hooks\.onExit\.backoffLimit: /],
  ['no time', { onExit: { command, timeoutSeconds: 0 } }, {}, /^spec\.hooks\.onExit\.timeoutSeconds: /],
  ['a variable of the operator', { after: { command, env: [{ name: 'TRAINYARD_JOB_OUTCOME', value: 'x' }] } }, {}, /^spec\.hooks\.after\.env\['TRAINYARD_JOB_OUTCOME'\]: is set by the operator/],
  ['a variable twice', { after: { command, env: [{ name: 'A', value: '1' }, { name: 'A', value: '2' }] } }, {}, /^spec\.hooks\.after\.env\['A'\]: is listed twice/],
  ['a helper whose pods have the names of the hook\'s', { onExit: { command } }, { helpers: [{ name: 'hook-on-exit', command }] }, /^spec\.hooks\.onExit: is also the name of a role/],
  ['an array', { onExit: { command } }, { array: { count: 2 } }, /^spec\.hooks: cannot be combined with array/],
])('%s is refused', (_, hooks, more, expected) => {
  expect(complaints(hooks, more).filter((complaint) => expected.test(complaint))).toHaveLength(1);
});
