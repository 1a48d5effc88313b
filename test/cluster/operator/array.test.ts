import { ARRAY_LABEL } from '../../../src/model/labels';
import type { ArraySpec } from '../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { eventually, type TestObject } from '../support/cluster';
import { describeOperator } from '../support/operator-suite';
import { conditionOf, type TestJob } from '../support/training-jobs';

// Without a lease a successor acts at once.
const suite = describeOperator({ LEADER_ELECT: 'false' });

const create = async (array: ArraySpec, fields: Partial<TrainingJobSpec> = {}) => suite.jobs.create('net', { replicas: 1, array, ...fields });
const copiesOf = async (name: string) => await suite.api.list('mltrainingjobs', suite.namespace, `${ARRAY_LABEL}=${name}`) as TestJob[];
const namesOf = (objects: readonly TestObject[]) => objects.map(({ metadata }) => metadata.name).sort();
const unfinished = async () => (await copiesOf('net')).filter(({ status }) => status?.phase !== 'Completed' && status?.phase !== 'Failed');

const environmentOf = (pod: TestObject): { [name: string]: string } =>
  Object.fromEntries(pod.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));

/** Runs the only pod of a copy to its end. */
async function complete(index: number, exitCode = 0): Promise<void> {
  await suite.kubelet.runAll(`net-${index}`, 1);
  await suite.kubelet.end(`net-${index}-master`, { exitCode });
}

const untilEnded = async (count: number) => suite.jobs.until('net', `after ${count} copies`, ({ array }) => (array?.succeeded ?? 0) + (array?.failed ?? 0) === count);

test('an array runs its copies in the order of their indexes, as many at a time as it says, each with its index', async () => {
  await create({ count: 5, parallelism: 2 }, { checkpointPath: 's3://bucket/run', env: [{ name: 'TASK', value: '$(TRAINYARD_ARRAY_INDEX)' }] });
  const [pod] = await suite.kubelet.pods('net-1', 1);
  expect(environmentOf(pod)).toMatchObject({
    TRAINYARD_ARRAY_INDEX: '1', TRAINYARD_ARRAY_COUNT: '5', CHECKPOINT_PATH: 's3://bucket/run/index-1', TASK: '$(TRAINYARD_ARRAY_INDEX)', TRAINYARD_JOB_NAME: 'net-1',
  });
  expect(await suite.api.list('pods', suite.namespace, 'job=net')).toEqual([]);
  for (const index of [1, 0, 2, 4, 3]) {
    await complete(index);
    await suite.jobs.until('net', `done with copy ${index}`, ({ array }) => !new RegExp(`(^|[,-])${index}([,-]|$)`).test(array?.activeIndexes ?? ''));
    expect((await unfinished()).length).toBeLessThanOrEqual(2);
  }
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(conditionOf(done, 'Succeeded')).toMatchObject({ reason: 'ArraySucceeded', message: 'All 5 copies have succeeded' });
  expect(done.status).toMatchObject({ phase: 'Completed', ready: '5/5', trainerStatus: { progressPercentage: 100 }, array: { active: 0, succeeded: 5, completedIndexes: '0-4' } });
  expect(namesOf(await copiesOf('net'))).toEqual(['net-0', 'net-1', 'net-2', 'net-3', 'net-4']);
});

test('an operator that starts again in the middle goes on with the same copies', async () => {
  await create({ count: 6, parallelism: 3 });
  await Promise.all([0, 1, 2].map(async (index) => suite.kubelet.pods(`net-${index}`, 1)));
  const identity = ({ metadata }: TestJob) => [metadata.name, metadata.uid] as const;
  const before = (await copiesOf('net')).map(identity).sort();
  await suite.operator.kill();
  await complete(1);
  await suite.restart();
  await untilEnded(1);
  for (const index of [0, 2, 3, 4, 5]) {
    await complete(index);
  }
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(done.status!.array).toMatchObject({ succeeded: 6, failed: 0 });
  expect((await copiesOf('net')).map(identity).sort().slice(0, 3)).toEqual(before);
});

test('the others go on beside copies that fail, and at the end the array fails with their indexes', async () => {
  await create({ count: 4 });
  await complete(1, 7);
  // The operator may see two that end together in either order.
  await untilEnded(1);
  await complete(3, 9);
  const running = await untilEnded(2);
  expect(running.status!.array).toMatchObject({ failed: 2, failedIndexes: '1,3', active: 2, activeIndexes: '0,2', lastFailedIndex: { index: 3, reason: 'ReplicaFailed' } });
  await complete(0);
  await complete(2);
  const failed = await suite.jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'FailedIndexes', message: expect.stringContaining('2 of 4 copies failed, 2 succeeded') });
  await eventually('an event', async () => (await suite.api.list('events', suite.namespace)).some(({ reason }) => reason === 'CopyFailed'));
});

test('with one failure more than may be the array fails, and the copies that run are ended', async () => {
  await create({ count: 9, parallelism: 3, maxFailedIndexes: 0 });
  await suite.kubelet.runAll('net-0', 1);
  await complete(2, 1);
  const failed = await suite.jobs.untilCondition('net', 'Failed');
  expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'MaxFailedIndexesExceeded' });
  await eventually('the copies that ran to be gone', async () => namesOf(await copiesOf('net')).join() === 'net-2');
  await suite.kubelet.pods('net-0', 0);
});

test('a copy restarts by itself, and one that somebody deletes has failed', async () => {
  await create({ count: 2 }, { runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0 } } });
  await complete(0, 1);
  await suite.jobs.until('net-0', 'restarted', ({ restarts }) => restarts === 1);
  await suite.kubelet.pods('net-1', 1);
  await suite.jobs.remove('net-1');
  const counted = await untilEnded(1);
  expect(counted.status!.array).toMatchObject({ failedIndexes: '1', lastFailedIndex: { reason: 'CopyDeleted' }, activeIndexes: '0' });
});

test('suspension is for the copies too, parallelism may change, and the number of copies may not', async () => {
  await create({ count: 4, parallelism: 1 });
  await suite.kubelet.runAll('net-0', 1);
  await suite.jobs.change('net', { suspend: true });
  await suite.jobs.untilCondition('net', 'Suspended');
  await suite.kubelet.pods('net-0', 0);
  expect((await suite.jobs.get('net-0')).spec.suspend).toBe(true);
  await suite.jobs.change('net', { suspend: false, array: { count: 4, parallelism: 3 } });
  await Promise.all([0, 1, 2].map(async (index) => suite.kubelet.pods(`net-${index}`, 1)));
  await expect(suite.jobs.change('net', { array: { count: 5 } })).rejects.toThrow('cannot change while the job exists');
});

test('jobs of copies that have ended are kept as the array says, and go with it', async () => {
  await create({ count: 3, parallelism: 1, keepJobs: 1 });
  for (const [index, exitCode] of [0, 3, 0].entries()) {
    await complete(index, exitCode);
    await untilEnded(index + 1);
  }
  await eventually('one job to be left', async () => namesOf(await copiesOf('net')).join() === 'net-1');
  await suite.jobs.remove('net');
  await eventually('the copies to go with their array', async () => (await copiesOf('net')).length === 0);
});
