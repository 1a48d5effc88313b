import { sleep, SystemClock } from '../../../../src/operator/runtime/process/clock';

describe('the clock of the machine', () => {
  it('takes delays that are longer than Node.js allows', async () => {
    const fired = jest.fn();
    const timers = [2 ** 31, 2 ** 40].map((delay) => new SystemClock().schedule(fired, delay));
    const never = new SystemClock().schedule(fired, Infinity);
    await new Promise((resolve) => setTimeout(resolve, 20));
    [...timers, never].forEach((timer) => timer.cancel());
    expect(fired).not.toHaveBeenCalled();
  });

  it('wakes a sleeper early when its signal aborts', async () => {
    const stop = new AbortController();
    const sleeping = sleep(new SystemClock(), 3_600_000, stop.signal);
    stop.abort();
    await sleeping;
    await sleep(new SystemClock(), 3_600_000, stop.signal);
  });
});
