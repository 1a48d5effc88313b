import fc from 'fast-check';
import { validateSchedule } from '../../src/model/schedules';
import { computingMs, LITTLE_MS } from '../support/cpu-time';

const problems = (schedule: string, timeZone?: string) => validateSchedule({ schedule, timeZone }, 'spec.schedule').map(({ path, message }) => `${path}: ${message}`);

describe('a schedule is taken', () => {
  test.each([
    '0 3 * * *', '*/15 * * * *', '0 0 1,15 * 1-5', '0 0 ? * MON', '5/10 8-18/2 * jan-mar sun', '0 0 29 2 *', '0 0 31 * *', '0 0 30 2 1', '@daily', '@every 1h30m', '@every 90s',
  ])('%s', (schedule) => {
    expect(problems(schedule)).toEqual([]);
  });
});

describe('a schedule is refused', () => {
  test.each([
    ['0 3 * *', /must have five fields .* but it has 4/],
    ['0 0 3 * * *', /must have five fields .* but it has 6/],
    ['60 3 * * *', /has '60' as its minute, which must be a number from 0 to 59/],
    ['0 24 * * *', /has '24' as its hour/],
    ['0 3 0 * *', /has '0' as its day of the month/],
    ['0 3 * 13 *', /has '13' as its month/],
    ['0 3 * * 7', /has '7' as its day of the week.* Sunday is 0\./],
    ['0 3 * * mo', /has 'mo' as its day of the week/],
    ['*/0 * * * *', /has '\*\/0' as its minute/],
    ['*/00 * * * *', /has '\*\/00' as its minute/],
    ['1-5/000 * * * *', /has '1-5\/000' as its minute/],
    ['30-10 * * * *', /has '30-10' as its minute/],
    ['1,,2 * * * *', /has '1,,2' as its minute/],
    ['0 0 30 2 *', /never fires: day 30 does not exist in its months \(2\)/],
    ['0 0 31 apr,jun *', /never fires/],
    ['@dayly', /must be one of .* Did you mean '@daily'\?/],
    ['@every day', /@every with a duration such as 6h30m/],
    ['CRON_TZ=UTC 0 3 * * *', /Use timeZone/],
  ])('%s', (schedule, problem) => {
    expect(problems(schedule)).toEqual([expect.stringMatching(problem)]);
  });

  test.each(['Mars/Olympus', '+01:00', ''])('with the time zone %s', (timeZone) => {
    expect(problems('@daily', timeZone)).toEqual([expect.stringMatching(/^spec\.timeZone: is not a time zone/)]);
  });
});

test.each(['Europe/Berlin', 'Etc/UTC', 'UTC', 'US/Pacific'])('%s is a time zone', (timeZone) => {
  expect(problems('@daily', timeZone)).toEqual([]);
});

test('numbers within their ranges make a schedule, with lists, ranges and steps of them', () => {
  const part = (min: number, max: number) => fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 1, max }).map((step) => `*/${step}`),
  );
  const list = (min: number, max: number) => fc.array(part(min, max), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
  fc.assert(fc.property(list(0, 59), list(0, 23), list(1, 28), list(1, 12), list(0, 6), (...fields) => {
    expect(problems(fields.join(' '))).toEqual([]);
  }));
});

test('a long list or step is refused, without a look at each of its items', () => {
  for (const schedule of [`0 0 ${'31,'.repeat(100_000)}31 ${'2,'.repeat(100_000)}2 *`, `${'*,'.repeat(100_000)}* * * * *`, `*/${'9'.repeat(100_000)} * * * *`, `*/${'0'.repeat(100_000)} * * * *`]) {
    expect(problems(schedule)).toEqual([expect.stringMatching(/has \d+ characters, and the maximum is 1000/)]);
    expect(computingMs(() => problems(schedule))).toBeLessThan(LITTLE_MS);
  }
});
