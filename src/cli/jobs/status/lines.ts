/** The report about a job as text. */
import type { StatusReport } from './report';
import { STATE_COLOURS } from '../state-colours';
import { rowWords } from '../watch-job';
import { diagnosisLines } from '../../explain/job/output';
import { count, grouped, tableLines } from '../../text';
import type { Paint } from '../../../local/output/colours';
import { describeFailure } from '../../../local/output/failure-text';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';

/** Replicas that are listed. If there are more, those in a rare state come first. */
const MAX_REPLICAS = 40;

export function statusLines(report: StatusReport, paint: Paint): string[] {
  const { kind, namespace, name, state, diagnosis, replicas, timeline } = report;
  const status = report.status as TrainingJobStatus;
  const { summary, causes, notes } = diagnosis;
  return [
    `${kind} ${namespace}/${name}: ${paint(rowWords(report), STATE_COLOURS[state])}`,
    ...factLines(report, status, summary),
    ...section('Replicas', replicaLines(replicas), paint),
    // For a failed job, it is the cause below.
    ...section('Last failure', status.lastFailure === undefined || state === 'Failed' ? [] : describeFailure(status.lastFailure), paint),
    ...section('What happened', timeline.map(({ time, subject, what, isWarning }) => (
      `${paint(time, 'grey')}  ${paint(`${subject === undefined ? '' : `${subject}: `}${what}`, isWarning ? 'yellow' : 'grey')}`)), paint),
    // Without the first line, which is the same as the first line here.
    ...diagnosisLines({ ...diagnosis, causes, notes }, paint).slice(1),
  ];
}

function factLines({ queue, accelerators, restarts, progressPercentage }: StatusReport, status: TrainingJobStatus, summary: string): string[] {
  const facts = [
    summary,
    accelerators === undefined ? undefined : `${accelerators} GPUs`,
    queue === undefined ? undefined : `queue ${queue}`,
    restarts ? count(restarts, 'restart') : undefined,
    status.disruptions ? `${status.disruptions} disruptions` : undefined,
    status.lostSeconds ? `${status.lostSeconds} s lost` : undefined,
  ];
  const metrics = (status.trainerStatus?.metrics ?? []).map(({ name, value }) => `${name} ${value}`);
  return [
    `  ${facts.filter((fact) => fact !== undefined).join(' · ')}`,
    ...(progressPercentage === undefined && metrics.length === 0 ? [] : [`  ${bar(progressPercentage)}${metrics.join(', ')}`]),
    ...(status.checkpoint === undefined ? [] : [`  checkpoint ${status.checkpoint.path}${status.checkpoint.step === undefined ? '' : `, step ${status.checkpoint.step}`}, saved at ${status.checkpoint.time}`]),
  ];
}

/** `[#########-----------] 45 % `, in characters that every terminal has. */
function bar(percentage: number | undefined): string {
  if (percentage === undefined) {
    return '';
  }
  const done = Math.round(Math.max(0, Math.min(100, percentage)) / 5);
  return `[${'#'.repeat(done)}${'-'.repeat(20 - done)}] ${percentage} % `;
}

function replicaLines(replicas: StatusReport['replicas']): string[] {
  const [[usual] = ['']] = [...grouped(replicas, ({ state }) => state)].sort(([, one], [, other]) => other.length - one.length);
  const shown = replicas.length <= MAX_REPLICAS ? replicas
    : [...replicas.filter(({ state }) => state !== usual), ...replicas.filter(({ state }) => state === usual)].slice(0, MAX_REPLICAS);
  return shown.length === 0 ? [] : [
    ...tableLines(shown, [
      ['RANK', ({ rank }) => rank?.toString()], ['ROLE', ({ role }) => role], ['POD', ({ pod }) => pod], ['STATE', ({ state }) => state],
      ['RESTARTS', ({ restarts }) => restarts.toString()], ['NODE', ({ node }) => node],
    ]),
    ...(shown.length < replicas.length ? [`... and ${replicas.length - shown.length} more, ${usual}`] : []),
  ];
}

function section(heading: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint(`${heading}:`, 'cyan'), ...lines.map((line) => `  ${line}`)];
}
