import { describeFramework } from './support/describe-framework';
import { expectCompleted, expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('tensorflow', 'TensorFlow', (python) => {
  const multiWorker = [python, scriptFile('tf_multiworker.py')];

  test('mirrors variables over chief and workers of the short form', async () => {
    const run = await runScript({ framework: 'tensorflow', replicas: 2, command: multiWorker });
    expectSumOfRanks(run, 2);
    expect(run.results.map(({ task }) => task)).toEqual(['chief-0', 'worker-0']);
  });

  test('mirrors variables over workers without a chief, beside an evaluator that is in the cluster as in v1', async () => {
    const roles = [{ name: 'worker', replicas: 2 }, { name: 'evaluator', replicas: 1 }];
    const run = await runScript({ framework: 'tensorflow', roles, command: multiWorker });
    expectSumOfRanks(run, 2);
    const evaluator = run.results.find(({ task }) => task === 'evaluator-0');
    expect(evaluator?.cluster).toEqual(['evaluator', 'worker']);
  });

  test('keeps variables on parameter servers, which are ended with the workers when the chief is done', async () => {
    const roles = [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }, { name: 'evaluator', replicas: 1 }];
    const run = await runScript({ framework: 'tensorflow', roles, command: [python, scriptFile('tf_parameter_server.py')] });
    expectCompleted(run);
    const chief = run.results.find(({ task }) => task === 'chief-0');
    // Twenty numbers, added up on each server.
    expect(chief).toMatchObject({ world: 2, servers: 2, sum: 210 });
    expect(chief?.places).toEqual(['/job:ps/replica:0/task:0', '/job:ps/replica:0/task:1']);
  });
});
