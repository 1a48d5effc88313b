/** The planner of arrays, pass by pass. */
import type { ArraySpec } from '../../../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import type { ObservedCopy } from '../../../../../src/operator/training/plan/array/types';
import { conditionOf } from '../../../../../src/operator/training/plan/conditions';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation, Plan } from '../../../../../src/operator/training/plan/types';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const observe = (
  status: TrainingJobStatus, copies: readonly ObservedCopy[] = [], array: Partial<ArraySpec> = {}, fields: Partial<TrainingJobSpec> = {}, now = NOW,
): Observation => ({
  job: { name: 'net', uid: 'uid', generation: 1, status, spec: { framework: 'jax', image: 'image', replicas: 1, ...fields, array: { count: 6, parallelism: 3, ...array } } },
  pods: [], services: [], problems: [], copies, now,
});

const copy = (index: number, status: TrainingJobStatus, more: Partial<ObservedCopy> = {}): ObservedCopy => ({
  index, name: `net-${index}`, uid: `uid-${index}`, deleting: false, suspended: false, status, ...more,
});
const running = (...indexes: number[]) => indexes.map((index) => copy(index, { phase: 'Running' }));
const done = (...indexes: number[]) => indexes.map((index) => copy(index, { phase: 'Completed' }));
const failed = (index: number, message = 'exited with code 1'): ObservedCopy => copy(index, {
  phase: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason: 'ReplicaFailed', message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
});
const actionsOf = ({ actions }: Plan) => actions.map((action) => ('name' in action ? `${action.type} ${action.name}` : 'index' in action ? `${action.type} ${action.index}` : action.type));

/** Passes until nothing is decided any more. */
function settled(observation: Observation): Plan {
  let planned = plan(observation);
  for (let current = observation; planned.decided; planned = plan(current)) {
    current = { ...current, job: { ...current.job, status: planned.status } };
  }
  return planned;
}

test('which copies are under way is decided before their jobs are made', () => {
  const first = plan(observe({}));
  expect(first).toMatchObject({ decided: true, actions: [], status: { ready: '0/6', array: { active: 3, activeIndexes: '0-2', unseenIndexes: '0-2' } } });
  const second = plan(observe(first.status));
  expect(second.decided).toBe(false);
  expect(actionsOf(second)).toEqual(['createCopy 0', 'createCopy 1', 'createCopy 2']);
  const third = plan(observe(second.status, running(0, 1, 2)));
  expect(third).toMatchObject({ actions: [], status: { phase: 'Running', array: { active: 3, activeIndexes: '0-2' } } });
  expect(third.status.array!.unseenIndexes).toBeUndefined();
  expect(conditionOf(third.status, 'Running')).toMatchObject({ status: 'True', reason: 'CopiesRunning', message: '3 copies run; 0 of 6 have ended' });
});

test('copies that have ended make room for the next, in the order of their indexes', () => {
  const start = settled(observe({}));
  const next = settled(observe(start.status, [...running(0), ...done(1), failed(2)]));
  expect(next.status).toMatchObject({ ready: '2/6', trainerStatus: { progressPercentage: 33 }, array: {
    active: 3, succeeded: 1, failed: 1, activeIndexes: '0,3-4', completedIndexes: '1', failedIndexes: '2',
    lastFailedIndex: { index: 2, reason: 'ReplicaFailed', message: 'exited with code 1', time: '2026-01-01T00:00:00Z' },
  } });
  expect(actionsOf(next)).toEqual(['createCopy 3', 'createCopy 4']);
  expect(plan(observe(start.status, [...running(0), ...done(1), failed(2)])).events).toEqual([
    { type: 'Warning', reason: 'CopyFailed', message: 'Copy 2 failed: ReplicaFailed: exited with code 1' },
  ]);
});

test('without a limit all copies are begun at once', () => {
  expect(settled(observe({}, [], { count: 10_000, parallelism: undefined })).status.array).toMatchObject({ active: 10_000, activeIndexes: '0-9999' });
});

test('a copy that was seen and is gone has failed, one that was never seen is made again', () => {
  const status: TrainingJobStatus = { array: { active: 2, succeeded: 0, failed: 0, activeIndexes: '0-1', unseenIndexes: '1' } };
  const planned = settled(observe(status, [], { count: 2 }));
  expect(planned.status.array).toMatchObject({ active: 1, failed: 1, failedIndexes: '0', lastFailedIndex: { index: 0, reason: 'CopyDeleted' } });
  expect(actionsOf(planned)).toEqual(['createCopy 1']);
});

const AT_THE_END: TrainingJobStatus = { array: { active: 2, succeeded: 3, failed: 1, activeIndexes: '4-5', completedIndexes: '0-2', failedIndexes: '3' } };

test('the array succeeds when all copies have', () => {
  const status: TrainingJobStatus = { array: { active: 2, succeeded: 4, failed: 0, activeIndexes: '4-5', completedIndexes: '0-3' } };
  const planned = plan(observe(status, done(4, 5)));
  expect(planned.status).toMatchObject({ phase: 'Completed', ready: '6/6', array: { active: 0, succeeded: 6, completedIndexes: '0-5' } });
  expect(conditionOf(planned.status, 'Succeeded')).toMatchObject({ status: 'True', reason: 'ArraySucceeded', message: 'All 6 copies have succeeded' });
});

