import { TUNED_JOB_LABEL } from '../../../src/model/labels';
import type { AutoTuningSpec } from '../../../src/model/training-job/fields/features';
import type { TuningStatus } from '../../../src/model/training-job/status/tuning-status';
import { eventually, type TestObject } from '../support/cluster';
import { describeOperator } from '../support/operator-suite';
import { conditionOf, type TestJob } from '../support/training-jobs';

// Without a lease a successor acts at once.
const suite = describeOperator({ LEADER_ELECT: 'false' });

const SEARCH: AutoTuningSpec = {
  objective: 'accuracy', algorithm: 'random', seed: 7, maxTrials: 4, parameters: { learningRate: { type: 'float', min: 0.001, max: 0.1 } },
};

/** Jobs of the search's trials by name. */
const trialsOf = async (name: string) => await suite.api.list('mltrainingjobs', suite.namespace, `${TUNED_JOB_LABEL}=${name}`) as TestJob[];
const namesOf = (objects: readonly TestObject[]) => objects.map(({ metadata }) => metadata.name);
const tuningOf = (job: TestJob): TuningStatus => job.status!.tuning!;

const environmentOf = (pod: TestObject): { [name: string]: string } =>
  Object.fromEntries(pod.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));

/** What the progress endpoint writes. */
async function report(trial: string, value: string, more: object = {}): Promise<void> {
  const status = { trainerStatus: { metrics: [{ name: 'accuracy', value }], lastUpdatedTime: '2026-01-01T00:00:00Z' }, ...more };
  await suite.api.patch('mltrainingjobs', suite.namespace, trial, { status }, 'status');
}

/** Runs the only pod of a trial to its end, with a value. */
async function complete(trial: string, value: string): Promise<void> {
  await suite.kubelet.runAll(trial, 1);
  await report(trial, value);
  await suite.kubelet.end(`${trial}-master`);
}

async function untilEnded(name: string, count: number): Promise<TestJob> {
  return suite.jobs.until(name, `after ${count} trials`, (_status, { status }) => {
    const { succeeded = 0, failed = 0, stopped = 0 } = status?.tuning ?? {};
    return succeeded + failed + stopped === count;
  });
}

test('a search tries one point after the other, its scripts find the values, and the best one stands in the status', async () => {
  await suite.jobs.create('net', { autoTuning: SEARCH, hyperparameters: { EPOCHS: '3' }, args: ['--lr=$(learningRate)'] });

  const [pod] = await suite.kubelet.pods('net-trial-1', 1);
  const environment = environmentOf(pod);
  expect(Number(environment.learningRate)).toBeGreaterThanOrEqual(0.001);
  expect(Number(environment.learningRate)).toBeLessThanOrEqual(0.1);
  expect(environment).toMatchObject({ LEARNING_RATE: environment.learningRate, EPOCHS: '3', TRAINYARD_TRIAL: '1' });
  expect(JSON.parse(environment.TRAINYARD_HYPERPARAMETERS)).toEqual({
    learningRate: environment.learningRate, LEARNING_RATE: environment.learningRate, EPOCHS: '3',
  });
  expect(pod.spec.containers[0].args).toEqual(['--lr=$(learningRate)']);
  expect(await suite.api.list('pods', suite.namespace, 'job=net')).toEqual([]);
  await suite.kubelet.run('net-trial-1-master');
  const running = await suite.jobs.untilCondition('net', 'Running');
  expect(conditionOf(running, 'Running')).toMatchObject({ reason: 'TrialsRunning' });
  expect(running.status).toMatchObject({ phase: 'Running', ready: '0/4', tuning: { trials: 1, running: 1 } });

  for (const [index, value] of ['0.7', '0.9', '0.8', '0.6'].entries()) {
    expect(namesOf((await trialsOf('net')).filter(({ status }) => status?.phase !== 'Completed'))).toEqual([`net-trial-${index + 1}`]);
    await complete(`net-trial-${index + 1}`, value);
    await untilEnded('net', index + 1);
    if (index < 3) {
      await suite.kubelet.pods(`net-trial-${index + 2}`, 1);
    }
  }
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  const second = (await trialsOf('net')).find(({ metadata }) => metadata.name === 'net-trial-2')!;
  expect(conditionOf(done, 'Succeeded')).toMatchObject({ reason: 'SearchSucceeded', message: expect.stringContaining('best is trial 2 with accuracy=0.9') });
  expect(done.status).toMatchObject({ phase: 'Completed', ready: '4/4', trainerStatus: { progressPercentage: 100 } });
  expect(tuningOf(done)).toMatchObject({
    trials: 4, running: 0, succeeded: 4, failed: 0,
    best: { trial: 2, value: 0.9, parameters: { learningRate: second.spec.hyperparameters!.learningRate } },
  });
  expect(JSON.stringify(done.status).length).toBeLessThan(64 * 1024);
});

