/**
 * The driver of the Spark engine, as it is rendered, on Spark with an executor for each replica: scripts that know nothing of Spark, and what
 * follows when programs end and executors go.
 */
import { describeFramework } from './support/describe-framework';
import { findFramework, isFound } from './support/frameworks';
import { scriptFile } from './support/run-script';
import { SparkCluster } from './support/spark-cluster';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';

const LIMIT_MS = 240_000;

describeFramework('spark', 'Spark', (python) => {
  let cluster: SparkCluster;
  afterEach(() => cluster.stop());

  /** A job whose programs are the probe's. */
  async function probe(mode: string, job: Partial<TrainingJobSpec> = {}): Promise<SparkCluster['driver']> {
    cluster = new SparkCluster(python, {
      framework: 'pytorch', replicas: 2, command: [python, scriptFile('launched_probe.py'), '--rank=$(RANK)'],
      checkpoint: { gracePeriodSeconds: 5 }, ...job,
    });
    cluster.driver.write('mode', mode);
    await cluster.start();
    return cluster.driver;
  }

  test('PyTorch trains in two executors, unchanged', async () => {
    const found = findFramework('pytorch');
    if (!isFound(found)) {
      throw new Error(`pytorch is missing: ${found.missing}`);
    }
    cluster = new SparkCluster(python, { framework: 'pytorch', replicas: 2, port: 29_520, command: [found.python, scriptFile('torch_env.py')] });
    await cluster.start();
    const { code, lines } = await cluster.driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('trainyard: the job has succeeded')]);
    expect(cluster.driver.printed()).toContainEqual(expect.objectContaining({ replica: 'master-0', rank: 0, world: 2, sum: 3 }));
  }, LIMIT_MS);

  test('a program finds the environment of its container, and all start again as the next attempt when one may be retried', async () => {
    const driver = await probe('fail-once', { runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1 }, successPolicy: 'AllWorkers' } });
    const { code, lines } = await driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('trainyard: worker-0 ended with exit code 3; starts again in 1 s')]);
    const printed = driver.printed();
    expect(printed.filter(({ attempt, stopped }) => attempt === 1 && !stopped).map(({ rank, arguments: words }) => [rank, words]).sort())
      .toEqual([[0, ['--rank=0']], [1, ['--rank=1']]]);
    // Spark limits the threads of its workers; programs of others are not its workers.
    expect(printed.filter(({ threads }) => threads !== undefined).map(({ threads }) => threads)).toEqual([null, null, null, null]);
    expect(printed).toContainEqual(expect.objectContaining({ replica: 'master-0', attempt: 0, stopped: true }));
  }, LIMIT_MS);

  test('the job fails with the first failure that is not retried', async () => {
    const { code, lines } = await (await probe('fail')).end();
    expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining('trainyard: the job has failed: worker-0 ended with exit code 3')]);
  }, LIMIT_MS);

  test('a lost executor is a disruption: all start again when Spark has replaced it, and no failure is counted', async () => {
    const driver = await probe('wait', { runPolicy: { successPolicy: 'AllWorkers' } });
    await driver.until('both to run', (printed) => printed.length === 2);
    cluster.killExecutorOf(driver.printed().find(({ rank }) => rank === 1)!.pid as number);
    await driver.until('the second attempt', (printed) => printed.filter(({ attempt, stopped }) => attempt === 1 && !stopped).length === 2);
    driver.write('go');
    const { code, lines } = await driver.end();
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('trainyard: worker-0 was lost with its executor; starts again')]);
  }, LIMIT_MS);

  test('an independent replica starts again by itself', async () => {
    const driver = await probe('fail-once', { framework: 'plain', runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1 } } });
    await driver.until('the second start of rank 1', (printed) => printed.filter(({ rank }) => rank === 1).length === 2);
    driver.write('go');
    expect((await driver.end()).code).toBe(0);
    expect(driver.printed().filter(({ rank }) => rank === 0)).toHaveLength(1);
  }, LIMIT_MS);
});
