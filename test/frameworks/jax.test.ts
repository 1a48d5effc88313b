import { describeFramework } from './support/describe-framework';
import { expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('jax', 'JAX', (python) => {
  test.each([['v2', 3], ['v1', 2]])('sums over all processes with the variables of generation %s, on %d replicas', async (generation, replicas) => {
    const run = await runScript({ framework: 'jax', replicas, command: [python, scriptFile('jax_psum.py'), generation] });
    expectSumOfRanks(run, replicas);
  });
});
