import { describeFramework } from './support/describe-framework';
import { expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('paddle', 'PaddlePaddle', (python) => {
  test('reduces over two nodes that meet at PADDLE_MASTER', async () => {
    const run = await runScript({
      framework: 'paddle', replicas: 2, command: [python, '-m', 'paddle.distributed.launch', scriptFile('paddle_allreduce.py')],
    });
    expectSumOfRanks(run, 2);
    expect(run.results.map(({ nodes }) => nodes)).toEqual([2, 2]);
    expect(run.results.map(({ pod }) => pod)).toEqual(['job-worker-0', 'job-worker-1']);
  });
});
