/** A job: its state and the causes, replicas, metrics, timeline, logs, and its object. */
import { useState } from 'preact/hooks';
import { Actions } from './actions';
import { Charts } from './charts';
import { Logs } from './logs';
import { useLive, useNow } from './live';
import { Notes, Progress, State, Status } from './parts';
import { Replicas } from './replicas';
import { age, moment } from './words';
import type { UiJob, UiSession } from '../cli/ui/protocol';
import type { TrainingJobStatus } from '../model/training-job/status/status';
import { elapsed } from '../model/text/times';

export function JobPage({ namespace, job, session }: { readonly namespace: string; readonly job: string; readonly session: UiSession }) {
  const query = `job=${encodeURIComponent(job)}&namespace=${encodeURIComponent(namespace)}`;
  const { data, problem } = useLive<UiJob>(`api/job?${query}`, 'job');
  const now = useNow();
  const [rank, setRank] = useState<number | undefined>();
  if (data === undefined) {
    return <><p><a href="#/">All jobs</a></p><Status problem={problem} /></>;
  }
  const { report } = data;
  return (
    <>
      <p><a href="#/">All jobs</a></p>
      <h1>{report.name} <State state={report.state} phase={report.phase} /></h1>
      <Status problem={problem}>{report.kind} in {report.namespace}, live</Status>
      <Actions job={job} namespace={namespace} data={data} session={session} />
      <JobDetails data={data} now={now} rank={rank} onRank={setRank} logs={<Logs query={query} rank={rank} onAll={() => setRank(undefined)} />} />
    </>
  );
}

/** Details of a job, also of a deleted one. @param now the time for its age, in milliseconds since 1970 */
export function JobDetails({ data: { report, yaml }, now, rank, onRank, logs }: {
  readonly data: UiJob; readonly now: number; readonly rank?: number; readonly onRank: (rank: number | undefined) => void;
  readonly logs: preact.ComponentChildren;
}) {
  const status = report.status as TrainingJobStatus;
  return (
    <>
      <dl class="facts">
        <Fact name="Summary" value={report.diagnosis.summary} />
        <Fact name="Ready" value={report.ready} />
        <Fact name="Progress" value={report.progressPercentage === undefined ? undefined : <Progress percentage={report.progressPercentage} />} />
        <Fact name="Left" value={report.estimatedRemainingSeconds === undefined ? undefined : elapsed(report.estimatedRemainingSeconds * 1000)} />
        <Fact name="Queue" value={report.queue === undefined ? undefined : `${report.queue}${report.queuePosition === undefined ? '' : `, place ${report.queuePosition}`}`} />
        <Fact name="GPUs" value={report.accelerators} />
        <Fact name="Restarts" value={report.restarts} />
        <Fact name="Age" value={age(report.createdAt, now)} />
        <Fact name="Checkpoint" value={status.checkpoint === undefined ? undefined : `${status.checkpoint.path}${status.checkpoint.step === undefined ? '' : `, step ${status.checkpoint.step}`}`} />
      </dl>
      {report.diagnosis.causes.length === 0 ? null : (
        <section>
          <h2>Why</h2>
          <ol class="causes">{report.diagnosis.causes.map(({ id, what, evidence, fix }) => (
            <li key={`${id} ${what}`}>
              <p>{what} <small>({id})</small></p>
              {evidence.length === 0 ? null : <pre tabIndex={0}>{evidence.join('\n')}</pre>}
              <p class="fix">{fix}</p>
            </li>
          ))}</ol>
        </section>
      )}
      <Charts status={status} />
      <Replicas replicas={report.replicas} chosen={rank} onChoose={onRank} />
      {logs}
      <section>
        <h2>What happened</h2>
        <ol class="timeline">{[...report.timeline].reverse().map(({ time, subject, what, isWarning }) => (
          <li key={`${time} ${subject} ${what}`} class={isWarning ? 'warning' : undefined}>
            <time dateTime={time}>{moment(time)}</time> {subject === undefined ? null : <b>{subject}: </b>}{what}
          </li>
        ))}</ol>
      </section>
      <details>
        <summary>Object</summary>
        <pre tabIndex={0}>{yaml}</pre>
      </details>
      <Notes notes={report.diagnosis.notes} />
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: preact.ComponentChildren }) {
  return value === undefined || value === '' ? null : <div><dt>{name}</dt><dd>{value}</dd></div>;
}
