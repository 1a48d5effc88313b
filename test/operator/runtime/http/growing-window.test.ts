import { inGrowingWindow } from '../../../../src/operator/runtime/http/growing-window';

const items = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Work that goes on until it is told how it went. */
function setUp() {
  const begun: { readonly item: number; readonly end: (well: boolean) => void }[] = [];
  const work = (item: number) => new Promise<boolean>((end) => begun.push({ item, end }));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { begun, work, settled };
}

describe('a growing window', () => {
  test('does everything once, in order of beginning', async () => {
    const done: number[] = [];
    await inGrowingWindow(items(100), 4, async (item) => {
      done.push(item);
      return true;
    });
    expect(done).toEqual(items(100));
  });

  test('begins with few, and with one more for each that went well', async () => {
    const { begun, work, settled } = setUp();
    const all = inGrowingWindow(items(100), 2, work);
    expect(begun.map(({ item }) => item)).toEqual([0, 1]);
    begun[0].end(true);
    await settled();
    expect(begun).toHaveLength(4);
    begun[1].end(true);
    await settled();
    expect(begun).toHaveLength(6);
    for (let index = 2; index < 100; index++) {
      begun[index].end(true);
      await settled();
    }
    await all;
    expect(begun).toHaveLength(100);
  });

  test('begins nothing more once one has failed, and waits for those that are under way', async () => {
    const { begun, work, settled } = setUp();
    let ended = false;
    const all = inGrowingWindow(items(100), 3, work).then(() => { ended = true; });
    begun[1].end(false);
    await settled();
    begun[0].end(true);
    await settled();
    expect([begun.length, ended]).toEqual([3, false]);
    begun[2].end(true);
    await all;
    expect(begun).toHaveLength(3);
  });

  test('has nothing to do for no items', async () => {
    await inGrowingWindow([], 16, async () => {
      throw new Error('there is nothing to do');
    });
  });
});

test('never begins more at once than it may', async () => {
  let under = 0;
  let most = 0;
  await inGrowingWindow(Array.from({ length: 50 }, (_, index) => index), 16, async () => {
    most = Math.max(most, ++under);
    await new Promise((resolve) => setImmediate(resolve));
    under--;
    return true;
  }, 3);
  expect(most).toBe(3);
});
