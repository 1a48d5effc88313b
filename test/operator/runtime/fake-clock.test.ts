import { FakeClock } from './support/fake-clock';

describe('the fake clock', () => {
  it('fires timers in order of their time, those that were set meanwhile included', async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    clock.schedule(() => fired.push('late'), 20);
    clock.schedule(() => {
      fired.push('early');
      clock.schedule(() => fired.push('middle'), 5);
    }, 10);
    clock.schedule(() => fired.push('cancelled'), 1).cancel();
    await clock.advance(20);
    expect(fired).toEqual(['early', 'middle', 'late']);
    expect(clock.now() - Date.UTC(2030, 0, 1)).toBe(20);
  });
});