test('trials run side by side, and an operator that starts again in the middle of the search goes on with the same ones', async () => {
  await suite.jobs.create('net', { autoTuning: { ...SEARCH, algorithm: 'bayesian', maxTrials: 6, parallelTrials: 3 } });
  await Promise.all([1, 2, 3].map(async (trial) => suite.kubelet.pods(`net-trial-${trial}`, 1)));
  const identity = ({ metadata, spec }: TestJob) => [metadata.name, metadata.uid, spec.hyperparameters!.learningRate] as const;
  const before = (await trialsOf('net')).map(identity);
  expect(before.map(([name]) => name)).toEqual(['net-trial-1', 'net-trial-2', 'net-trial-3']);
  expect(new Set(before.map(([_name, _uid, value]) => value)).size).toBe(3);

  await suite.operator.kill();
  await complete('net-trial-2', '0.5');
  await suite.restart();
  await untilEnded('net', 1);
  for (const trial of [1, 3, 4, 5, 6]) {
    await complete(`net-trial-${trial}`, `0.${trial}`);
    await suite.jobs.until('net', `done with trial ${trial}`, ({ tuning }) => !tuning!.active!.some((active) => active.trial === trial));
    expect((await trialsOf('net')).filter(({ status }) => status?.phase !== 'Completed').length).toBeLessThanOrEqual(3);
  }
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(tuningOf(done)).toMatchObject({ trials: 6, succeeded: 6, best: { trial: 6, value: 0.6 } });
  expect((await trialsOf('net')).map(identity).slice(0, 3)).toEqual(before);
});

test('a grid tries each of its points once, and then the search is over', async () => {
  const parameters = { batchSize: { type: 'int', values: [16, 32] }, optimizer: { type: 'categorical', values: ['adam', 'sgd'] } } as const;
  await suite.jobs.create('net', { autoTuning: { objective: 'accuracy', algorithm: 'grid', goal: 'minimize', maxTrials: 10, parallelTrials: 4, parameters } });
  const tried: string[] = [];
  for (const trial of [1, 2, 3, 4]) {
    const [pod] = await suite.kubelet.pods(`net-trial-${trial}`, 1);
    const { batchSize, optimizer } = environmentOf(pod);
    tried.push(`${batchSize} ${optimizer}`);
    await complete(`net-trial-${trial}`, `0.${trial}`);
  }
  expect(tried).toEqual(['16 adam', '16 sgd', '32 adam', '32 sgd']);
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(tuningOf(done)).toMatchObject({ trials: 4, succeeded: 4, best: { trial: 1, value: 0.1, parameters: { batchSize: '16', optimizer: 'adam' } } });
});

test('hyperband goes on with the best of a rung, with more budget and from its own checkpoints', async () => {
  await suite.jobs.create('net', {
    checkpointPath: '/ckpt',
    autoTuning: { ...SEARCH, algorithm: 'hyperband', maxTrials: 4, parallelTrials: 3, budget: { max: 3, parameter: 'EPOCHS' } },
  });
  const environments = [];
  for (const trial of [1, 2, 3, 4]) {
    const [pod] = await suite.kubelet.pods(`net-trial-${trial}`, 1);
    environments.push(environmentOf(pod));
    await complete(`net-trial-${trial}`, ['0.5', '0.9', '0.7', '0.95'][trial - 1]);
    await untilEnded('net', trial);
  }
  expect(environments.map(({ TRAINYARD_BUDGET, EPOCHS }) => [TRAINYARD_BUDGET, EPOCHS])).toEqual([['1', '1'], ['1', '1'], ['1', '1'], ['3', '3']]);
  // The second was the best.
  expect(environments[3].learningRate).toBe(environments[1].learningRate);
  expect(environments[3].CHECKPOINT_PATH).toBe(environments[1].CHECKPOINT_PATH);
  expect(new Set(environments.map(({ CHECKPOINT_PATH }) => CHECKPOINT_PATH)).size).toBe(3);
  expect(tuningOf(await suite.jobs.untilCondition('net', 'Succeeded'))).toMatchObject({ succeeded: 4, best: { trial: 4, value: 0.95 } });
});

