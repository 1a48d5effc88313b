import { job, jobWithRoles, testMistakes } from '../mistakes';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

const init = (fields: object) => job({ init: true, command: ['python3', 'train.py'], ...fields });

describe('mistakes with an init', () => {
  testMistakes([
    ['no command', job({ init: true }), 'spec.command', undefined, ['is required with init', 'entry point', 'remove init']],
    ['arguments alone', job({ init: true, args: ['train.py'] }), 'spec.command', undefined, ['is required with init']],
    ['an empty command', init({ command: [] }), 'spec.command', [], ['is required with init']],
    ['a role without a command', jobWithRoles([{ name: 'master', command: ['python3'] }, { name: 'worker' }], { init: true }), 'spec.command', undefined, ['is required with init']],
    ['a variable that shells drop', init({ env: [{ name: 'log.level', value: '1' }] }), 'spec.env[\'log.level\']', 'log.level', ['dropped by many shells', 'Rename it']],
    ['a variable of a role', jobWithRoles([{ name: 'master', env: [{ name: 'a-b', value: '1' }] }], { init: true, command: ['x'] }), 'spec.roles[0].env[\'a-b\']', 'a-b', ['dropped']],
    ['a variable of the template', init({ template: { spec: { containers: [{ name: 'training', env: [{ name: '1A', value: '1' }] }] } } }),
      'spec.template.spec.containers[\'training\'].env[\'1A\']', '1A', ['dropped']],
    ['a hyperparameter that shells drop', init({ hyperparameters: { 'lr.max': '1' } }), 'spec.hyperparameters[\'lr.max\']', 'lr.max', ['dropped by many shells']],
    ['no boolean', init({ init: 'yes' }), 'spec.init', 'yes', ['true']],
  ]);
});

test.each([
  ['an init around a command', init({ env: [{ name: 'A_1', value: '1' }], hyperparameters: { LR: '1' } })],
  ['an init around the commands of roles', jobWithRoles([{ name: 'master', command: ['python3'] }, { name: 'worker', command: ['python3'] }], { init: true })],
  ['variables that shells drop, without an init', job({ init: false, env: [{ name: 'log.level', value: '1' }] })],
  ['no command, without an init', job({ init: false })],
])('%s is accepted', (_what, spec) => {
  expect(validateTrainingJob('net', spec)).toEqual([]);
});
