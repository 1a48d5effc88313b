/** Reads what the recorder stores of a job: the report of `trainyard status`, its metrics, and the last lines of its pods. */
import type { HistoryDetail, HistoryEntry, HistoryPoint, HistoryRow } from './history';
import { redact } from './redact';
import type { UiLogLine } from '../protocol';
import { diagnose } from '../../explain/job/diagnose';
import type { JobSnapshot } from '../../explain/job/snapshot';
import { reportOf, type StatusReport } from '../../jobs/status/report';
import { rowOf } from '../../jobs/job-row';
import { COMMAND_KINDS } from '../../jobs/kinds';
import type { AnyObject } from '../../jobs/objects';
import { readLogs, containersOf } from '../../jobs/pod-logs/follow-pods';
import { Reader } from '../../jobs/reader';
import { replicasOf, shortName } from '../../jobs/replicas';
import { timelineOf } from '../../jobs/status/timeline';
import { currentJob, isFinal, podsOf, standingOfJob, type Target } from '../../jobs/target';
import { CliError } from '../../cli-error';
import { record, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import type { KubeClient } from '../../../operator/runtime/kube-client';

/** The recorded kind. */
export const RECORDED_KIND = COMMAND_KINDS.find(({ kind }) => kind === TRAINING_JOB_KIND)!;

/** Maximum number of replicas with logs, failed ones first, of lines of each, and of characters of a line. */
const MAX_REPLICAS = 8;
const MAX_LINES = 200;
const MAX_LINE = 2_000;

/** Timeout for reading logs; milliseconds. */
const LOGS_MS = 20_000;

export interface Observation {
  readonly entry: HistoryEntry;
  /** Why only its object was read. @default - everything was read */
  readonly unread?: unknown;
}

export class Observer {
  public constructor(private readonly client: KubeClient) {}

  /**
   * Reads a job.
   * @param before the stored details
   * @param deletedAt when it was deleted; then only the object is available
   */
  public async observe(job: AnyObject, before: HistoryDetail | undefined, now: number, deletedAt?: number): Promise<Observation> {
    let unread: unknown;
    const read = deletedAt === undefined ? await this.read(targetOf(this.client, job)).catch((error: unknown) => {
      unread = error;
      return undefined;
    }) : undefined;
    const alone = aloneReport(job, now);
    const report = read?.report ?? {
      ...alone, replicas: before?.report.replicas ?? [],
      diagnosis: isOver(job) && before !== undefined && isFinal(before.report) ? before.report.diagnosis : alone.diagnosis,
    };
    const object = redact(withoutStatus(job));
    const logs = read !== undefined && read.logs.length > 0 ? read.logs : before?.logs ?? [];
    const { value: { report: kept, logs: lines } } = redact({ report, logs });
    // The events have separate rows.
    const detail = { report: { ...kept, timeline: [] }, object: object.value, redacted: object.paths, logs: lines };
    return { entry: { row: rowIn(job, kept, now, deletedAt), points: pointsOf(job), events: kept.timeline, detail }, unread };
  }

  /** Undefined if the job does not exist, or another one has its name. */
  private async read(target: Target): Promise<{ readonly report: StatusReport; readonly logs: readonly UiLogLine[] } | undefined> {
    try {
      const report = await reportOf(target, `${RECORDED_KIND.plural}.${RECORDED_KIND.group}/${target.ref.name}`);
      const now = await currentJob(target);
      return now === undefined ? undefined : { report, logs: isOver(now) ? await readLastLines(target, now) : [] };
    } catch (error) {
      if (error instanceof CliError) {
        return undefined;
      }
      throw error;
    }
  }
}

/** Metrics in the status of a job. */
export function pointsOf({ status }: AnyObject): readonly HistoryPoint[] {
  const { progressHistory = [], trainerStatus, lastProgressTime } = (status ?? {}) as TrainingJobStatus;
  const time = trainerStatus?.lastUpdatedTime ?? lastProgressTime;
  const newest = time === undefined || trainerStatus?.metrics === undefined ? []
    : [{ time, metrics: Object.fromEntries(trainerStatus.metrics.map(({ name, value }) => [name, value])) }];
  const points = [...progressHistory.filter((point) => point.time !== time), ...newest];
  return points.flatMap(({ time: at, metrics = {} }) => (
    Object.keys(metrics).length === 0 || Number.isNaN(Date.parse(at)) ? [] : [{ time: at, metrics: redact(metrics).value }]));
}

/** Changes when a job must be read again, which progress alone does not require. */
export function fingerprint(job: AnyObject): string {
  const { phase, restarts, attempt, disruptions, conditions = [] } = (job.status ?? {}) as TrainingJobStatus;
  const conditionsInShort = conditions.map(({ type, status, reason }) => [type, status, reason]);
  return JSON.stringify([phase, restarts, attempt, disruptions, record(job.metadata).generation, conditionsInShort]);
}

export function isOver(job: AnyObject): boolean {
  return isFinal(standingOfJob(job));
}

function targetOf(client: KubeClient, job: AnyObject): Target {
  const { namespace = '', name = '' } = job.metadata ?? {};
  return { job, kind: RECORDED_KIND, client, reader: new Reader(client), namespace, ref: { namespace, name } };
}

/** The report from the object alone. */
function aloneReport(job: AnyObject, now: number): StatusReport {
  const snapshot: JobSnapshot = { now, job, owned: [], pods: [], events: [], podGroups: [], logs: [], unread: [] };
  const diagnosis = diagnose(snapshot);
  return {
    ...rowOf(RECORDED_KIND, job), replicas: [], timeline: timelineOf(snapshot), status: job.status ?? {},
    // Without pods, a job that was running seems to wait for them.
    diagnosis: isOver(job) ? diagnosis : { ...diagnosis, summary: 'The job was deleted before its end.', causes: [] },
  };
}

async function readLastLines(target: Target, job: AnyObject): Promise<readonly UiLogLine[]> {
  const { client, namespace, kind, ref } = target;
  const hasFailed = (phase: string | undefined) => (phase === 'Failed' ? 0 : 1);
  const replicas = [...replicasOf(kind.workload, await podsOf(target, job))]
    .sort((one, other) => hasFailed(record(one.pod.status).phase as string) - hasFailed(record(other.pod.status).phase as string))
    .slice(0, MAX_REPLICAS);
  const lines: UiLogLine[] = [];
  await readLogs({
    client, namespace, containers: containersOf(false, undefined), previous: false, tail: MAX_LINES, signal: AbortSignal.timeout(LOGS_MS),
    onLine: ({ time, text, replica }) => lines.push({
      time, text: text.slice(0, MAX_LINE), replica: shortName(ref.name, replica), ...(replica.rank !== undefined && { rank: replica.rank }),
    }),
    // If the logs of a pod cannot be read, those of the others are kept.
    onProblem: (sentence) => lines.push({ time: '', text: sentence, replica: '' }),
  }, replicas);
  return lines.slice(-MAX_REPLICAS * MAX_LINES);
}

function withoutStatus({ metadata, spec }: AnyObject): JsonRecord {
  return { apiVersion: `${RECORDED_KIND.group}/${RECORDED_KIND.version}`, kind: RECORDED_KIND.kind, metadata, spec };
}

function rowIn(job: AnyObject, report: StatusReport, now: number, deletedAt?: number): HistoryRow {
  const { metadata, spec, status } = job;
  const { uid = '', namespace = '', name = '', resourceVersion = '', creationTimestamp } = metadata ?? {};
  const over = isOver(job);
  const own = rowOf(RECORDED_KIND, job);
  const endedAt = over ? Date.parse(own.finishedAt ?? '') || now : deletedAt;
  return JSON.parse(JSON.stringify({
    uid, namespace, name, framework: String(spec?.framework ?? ''), state: !over && deletedAt !== undefined ? 'Deleted' : own.state,
    reason: own.reason, accelerators: report.accelerators, restarts: (status as TrainingJobStatus | undefined)?.restarts,
    createdAt: Date.parse(creationTimestamp ?? '') || now, endedAt, deletedAt, seenAt: now, version: resourceVersion,
  })) as HistoryRow;
}
