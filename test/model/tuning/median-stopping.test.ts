import { searchFor } from './functions';
import { curveOf, medianStop } from '../../../src/model/tuning/median-stopping';
import type { ProgressPoint } from '../../../src/model/training-job/status/status';

type Report = readonly [progress: number, value: number];

const history = (...reports: readonly Report[]): ProgressPoint[] => reports.map(([progressPercentage, value]) => ({
  time: '2026-01-01T00:00:00Z', progressPercentage, metrics: { y: String(value) },
}));
const search = (fields: object = {}) => searchFor({ x: { type: 'float', min: 0, max: 1 } }, { goal: 'maximize', earlyStopping: { minTrials: 3 }, ...fields });
const CURVES = [0.4, 0.5, 0.6].map((value) => curveOf(history([10, value], [50, value], [100, value]), 'y'));

test('a curve has the average up to each tenth, and nothing before the first report', () => {
  expect(curveOf(history([15, 1], [35, 3], [95, 8]), 'y')).toEqual([null, 1, 1, 2, 2, 2, 2, 2, 2]);
});

test('a trial that is worse than the median ends, with its last value', () => {
  expect(medianStop(search(), history([10, 0.2], [30, 0.3]), CURVES)).toEqual({ value: 0.3, median: 0.5 });
  expect(medianStop(search({ goal: 'minimize' }), history([10, 0.9], [30, 0.7]), CURVES)).toEqual({ value: 0.7, median: 0.5 });
});

test.each([
  ['was better once', search(), history([10, 0.55], [30, 0.1]), CURVES],
  ['is as good', search(), history([30, 0.5]), CURVES],
  ['has only begun', search(), history([19, 0.1]), CURVES],
  ['is done', search(), history([100, 0.1]), CURVES],
  ['says nothing', search(), [], CURVES],
  ['has too few before it', search(), history([50, 0.1]), CURVES.slice(0, 2)],
  ['is of a search without the rule', search({ earlyStopping: undefined }), history([50, 0.1]), CURVES],
  ['is of a search with the rule switched off', search({ earlyStopping: { enabled: false } }), history([50, 0.1]), CURVES],
])('a trial that %s goes on', (_what, rule, reports, curves) => {
  expect(medianStop(rule, reports, curves)).toBeUndefined();
});
