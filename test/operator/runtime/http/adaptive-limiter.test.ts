import { AdaptiveLimiter } from '../../../../src/operator/runtime/http/adaptive-limiter';
import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import { FakeClock } from '../support/fake-clock';

let clock: FakeClock;
let limiter: AdaptiveLimiter;

/** A request that takes this long. */
const taking = (ms: number) => async () => new Promise<void>((resolve) => { clock.schedule(resolve, ms); });

async function busy(): Promise<never> {
  throw new ApiError('create pods "a"', 429, { message: 'too many requests' });
}

beforeEach(() => {
  clock = new FakeClock();
  limiter = new AdaptiveLimiter(128, clock);
});

describe('the limit of requests in flight', () => {
  it('is halved while Lease requests are slow, before they end, and once for all that were sent together', async () => {
    const together = [limiter.urgent(taking(3_000)), limiter.urgent(taking(3_000)), limiter.urgent(taking(3_000))];
    await clock.advance(999);
    expect(limiter.limit).toBe(128);
    await clock.advance(2);
    expect(limiter.limit).toBe(64);
    await clock.advance(2_000);
    await Promise.all(together);
    expect(limiter.limit).toBe(64);
    for (let times = 0; times < 10; times++) {
      const next = limiter.urgent(taking(2_000));
      await clock.advance(2_000);
      await next;
    }
    expect(limiter.limit).toBe(8);
  });

  it('grows with quick Lease requests up to what is configured, and stays with those in between', async () => {
    const slow = limiter.urgent(taking(1_500));
    await clock.advance(1_500);
    await slow;
    const between = limiter.urgent(taking(500));
    await clock.advance(500);
    await between;
    expect(limiter.limit).toBe(64);
    for (const limit of [80, 96, 112, 128, 128]) {
      await limiter.urgent(async () => undefined);
      expect(limiter.limit).toBe(limit);
    }
  });

  it('is halved by 429, once for the requests that were sent before, and grows by one for as many successful ones as it allows', async () => {
    await Promise.allSettled([limiter.limited(busy), limiter.limited(busy)]);
    expect(limiter.limit).toBe(64);
    for (let sent = 0; sent < 66; sent++) {
      await limiter.limited(async () => undefined);
    }
    expect(limiter.limit).toBe(65);
  });

  it('is never above a small configured one', async () => {
    limiter = new AdaptiveLimiter(2, clock);
    await expect(limiter.limited(busy)).rejects.toThrow('too many requests');
    expect(limiter.limit).toBe(2);
  });

  it('lets those that wait begin when it grows', async () => {
    const slow = limiter.urgent(taking(1_500));
    await clock.advance(1_500);
    await slow;
    let started = 0;
    const all = Array.from({ length: 100 }, async () => limiter.limited(async () => {
      started++;
      await taking(100)();
    }));
    await clock.advance(0);
    expect(started).toBe(64);
    await limiter.urgent(async () => undefined);
    await clock.advance(0);
    expect(started).toBe(80);
    await clock.advance(1_000);
    await Promise.all(all);
  });
});
