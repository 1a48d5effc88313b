/** Compares two to four jobs of the history: differences of their specs, and their metrics in the same charts. */
import { Chart, COLOURS, seriesOf, type Series } from '../charts';
import { useAnswer } from '../live';
import { State, Status, Table } from '../parts';
import { runAddress } from '../words';
import type { UiHistoryRun } from '../../cli/ui/history/user-history';

export function ComparePage({ query }: { readonly query: URLSearchParams }) {
  const { data, problem } = useAnswer<readonly UiHistoryRun[]>(`api/history/compare?${new URLSearchParams(query.getAll('run').map((run) => ['run', run])).toString()}`);
  if (data === undefined) {
    return <><p><a href="#/history">History</a></p><Status problem={problem} /></>;
  }
  const specs = data.map(({ detail }) => fieldsOf(detail.object.spec, ''));
  const fields = [...new Set(specs.flatMap((spec) => [...spec.keys()]))];
  const differing = fields.filter((field) => new Set(specs.map((spec) => spec.get(field))).size > 1).sort();
  const series = data.map(({ row, points }) => sinceStart(seriesOf({ progressHistory: points }), row.createdAt / 1000));
  const metrics = [...new Set(series.flatMap((own) => own.map(({ name }) => name)))].sort();
  return (
    <>
      <p><a href="#/history">History</a></p>
      <h1>Compare</h1>
      <Table label="Differences" head={['Field', ...data.map(({ row }, index) => (
        <><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" fill={COLOURS[index]} /></svg>{' '}<a href={runAddress(row)}>{row.name}</a></>
      ))]}>
        <tr><td>State</td>{data.map(({ row }) => <td key={row.uid}><State state={row.state} phase={row.state} /></td>)}</tr>
        {differing.map((field) => <tr key={field}><td>{field}</td>{specs.map((spec, index) => <td key={index} class="why">{spec.get(field)}</td>)}</tr>)}
      </Table>
      {differing.length === 0 ? <p class="empty">Their specs are equal.</p> : null}
      {metrics.length === 0 ? null : <h2>Metrics, by seconds since the job was created</h2>}
      <div class="charts">{metrics.map((name) => (
        <Chart key={name} name={name} isElapsed
          lines={series.map((own) => own.find((line) => line.name === name) ?? { name, times: [], values: [] })} />
      ))}</div>
    </>
  );
}

function sinceStart(all: readonly Series[], start: number): readonly Series[] {
  return all.map((series) => ({ ...series, times: series.times.map((time) => time - start) }));
}

/** Values of a spec by their paths. */
function fieldsOf(value: unknown, path: string): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) {
    return new Map([[path, String(value)]]);
  }
  return new Map(Object.entries(value).flatMap(([field, inner]) => [...fieldsOf(inner, path === '' ? field : `${path}.${field}`)]));
}
