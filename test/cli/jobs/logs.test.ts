/** Lines of many containers as one log. */
import fc from 'fast-check';
import { LogMerger, compareTimes, logLine } from '../../../src/cli/jobs/pod-logs/log-lines';

test('a line is its time and its text', () => {
  expect(logLine('2026-11-27T08:00:00.123456789Z loss 0.25')).toEqual({ time: '2026-11-27T08:00:00.123456789Z', text: 'loss 0.25' });
  expect(logLine('2026-11-27T08:00:00Z ')).toEqual({ time: '2026-11-27T08:00:00Z', text: '' });
  expect(logLine('2026-11-27T10:00:00.5+02:00 x')).toEqual({ time: '2026-11-27T10:00:00.5+02:00', text: 'x' });
  expect(logLine('no time here')).toEqual({ time: '', text: 'no time here' });
});

test('times are compared to the nanosecond, whatever their zone and their digits', () => {
  const ordered = ['2026-11-27T08:00:00Z', '2026-11-27T08:00:00.000000001Z', '2026-11-27T10:00:00.1+02:00', '2026-11-27T08:00:00.100000001Z', '2026-11-27T08:00:01Z'];
  for (const [index, one] of ordered.entries()) {
    ordered.forEach((other, at) => expect(Math.sign(compareTimes(one, other))).toBe(Math.sign(index - at)));
  }
});

test('lines come in the order of their times, and those of one source as they were written', () => {
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  fc.assert(fc.property(fc.array(fc.array(fc.nat(1000), { maxLength: 20 }), { maxLength: 6 }), (sources) => {
    const written: { readonly time: string; readonly text: string }[] = [];
    const merger = new LogMerger(0, (line) => written.push(line));
    const all = sources.map((source, index) => [...source].sort((one, other) => one - other).map((at, line) => ({ time: time(at), text: `${index} ${line}` })));
    all.flat().forEach((line) => merger.add(line));
    merger.flush();
    expect(written).toHaveLength(all.flat().length);
    expect([...written].sort((one, other) => one.time.localeCompare(other.time)).map((line) => line.time)).toEqual(written.map((line) => line.time));
    all.forEach((source, index) => expect(written.filter(({ text }) => text.startsWith(`${index} `))).toEqual(source));
  }));
});
