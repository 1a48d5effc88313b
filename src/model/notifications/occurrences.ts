/**
 * What happened to a job, as its status says. Nothing is remembered: the same job gives the same events again, with the same ids, so that a notifier
 * that was away misses none of a job that still exists.
 */
import { createHash } from 'node:crypto';
import { NOTIFY_ANNOTATION, type NotificationEvent, type ResolvedNotificationRule } from './rule';
import type { JobFacts } from './status';
import { ARRAY_LABEL, TUNED_JOB_LABEL } from '../labels';
import { lastProgressTime } from '../progress/progress-status';
import { shortened } from '../text/printable';
import { timeText } from '../text/times';
import { waitingSince, type TrainingJobStatus } from '../training-job/status/status';

/** The part of an MLTrainingJob that is read. */
export interface WatchedJob {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec?: { readonly runPolicy?: { readonly activeDeadlineSeconds?: number } };
  readonly status?: TrainingJobStatus;
}

export interface Occurrence extends JobFacts {
  readonly id: string;
  /** Whether it can still end by itself, as a wait does: then it is news at whatever time it began. */
  readonly isLive: boolean;
}

/** The events of a job up to now, and when there may be another one without a change of the job. */
export interface Outlook {
  readonly occurrences: readonly Occurrence[];
  /** Milliseconds since the epoch. */
  readonly nextAt?: number;
}

export interface IdentifiedRule {
  readonly name: string;
  readonly uid: string;
  readonly rule: ResolvedNotificationRule;
}

/** Longest texts that are kept of a job, in characters. */
const REASON_LENGTH = 200;
const MESSAGE_LENGTH = 1000;
const LOG_LENGTH = 2000;

const HOUR_MS = 3_600_000;

/** What may have happened, before it is known whether the time has come and whether anyone wants to know. */
interface Candidate {
  readonly event: NotificationEvent;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What distinguishes two events of one kind and one job. @default - the time */
  readonly of?: number;
  readonly isLive?: boolean;
  readonly reason?: string;
  readonly message?: string;
}

function reports({ name, rule }: IdentifiedRule, { metadata = {} }: WatchedJob): boolean {
  const { labels = {}, annotations = {} } = metadata;
  if ((annotations[NOTIFY_ANNOTATION] ?? '').split(',').some((named) => named.trim() === name)) {
    return true;
  }
  return !rule.onlyNamed && labels[TUNED_JOB_LABEL] === undefined && labels[ARRAY_LABEL] === undefined
    && Object.entries(rule.selector?.matchLabels ?? {}).every(([label, value]) => labels[label] === value);
}

/** The events of a job that a rule reports. @param now milliseconds since the epoch */
export function outlookOf(identified: IdentifiedRule, job: WatchedJob, now: number): Outlook {
  const { rule, uid: ruleUid } = identified;
  if (job.status === undefined || !reports(identified, job)) {
    return { occurrences: [] };
  }
  const { name = '', namespace = '', uid = '' } = job.metadata ?? {};
  const { phase, lastFailure, trainerStatus } = job.status;
  const candidates = [...past(job.status), ...live(rule, job, job.status)]
    .filter(({ event, at }) => rule.events.includes(event) && !Number.isNaN(at));
  const nextAt = Math.min(...candidates.map(({ at }) => at).filter((at) => at > now));
  return {
    ...(Number.isFinite(nextAt) && { nextAt }),
    occurrences: candidates.filter(({ at, isLive }) => !isLive || at <= now).map(({ event, at, of = at, isLive = false, reason, message }) => ({
      id: createHash('sha256').update([ruleUid, uid, event, of].join('/')).digest('hex').slice(0, 24),
      isLive, job: name, uid, namespace, event, time: timeText(at),
      ...(phase !== undefined && { phase }),
      ...(reason !== undefined && { reason: shortened(reason, REASON_LENGTH) }),
      ...(message !== undefined && { message: shortened(message, MESSAGE_LENGTH) }),
      ...(lastFailure?.logTail !== undefined && ['Failed', 'Restarted', 'Stalled'].includes(event) && { log: lastFailure.logTail.slice(-LOG_LENGTH) }),
      ...(trainerStatus?.progressPercentage !== undefined && { progress: Math.round(trainerStatus.progressPercentage) }),
    })),
  };
}

