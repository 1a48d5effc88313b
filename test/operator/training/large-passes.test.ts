import { LargePasses } from '../../../src/operator/training/large-passes';

/** A pass that lasts until it is told to end. */
function pass() {
  let end!: (error?: Error) => void;
  const ended = new Promise<string>((resolve, reject) => { end = (error) => (error === undefined ? resolve('done') : reject(error)); });
  const begun = jest.fn(async () => ended);
  return { begun, end };
}

function setUp() {
  const woken: string[] = [];
  const passes = new LargePasses((key) => woken.push(key), 10);
  return { passes, woken };
}

test('large jobs share the room, and the next is queued when one ends', async () => {
  const { passes, woken } = setUp();
  const [a, b, c] = [pass(), pass(), pass()];
  const first = passes.run('a', 6, a.begun);
  const second = passes.run('b', 4, b.begun);
  expect(await passes.run('c', 4, c.begun)).toBeUndefined();
  expect([a.begun, b.begun, c.begun].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  b.end();
  expect(await second).toBe('done');
  expect(woken).toEqual(['c']);
  const third = passes.run('c', 4, c.begun);
  expect(c.begun).toHaveBeenCalledTimes(1);
  a.end();
  c.end();
  expect(await Promise.all([first, third])).toEqual(['done', 'done']);
  expect([woken, passes.waitingCount]).toEqual([['c'], 0]);
});

test('jobs of ordinary size never wait', async () => {
  const { passes } = setUp();
  const large = pass();
  const running = passes.run('large', 10, large.begun);
  await passes.run('other', 10, pass().begun);
  expect(await passes.run('small', 0, async () => 'at once')).toBe('at once');
  large.end();
  await running;
});

test('one that is larger than all of the room has it alone', async () => {
  const { passes, woken } = setUp();
  const [huge, next] = [pass(), pass()];
  const running = passes.run('huge', 100, huge.begun);
  expect(huge.begun).toHaveBeenCalled();
  await passes.run('next', 1, next.begun);
  expect(next.begun).not.toHaveBeenCalled();
  huge.end();
  await running;
  expect(woken).toEqual(['next']);
});

test('they come in the order in which they first asked, and none overtakes one that needs more room', async () => {
  const { passes, woken } = setUp();
  const [a, b] = [pass(), pass()];
  const running = [passes.run('a', 5, a.begun), passes.run('b', 5, b.begun)];
  await passes.run('large', 8, pass().begun);
  await passes.run('little', 1, pass().begun);
  await passes.run('large', 8, pass().begun);
  a.end();
  await running[0];
  expect(woken).toEqual([]);
  b.end();
  await running[1];
  expect(woken).toEqual(['large', 'little']);
});

test('a pass that fails gives its place back', async () => {
  const { passes, woken } = setUp();
  const a = pass();
  const running = passes.run('a', 10, a.begun);
  await passes.run('b', 10, pass().begun);
  a.end(new Error('refused'));
  await expect(running).rejects.toThrow('refused');
  expect(woken).toEqual(['b']);
});

test('a job that is gone when its turn comes gives its place back, and one that is gone before gives up its turn', async () => {
  const { passes, woken } = setUp();
  const a = pass();
  const running = passes.run('a', 10, a.begun);
  for (const key of ['b', 'c', 'd']) {
    await passes.run(key, 10, pass().begun);
  }
  await passes.run('c', 0, async () => 'gone');
  a.end();
  await running;
  expect(woken).toEqual(['b']);
  await passes.run('b', 0, async () => 'gone');
  expect(woken).toEqual(['b', 'd']);
});
