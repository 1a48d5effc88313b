import { FakeClock } from '../support/fake-clock';
import { Watchdog } from '../../../../src/operator/runtime/process/watchdog';

describe('a watchdog', () => {
  it('barks once, at the first deadline that was not moved away', async () => {
    const clock = new FakeClock();
    const barks: string[] = [];
    const watchdog = new Watchdog(clock, (name) => barks.push(name));
    watchdog.expireIn('total', 1_000);
    watchdog.expireIn('silence', 100);
    await clock.advance(90);
    watchdog.expireIn('silence', 100);
    await clock.advance(90);
    expect(barks).toEqual([]);
    await clock.advance(2_000);
    expect(barks).toEqual(['silence']);
    const stopped = new Watchdog(clock, (name) => barks.push(name));
    stopped.expireIn('never', 10);
    stopped.stop();
    await clock.advance(100);
    expect(barks).toHaveLength(1);
  });
});
