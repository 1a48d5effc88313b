/**
 * The life of jobs as spans:
 *
 *     training job                    creation ... end
 *       attempt 0                     ... the restart of the gang, the suspension, the end
 *         pending, running ...        a span for each stay in a phase
 *       attempt 1
 *
 * A span is written when it is over, when the status that ends it was written. When it began is remembered, for unfinished jobs; a process that has
 * just become the leader takes it from the status.
 *
 * Traces without a word about how they are sent. A job is one trace from its creation to its end; its ids follow from the job's uid, so that a trace
 * goes on when another process becomes the leader, and a span that is written twice is the same span.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { TrainingJobObject } from '../resources';
import type { ReconcileRecord } from '../../runtime/controller';
import type { Clock } from '../../runtime/process/clock';
import type { Store, StoreChange } from '../../runtime/watch/store';
import type { ConditionType, Phase, TrainingJobStatus } from '../../../model/training-job/status/status';

/** Since when a job is in what it is in, milliseconds since the epoch. */
interface Since {
  readonly attempt: number;
  readonly phase: number;
}

const ROOT = 'job';

/** See the top of this file. */
export class JobSpans {
  private readonly since = new Map<string, Since>();

  public constructor(private readonly sink: SpanSink, private readonly clock: Clock) {}

  /** From now on this process leads: jobs of these caches that are deleted end their spans, of those that it `holds`. */
  public lead(stores: readonly Store<TrainingJobObject>[], holds: (key: string) => boolean = () => true): void {
    stores.forEach((store) => store.onChange((change) => holds(change.key) && this.changed(change)));
  }

  /** Others end the spans of these jobs. */
  public handOver(jobs: readonly TrainingJobObject[]): void {
    jobs.forEach(({ metadata }) => this.since.delete(metadata!.uid!));
  }

  /** A status was written. */
  public statusWritten(before: TrainingJobObject, after: TrainingJobObject): void {
    const [from, to] = [before.status ?? {}, after.status ?? {}];
    const uid = after.metadata!.uid!;
    const now = this.clock.now();
    const since = this.since.get(uid) ?? sinceOf(from, now);
    const isOver = to.phase === 'Completed' || to.phase === 'Failed';
    const isNextAttempt = (to.attempt ?? 0) !== (from.attempt ?? 0);
    if (isOver) {
      this.end(before, after, since, now);
      return;
    }
    const isNextPhase = isNextAttempt || from.phase !== to.phase;
    if (isNextPhase && from.phase !== undefined) {
      this.phase(before, from.phase, since.phase, now);
    }
    if (isNextAttempt) {
      this.attempt(before, to, since.attempt, now);
    }
    this.since.set(uid, { attempt: isNextAttempt ? now : since.attempt, phase: isNextPhase ? now : since.phase });
  }

  /** A pass is over. A trace of its own: a job has too many of them for its trace. */
  public readonly reconciled = ({ key, outcome, seconds }: ReconcileRecord): void => {
    const end = this.clock.now();
    const attributes = { 'trainyard.job': key, 'trainyard.result': outcome };
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const error = outcome === 'error' || outcome === 'terminal' ? 'the pass failed' : undefined;
    this.sink.emit({ traceId, spanId, name: 'reconcile', start: end - seconds * 1000, end, attributes, error });
  };

  private changed({ previous, current }: StoreChange<TrainingJobObject>): void {
    if (previous === undefined || previous.metadata?.uid === current?.metadata?.uid) {
      return;
    }
    const { phase } = previous.status ?? {};
    if (phase !== undefined && phase !== 'Completed' && phase !== 'Failed') {
      const now = this.clock.now();
      this.end(previous, previous, this.since.get(previous.metadata!.uid!) ?? sinceOf(previous.status!, now), now);
    }
  }

