import { describeFramework } from './support/describe-framework';
import { expectCompleted, expectSumOfRanks, runScript, scriptFile } from './support/run-script';

const ROLES = [{ name: 'scheduler' }, { name: 'server', replicas: 2 }, { name: 'worker', replicas: 2 }];

describeFramework('mxnet', 'MXNet', (python) => {
  const command = [python, scriptFile('mxnet_kvstore.py')];

  test('adds up what workers push to two servers', async () => {
    const run = await runScript({ framework: 'mxnet', roles: ROLES, command });
    expectSumOfRanks(run, 2);
  });

  test('finds scheduler and server beside the master in the short form', async () => {
    const run = await runScript({ framework: 'mxnet', replicas: 2, command });
    expectSumOfRanks(run, 2);
  });
});

describe('a parameter server of our own on the variables of MXNet', () => {
  const command = ['python3', scriptFile('mxnet_ps.py')];

  test('gives every role its place', async () => {
    const run = await runScript({ framework: 'mxnet', roles: ROLES, command });
    expectCompleted(run);
    const roleOf = (pod: string) => run.results.find((result) => result.pod === pod);
    expect(roleOf('job-scheduler')).toMatchObject({ role: 'scheduler', servers: 2, world: 2 });
    expect(run.results.filter(({ role }) => role === 'server')).toHaveLength(2);
    expect(run.results.filter(({ role }) => role === 'worker').map(({ sum }) => sum)).toEqual([3, 3]);
  });

  test('finds scheduler and server beside the master in the short form', async () => {
    const run = await runScript({ framework: 'mxnet', replicas: 3, command });
    expectCompleted(run);
    expect(run.results.filter(({ pod }) => pod === 'job-master').map(({ role }) => role).sort()).toEqual(['scheduler', 'server', 'worker']);
    expect(run.results.filter(({ role }) => role === 'worker').map(({ sum }) => sum)).toEqual([6, 6, 6]);
  });
});
