/** Charts of a search as SVG, each with a description for screen readers. */
import type { UiParameter, UiSearch, UiTrial } from '../../cli/ui/searches';

/** Size of a chart, and space for text at its edges; user units of the SVG. */
const [WIDTH, HEIGHT, EDGE] = [480, 220, 34];

type Valued = UiTrial & { readonly value: number };

/** Trials with values, and the range of these. */
interface ChartData {
  readonly search: UiSearch;
  readonly trials: readonly Valued[];
  readonly min: number;
  readonly max: number;
}

/** Both charts; none without values. */
export function SearchCharts({ search }: { readonly search: UiSearch }) {
  const trials = search.trials.filter((trial): trial is Valued => trial.value !== undefined);
  const values = trials.map(({ value }) => value);
  const data = { search, trials, min: Math.min(...values), max: Math.max(...values) };
  return <div class="charts">{trials.length === 0 ? null : <><BestSoFar {...data} /><ParallelCoordinates {...data} /></>}</div>;
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Position of a value in a range, from 0 to 1; 0.5 if the range is empty. */
function between(value: number, min: number, max: number): number {
  return max > min ? (value - min) / (max - min) : 0.5;
}

/** Each trial as a point, and the best value so far as a line. */
function BestSoFar({ search: { goal, objective }, trials, min, max }: ChartData) {
  const [first, last] = [trials[0].number, trials[trials.length - 1].number];
  const x = (number: number) => EDGE * 1.6 + between(number, first, last) * (WIDTH - EDGE * 2);
  const y = (value: number) => HEIGHT - EDGE - between(value, min, max) * (HEIGHT - EDGE * 1.6);
  let best: number | undefined;
  const steps = trials.flatMap(({ number, value, state }) => {
    const before = best;
    best = state === 'succeeded' && (best === undefined || (goal === 'maximize' ? value > best : value < best)) ? value : best;
    return best === undefined ? [] : [...(before === undefined ? [] : [`${x(number)},${y(before)}`]), `${x(number)},${y(best)}`];
  });
  const words = `${trials.length} trials, from ${short(min)} to ${short(max)}${best === undefined ? '' : `, best ${short(best)}`}`;
  return (
    <figure>
      <figcaption>Best {objective} so far</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <text x={EDGE * 1.5} y={y(max) + 4} text-anchor="end">{short(max)}</text>
        {max > min ? <text x={EDGE * 1.5} y={y(min) + 4} text-anchor="end">{short(min)}</text> : null}
        <text x={x(first)} y={HEIGHT - 10} text-anchor="middle">{first}</text>
        {last > first ? <text x={x(last)} y={HEIGHT - 10} text-anchor="middle">{last}</text> : null}
        <polyline class="best" points={steps.join(' ')} />
        {trials.map((trial) => (
          <circle key={trial.number} class={trial.state} cx={x(trial.number)} cy={y(trial.value)} r={4}>
            <title>{titleOf(trial, objective)}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}

function titleOf({ number, state, value, values }: UiTrial, objective: string): string {
  const words = Object.entries(values).map(([name, text]) => `${name}=${text}`).join(', ');
  return `trial ${number}, ${state}${value === undefined ? '' : `, ${objective} ${short(value)}`}: ${words}`;
}

/** An axis of the parallel coordinates: the labels of its ends, and the position of a trial, from 0 to 1. */
interface Axis {
  readonly name: string;
  readonly low: string;
  readonly high: string;
  readonly at: (trial: Valued) => number;
}

function axisOf({ name, min = 0, max = 0, isLog = false, values }: UiParameter): Axis {
  if (values !== undefined) {
    return { name, low: values[0] ?? '', high: values[values.length - 1] ?? '', at: (trial) => between(values.indexOf(trial.values[name]), 0, values.length - 1) };
  }
  const scaled = (value: number) => (isLog && min > 0 ? Math.log(value) : value);
  return { name, low: String(min), high: String(max), at: (trial) => between(scaled(Number(trial.values[name])), scaled(min), scaled(max)) };
}

/** A line for each trial through the axes of its parameters to its objective; better ones are more opaque. */
function ParallelCoordinates({ search: { goal, objective, best, parameters }, trials, min, max }: ChartData) {
  const axes: readonly Axis[] = [
    ...parameters.map(axisOf), { name: objective, low: short(min), high: short(max), at: ({ value }) => between(value, min, max) },
  ];
  const x = (index: number) => EDGE + between(index, 0, axes.length - 1) * (WIDTH - EDGE * 2);
  const y = (part: number) => HEIGHT - EDGE - Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0)) * (HEIGHT - EDGE * 2);
  const goodness = ({ value }: Valued) => (goal === 'maximize' ? between(value, min, max) : 1 - between(value, min, max));
  const ordered = [...trials].sort((one, other) => goodness(one) - goodness(other));
  const isEven = (index: number) => axes.length <= 6 || index % 2 === 0;
  return (
    <figure>
      <figcaption>Parameters and {objective}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Parallel coordinates of ${trials.length} trials: ${axes.map(({ name, low, high }) => `${name} from ${low} to ${high}`).join('; ')}`}>
        {axes.map(({ name, low, high }, index) => (
          <g key={name}>
            <line class="axis" x1={x(index)} x2={x(index)} y1={y(0)} y2={y(1)} />
            {isEven(index) ? <text x={x(index)} y={12} text-anchor={anchor(index, axes.length)}>{name}</text> : null}
            <text x={x(index)} y={y(1) - 6} text-anchor={anchor(index, axes.length)}>{high}</text>
            <text x={x(index)} y={y(0) + 14} text-anchor={anchor(index, axes.length)}>{low}</text>
          </g>
        ))}
        {ordered.map((trial) => (
          <polyline key={trial.number} class={trial.number === best?.number ? 'trial best' : `trial ${trial.state}`} stroke-opacity={0.15 + 0.75 * goodness(trial)}
            points={axes.map(({ at }, index) => `${x(index)},${y(at(trial))}`).join(' ')}><title>{titleOf(trial, objective)}</title></polyline>
        ))}
      </svg>
    </figure>
  );
}

/** Keeps text at the edges inside the chart. */
function anchor(index: number, count: number): 'start' | 'middle' | 'end' {
  return index === 0 ? 'start' : index === count - 1 ? 'end' : 'middle';
}
