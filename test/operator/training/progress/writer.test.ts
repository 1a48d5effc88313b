import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { ProgressWriter, type ProgressWriterOptions } from '../../../../src/operator/training/progress/writer';
import type { TrainingJobObject } from '../../../../src/operator/training/resources';
import type { TrainingJobStatus } from '../../../../src/model/training-job/status/status';
import { FakeClock } from '../../runtime/support/fake-clock';

const JOB = { namespace: 'team-a', name: 'net' };

/** The API server, and the cache that follows it at once. */
class World {
  public readonly clock = new FakeClock();
  public readonly writes: { readonly at: number; readonly manager: string; readonly status: TrainingJobStatus }[] = [];
  public readonly failures: Error[] = [];
  public cached = true;
  public asked = 0;
  public job?: TrainingJobObject = { metadata: { ...JOB, uid: 'u1' }, spec: { framework: 'jax', image: 'i', replicas: 1 } };

  public readonly writer = new ProgressWriter({
    clock: this.clock,
    logger: Logger.silent(),
    find: () => (this.cached ? this.job : undefined),
    written: (job) => { this.job = job; },
    client: {
      tryGet: async () => {
        this.asked++;
        return this.job;
      },
      apply: async (_kind: unknown, object: TrainingJobObject, { fieldManager }: { fieldManager: string }) => {
        const failure = this.failures.shift();
        if (failure) {
          throw failure;
        }
        if (this.job === undefined) {
          throw new ApiError('apply', 404, { reason: 'NotFound' });
        }
        this.writes.push({ at: this.clock.monotonic(), manager: fieldManager, status: object.status! });
        return { ...this.job, status: { ...this.job.status, ...object.status } };
      },
    } as unknown as ProgressWriterOptions['client'],
  });

  public async report(progressPercentage: number, step?: number): Promise<string> {
    return (await this.writer.accept(JOB, {
      trainerStatus: { lastUpdatedTime: '2030-01-01T00:00:00Z', progressPercentage },
      ...(step !== undefined && { checkpoint: { path: `/c/${step}`, step } }),
    })).kind;
  }

  public percentages(): (number | undefined)[] {
    return this.writes.filter(({ manager }) => manager === 'trainer-status').map(({ status }) => status.trainerStatus!.progressPercentage);
  }
}

test('the first report is written at once, then one every five seconds, the newest', async () => {
  const world = new World();
  for (let percent = 1; percent <= 20; percent++) {
    expect(await world.report(percent)).toBe('accepted');
    await world.clock.advance(1_000);
  }
  await world.clock.advance(10_000);
  expect(world.percentages()).toEqual([1, 5, 10, 15, 20]);
  expect(world.writes.map(({ at }) => at)).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
  expect(world.clock.pendingTimers).toBe(0);
});

test('a checkpoint that is new is written before the answer, at most one a second, and an old one is not written again', async () => {
  const world = new World();
  await world.report(1, 10);
  const second = world.report(2, 20);
  await world.clock.advance(999);
  expect(world.job!.status!.checkpoint).toMatchObject({ step: 10 });
  await world.clock.advance(1);
  expect(await second).toBe('accepted');
  await world.report(3, 20);
  expect(world.writes.map(({ manager, at }) => [manager, at])).toEqual([['trainyard-checkpoint', 0], ['trainer-status', 0], ['trainyard-checkpoint', 1_000]]);
  expect(world.job!.status!.checkpoint).toMatchObject({ path: '/c/20', step: 20 });
  expect(world.writes.every(({ manager, status }) => (status.checkpoint === undefined) === (manager === 'trainer-status'))).toBe(true);
});

test('a thousand checkpoints in a second are two writes, the newest is kept, and each is answered when it or a newer one is written', async () => {
  const world = new World();
  const answers: Promise<string>[] = [];
  for (let step = 1; step <= 1_000; step++) {
    answers.push(world.writer.accept(JOB, { checkpoint: { path: `/c/${step}`, step } }).then(({ kind }) => kind));
    await world.clock.advance(1);
  }
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['accepted']));
  expect(world.writes.map(({ status }) => status.checkpoint!.step)).toEqual([1, 1_000]);
  await world.clock.advance(10_000);
  expect(world.writes).toHaveLength(2);
  expect(world.clock.pendingTimers).toBe(0);
});

