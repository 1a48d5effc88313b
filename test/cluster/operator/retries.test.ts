/** Pauses, exit codes and budgets as a job's owner sees them: in the status, and in when pods are made. */
import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { conditionOf, type TestJob } from '../support/training-jobs';

const suite = describeOperator();

/** Waits for the only pod of an attempt. */
async function podOf(job: string, attempt: number): Promise<TestObject> {
  return eventually(`the pod of attempt ${attempt}`, async () => (
    (await suite.api.list('pods', suite.namespace, `job=${job},ml.collabnix.io/attempt=${attempt}`))[0]));
}

/** Lets the job's only pod run and fail. @returns the job when that was counted */
async function fail(job: string, attempt: number, exitCode = 1): Promise<TestJob> {
  await podOf(job, attempt);
  await suite.kubelet.run(`${job}-master`);
  await suite.jobs.untilCondition(job, 'Running');
  await suite.kubelet.end(`${job}-master`, { exitCode });
  return suite.jobs.until(job, `past attempt ${attempt}`, (status) => status.attempt === attempt + 1 || status.phase === 'Failed');
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

/** The pause that the status promises. */
function pauseOf({ status }: TestJob): number {
  return secondsBetween(status!.lastRestart!.time, status!.nextRetryTime!);
}

test('the pause doubles up to its limit, the status says when it is over, and no pod is made before', async () => {
  const backoff = { initialSeconds: 2, maxSeconds: 3, resetAfterSeconds: 600 };
  await suite.jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure', backoff } });
  for (const [attempt, pause] of [2, 3, 3].entries()) {
    const failed = await fail('net', attempt);
    expect(pauseOf(failed)).toBe(pause);
    expect(failed.status).toMatchObject({ phase: 'Restarting', restarts: attempt + 1 });
    const { metadata } = await podOf('net', attempt + 1);
    expect(secondsBetween(failed.status!.nextRetryTime!, metadata.creationTimestamp as string)).toBeGreaterThanOrEqual(0);
  }
});

test('the pause is the first one again when the job has run for a while', async () => {
  await suite.jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 600, resetAfterSeconds: 1 } } });
  expect(pauseOf(await fail('net', 0))).toBe(1);
  await podOf('net', 1);
  await suite.kubelet.run('net-master');
  await suite.jobs.untilCondition('net', 'Running');
  await new Promise((resolve) => setTimeout(resolve, 2100));
  await suite.kubelet.end('net-master', { exitCode: 1 });
  expect(pauseOf(await suite.jobs.until('net', 'restarted', ({ attempt }) => attempt === 2))).toBe(1);
});

test('codes that recover are not counted, codes that are retried count, and codes that fail end the job, whatever its policy', async () => {
  const exitCodes = { recover: [75], retry: [3], fail: [2] };
  await suite.jobs.create('net', { runPolicy: { restartPolicy: 'Never', exitCodes, backoff: { initialSeconds: 0 } } });
  expect((await fail('net', 0, 75)).status).toMatchObject({ restarts: 0, disruptions: 0, lastFailure: { exitCode: 75 } });
  expect((await fail('net', 1, 3)).status).toMatchObject({ restarts: 1 });
  const failed = await fail('net', 2, 2);
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'ReplicaFailed' });
  expect(failed.status).toMatchObject({ restarts: 1, lastFailure: { exitCode: 2, attempt: 2 } });
});

test('a budget of disruptions ends the job with the one after it, and counts no restart', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { runPolicy: { disruptionLimit: 1 } });
  for (const attempt of [0, 1]) {
    await podOf('net', attempt);
    await kubelet.run('net-master');
    await jobs.untilCondition('net', 'Running');
    await kubelet.evict('net-master');
    await jobs.until('net', 'disrupted', (status) => status.disruptions === attempt + 1 || status.phase === 'Failed');
  }
  const failed = await jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'DisruptionLimitExceeded' });
  expect(failed.status).toMatchObject({ restarts: 0, lastFailure: { reason: 'Evicted' } });
});

test('a pod whose configuration is not there fails the job after its time, and is not retried', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure', startTimeoutSeconds: 1 } });
  await kubelet.pods('net', 1);
  await kubelet.wait('net-master', 'CreateContainerConfigError', 'secret "wandb" not found');
  const failed = await jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'ContainerConfigError', message: expect.stringContaining('secret "wandb" not found') as string });
  expect(failed.status).toMatchObject({ restarts: 0 });
});
