import { makeJob, type JobBuilder } from '../../support/builders';
import { PlannedJob, START } from '../../support/planned-job';
import type { GangSpec } from '../../../../../src/model/training-job/scheduling';
import type { ObservedPod } from '../../../../../src/operator/training/plan/types';

const SECOND = 1_000;

/** A gang whose pods have been created. */
function begun(builder: JobBuilder, gang: Partial<GangSpec> = {}): PlannedJob {
  const job = new PlannedJob(builder.spec({ scheduling: { gang: { scheduler: 'YuniKorn', scheduleTimeoutSeconds: 30, ...gang } } })
    .backoff({ initialSeconds: 10, maxSeconds: 25 }));
  job.pass();
  return job;
}

/** The first pods get nodes; the others have none. */
function place(job: PlannedJob, count: number, state: ObservedPod['state'] = 'Waiting'): void {
  [...job.pods.values()].forEach((pod, index) => job.pods.set(pod.name, index < count ? { ...pod, node: 'n1', state } : pod));
  job.pass();
}

function after(job: PlannedJob, seconds: number): void {
  job.now += seconds * SECOND;
  job.pass();
}

test('a gang that stays placed in part is released after its time, as the next attempt, with nothing counted against it', () => {
  const job = begun(makeJob().jax(3));
  place(job, 2, 'Running');
  expect(job.status.gang).toEqual({ belowSince: '2026-03-01T12:00:00Z' });
  expect(job.requeueAfterMs).toBe(30 * SECOND);
  after(job, 30);
  expect(job.status.attempt).toBe(0);
  after(job, 1);
  expect(job.status).toMatchObject({ attempt: 1, attemptStarted: false, restarts: 0, disruptions: 0, gang: { releases: 1, step: 1 }, nextRetryTime: '2026-03-01T12:00:41Z' });
  expect(job.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'GangReleased', message: expect.stringContaining('Only 2 of at least 3 replicas') }));
  expect(job.deleted).toEqual(['train-worker-0', 'train-worker-1', 'train-worker-2']);
  expect(job.created).toEqual([]);
});

test('a gang of which nothing is placed holds nothing, and keeps its place in the line', () => {
  const job = begun(makeJob().jax(3));
  after(job, 3_600);
  expect(job.status).toMatchObject({ phase: 'Pending', attempt: 0 });
  expect(job.status.gang).toBeUndefined();
});

test('the minimum is enough, and the clock restarts when a gang falls below it again', () => {
  const job = begun(makeJob().plain(4).restartPolicy('OnFailure'), { minAvailable: 2 });
  place(job, 1);
  after(job, 20);
  place(job, 2);
  expect(job.status.gang).toBeUndefined();
  after(job, 60);
  expect(job.status.attempt).toBe(0);
  place(job, 3, 'Running');
  expect(job.status.gang).toBeUndefined();
});

test('pause and time double with each release in a row, the pause up to the longest of the backoff, and start over once the gang has run', () => {
  const job = begun(makeJob().jax(2));
  const pauses: number[] = [];
  for (let release = 1; release <= 4; release++) {
    place(job, 1);
    after(job, 30 * 2 ** (release - 1));
    expect(job.status.gang?.releases ?? 0).toBe(release - 1);
    after(job, 1);
    expect(job.status.gang?.releases).toBe(release);
    pauses.push((Date.parse(job.status.nextRetryTime!) - job.now) / SECOND);
    // The pods of the last attempt go, and the pause goes by.
    job.pods.clear();
    after(job, pauses[release - 1]);
    expect(job.pods.size).toBe(2);
  }
  [10, 20, 25, 25].forEach((least, index) => {
    expect(pauses[index]).toBeGreaterThanOrEqual(least);
    expect(pauses[index]).toBeLessThan(2 * least);
  });
  place(job, 2, 'Running');
  expect(job.status.gang).toEqual({ releases: 4 });
});

