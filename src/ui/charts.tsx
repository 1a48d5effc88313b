/** Metrics over time: from the job's status, which keeps the newest point and at most 24 that span the run, or from the history. */
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { TrainingJobStatus } from '../model/training-job/status/status';

/** A line of a chart. */
export interface Series {
  readonly name: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A chart for each numeric metric. */
export function Charts({ status }: { readonly status: TrainingJobStatus }) {
  const all = seriesOf(status);
  return all.length === 0 ? null : (
    <section>
      <h2>Metrics</h2>
      <div class="charts">{all.map((series) => <Chart key={series.name} name={series.name} lines={[series]} />)}</div>
    </section>
  );
}

/** Colours of the lines, in order. */
export const COLOURS = ['#2f81f7', '#db6d28', '#2da44e', '#a371f7'];

/** Lines over time, or over the seconds since the start of each line. */
export function Chart({ name, lines, isElapsed = false }: {
  readonly name: string; readonly lines: readonly Series[]; readonly isElapsed?: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  const values = lines.flatMap((line) => line.values);
  const isDrawn = lines.some((line) => line.values.length > 1);
  useEffect(() => {
    if (!isDrawn) {
      return undefined;
    }
    const colour = getComputedStyle(place.current!).color;
    const axis = { stroke: colour, grid: { stroke: `${colour.replace('rgb(', 'rgba(').replace(')', ', 0.15)')}` } };
    const options: UPlot.Options = {
      width: Math.max(240, place.current!.clientWidth), height: 160, legend: { show: false }, scales: { x: { time: !isElapsed } },
      axes: [axis, { ...axis, size: 60 }],
      series: [{}, ...lines.map((line, index) => ({
        stroke: COLOURS[index % COLOURS.length], width: 2, spanGaps: true, points: { show: line.values.length < 30 },
      }))],
    };
    const chart = new UPlot(options, UPlot.join(lines.map((line): UPlot.AlignedData => [[...line.times], [...line.values]])), place.current!);
    return () => chart.destroy();
  }, [lines.map(({ times, values: own }) => `${times.length} ${times.at(-1)} ${own.at(-1)}`).join()]);
  const lasts = lines.map((line) => line.values.at(-1)).join(', ');
  return (
    <figure>
      <figcaption>{name}: {lasts}</figcaption>
      {/* A single value is not drawn. */}
      <div hidden={!isDrawn} ref={place} role="img" aria-label={`${name}: ${values.length} values from ${lowest(values)} to ${lowest(values, -1)}, last ${lasts}`} />
    </figure>
  );
}

/** The lowest value, or with -1 the highest. `Math.min` fails for thousands of arguments. */
function lowest(values: readonly number[], sign = 1): number {
  return sign * values.reduce((least, value) => Math.min(least, sign * value), Infinity);
}

/** The numeric metrics. */
export function seriesOf({ progressHistory = [], trainerStatus, lastProgressTime }: TrainingJobStatus): readonly Series[] {
  const newest = Object.fromEntries((trainerStatus?.metrics ?? []).map(({ name, value }) => [name, value]));
  const newestTime = trainerStatus?.lastUpdatedTime ?? lastProgressTime;
  const last = newestTime === undefined ? [] : [{ time: newestTime, metrics: newest }];
  const points = [...progressHistory.filter(({ time }) => time !== newestTime), ...last];
  const names = [...new Set(points.flatMap(({ metrics = {} }) => Object.keys(metrics)))];
  return names.map((name): Series => {
    const own = points.map(({ time, metrics }) => ({ time: Date.parse(time) / 1000, value: Number(metrics?.[name] ?? NaN) }))
      .filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value)).sort((one, other) => one.time - other.time);
    return { name, times: own.map(({ time }) => time), values: own.map(({ value }) => value) };
  }).filter(({ values }) => values.length > 0);
}
