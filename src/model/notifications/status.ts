/**
 * `NotificationRule.status`: the state of the deliveries, which survives the notifier. It is bounded, and part of the rule because its owner reads it
 * there and because nothing else of the cluster has to be writable for it.
 */
import { API_GROUP } from '../labels';
import { NOTIFICATION_EVENTS, NOTIFICATION_RULE, type NotificationRuleSpec } from './rule';
import * as json from '../training-job/schema/json-schema';
import { count, list, map, object, time, word, type Typed, type ValueOf } from '../training-job/schema/status-fields';

/** Most messages that wait. Further events are taken in when there is room, as long as their job exists. */
export const MAX_WAITING = 100;

/** Most events that are remembered as handled, and most job names whose last message is. */
export const MAX_REMEMBERED = 1000;

const short = (description: string, maxLength = 256): Typed<string> => json.text(description, { maxLength });

const facts = () => ({
  job: short('The job.'),
  uid: short('Its uid.'),
  namespace: short('Its namespace.'),
  event: word('What happened.', NOTIFICATION_EVENTS),
  time: time('When.'),
  phase: short('Phase of the job.'),
  reason: short('Machine-readable reason.'),
  message: short('Human-readable message.', 1024),
  log: short('Last lines of the replica that failed.', 2048),
  progress: count('Percentage that the script has reported.'),
});

const message = () => object('A message.', {
  // Receivers know a repeated message by it.
  id: short('Same for all attempts.'),
  ...facts(),
  count: count('Events that the message stands for.'),
  notBefore: time('When it may be sent.'),
  receivers: list('Receivers that do not have it yet.', short('Name.'), 16),
}, ['id', 'job', 'uid', 'namespace', 'event', 'time', 'count', 'notBefore', 'receivers']);

const receiver = () => object('A receiver.', {
  delivered: count('Messages that it has taken.'),
  // Within `retrySeconds`.
  expired: count('Messages that it did not take in time.'),
  failures: count('Attempts in a row that failed.'),
  lastDeliveryTime: time('When it last took a message.'),
  lastError: short('Why the last attempt failed.', 512),
  retryTime: time('Nothing is sent before.'),
}, ['delivered', 'expired', 'failures']);

function statusSchema() {
  return object('State of the deliveries.', {
    handledUntil: time('Events up to this time are handled.'),
    // By id, with their times.
    handled: map('Later events that are handled.', time('When the event was.'), 2 * MAX_REMEMBERED),
    sent: map('When there was last a message, by event and job.', time('When.'), MAX_REMEMBERED),
    waiting: list('Messages that not all receivers have.', message(), MAX_WAITING),
    receivers: map('How receivers answer.', receiver(), 16),
  });
}

/** A message that not all receivers have. */
export type WaitingMessage = ValueOf<typeof message>;

/** What a message says of a job. */
export type JobFacts = Pick<WaitingMessage, keyof ReturnType<typeof facts>>;

export type ReceiverStatus = ValueOf<typeof receiver>;

/** `NotificationRule.status`. */
export type NotificationRuleStatus = ValueOf<typeof statusSchema>;

/** Schema of a NotificationRule, for the definition. */
export function notificationRuleSchema(): json.JsonSchema {
  interface Rule { apiVersion: string; kind: string; metadata: object; spec: NotificationRuleSpec; status?: NotificationRuleStatus }
  return json.object<Rule>(`Notifications about the jobs (mltrainingjobs.${API_GROUP}) of a namespace.`, {
    apiVersion: { type: 'string', description: 'Version of the schema.' },
    kind: { type: 'string', description: 'NotificationRule.' },
    metadata: { type: 'object' },
    spec: NOTIFICATION_RULE.schema,
    status: statusSchema(),
  }, { required: ['spec'] });
}