test('gangs that are released at the same moment start again at different ones, so that they do not hold each other up again', () => {
  const starts = Array.from({ length: 20 }, (_, number) => {
    const job = begun(makeJob().jax(3));
    job.job = { ...job.job, uid: `uid-${number}` };
    place(job, 2);
    after(job, 31);
    expect(job.status.attempt).toBe(1);
    return job.status.nextRetryTime;
  });
  // Of ten possible seconds.
  expect(new Set(starts).size).toBeGreaterThan(5);
});

test('a lost member that finds no room again releases the rest, of which those that have succeeded stay done', () => {
  const job = begun(makeJob().plain(3).restartPolicy('OnFailure'));
  place(job, 3, 'Running');
  const [first, second, third] = [...job.pods.values()];
  job.pods.set(first.name, { ...first, state: 'Succeeded' });
  job.pods.delete(third.name);
  job.pass();
  job.pass();
  expect(job.status).toMatchObject({ disruptions: 1 });
  expect(job.pods.get(third.name)).toMatchObject({ state: 'Waiting' });
  expect(job.status.gang?.belowSince).toBe('2026-03-01T12:00:00Z');
  after(job, 31);
  expect(job.status).toMatchObject({ attempt: 1, gang: { releases: 1 }, disruptions: 1 });
  expect(job.deleted).toEqual(expect.arrayContaining([second.name, third.name]));
  expect(job.status.workerStatuses).toMatchObject([{ succeeded: 1, succeededIndexes: '0' }]);
});

test('a suspended gang has no clock', () => {
  const job = begun(makeJob().jax(2));
  place(job, 1);
  job.job = { ...job.job, spec: { ...job.job.spec, suspend: true } };
  job.pass();
  after(job, 120);
  expect(job.status).toMatchObject({ phase: 'Suspended' });
  expect(job.status.gang?.releases).toBeUndefined();
});

test('the clock stands in the status, so that an operator that restarts goes on counting', () => {
  const job = begun(makeJob().jax(2));
  place(job, 1);
  const copy = new PlannedJob(makeJob());
  copy.job = { ...job.job };
  job.pods.forEach((pod) => copy.pods.set(pod.name, pod));
  copy.services = job.services;
  copy.now = START + 31 * SECOND;
  copy.pass();
  expect(copy.status.gang?.releases).toBe(1);
});

test.each([3_600, -3_600])('a wall clock that jumps by %i s releases no gang early, and not much later either', (jump) => {
  const job = begun(makeJob().jax(2));
  place(job, 1);
  job.now += 10 * SECOND + jump * SECOND;
  job.observed = { clockSteadySince: job.now };
  job.pass();
  expect(job.status.gang?.releases).toBeUndefined();
  after(job, 30);
  expect(job.status.gang?.releases).toBeUndefined();
  after(job, 1);
  expect(job.status.gang?.releases).toBe(1);
});

test('an operator that starts after the clock was set back counts from then', () => {
  const job = begun(makeJob().jax(2));
  place(job, 1);
  job.now -= 3_600 * SECOND;
  job.pass();
  expect(job.status.gang).toEqual({ belowSince: '2026-03-01T11:00:00Z' });
  after(job, 31);
  expect(job.status.gang?.releases).toBe(1);
});

test('the wait of a released gang is not lost time', () => {
  const job = begun(makeJob().jax(2).restartPolicy('OnFailure'));
  place(job, 2, 'Running');
  job.now += 100 * SECOND;
  job.set((pod) => pod.evicted(), 'train-worker-0').settle();
  expect(job.status.lostSince).toBe('2026-03-01T12:00:00Z');
  place(job, 1);
  after(job, 31);
  expect(job.status).toMatchObject({ gang: { releases: 1 }, lostSeconds: 131, lastRestart: { cause: 'Disruption', lostSeconds: 131 } });
  after(job, 3_600);
  place(job, 2, 'Running');
  expect(job.status).toMatchObject({ phase: 'Running', lostSeconds: 131 });
});
