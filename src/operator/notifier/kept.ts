/**
 * What the notifier keeps of jobs and rules in memory. A cluster may have ten thousand jobs, and users can give them labels and annotations of any
 * length that the API server accepts.
 */
import type { WatchedJob } from '../../model/notifications/occurrences';
import { NOTIFY_ANNOTATION, type NotificationRuleSpec } from '../../model/notifications/rule';
import type { NotificationRuleStatus } from '../../model/notifications/status';
import type { KubeObject } from '../runtime/kube-object';

/** A NotificationRule. */
export interface RuleObject extends KubeObject {
  readonly spec: NotificationRuleSpec;
  readonly status?: NotificationRuleStatus;
}

/** A job. */
export type JobObject = KubeObject & WatchedJob;

/** Maximum number of labels of a job that rules can select by: the first ones by name. */
const MAX_LABELS = 64;

/** Longest list of rules in a job's annotation, in characters. A longer one is ignored. */
const MAX_NAMED = 4096;

/** The fields of a job that messages use. */
export function keptJob({ apiVersion, kind, metadata, spec, status }: JobObject): JobObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels = {}, annotations } = metadata ?? {};
  const { phase, attemptStarted, startTime, completionTime, conditions, replicas } = status ?? {};
  const { restarts, disruptions, lastRestart, lastFailure, trainerStatus } = status ?? {};
  const notify = annotations?.[NOTIFY_ANNOTATION];
  return {
    apiVersion,
    kind,
    metadata: {
      name, namespace, uid, resourceVersion, creationTimestamp, labels: Object.fromEntries(Object.entries(labels).slice(0, MAX_LABELS)),
      ...(notify !== undefined && notify.length <= MAX_NAMED && { annotations: { [NOTIFY_ANNOTATION]: notify } }),
    },
    ...(spec?.runPolicy && { spec: { runPolicy: { activeDeadlineSeconds: spec.runPolicy.activeDeadlineSeconds } } }),
    ...(status && {
      status: {
        phase, attemptStarted, startTime, completionTime, conditions, replicas, restarts, disruptions, lastRestart, trainerStatus,
        lastFailure: lastFailure && { ...lastFailure, stackDumps: undefined },
        lastProgressTime: status.lastProgressTime, checkpoint: status.checkpoint,
      },
    }),
  };
}

/** A rule without its labels and annotations, which nothing reads. */
export function keptRule({ apiVersion, kind, metadata, spec, status }: RuleObject): RuleObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata ?? {};
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp }, spec, status };
}
