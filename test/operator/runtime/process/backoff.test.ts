import { Backoff, backoffDelay } from '../../../../src/operator/runtime/process/backoff';

describe('backoff', () => {
  it('doubles to its cap, shortened by jitter only, and starts over', () => {
    const backoff = new Backoff({ initialMs: 100, maxMs: 350, jitter: 0.2 }, () => 0.5);
    expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([90, 180, 315]);
    expect(backoff.failures).toBe(3);
    backoff.reset();
    expect(backoff.next()).toBe(90);
    expect(backoffDelay(5_000, { initialMs: 1, maxMs: 10, jitter: 0 })).toBe(10);
  });
});
