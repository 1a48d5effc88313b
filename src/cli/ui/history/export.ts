/** Exports a job of the history as a file: everything as JSON, or its metrics as CSV or OpenMetrics. */
import type { HistoryRun } from './history';
import { Refusal, type DownloadedFile } from '../server/answers';

/** @throws Refusal if the format is unknown */
export function exportOf(run: HistoryRun, format: string): DownloadedFile {
  const { row: { namespace, name, uid } } = run;
  const file = `${namespace}-${name}-${uid}`.replace(/[^\w.-]/g, '_');
  switch (format) {
    case 'json': return { name: `${file}.json`, type: 'application/json', content: `${JSON.stringify(run, undefined, 2)}\n` };
    case 'csv': return { name: `${file}.csv`, type: 'text/csv', content: csvOf(run) };
    case 'openmetrics': return { name: `${file}.txt`, type: 'application/openmetrics-text; version=1.0.0', content: openMetricsOf(run) };
    default: throw new Refusal(400, 'The format must be json, csv or openmetrics.');
  }
}

/** A row for each time, a column for each metric. @see https://www.rfc-editor.org/rfc/rfc4180 */
function csvOf({ points }: HistoryRun): string {
  const names = namesIn(points);
  const rows = points.map(({ time, metrics }) => [time, ...names.map((name) => metrics[name] ?? '')]);
  return [['time', ...names], ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** Spreadsheets treat text that begins with these characters as a formula, except numbers. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @see https://prometheus.io/docs/specs/om/open_metrics_spec */
function openMetricsOf({ row, points }: HistoryRun): string {
  const labels = (metric: string) => Object.entries({ namespace: row.namespace, job: row.name, uid: row.uid, metric })
    .map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`).join(',');
  const samples = namesIn(points).flatMap((metric) => points.flatMap(({ time, metrics }) => {
    const value = Number(metrics[metric] ?? NaN);
    return Number.isFinite(value) ? [`trainyard_job_metric{${labels(metric)}} ${value} ${Date.parse(time) / 1000}\n`] : [];
  }));
  return `# TYPE trainyard_job_metric gauge\n# HELP trainyard_job_metric Metric that the job reported.\n${samples.join('')}# EOF\n`;
}

function namesIn(points: HistoryRun['points']): readonly string[] {
  return [...new Set(points.flatMap(({ metrics }) => Object.keys(metrics)))].sort();
}
