/**
 * The driver of the Ray engine, as it is rendered, on a real Ray cluster with a node for each replica: scripts that know nothing of Ray, and what
 * follows when programs end and nodes go.
 */
import { spawnSync } from 'node:child_process';
import { describeFramework } from './support/describe-framework';
import { findFramework, isFound } from './support/frameworks';
import { RayCluster } from './support/ray-cluster';
import { scriptFile } from './support/run-script';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';

const LIMIT_MS = 540_000;

describeFramework('ray', 'Ray', (python) => {
  let cluster: RayCluster;
  /** Jobs whose pods are the same run on one cluster, one after the other. */
  let shared: RayCluster | undefined;

  afterEach(() => {
    if (cluster !== shared) {
      cluster.stop();
    } else if (!cluster.isWhole) {
      // The test has failed in the middle.
      cluster.stop();
      shared = undefined;
    }
  });
  afterAll(() => shared?.stop());

  /** A job whose programs are the probe's. */
  async function probe(mode: string, job: Partial<TrainingJobSpec> = {}): Promise<void> {
    const spec: Omit<TrainingJobSpec, 'image'> = {
      framework: 'pytorch', replicas: 2, command: [python, scriptFile('launched_probe.py'), '--rank=$(RANK)'], checkpoint: { gracePeriodSeconds: 5 }, ...job,
    };
    if (shared !== undefined && spec.framework === 'pytorch') {
      cluster = shared;
      cluster.runNext(spec, { 'mode': mode, 'go': undefined, 'rank-1-has-failed': undefined });
      return;
    }
    cluster = new RayCluster(python, spec);
    shared = spec.framework === 'pytorch' ? cluster : shared;
    cluster.driver.write('mode', mode);
    await cluster.start();
  }

  // A port for each: closed connections keep one for a minute.
  test.each([
    ['pytorch', 29_510, 'torch_env.py', []], ['xgboost', 29_511, 'xgboost_train.py', ['v2']],
  ] as const)('%s trains over three Ray nodes, unchanged', async (framework, port, script, args) => {
    const found = findFramework(framework);
    if (!isFound(found)) {
      throw new Error(`${framework} is missing: ${found.missing}`);
    }
    cluster = new RayCluster(python, { framework, replicas: 3, port, command: [found.python, scriptFile(script), ...args] });
    await cluster.start();
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('trainyard: the job has succeeded')]);
    const printed = cluster.driver.printed();
    // The coordinator decides: the others may be stopped while they still write their last line.
    expect(printed).toContainEqual(expect.objectContaining({ replica: 'master-0', rank: 0, world: 3, sum: 6 }));
    expect(printed.every(({ world, sum }) => world === 3 && sum === 6)).toBe(true);
  }, LIMIT_MS);

  test('an independent replica starts again by itself', async () => {
    await probe('fail-once', { framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1 } } });
    await cluster.driver.until('the second start of rank 1', (printed) => printed.filter(({ rank }) => rank === 1).length === 2);
    cluster.driver.write('go');
    expect((await cluster.driver.end()).code).toBe(0);
    expect(cluster.driver.printed().filter(({ rank }) => rank === 0)).toHaveLength(1);
  }, LIMIT_MS);

  test('a program finds the environment of its container, and its output is in the container\'s log too', async () => {
    await probe('end', { runPolicy: { successPolicy: 'AllWorkers' } });
    expect((await cluster.driver.end()).code).toBe(0);
    const [master, worker] = cluster.nodes;
    const printed = [...cluster.driver.printed()].sort((one, other) => Number(one.rank) - Number(other.rank));
    // Ray hides devices from its workers and limits their threads; programs of others are not its workers.
    const same = { devices: null, threads: null, pid: expect.any(Number) as number };
    expect(printed).toEqual([
      { replica: 'master-0', framework: 'probe', rank: 0, attempt: 0, master: master.address, arguments: ['--rank=0'], folder: master.folder, ...same },
      { replica: 'worker-0', framework: 'probe', rank: 1, attempt: 0, master: master.address, arguments: ['--rank=1'], folder: worker.folder, ...same },
    ]);
    expect(cluster.logOf(worker)).toContain('"rank": 1');
  }, LIMIT_MS);

  test('all start again as the next attempt when one has failed and may be retried', async () => {
    await probe('fail-once', { runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1 }, successPolicy: 'AllWorkers' } });
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('trainyard: worker-0 ended with exit code 3; starts again in 1 s')]);
    expect(cluster.driver.printed().filter(({ attempt }) => attempt === 1).map(({ rank }) => rank).sort()).toEqual([0, 1]);
    // The one that had not failed was asked to stop.
    expect(cluster.driver.printed()).toContainEqual(expect.objectContaining({ replica: 'master-0', attempt: 0, stopped: true }));
  }, LIMIT_MS);

  test('the job fails with the first failure that is not retried', async () => {
    await probe('fail');
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining('trainyard: the job has failed: worker-0 ended with exit code 3')]);
  }, LIMIT_MS);

  test('a lost node is a disruption: all start again when KubeRay has replaced it, and no failure is counted', async () => {
    await probe('wait', { runPolicy: { successPolicy: 'AllWorkers' } });
    await cluster.driver.until('both to run', (printed) => printed.length === 2);
    cluster.kill(cluster.nodes[1]);
    await cluster.addNode('worker');
    await cluster.driver.until('the second attempt', (printed) => printed.filter(({ attempt }) => attempt === 1).length === 2);
    cluster.driver.write('go');
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringMatching(/trainyard: worker-0 was lost with its node .*; starts again$/m)]);
  }, LIMIT_MS);

  test('a pod that is asked to go tells its program first, and that it ends then is no failure', async () => {
    await probe('wait', { runPolicy: { successPolicy: 'AllWorkers' } });
    await cluster.driver.until('both to run', (printed) => printed.length === 2);
    const [, leaving] = cluster.nodes;
    const [shell, ...words] = cluster.stopHook('worker');
    // The hook returns when the program has ended; then the kubelet gives Ray the rest of the grace period, in which the driver hears of it.
    expect(spawnSync(shell, words, { env: { ...leaving.env, PATH: process.env.PATH }, timeout: LIMIT_MS }).status).toBe(0);
    const news = 'trainyard: worker-0 was asked to leave its node; starts again';
    await cluster.driver.until('the driver to hear of it', () => cluster.driver.lines.includes(news));
    cluster.kill(leaving);
    await cluster.addNode('worker');
    await cluster.driver.until('the second attempt', (printed) => printed.filter(({ attempt, stopped }) => attempt === 1 && !stopped).length === 2);
    cluster.driver.write('go');
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.filter((line) => line === news)]).toEqual([0, [news]]);
    expect(cluster.driver.printed()).toContainEqual(expect.objectContaining({ replica: 'worker-0', attempt: 0, stopped: true }));
  }, LIMIT_MS);
});
