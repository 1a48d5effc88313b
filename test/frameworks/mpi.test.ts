import { describeFramework } from './support/describe-framework';
import { expectSumOfRanks, runScript, scriptFile } from './support/run-script';

describeFramework('mpi', 'MPI', (python) => {
  test('mpirun starts the slots of every worker in the hostfile', async () => {
    const roles = [
      { name: 'launcher', command: ['mpirun', python, scriptFile('mpi_sum.py')] },
      { name: 'worker', replicas: 2 },
    ];
    const run = await runScript({ framework: 'mpi', roles, nprocPerNode: 2 });
    expectSumOfRanks(run, 4);
    expect(run.results.map(({ localSize }) => localSize)).toEqual([2, 2, 2, 2]);
    expect(new Set(run.results.map(({ pod }) => pod))).toEqual(new Set(['job-launcher']));
  });
});
