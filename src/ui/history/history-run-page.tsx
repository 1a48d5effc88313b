/** A job of the history, which may be deleted. */
import { useState } from 'preact/hooks';
import { Actions } from '../actions';
import { Gaps } from './history-page';
import { JobDetails } from '../job-page';
import { useAnswer } from '../live';
import { LogLines } from '../logs';
import { State, Status } from '../parts';
import { moment } from '../words';
import type { UiHistoryRun } from '../../cli/ui/history/user-history';
import type { UiLogLine, UiSession } from '../../cli/ui/protocol';

const FORMATS = [['json', 'JSON'], ['csv', 'CSV'], ['openmetrics', 'OpenMetrics']] as const;

export function HistoryRunPage({ namespace, uid, session }: { readonly namespace: string; readonly uid: string; readonly session: UiSession }) {
  const query = new URLSearchParams({ namespace, uid }).toString();
  const { data, problem } = useAnswer<UiHistoryRun>(`api/history/run?${query}`);
  const [rank, setRank] = useState<number | undefined>();
  if (data === undefined) {
    return <><p><a href="#/history">History</a></p><Status problem={problem} /></>;
  }
  const { row, job, points, gaps, detail: { redacted, logs } } = data;
  const lines = rank === undefined ? logs : logs.filter((line) => line.rank === rank);
  // A status keeps few points; the history has all of them.
  const report = { ...job.report, status: { ...job.report.status, progressHistory: points, trainerStatus: undefined } };
  return (
    <>
      <p><a href="#/history">History</a></p>
      <h1>{row.name} <State state={row.state} phase={row.state} /></h1>
      <Status>{job.report.kind} in {row.namespace}, {row.deletedAt === undefined ? `as of ${moment(row.seenAt)}` : `deleted ${moment(row.deletedAt)}`}</Status>
      <Actions job={row.name} namespace={namespace} data={job} session={session} run={uid} />
      <p>Export: {FORMATS.map(([format, title]) => <><a href={`api/history/export?${query}&format=${format}`} download>{title}</a> </>)}</p>
      {redacted.length === 0 ? null : <p class="note">Looked like a secret and was not kept: {redacted.join(', ')}</p>}
      <Gaps gaps={gaps} />
      <JobDetails data={{ ...job, report }} now={row.endedAt ?? row.seenAt} rank={rank} onRank={setRank} logs={<LastLines lines={lines} />} />
    </>
  );
}

function LastLines({ lines }: { readonly lines: readonly UiLogLine[] }) {
  return lines.length === 0 ? null : (
    <details class="logs">
      <summary>Last lines</summary>
      <div class="log" tabIndex={0} role="log" aria-label="Log"><LogLines lines={lines} /></div>
    </details>
  );
}