test('a checkpoint that waits is written at the end', async () => {
  const world = new World();
  await world.writer.accept(JOB, { checkpoint: { path: '/c/1', step: 1 } });
  const second = world.writer.accept(JOB, { checkpoint: { path: '/c/2', step: 2 } });
  await FakeClock.settle();
  await world.writer.flush();
  expect(await second).toEqual({ kind: 'accepted' });
  expect(world.job!.status!.checkpoint).toMatchObject({ step: 2 });
  expect(world.clock.pendingTimers).toBe(0);
});

test('who waits with a checkpoint that cannot be written is told', async () => {
  const world = new World();
  await world.writer.accept(JOB, { checkpoint: { path: '/c/1', step: 1 } });
  world.failures.push(new ApiError('apply', 503));
  const waiting = [2, 3].map(async (step) => world.writer.accept(JOB, { checkpoint: { path: `/c/${step}`, step } }).catch((error: Error) => error.message));
  await world.clock.advance(1_000);
  expect(await Promise.all(waiting)).toEqual(['apply: 503', 'apply: 503']);
});

test('the first 100 percent are written at once, because the job may be over a moment later', async () => {
  const world = new World();
  await world.report(98);
  await world.report(99);
  await world.report(100);
  expect(world.percentages()).toEqual([98, 100]);
  // A script that goes on to say so waits like any other.
  await world.report(100);
  await world.report(100);
  expect(world.percentages()).toEqual([98, 100]);
  await world.clock.advance(20_000);
  expect(world.percentages()).toEqual([98, 100, 100]);
});

test('a job that is not there, is gone by now or was replaced gets no report', async () => {
  const world = new World();
  world.failures.push(new ApiError('apply', 409, { reason: 'Conflict' }));
  expect(await world.report(1)).toBe('noSuchJob');
  world.failures.push(new ApiError('apply', 404, { reason: 'NotFound' }));
  await world.clock.advance(10_000);
  expect(await world.report(1)).toBe('noSuchJob');
  world.job = undefined;
  expect(await world.report(1)).toBe('noSuchJob');
});

test('a job that no cache knows is asked for, once for all reports of a second', async () => {
  const world = new World();
  world.cached = false;
  for (let percent = 1; percent <= 50; percent++) {
    expect(await world.report(percent)).toBe('accepted');
  }
  expect(world.asked).toBe(1);
  await world.clock.advance(1_000);
  await world.report(60);
  expect(world.asked).toBe(2);
});

test('what the API server finds wrong is told to the script; trouble of its own is not its fault', async () => {
  const world = new World();
  world.failures.push(new ApiError('apply', 422, { reason: 'Invalid', message: 'status.x: too long' }));
  expect(await world.writer.accept(JOB, { checkpoint: { path: '/c' } })).toEqual({ kind: 'invalid', message: 'status.x: too long' });
  world.failures.push(new ApiError('apply', 503));
  const answer = expect(world.writer.accept(JOB, { checkpoint: { path: '/c' } })).rejects.toThrow('503');
  await world.clock.advance(1_000);
  await answer;
});

test('a write that waited and failed is tried again, with what is newest by then', async () => {
  const world = new World();
  await world.report(1);
  await world.report(2);
  world.failures.push(new ApiError('apply', 500));
  await world.clock.advance(5_000);
  expect(world.percentages()).toEqual([1]);
  await world.clock.advance(5_000);
  expect(world.percentages()).toEqual([1, 2]);
});

test('at the end what waits is written', async () => {
  const world = new World();
  await world.report(1);
  await world.report(2);
  await world.writer.flush();
  expect(world.percentages()).toEqual([1, 2]);
  expect(world.clock.pendingTimers).toBe(0);
});

test('a job that goes while a report waits does no harm', async () => {
  const world = new World();
  await world.report(1);
  await world.report(2);
  world.job = undefined;
  await world.clock.advance(20_000);
  expect(world.percentages()).toEqual([1]);
  expect(world.clock.pendingTimers).toBe(0);
});

test('a job of a namespace that is not watched is none, and nobody is asked for it', async () => {
  const asked: string[] = [];
  const writer = new ProgressWriter({
    logger: Logger.silent(), find: () => undefined, written: () => undefined, watches: (namespace) => namespace === 'other',
    client: { tryGet: async () => { asked.push('get'); throw new ApiError('get', 403); } } as unknown as ProgressWriterOptions['client'],
  });
  expect(await writer.accept(JOB, { checkpoint: { path: '/c' } })).toEqual({ kind: 'noSuchJob' });
  expect(asked).toEqual([]);
});
