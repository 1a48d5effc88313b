/** A job's report in lines for people. */
import type { StatusReport } from '../commands/status';
import { stateColour } from '../state-colours';
import { rowWords } from '../watch-job';
import { diagnosisLines } from '../../explain/job/output';
import { tableLines } from '../../text';
import type { Paint } from '../../../local/output/colours';
import { describeFailure } from '../../../local/output/failure-text';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';

/** Replicas that are listed; of more, those that are not as most of them are come first. */
const MAX_REPLICAS = 40;

export function statusLines(report: StatusReport, paint: Paint): string[] {
  const { kind, namespace, name, state, diagnosis, replicas, timeline } = report;
  const status = report.status as TrainingJobStatus;
  const { summary, causes, notes } = diagnosis;
  return [
    `${kind} ${namespace}/${name}: ${paint(rowWords(report), stateColour(state))}`,
    ...factLines(report, status, summary),
    ...section('Replicas', replicaLines(replicas), paint),
    // Of a job that has failed for good it is the cause below.
    ...section('Last failure', status.lastFailure === undefined || state === 'Failed' ? [] : describeFailure(status.lastFailure), paint),
    ...section('What happened', timeline.map(({ time, subject, what, isWarning }) => (
      `${paint(time, 'grey')}  ${paint(`${subject === undefined ? '' : `${subject}: `}${what}`, isWarning ? 'yellow' : 'grey')}`)), paint),
    // The first line says what the first line here says.
    ...diagnosisLines({ ...diagnosis, causes, notes }, paint).slice(1),
  ];
}

function factLines({ queue, accelerators, restarts, progressPercentage }: StatusReport, status: TrainingJobStatus, summary: string): string[] {
  const facts = [
    summary,
    accelerators === undefined ? undefined : `${accelerators} GPUs`,
    queue === undefined ? undefined : `queue ${queue}`,
    restarts === undefined || restarts === 0 ? undefined : `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
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

/** Of a terminal with plain characters: `[#########-----------] 45 % `. */
function bar(percentage: number | undefined): string {
  if (percentage === undefined) {
    return '';
  }
  const done = Math.round(Math.max(0, Math.min(100, percentage)) / 5);
  return `[${'#'.repeat(done)}${'-'.repeat(20 - done)}] ${percentage} % `;
}

function replicaLines(replicas: StatusReport['replicas']): string[] {
  const usual = mostFrequent(replicas.map(({ state }) => state));
  const shown = replicas.length <= MAX_REPLICAS ? replicas
    : [...replicas.filter(({ state }) => state !== usual), ...replicas.filter(({ state }) => state === usual)].slice(0, MAX_REPLICAS);
  const column = (heading: string, cell: (replica: StatusReport['replicas'][number]) => string | undefined) => [heading, shown.map(cell)] as const;
  return shown.length === 0 ? [] : [
    ...tableLines([
      column('RANK', ({ rank }) => rank?.toString()), column('ROLE', ({ role }) => role), column('POD', ({ pod }) => pod),
      column('STATE', ({ state }) => state), column('RESTARTS', ({ restarts }) => restarts.toString()), column('NODE', ({ node }) => node),
    ]),
    ...(shown.length < replicas.length ? [`... and ${replicas.length - shown.length} more, ${usual}`] : []),
  ];
}

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>();
  words.forEach((word) => counts.set(word, (counts.get(word) ?? 0) + 1));
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

function section(heading: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint(`${heading}:`, 'cyan'), ...lines.map((line) => `  ${line}`)];
}