test('the array fails when all copies have ended and one has failed, as an Indexed Job does', () => {
  const planned = plan(observe(AT_THE_END, [...done(4), failed(5, 'out of memory')]));
  expect(planned.status).toMatchObject({ phase: 'Failed', array: { succeeded: 4, failed: 2, failedIndexes: '3,5' } });
  expect(conditionOf(planned.status, 'Failed')).toMatchObject({
    reason: 'FailedIndexes', message: '2 of 6 copies failed, 4 succeeded. The last, copy 5: ReplicaFailed: out of memory',
  });
});

test('with one failure more than maxFailedIndexes the array fails at once, and the copies that run are ended', () => {
  const observation = observe(AT_THE_END, [...running(4), failed(5)], { maxFailedIndexes: 1 });
  const planned = plan(observation);
  expect(conditionOf(planned.status, 'Failed')).toMatchObject({ reason: 'MaxFailedIndexesExceeded', message: expect.stringContaining('2 copies failed, and spec.array.maxFailedIndexes is 1') });
  expect(actionsOf(plan({ ...observation, job: { ...observation.job, status: planned.status } }))).toEqual(['deleteCopy net-4']);
  expect(plan(observe(AT_THE_END, [...running(4), failed(5)], { maxFailedIndexes: 2 })).status.phase).not.toBe('Failed');
});

test('a suspended array begins nothing and suspends its copies, and goes on with the same ones', () => {
  const started = settled(observe({}));
  const suspended = settled(observe(started.status, [...running(0, 1), ...done(2)], {}, { suspend: true }));
  expect(suspended.status).toMatchObject({ phase: 'Suspended', array: { active: 2, succeeded: 1 } });
  expect(actionsOf(suspended)).toEqual(['suspendCopy net-0', 'suspendCopy net-1']);
  const resumed = settled(observe(suspended.status, [copy(0, {}, { suspended: true }), copy(1, {}, { suspended: true }), ...done(2)]));
  expect(actionsOf(resumed)).toEqual(['suspendCopy net-0', 'suspendCopy net-1', 'createCopy 3']);
  expect(resumed.actions).toMatchObject([{ suspend: false }, { suspend: false }, {}]);
});

test('the deadline is the array\'s', () => {
  const fields: Partial<TrainingJobSpec> = { runPolicy: { activeDeadlineSeconds: 60 } };
  const started = settled(observe({}, [], {}, fields));
  expect(started.requeueAfterMs).toBe(60_000);
  expect(plan(observe(started.status, running(0, 1, 2), {}, fields, NOW + 60_000)).status).toMatchObject({
    phase: 'Failed', array: { active: 0 }, conditions: expect.arrayContaining([expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded' })]),
  });
});

test('jobs of copies that have ended are kept as the array says: failed ones, then the latest', () => {
  const status: TrainingJobStatus = { array: { active: 1, succeeded: 4, failed: 1, activeIndexes: '5', completedIndexes: '0,2-4', failedIndexes: '1' } };
  expect(actionsOf(settled(observe(status, [...done(0, 2, 3, 4), failed(1), ...running(5)], { keepJobs: 2 })))).toEqual([
    'deleteCopy net-3', 'deleteCopy net-2', 'deleteCopy net-0',
  ]);
});

test('with cleanPodPolicy All no copy is left', () => {
  const status: TrainingJobStatus = { phase: 'Completed', completionTime: '2026-01-01T00:00:00Z', array: { active: 0, succeeded: 2, failed: 0, completedIndexes: '0-1' } };
  expect(actionsOf(plan(observe(status, done(0, 1), { count: 2 }, { runPolicy: { cleanPodPolicy: 'All' } })))).toEqual(['deleteCopy net-1', 'deleteCopy net-0']);
  expect(actionsOf(plan(observe(status, done(0, 1), { count: 2 })))).toEqual([]);
});

test('a higher parallelism begins more at once, a lower one ends nothing', () => {
  const started = settled(observe({}));
  expect(settled(observe(started.status, running(0, 1, 2), { parallelism: 5 })).status.array).toMatchObject({ activeIndexes: '0-4' });
  const lowered = settled(observe(started.status, running(0, 1, 2), { parallelism: 1 }));
  expect(lowered.status.array).toMatchObject({ activeIndexes: '0-2' });
  expect(lowered.actions).toEqual([]);
});

test('the status of 10,000 copies of which every second has failed is small', () => {
  const every = (start: number) => Array.from({ length: 5000 }, (_, index) => start + 2 * index).join(',');
  const status: TrainingJobStatus = { array: { active: 0, succeeded: 5000, failed: 5000, completedIndexes: every(0), failedIndexes: every(1) } };
  const planned = plan(observe(status, [], { count: 10_000 }));
  expect(planned.status.phase).toBe('Failed');
  expect(JSON.stringify(planned.status).length).toBeLessThan(64 * 1024);
});
