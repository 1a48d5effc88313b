import fc from 'fast-check';
import { checkpointStatus, lastProgressTime, remainingSeconds, withProgress } from '../../../src/model/progress/progress-status';
import { HISTORY_METRICS, HISTORY_POINTS, type ProgressPoint, type TrainingJobStatus } from '../../../src/model/training-job/status/status';

const START = Date.parse('2026-01-31T12:00:00Z');
const at = (seconds: number) => START + seconds * 1000;
const reported = (progressPercentage?: number, metrics?: { name: string; value: string }[], estimatedRemainingSeconds?: number) => ({
  lastUpdatedTime: '2020-01-01T00:00:00Z', progressPercentage, metrics, estimatedRemainingSeconds,
});

/** A run that reports at these seconds. */
function run(reports: readonly (readonly [seconds: number, percentage?: number])[]): TrainingJobStatus {
  return reports.reduce<TrainingJobStatus>((status, [seconds, percentage]) => ({
    ...status, ...withProgress(status, reported(percentage), at(seconds)),
  }), {});
}

test('the time that is left is estimated from the pace, unless the script says it', () => {
  expect(run([[0, 0]]).trainerStatus!.estimatedRemainingSeconds).toBeUndefined();
  expect(run([[0, 0], [100, 10]]).trainerStatus!.estimatedRemainingSeconds).toBe(900);
  expect(run([[0, 0], [100, 10], [150, 20]]).trainerStatus!.estimatedRemainingSeconds).toBe(600);
  expect(run([[0, 5], [100, 5]]).trainerStatus!.estimatedRemainingSeconds).toBeUndefined();
  expect(run([[0, 50], [1, 100]]).trainerStatus!.estimatedRemainingSeconds).toBe(0);
  expect(withProgress(run([[0, 0]]), reported(50, undefined, 7), at(100)).trainerStatus.estimatedRemainingSeconds).toBe(7);
});

test('after a restart the pace is that of the attempt, not of the time before', () => {
  // 80 % in 80 s, then back to 40 % and at a tenth of the pace.
  expect(run([[0, 0], [80, 80], [100, 40], [200, 50]]).trainerStatus!.estimatedRemainingSeconds).toBe(500);
});

test('a report without a percentage tells nothing of the time that is left', () => {
  expect(run([[0, 0], [100, 10], [200]]).trainerStatus!.estimatedRemainingSeconds).toBeUndefined();
  expect(remainingSeconds([])).toBeUndefined();
});

test('progress is timed by the clock of whoever receives it', () => {
  const status = run([[10, 1]]);
  expect(lastProgressTime(status)).toBe(at(10));
  expect(lastProgressTime({ ...status, checkpoint: checkpointStatus({ path: '/c' }, at(20)) })).toBe(at(20));
  expect(lastProgressTime({})).toBeUndefined();
  expect(checkpointStatus({ path: '/c', step: 3 }, at(20))).toEqual({ path: '/c', step: 3, time: '2026-01-31T12:00:20Z' });
});

test('a point keeps the first metrics that are numbers, shortened', () => {
  const metrics = [
    { name: 'model', value: 'resnet' }, { name: 'loss', value: '0.123456789' }, { name: 'lr', value: '1e-4' }, { name: 'nan', value: 'NaN' },
    ...Array.from({ length: 20 }, (_, index) => ({ name: `m${index}`, value: String(index) })),
  ];
  const [point] = withProgress({}, reported(undefined, metrics), START).progressHistory;
  expect(Object.keys(point.metrics!)).toHaveLength(HISTORY_METRICS);
  expect(point.metrics).toMatchObject({ loss: '0.123457', lr: '1e-4', m0: '0' });
  expect(point).not.toHaveProperty('progressPercentage');
});

test('two reports within a second are one point, the later one', () => {
  expect(run([[0, 1], [0.4, 2], [1, 3]]).progressHistory).toEqual([
    { time: '2026-01-31T12:00:00Z', progressPercentage: 2 }, { time: '2026-01-31T12:00:01Z', progressPercentage: 3 },
  ]);
});

test('the history is bounded, in order, keeps its first and newest points, and spans the run without a large hole', () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 1, maxLength: 300 }), (gaps) => {
    let seconds = 0;
    const reports = [[0, 0], ...gaps.map((gap) => [seconds += gap, 1])] as [number, number][];
    const times = run(reports).progressHistory!.map((point: ProgressPoint) => Date.parse(point.time));
    expect(times.length).toBe(Math.min(HISTORY_POINTS, reports.length));
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(times[0]).toBe(at(0));
    expect(times.slice(-2)).toEqual(reports.slice(-2).map(([when]) => at(when)));
    const widest = Math.max(...times.slice(1).map((time, index) => time - times[index]));
    expect(widest).toBeLessThanOrEqual(Math.max(60_000, 5 * (times.at(-1)! - times[0]) / HISTORY_POINTS));
  }));
});

test('the largest history has less than 20 KiB', () => {
  const metrics = Array.from({ length: 256 }, (_, index) => ({ name: `${index}`.padEnd(64, 'n'), value: `0.${'9'.repeat(60)}${index % 10}` }));
  let status: TrainingJobStatus = {};
  for (let index = 0; index < 100; index++) {
    status = { ...status, ...withProgress(status, reported(index, metrics), at(index * 10)) };
  }
  expect(JSON.stringify(status.progressHistory).length).toBeLessThan(20 * 1024);
});
