/** Test functions of global optimisation, as searches see them. */
import type { AutoTuningSpec, TuningParameterSpec } from '../../../src/model/training-job/fields/features';
import { resolveSearch, type FinishedTrial, type Search, type Trial } from '../../../src/model/tuning/search';
import { suggest } from '../../../src/model/tuning/suggest';

/** A function to minimise. */
export interface TestFunction {
  readonly parameters: { readonly [name: string]: TuningParameterSpec };
  readonly minimum: number;
  value(values: { readonly [name: string]: string }): number;
}

/** Two dimensions, three minima. @see https://www.sfu.ca/~ssurjano/branin.html */
export const BRANIN: TestFunction = {
  parameters: { x: { type: 'float', min: -5, max: 10 }, y: { type: 'float', min: 0, max: 15 } },
  minimum: 0.397887,
  value: (values) => {
    const [x, y] = [Number(values.x), Number(values.y)];
    return (y - 5.1 / (4 * Math.PI ** 2) * x ** 2 + 5 / Math.PI * x - 6) ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
  },
};

const WEIGHTS = [1, 1.2, 3, 3.2];
const SHAPES = [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]];
const CENTRES = [
  [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886], [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
  [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/** Six dimensions, six minima. @see https://www.sfu.ca/~ssurjano/hart6.html */
export const HARTMANN_6: TestFunction = {
  parameters: Object.fromEntries([1, 2, 3, 4, 5, 6].map((index): [string, TuningParameterSpec] => [`x${index}`, { type: 'float', min: 0, max: 1 }])),
  minimum: -3.32237,
  value: (values) => -WEIGHTS.reduce((sum, weight, row) => sum + weight * Math.exp(-SHAPES[row].reduce(
    (exponent, shape, column) => exponent + shape * (Number(values[`x${column + 1}`]) - CENTRES[row][column]) ** 2, 0)), 0),
};

/** A search that minimises, with the defaults of the tests. */
export function searchFor(parameters: TestFunction['parameters'], fields: Partial<AutoTuningSpec> = {}): Search {
  return resolveSearch({ objective: 'y', goal: 'minimize', seed: 1, ...fields, parameters }, 'uid');
}

/** Runs all trials of a search; `parallelTrials` of them are always under way, and end in the order in which they began. */
export function runSearch(search: Search, value: (values: { readonly [name: string]: string }, trial: Trial) => number | undefined): FinishedTrial[] {
  const finished: FinishedTrial[] = [];
  const active: Trial[] = [];
  for (let next = 1; finished.length < search.maxTrials;) {
    const trial = active.length < search.parallelTrials ? suggest(search, { finished, active, next }) : undefined;
    if (trial) {
      active.push(trial);
      next++;
      continue;
    }
    const ended = active.shift();
    if (ended === undefined) {
      break;
    }
    finished.push({ ...ended, value: value(search.space.valuesOf(ended.point), ended) });
  }
  return finished;
}

/** Distance of the best trial from the minimum. */
export function regret(test: TestFunction, fields: Partial<AutoTuningSpec>): number {
  const trials = runSearch(searchFor(test.parameters, fields), test.value);
  return Math.min(...trials.map(({ value }) => value!)) - test.minimum;
}
