import { describeFramework } from './support/describe-framework';
import { expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('xgboost', 'XGBoost', (python) => {
  test.each([['v2', 3], ['v1', 2]])('trains one model from rows spread over all ranks, with the variables of generation %s', async (generation, replicas) => {
    const run = await runScript({ framework: 'xgboost', replicas, command: [python, scriptFile('xgboost_train.py'), generation] });
    expectSumOfRanks(run, replicas);
    expect(run.results.every(({ modelsAlike, task, rank }) => modelsAlike && task === rank)).toBe(true);
  });
});
