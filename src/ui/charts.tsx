/** Metrics over time, from what the job's status keeps: at most 24 points that span the run, and the newest. */
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { TrainingJobStatus } from '../model/training-job/status/status';

interface Series {
  readonly name: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A chart for each metric that is a number. */
export function Charts({ status }: { readonly status: TrainingJobStatus }) {
  const all = seriesOf(status);
  return all.length === 0 ? null : (
    <section>
      <h2>Metrics</h2>
      <div class="charts">{all.map((series) => <Chart key={series.name} series={series} />)}</div>
    </section>
  );
}

function Chart({ series }: { readonly series: Series }) {
  const place = useRef<HTMLDivElement>(null);
  const { name, times, values } = series;
  const last = values[values.length - 1];
  useEffect(() => {
    if (values.length < 2) {
      return undefined;
    }
    const colour = getComputedStyle(place.current!).color;
    const axis = { stroke: colour, grid: { stroke: `${colour.replace('rgb(', 'rgba(').replace(')', ', 0.15)')}` } };
    const options: UPlot.Options = {
      width: Math.max(240, place.current!.clientWidth), height: 160, legend: { show: false }, scales: { x: { time: true } },
      axes: [axis, { ...axis, size: 60 }], series: [{}, { stroke: '#2f81f7', width: 2, points: { show: values.length < 30 } }],
    };
    const chart = new UPlot(options, [[...times], [...values]], place.current!);
    return () => chart.destroy();
  }, [`${times.length} ${times[times.length - 1]} ${last}`]);
  return (
    <figure>
      <figcaption>{name}: {last}</figcaption>
      {/* A single value has no course. */}
      <div hidden={values.length < 2} ref={place} role="img" aria-label={`${name}: ${values.length} values from ${Math.min(...values)} to ${Math.max(...values)}, last ${last}`} />
    </figure>
  );
}

function seriesOf({ progressHistory = [], trainerStatus, lastProgressTime }: TrainingJobStatus): readonly Series[] {
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
