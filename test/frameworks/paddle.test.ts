import { describeFramework } from './support/describe-framework';
import { expectCompleted, expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('paddle', 'PaddlePaddle', (python) => {
  test('reduces over two nodes that meet at PADDLE_MASTER', async () => {
    const run = await runScript({
      framework: 'paddle', replicas: 2, command: [python, '-m', 'paddle.distributed.launch', scriptFile('paddle_allreduce.py')],
    });
    expectSumOfRanks(run, 2);
    expect(run.results.map(({ nodes }) => nodes)).toEqual([2, 2]);
    expect(run.results.map(({ pod }) => pod)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  test('starts a server and a trainer on each node when there is a master, as with the v1 operator', async () => {
    const roles = [{ name: 'master' }, { name: 'worker', replicas: 1 }];
    const run = await runScript({ framework: 'paddle', roles, command: [python, '-m', 'paddle.distributed.launch', scriptFile('paddle_roles.py')] });
    expectCompleted(run);
    // A launcher prints what its first process prints, and that is the server. The job is over with its master: a slower worker's line may be lost.
    expect(run.results.find(({ pod }) => pod === 'job-master')).toMatchObject({ role: 'PSERVER', servers: 2, trainers: 2, sum: 3 });
  });
});
