/** Jobs with helpers: who decides on success, what a failed helper means, and that none of them outlives the job. */
import { makeJob } from '../support/builders';
import { PlannedJob } from '../support/planned-job';
import type { HelperFailurePolicy } from '../../../../src/model/training-job/replicas/role-specs';
import type { RunPolicySpec } from '../../../../src/model/training-job/run-policy';

const group = (onFailure?: HelperFailurePolicy, runPolicy: RunPolicySpec = {}) => makeJob().pytorch(2).spec({
  helpers: [{ name: 'actor', replicas: 2, image: 'actor', ...(onFailure && { onFailure }) }], runPolicy,
});
const running = (...args: Parameters<typeof group>) => new PlannedJob(group(...args)).run();
const TRAINING = ['train-master', 'train-worker-0'];
const ACTORS = ['train-actor-0', 'train-actor-1'];

test('all start together, with the services that they find each other by', () => {
  const job = new PlannedJob(group()).pass();
  expect(job.created).toEqual([...TRAINING, ...ACTORS]);
  expect(job.services).toEqual(['train-master', 'train']);
  expect(job.setAll((pod) => pod.running()).pass().status).toMatchObject({ phase: 'Running', ready: '4/4', replicas: 4 });
});

test('the job succeeds with its primary, and the helpers that run are ended', () => {
  const job = running().set((pod) => pod.succeeded(), 'train-master').pass();
  expect(job.status.phase).toBe('Completed');
  expect(job.deleted).toEqual(['train-worker-0', ...ACTORS]);
});

test('helpers that have succeeded make no success, and are not started again', () => {
  const job = running().set((pod) => pod.succeeded(), ...ACTORS).pass();
  expect(job.status).toMatchObject({ phase: 'Running', ready: '4/4' });
  expect(job.created).toEqual([]);
});

test('where all replicas have to succeed, helpers have no say', () => {
  const job = new PlannedJob(makeJob().plain(2).spec({ helpers: [{ name: 'actor', image: 'actor' }] })).run();
  job.set((pod) => pod.succeeded(), 'train-worker-0', 'train-worker-1').pass();
  expect(job.condition('Succeeded')).toMatchObject({ message: 'All 2 replicas have succeeded' });
});

test('helpers are ended also where pods are kept, because nobody else would end them', () => {
  const job = running('Restart', { cleanPodPolicy: 'None' }).set((pod) => pod.succeeded(), 'train-master').pass();
  expect(job.deleted).toEqual(ACTORS);
});

describe('a failed helper', () => {
  test('is replaced by itself while the others train on, and the failure is counted', () => {
    const job = running().set((pod) => pod.failed(1), 'train-actor-1').pass();
    expect(job.status).toMatchObject({ phase: 'Running', restarts: 1, attempt: 0, lastFailure: { pod: 'train-actor-1' } });
    expect(job.condition('Running')).toMatchObject({ status: 'True', reason: 'RunningBelowDesired' });
    expect(job.events.at(-1)).toMatchObject({ reason: 'ReplicaReplaced' });
    expect(job.deleted).toEqual(['train-actor-1']);
    expect(job.after(10).settle().pods.has('train-actor-1')).toBe(true);
    expect(job.setAll((pod) => pod.running()).pass().condition('Running')).toMatchObject({ reason: 'AllReplicasRunning' });
    expect(job.status.lostSeconds ?? 0).toBe(0);
  });

  test('fails the job with one failure more than backoffLimit', () => {
    const job = running('Restart', { backoffLimit: 0 }).set((pod) => pod.failed(1), 'train-actor-1').pass();
    expect(job.condition('Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
  });

  test('fails the job where it is said so', () => {
    const job = running('Fail', { restartPolicy: 'OnFailure' }).set((pod) => pod.failed(1), 'train-actor-1').pass();
    expect(job.condition('Failed')).toMatchObject({ reason: 'ReplicaFailed', message: 'train-actor-1 (actor) exited with code 1: Error' });
    expect(job.deleted).toEqual([...TRAINING, 'train-actor-0']);
  });

  test('is left as it is where it is said so, and the job goes on and succeeds', () => {
    const job = running('Ignore').set((pod) => pod.failed(1), 'train-actor-1').pass();
    expect(job.status).toMatchObject({ phase: 'Running', ready: '4/4', restarts: 0 });
    expect(job.actions).toEqual([]);
    expect(job.status.workerStatuses).toContainEqual(expect.objectContaining({ role: 'actor', running: 1, failed: 1 }));
    expect(job.set((pod) => pod.succeeded(), 'train-master').pass().status.phase).toBe('Completed');
  });

  test('does not keep a job from starting that goes on without it', () => {
    const job = new PlannedJob(group('Ignore')).settle().setAll((pod) => pod.running()).set((pod) => pod.failed(1), 'train-actor-0').pass();
    expect(job.status).toMatchObject({ phase: 'Running', restarts: 0 });
  });

  test.each(['Restart', 'Fail', 'Ignore'] as const)('that the cluster took away is replaced, and no failure is counted (%s)', (policy) => {
    const job = running(policy).set((pod) => pod.evicted(), 'train-actor-0').pass();
    expect(job.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 1, attempt: 0 });
    expect(job.deleted).toEqual(['train-actor-0']);
  });
});

test('when those that train start again together, helpers start again with them', () => {
  const job = running('Ignore', { restartPolicy: 'OnFailure' }).set((pod) => pod.failed(1), 'train-actor-1').pass();
  job.set((pod) => pod.failed(1), 'train-worker-0').pass();
  expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 1, lastFailure: { pod: 'train-worker-0' } });
  expect(job.deleted.sort()).toEqual([...TRAINING, ...ACTORS].sort());
  expect(job.after(10).settle().pods.size).toBe(4);
});

test('a helper that fails beside one that trains is no cause of its own', () => {
  const job = running('Restart', { restartPolicy: 'OnFailure' })
    .set((pod) => pod.failed(7, { time: '2026-03-01T12:00:01Z' }), 'train-actor-0').set((pod) => pod.failed(1, { time: '2026-03-01T12:00:05Z' }), 'train-worker-0').pass();
  expect(job.status).toMatchObject({ restarts: 1, attempt: 1, lastFailure: { pod: 'train-worker-0' } });
});

test('the failure of a replica that lost a helper is a disruption, as is the helper\'s loss', () => {
  const job = running('Restart', { restartPolicy: 'OnFailure' }).set((pod) => pod.evicted(), 'train-actor-0').set((pod) => pod.failed(1), 'train-worker-0').pass();
  expect(job.status).toMatchObject({ restarts: 0, disruptions: 1, attempt: 1, lastFailure: { pod: 'train-actor-0' } });
});

test('independent replicas and helpers are replaced one by one', () => {
  const job = new PlannedJob(makeJob().plain(2).spec({ helpers: [{ name: 'actor', image: 'actor' }], runPolicy: { restartPolicy: 'OnFailure', restartInPlace: false } })).run();
  job.set((pod) => pod.failed(1), 'train-worker-0', 'train-actor-0').pass();
  expect(job.status).toMatchObject({ restarts: 2, attempt: 0 });
  expect(job.deleted).toEqual(['train-worker-0', 'train-actor-0']);
});