  /** The job is over: with a status that says how, or because it was deleted. */
  private end(before: TrainingJobObject, after: TrainingJobObject, since: Since, now: number): void {
    const { metadata, status = {}, spec } = after;
    const from = before.status ?? {};
    if (from.phase !== undefined) {
      this.phase(before, from.phase, since.phase, now);
      this.attempt(before, status, since.attempt, now);
    }
    const outcome = status.phase === 'Completed' ? 'succeeded' : status.phase === 'Failed' ? 'failed' : 'deleted';
    const last = status.conditions?.find((condition) => condition.type === 'Succeeded' || condition.type === 'Failed');
    this.emit(after, ROOT, undefined, 'training job', Date.parse(metadata?.creationTimestamp ?? status.startTime ?? '') || now, now, {
      'trainyard.framework': spec.framework,
      'trainyard.replicas': status.replicas,
      'trainyard.outcome': outcome,
      'trainyard.reason': last?.reason,
      'trainyard.restarts': status.restarts,
      'trainyard.disruptions': status.disruptions,
    }, outcome === 'failed' ? last?.message ?? 'the job failed' : undefined);
    this.since.delete(metadata!.uid!);
  }

  private attempt(job: TrainingJobObject, after: TrainingJobStatus, start: number, end: number): void {
    const attempt = job.status?.attempt ?? 0;
    const failure = after.lastFailure?.attempt === attempt && after.phase !== 'Completed' ? after.lastFailure : undefined;
    this.emit(job, `attempt ${attempt}`, ROOT, `attempt ${attempt}`, start, end, {
      'trainyard.attempt': attempt,
      'trainyard.failure.reason': failure?.reason,
      'trainyard.failure.pod': failure?.pod,
      'trainyard.failure.node': failure?.node,
      'trainyard.failure.exit_code': failure?.exitCode,
    }, failure && `${failure.pod}: ${failure.reason}`);
  }

  private phase(job: TrainingJobObject, phase: Phase, start: number, end: number): void {
    const attempt = `attempt ${job.status?.attempt ?? 0}`;
    this.emit(job, `${attempt} ${phase} ${start}`, attempt, phase.toLowerCase(), start, end, {});
  }

  private emit(
    { metadata }: TrainingJobObject, part: string, parent: string | undefined, name: string, start: number, end: number,
    attributes: SpanRecord['attributes'], error?: string,
  ): void {
    const uid = metadata!.uid!;
    this.sink.emit({
      traceId: traceIdOf(uid),
      spanId: spanIdOf(uid, part),
      parentId: parent === undefined ? undefined : spanIdOf(uid, parent),
      name,
      start: Math.min(start, end),
      end,
      attributes: { 'k8s.namespace.name': metadata!.namespace, 'trainyard.job.name': metadata!.name, 'trainyard.job.uid': uid, ...attributes },
      error,
    });
  }
}

/** The condition that changed when a phase began. */
const PHASE_CONDITION: { readonly [phase in Phase]?: ConditionType } = { Running: 'Running', Restarting: 'Restarting', Suspended: 'Suspended' };

/** As far as the status tells it. */
function sinceOf(status: TrainingJobStatus, now: number): Since {
  const type = status.phase && PHASE_CONDITION[status.phase];
  const changed = status.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
  const phase = Date.parse(changed ?? status.startTime ?? '') || now;
  const restarted = status.conditions?.find((condition) => condition.type === 'Restarting')?.lastTransitionTime;
  const attempt = Date.parse((status.attempt ?? 0) > 0 ? restarted ?? '' : status.startTime ?? '') || phase;
  return { attempt: Math.min(attempt, phase), phase };
}

/** A finished span. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** Absent values are left out. */
  readonly attributes: { readonly [name: string]: string | number | undefined };
  /** What went wrong; absent when nothing did. */
  readonly error?: string;
}

/** Takes spans; never waits and never fails. */
export interface SpanSink {
  emit(span: SpanRecord): void;
}

/** Id of the trace of a job. */
export function traceIdOf(uid: string): string {
  return hash(uid, 32);
}

/** Id of a span of a job: the same for the same part of the same job. */
export function spanIdOf(uid: string, part: string): string {
  return hash(`${uid} ${part}`, 16);
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
