import { describeFramework } from './support/describe-framework';
import { expectCompleted, expectSumOfRanks, runScript, scriptFile } from './support/run-script';

/**
 * Debian builds torch 1.13 for Python 3.11, with which torchrun stumbles over its default for redirecting output (an enumeration does not list
 * its zero any more). Naming a process that does not exist gives the same behaviour another way.
 */
const DEBIAN_TORCHRUN = [{ name: 'PET_REDIRECTS', value: '9:1' }, { name: 'PET_TEE', value: '9:1' }];

describeFramework('pytorch', 'PyTorch', (python) => {
  test('reduces over all ranks from MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK, as scripts for the v1 operator do', async () => {
    const run = await runScript({ framework: 'pytorch', replicas: 3, command: [python, scriptFile('torch_env.py')] });
    expectSumOfRanks(run, 3);
    expect(run.results.map(({ pod }) => pod)).toEqual(['job-master', 'job-worker-0', 'job-worker-1']);
  });

  test.each([1, 2])('trains under torchrun from PET_* alone, with %d processes on each of two nodes', async (nprocPerNode) => {
    const command = [python, '-m', 'torch.distributed.run', scriptFile('torch_run.py')];
    const run = await runScript({ framework: 'pytorch', replicas: 2, nprocPerNode, command, env: DEBIAN_TORCHRUN });
    expectSumOfRanks(run, 2 * nprocPerNode);
    expect(run.results.every(({ localWorld, weightsAlike }) => localWorld === nprocPerNode && weightsAlike)).toBe(true);
    // Ranks are numbered node by node, the master's first.
    expect(run.results.map(({ pod }) => pod)).toEqual(['job-master', 'job-worker-0'].flatMap((pod) => Array<string>(nprocPerNode).fill(pod)));
  });

  test('goes on under torchrun when a worker is killed in the middle, and takes its replacement in: an elastic job', async () => {
    const run = await runScript({
      framework: 'pytorch',
      replicas: 3,
      elastic: { minReplicas: 2, maxReplicas: 3, maxRestarts: 5 },
      nprocPerNode: 1,
      command: [python, '-m', 'torch.distributed.run', scriptFile('torch_elastic.py')],
      checkpointPath: '/checkpoints',
      env: DEBIAN_TORCHRUN,
      // Longer than the survivors' last call, so that they go on without the one that was killed.
      runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 12 } },
    });
    expectCompleted(run);
    const [{ worlds, resumed, step }] = run.results as unknown as readonly { worlds: number[]; resumed: number; step: number }[];
    expect(worlds.slice(worlds.indexOf(3))).toEqual([3, 2, 3]);
    expect(resumed).toBeGreaterThan(5);
    expect(step).toBeGreaterThan(resumed);
    // The survivors went on in the same attempt, and each kill was counted.
    expect(run.status).toMatchObject({ attempt: 0, lastFailure: { pod: 'job-worker-1', exitCode: 137 } });
    expect(run.status.restarts).toBeGreaterThanOrEqual(1);
  });
});
