import fc from 'fast-check';
import { FakeClock } from './support/fake-clock';
import { WorkQueue } from '../../../src/operator/runtime/work-queue';

/** What can be taken right now, each finished at once. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.depth > 0) {
    const key = (await queue.take())!;
    taken.push(key);
    queue.done(key);
  }
  return taken;
}

it('knows how many keys were taken of late', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const take = async (count: number) => {
    Array.from({ length: count }, (_, index) => queue.add(`key-${index}`));
    await takeAll(queue);
  };
  expect(queue.takenPerSecond).toBe(0);
  await take(50);
  expect(queue.takenPerSecond).toBe(200);
  await clock.advance(250);
  await take(10);
  expect(queue.takenPerSecond).toBe(200);
  await clock.advance(250);
  expect(queue.takenPerSecond).toBe(40);
  await clock.advance(500);
  expect(queue.takenPerSecond).toBe(0);
});

describe('merging', () => {
  it('lets a key wait once, however often it is added', async () => {
    const queue = new WorkQueue();
    ['a', 'b', 'a', 'a'].forEach((key) => queue.add(key));
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('never gives out a key that is being worked on, and gives it out again afterwards if it was added meanwhile', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect([queue.depth, queue.processingCount]).toEqual([0, 1]);
    queue.done('a');
    expect([queue.depth, queue.processingCount]).toEqual([1, 0]);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  it('hands a key to a worker that waits already', async () => {
    const queue = new WorkQueue();
    const taken = queue.take();
    queue.add('a');
    expect(await taken).toBe('a');
  });
});

describe('priority', () => {
  it('puts what a list brings behind what happened', async () => {
    const queue = new WorkQueue();
    queue.add('old1', { lowPriority: true });
    queue.add('old2', { lowPriority: true });
    queue.add('live');
    expect(await takeAll(queue)).toEqual(['live', 'old1', 'old2']);
  });

  it('lifts a waiting key when something happens to it, and gives it out once', async () => {
    const queue = new WorkQueue();
    queue.add('old', { lowPriority: true });
    queue.add('b', { lowPriority: true });
    queue.add('b');
    queue.add('b', { lowPriority: true });
    expect(await takeAll(queue)).toEqual(['b', 'old']);
    queue.add('b', { lowPriority: true });
    expect(await takeAll(queue)).toEqual(['b']);
  });
});

describe('delays', () => {
  it('end at the earliest of several', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 2_000);
    queue.addAfter('a', 9_000);
    await clock.advance(1_999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.advance(60_000);
    expect(queue.depth).toBe(0);
  });

  it('of zero add at once, and of infinity never', () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('now', 0);
    queue.addAfter('never', Infinity);
    expect([queue.depth, queue.delayedCount, clock.pendingTimers]).toEqual([1, 0, 0]);
  });

  it('after failures double up to the cap, are shortened by jitter only, and start over after forget', () => {
    const queue = new WorkQueue({ clock: new FakeClock(), backoff: { initialMs: 100, maxMs: 1_000 }, random: () => 0 });
    expect([1, 2, 3, 4, 5, 6].map(() => queue.addRateLimited('a'))).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(queue.failuresOf('a')).toBe(6);
    queue.forget('a');
    expect(queue.addRateLimited('a')).toBe(100);
    expect(queue.addRateLimited('a', 30_000)).toBe(30_000);
    const jittered = new WorkQueue({ clock: new FakeClock(), backoff: { initialMs: 100, maxMs: 1_000 }, random: () => 1 });
    expect(jittered.addRateLimited('a')).toBe(50);
  });

  it('stay finite after any number of failures', () => {
    const queue = new WorkQueue({ clock: new FakeClock(), backoff: { initialMs: 100, maxMs: 1_000 }, random: () => 0 });
    for (let failure = 0; failure < 2_000; failure++) {
      expect(queue.addRateLimited('a')).toBeLessThanOrEqual(1_000);
    }
  });
});

describe('shutting down', () => {
  it('waits for work that is going on, releases waiting workers and cancels timers', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    queue.add('a');
    const key = await queue.take();
    queue.add('b');
    queue.addAfter('c', 1_000);
    let finished = false;
    const shutDown = queue.shutDown().then(() => (finished = true));
    expect(await queue.take()).toBeUndefined();
    queue.add('d');
    await FakeClock.settle();
    expect([finished, queue.depth, clock.pendingTimers]).toEqual([false, 0, 0]);
    queue.done(key!);
    await shutDown;
  });

  it('ends workers that wait for a key', async () => {
    const queue = new WorkQueue();
    const waiting = [queue.take(), queue.take()];
    await queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });
});

it('says how long the longest work has been going on', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.add('a');
  queue.add('b');
  await queue.take();
  await clock.advance(700);
  await queue.take();
  await clock.advance(300);
  expect(queue.longestRunningMs).toBe(1000);
  queue.done('a');
  expect(queue.longestRunningMs).toBe(300);
});

it('never works on a key twice at the same time and loses nothing, whatever is added when', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key, low: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 0, max: 50 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), key }) },
    { weight: 4, arbitrary: fc.constant({ do: 'take' as const }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), index: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new FakeClock();
      const queue = new WorkQueue({ clock, backoff: { initialMs: 10, maxMs: 30 } });
      const running: string[] = [];
      /** Keys that somebody asked for, and that were not begun since. */
      const owed = new Set<string>();
      const begin = (taken: string): void => {
        if (running.includes(taken)) {
          throw new Error(`"${taken}" is worked on twice`);
        }
        running.push(taken);
        owed.delete(taken);
      };
      const takeOne = async (): Promise<void> => begin((await queue.take())!);
      for (const each of steps) {
        if (each.do === 'add') {
          queue.add(each.key, { lowPriority: each.low });
          owed.add(each.key);
        } else if (each.do === 'addAfter') {
          queue.addAfter(each.key, each.ms);
          owed.add(each.key);
        } else if (each.do === 'fail') {
          queue.addRateLimited(each.key);
          owed.add(each.key);
        } else if (each.do === 'take' && queue.depth > 0) {
          await takeOne();
        } else if (each.do === 'done' && running.length > 0) {
          queue.done(running.splice(each.index % running.length, 1)[0]);
        } else if (each.do === 'wait') {
          await clock.advance(each.ms);
        }
      }
      await clock.advance(1_000);
      for (;;) {
        running.splice(0).forEach((each) => queue.done(each));
        if (queue.depth === 0) {
          break;
        }
        await takeOne();
      }
      expect([...owed]).toEqual([]);
      expect([queue.depth, queue.delayedCount, queue.processingCount]).toEqual([0, 0, 0]);
    }),
    { numRuns: 400 },
  );
});
