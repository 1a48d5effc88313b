import { RequestLimiter } from '../../../../src/operator/runtime/http/request-limiter';

describe('a request limiter', () => {
  it('passes places on in order, also after a failure', async () => {
    const limiter = new RequestLimiter(1);
    const order: number[] = [];
    const tasks = [0, 1, 2, 3].map((index) =>
      limiter
        .run(async () => {
          order.push(index);
          await Promise.resolve();
          if (index === 1) {
            throw new Error('failed');
          }
        })
        .catch(() => undefined),
    );
    expect(limiter.waitingCount).toBe(3);
    await Promise.all(tasks);
    expect(order).toEqual([0, 1, 2, 3]);
    expect(() => new RequestLimiter(0)).toThrow('it must be a whole number of at least 1');
  });
});
