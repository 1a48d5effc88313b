import { exportOf } from '../../../../src/cli/ui/history/export';
import type { HistoryRun } from '../../../../src/cli/ui/history/history';

const RUN = {
  row: { uid: 'u-1', namespace: 'team', name: 'train', framework: 'pytorch', state: 'Succeeded', createdAt: 0, seenAt: 0, version: '1' },
  points: [
    { time: '2026-11-27T10:00:00.000Z', metrics: { 'loss': '0.5', '=cmd()': '-1', 'say "hi"\n': 'x,y' } },
    { time: '2026-11-27T10:01:00.000Z', metrics: { loss: 'NaN', accuracy: '0.9' } },
  ],
  events: [], gaps: [],
} as unknown as HistoryRun;

test('CSV has a column for each metric, and no formulas', () => {
  const { name, content } = exportOf(RUN, 'csv');
  expect(name).toBe('team-train-u-1.csv');
  expect(content).toBe([
    'time,\'=cmd(),accuracy,loss,"say ""hi""\n"',
    '2026-11-27T10:00:00.000Z,-1,,0.5,"x,y"',
    '2026-11-27T10:01:00.000Z,,0.9,NaN,',
    '',
  ].join('\r\n'));
});

test('OpenMetrics has the numbers, with names as labels, and ends with its mark', () => {
  const lines = exportOf(RUN, 'openmetrics').content.split('\n');
  expect(lines).toContain('trainyard_job_metric{namespace="team",job="train",uid="u-1",metric="loss"} 0.5 1795773600');
  expect(lines.filter((line) => line.startsWith('trainyard_job_metric'))).toHaveLength(3);
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
});

test('JSON is the whole job, and other formats are refused', () => {
  expect(JSON.parse(exportOf(RUN, 'json').content)).toEqual(RUN);
  expect(() => exportOf(RUN, 'xml')).toThrow('must be json, csv or openmetrics');
});