test('a trial that is worse than most were at the same point of its training ends early, and its pods go', async () => {
  await suite.jobs.create('net', { autoTuning: { ...SEARCH, earlyStopping: { minTrials: 2 } } });
  const curve = (...values: number[]) => ({
    progressHistory: values.map((value, index) => ({ time: '2026-01-01T00:00:00Z', progressPercentage: 20 * (index + 1), metrics: { accuracy: String(value) } })),
  });
  for (const [trial, last] of [[1, 0.8], [2, 0.9]]) {
    await suite.kubelet.runAll(`net-trial-${trial}`, 1);
    await report(`net-trial-${trial}`, String(last), curve(0.5, 0.6, 0.7, last));
    await suite.kubelet.end(`net-trial-${trial}-master`);
    await untilEnded('net', trial);
  }
  await suite.kubelet.runAll('net-trial-3', 1);
  await report('net-trial-3', '0.2', curve(0.1, 0.2));
  const job = await untilEnded('net', 3);
  expect(tuningOf(job)).toMatchObject({ succeeded: 2, stopped: 1, best: { trial: 2, value: 0.9 } });
  await eventually('the job of the stopped trial to be gone', async () => !namesOf(await trialsOf('net')).includes('net-trial-3'));
  await suite.kubelet.pods('net-trial-3', 0);
  await suite.kubelet.pods('net-trial-4', 1);
});

test('a search is suspended and resumed with its trials, and ends at its target', async () => {
  await suite.jobs.create('net', { autoTuning: { ...SEARCH, target: 0.85, parallelTrials: 2 } });
  await suite.kubelet.runAll('net-trial-1', 1);
  await suite.kubelet.runAll('net-trial-2', 1);
  await suite.jobs.change('net', { suspend: true });
  await suite.jobs.untilCondition('net', 'Suspended');
  await suite.jobs.untilCondition('net-trial-1', 'Suspended');
  await suite.kubelet.pods('net-trial-1', 0);
  await suite.jobs.change('net', { suspend: false });
  await complete('net-trial-1', '0.85');
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(conditionOf(done, 'Succeeded')).toMatchObject({ reason: 'TargetReached' });
  // The other trial ran, and is not needed any more.
  await eventually('only the best trial to be left', async () => namesOf(await trialsOf('net')).join() === 'net-trial-1');
});

test('a search that takes too long fails, and keeps the best that it found', async () => {
  await suite.jobs.create('net', { autoTuning: SEARCH });
  await complete('net-trial-1', '0.5');
  await suite.kubelet.runAll('net-trial-2', 1);
  await suite.jobs.change('net', { runPolicy: { activeDeadlineSeconds: 1 } });
  const failed = await suite.jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
  expect(tuningOf(failed)).toMatchObject({ best: { trial: 1, value: 0.5 } });
  await eventually('the trial that ran to be gone', async () => namesOf(await trialsOf('net')).join() === 'net-trial-1');
});

test('trials that fail, or bring no value, are counted with their reason until there are too many; and nothing is left of a deleted search', async () => {
  await suite.jobs.create('net', { autoTuning: { ...SEARCH, maxFailedTrials: 1 } });
  await suite.kubelet.runAll('net-trial-1', 1);
  await suite.kubelet.end('net-trial-1-master', { exitCode: 1 });
  expect(tuningOf(await untilEnded('net', 1))).toMatchObject({ failed: 1, lastFailedTrial: { trial: 1, reason: 'ReplicaFailed' } });
  await complete('net-trial-2', 'nan');
  const failed = await suite.jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'TooManyFailedTrials', message: expect.stringContaining('trial 2: ObjectiveNotANumber') });
  await suite.jobs.remove('net');
  await eventually('all trials to be gone', async () => (await trialsOf('net')).length === 0);
});