/** What has a time of its own in the status. */
function past({ phase, completionTime, conditions = [], lastRestart, lastFailure, restarts = 0, disruptions = 0 }: TrainingJobStatus): Candidate[] {
  const of = (type: string) => conditions.find((condition) => condition.type === type && condition.status === 'True');
  const candidates: Candidate[] = [];
  if (completionTime !== undefined && (phase === 'Failed' || phase === 'Completed')) {
    const { reason, message } = of(phase === 'Failed' ? 'Failed' : 'Succeeded') ?? {};
    const at = Date.parse(completionTime);
    candidates.push({ event: phase === 'Failed' ? 'Failed' : 'Succeeded', at, reason, message });
    if (phase === 'Failed' && reason === 'Stalled') {
      candidates.push({ event: 'Stalled', at, reason, message });
    }
  }
  if (lastRestart !== undefined && lastRestart.cause !== 'Scaling') {
    const reason = lastRestart.reason ?? lastRestart.cause;
    const message = [`${restarts} restarts and ${disruptions} disruptions so far`, lastFailure?.message].filter((part) => part !== undefined).join('; ');
    const at = Date.parse(lastRestart.time);
    candidates.push({ event: 'Restarted', at, reason, message }, ...(lastRestart.cause === 'Stall' ? [{ event: 'Stalled', at, reason, message } as const] : []));
  }
  return candidates;
}

/** What is due at some time unless the job continues before. */
function live(rule: ResolvedNotificationRule, { spec }: WatchedJob, status: TrainingJobStatus): Candidate[] {
  const candidates: Candidate[] = [];
  const add = (event: NotificationEvent, since: number, afterMs: number, reason: string, message: string): void => {
    candidates.push({ event, at: since + afterMs, of: since, isLive: true, reason, message });
  };
  const progress = lastProgressTime(status);
  const running = status.conditions?.find(({ type, status: isTrue }) => type === 'Running' && isTrue === 'True');
  if (status.phase === 'Running' && progress !== undefined) {
    // After a restart the script has the whole time again.
    const since = Math.max(progress, running === undefined ? 0 : Date.parse(running.lastTransitionTime));
    add('Stalled', since, rule.stallSeconds * 1000, 'NoProgress', `no progress since ${timeText(since)}`);
  }
  const waits = waitingSince(status);
  if (waits !== undefined) {
    const admitted = status.conditions?.find(({ type }) => type === 'Admitted');
    add('QueueWait', waits, rule.queueWaitSeconds * 1000, admitted?.reason ?? 'ReplicasMissing', `waits since ${timeText(waits)}${admitted ? `: ${admitted.message}` : ''}`);
  }
  const deadline = spec?.runPolicy?.activeDeadlineSeconds;
  if (status.startTime !== undefined && (status.phase === 'Running' || status.phase === 'Restarting')) {
    const started = Date.parse(status.startTime);
    if (deadline !== undefined) {
      add('Deadline', started, deadline * rule.deadlinePercent * 10, 'DeadlineNear', `fails at ${timeText(started + deadline * 1000)}, its deadline`);
    }
    if (rule.budgetReplicaHours !== undefined && (status.replicas ?? 0) > 0) {
      const afterMs = rule.budgetReplicaHours * HOUR_MS / status.replicas!;
      add('Budget', started, afterMs, 'BudgetUsed', `has used ${rule.budgetReplicaHours} replica hours with ${status.replicas} replicas`);
    }
  }
  return candidates;
}
