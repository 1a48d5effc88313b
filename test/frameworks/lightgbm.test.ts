import { describeFramework } from './support/describe-framework';
import { expectCompleted, runScript, scriptFile, type ScriptRun } from './support/run-script';

function expectOneModel(run: ScriptRun, world: number): void {
  expectCompleted(run);
  expect(run.results.map(({ rank }) => rank)).toEqual(Array.from({ length: world }, (_, rank) => rank));
  expect(run.results.map((result) => result.world)).toEqual(run.results.map(() => world));
  expect(new Set(run.results.map(({ model }) => model)).size).toBe(1);
}

describeFramework('lightgbm', 'LightGBM', (python) => {
  test('trains one model from the variables of the v1 operator', async () => {
    // On one machine these variables can name one worker only: they have one port for all workers.
    const run = await runScript({ framework: 'lightgbm', replicas: 2, command: [python, scriptFile('lightgbm_train.py'), 'v1'] });
    expectOneModel(run, 2);
  });

  test('trains one model from the list of machines', async () => {
    const run = await runScript({ framework: 'lightgbm', replicas: 3, command: [python, scriptFile('lightgbm_train.py'), 'list'] });
    expectOneModel(run, 3);
  });
});
