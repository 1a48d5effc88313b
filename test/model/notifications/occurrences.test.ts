/** Which events the status of a job says. */
import { outlookOf, type WatchedJob } from '../../../src/model/notifications/occurrences';
import { NOTIFICATION_EVENTS, NOTIFY_ANNOTATION, resolveRule, type NotificationRuleSpec } from '../../../src/model/notifications/rule';
import type { Condition, ConditionType, TrainingJobStatus } from '../../../src/model/training-job/status/status';

const T0 = Date.parse('2026-11-27T12:00:00Z');
const at = (minutes: number) => new Date(T0 + minutes * 60_000).toISOString();
const condition = (type: ConditionType, reason: string, minutes: number, status: Condition['status'] = 'True'): Condition => (
  { type, status, reason, message: `because of ${reason}`, lastTransitionTime: at(minutes) });

const ruleOf = (fields: Partial<NotificationRuleSpec> = {}) => ({
  name: 'team', uid: 'r', rule: resolveRule({ events: [...NOTIFICATION_EVENTS], budgetReplicaHours: 8, receivers: [{ name: 'a', kubernetesEvent: {} }], ...fields }),
});
const jobOf = (status: TrainingJobStatus, metadata: WatchedJob['metadata'] = {}): WatchedJob => (
  { metadata: { name: 'bert', namespace: 'ml', uid: 'u', ...metadata }, spec: { runPolicy: { activeDeadlineSeconds: 36_000 } }, status });
const eventsOf = (job: WatchedJob, minutes: number, fields: Partial<NotificationRuleSpec> = {}) => (
  outlookOf(ruleOf(fields), job, T0 + minutes * 60_000).occurrences.map(({ event, reason, time }) => `${event} ${reason} ${time.slice(11, 16)}`));

const FAILED = jobOf({
  phase: 'Failed', startTime: at(0), completionTime: at(5), conditions: [condition('Running', 'AllReplicasRunning', 1), condition('Failed', 'Stalled', 5)],
  lastFailure: { role: 'worker', index: 0, pod: 'p', reason: 'Stalled', attempt: 0, time: at(5), logTail: 'the last lines' },
});

test.each<[string, WatchedJob, number, string[]]>([
  ['a failure, which was a stall', FAILED, 6, ['Failed Stalled 12:05', 'Stalled Stalled 12:05']],
  ['a success', jobOf({ phase: 'Completed', completionTime: at(5), conditions: [condition('Succeeded', 'JobSucceeded', 5)] }), 6, ['Succeeded JobSucceeded 12:05']],
  ['a restart', jobOf({ phase: 'Restarting', restarts: 2, lastRestart: { time: at(3), cause: 'Failure', reason: 'OOMKilled' } }), 4, ['Restarted OOMKilled 12:03']],
  ['a restart by scaling, which is none', jobOf({ phase: 'Running', lastRestart: { time: at(3), cause: 'Scaling' } }), 4, []],
  ['no progress for half an hour', jobOf({ phase: 'Running', lastProgressTime: at(0) }), 30, ['Stalled NoProgress 12:30']],
  ['no progress since a restart', jobOf({ phase: 'Running', lastProgressTime: at(0), conditions: [condition('Running', 'Restarted', 20)] }), 30, []],
  ['a script that reports nothing', jobOf({ phase: 'Running' }), 600, []],
  ['an hour in a queue', jobOf({ phase: 'Pending', conditions: [condition('Created', 'JobCreated', 0), condition('Admitted', 'Pending', 0, 'False')] }), 60,
    ['QueueWait Pending 13:00']],
  ['80 % of ten hours', jobOf({ phase: 'Running', startTime: at(0), replicas: 1 }), 480, ['Deadline DeadlineNear 20:00', 'Budget BudgetUsed 20:00']],
  ['eight hours with sixteen replicas', jobOf({ phase: 'Running', startTime: at(0), replicas: 16 }), 30, ['Budget BudgetUsed 12:30']],
])('%s', (_, job, minutes, expected) => {
  expect(eventsOf(job, minutes)).toEqual(expected);
});

test('the time of what is due is known beforehand, and the same event has the same id at any time', () => {
  const job = jobOf({ phase: 'Running', lastProgressTime: at(0) });
  expect(outlookOf(ruleOf(), job, T0).nextAt).toBe(T0 + 30 * 60_000);
  const ids = [31, 90].map((minutes) => outlookOf(ruleOf(), job, T0 + minutes * 60_000).occurrences[0].id);
  expect(ids[0]).toBe(ids[1]);
  expect(outlookOf(ruleOf(), jobOf({ phase: 'Running', lastProgressTime: at(40) }), T0 + 90 * 60_000).occurrences[0].id).not.toBe(ids[0]);
  expect(outlookOf({ ...ruleOf(), uid: 'other' }, job, T0 + 90 * 60_000).occurrences[0].id).not.toBe(ids[0]);
});

test('a failure has the last lines of the log, a success has none', () => {
  expect(outlookOf(ruleOf(), FAILED, T0 + 360_000).occurrences[0].log).toBe('the last lines');
});

test('labels select jobs, trials and copies are left out, and the annotation names rules', () => {
  const status: TrainingJobStatus = { phase: 'Completed', completionTime: at(5) };
  const selected = (metadata: WatchedJob['metadata'], fields: Partial<NotificationRuleSpec> = {}) => eventsOf(jobOf(status, metadata), 6, fields).length > 0;
  const selector = { matchLabels: { team: 'a' } };
  expect(selected({ labels: { team: 'a' } }, { selector })).toBe(true);
  expect(selected({ labels: { team: 'b' } }, { selector })).toBe(false);
  expect(selected({ labels: { team: 'b' }, annotations: { [NOTIFY_ANNOTATION]: 'other, team' } }, { selector })).toBe(true);
  expect(selected({ labels: { 'ml.collabnix.io/auto-tuning': 'search' } })).toBe(false);
  expect(selected({}, { onlyNamed: true })).toBe(false);
  expect(selected({ annotations: { [NOTIFY_ANNOTATION]: 'team' } }, { onlyNamed: true })).toBe(true);
});
