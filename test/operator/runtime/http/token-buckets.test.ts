import { TokenBuckets } from '../../../../src/operator/runtime/http/token-buckets';
import { FakeClock } from '../support/fake-clock';

function taken(buckets: TokenBuckets, key: string, tries: number): number {
  let count = 0;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (buckets.waitMs(key) === 0) {
      buckets.take(key);
      count++;
    }
  }
  return count;
}

test('a key gets its burst at once, then its rate, and another key is not asked to pay for it', async () => {
  const clock = new FakeClock();
  const buckets = new TokenBuckets({ perSecond: 10, burst: 20, clock });
  expect(taken(buckets, 'a', 1_000)).toBe(20);
  expect(buckets.waitMs('a')).toBe(100);
  expect(taken(buckets, 'b', 5)).toBe(5);
  await clock.advance(1_000);
  expect(taken(buckets, 'a', 1_000)).toBe(10);
});

test('a token that is given back can be taken again, and a full bucket is forgotten', async () => {
  const clock = new FakeClock();
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1, clock });
  buckets.take('a');
  expect(buckets.waitMs('a')).toBe(1_000);
  buckets.giveBack('a');
  expect(buckets.waitMs('a')).toBe(0);
  expect(buckets.size).toBe(0);
});

test('only so many keys are remembered', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 2, max: 10, clock: new FakeClock() });
  for (let key = 0; key < 1_000; key++) {
    buckets.take(String(key));
  }
  expect(buckets.size).toBe(10);
});
