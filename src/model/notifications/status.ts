/**
 * `NotificationRule.status`: the state of the deliveries, which survives the notifier. It is bounded, and part of the rule because its owner reads it
 * there and because nothing else of the cluster has to be writable for it.
 */
import { API_GROUP } from '../labels';
import { NOTIFICATION_EVENTS, NOTIFICATION_RULE, type NotificationEvent, type NotificationRuleSpec } from './rule';
import { integer, list, map, object, text, time, word, type JsonSchema } from '../training-job/schema/json-schema';

/** Most messages that wait. Further events are taken in when there is room, as long as their job exists. */
export const MAX_WAITING = 100;

/** Most events that are remembered as handled, and most job names whose last message is. */
export const MAX_REMEMBERED = 1000;

/** What a message says of a job. */
export interface JobFacts {
  readonly job: string;
  readonly uid: string;
  readonly namespace: string;
  readonly event: NotificationEvent;
  /** When it happened, RFC 3339. */
  readonly time: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The last lines of the replica that failed. */
  readonly log?: string;
  readonly progress?: number;
}

/** A message that not all receivers have. */
export interface WaitingMessage extends JobFacts {
  /** Same for all attempts: receivers know a repeated message by it. */
  readonly id: string;
  /** Events that it stands for. */
  readonly count: number;
  /** When it may be sent, RFC 3339. */
  readonly notBefore: string;
  /** Receivers that do not have it yet. */
  readonly receivers: readonly string[];
}

/** How a receiver answers. */
export interface ReceiverStatus {
  readonly delivered: number;
  /** Messages that it did not take within `retrySeconds`. */
  readonly expired: number;
  /** Attempts in a row that failed. */
  readonly failures: number;
  readonly lastDeliveryTime?: string;
  readonly lastError?: string;
  /** Nothing is sent before, RFC 3339. */
  readonly retryTime?: string;
}

/** `NotificationRule.status`. */
export interface NotificationRuleStatus {
  /** Events up to this time are handled, RFC 3339. */
  readonly handledUntil?: string;
  /** Events after that time that are handled, by id, with their times. */
  readonly handled?: { readonly [id: string]: string };
  /** When there was last a message, by event and job name. */
  readonly sent?: { readonly [key: string]: string };
  readonly waiting?: readonly WaitingMessage[];
  readonly receivers?: { readonly [name: string]: ReceiverStatus };
}

const count = (description: string) => integer(description, { minimum: 0 });
const short = (description: string, maxLength = 256) => text(description, { maxLength });

function statusSchema(): JsonSchema {
  return object<NotificationRuleStatus>('State of the deliveries.', {
    handledUntil: time('Events up to this time are handled.'),
    handled: map('Later events that are handled.', time('When the event was.'), 2 * MAX_REMEMBERED),
    sent: map('When there was last a message, by event and job.', time('When.'), MAX_REMEMBERED),
    waiting: list('Messages that not all receivers have.', object<WaitingMessage>('A message.', {
      id: short('Same for all attempts.'),
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
      count: count('Events that the message stands for.'),
      notBefore: time('When it may be sent.'),
      receivers: list('Receivers that do not have it yet.', short('Name.'), 16),
    }, { required: ['id', 'job', 'uid', 'namespace', 'event', 'time', 'count', 'notBefore', 'receivers'] }), MAX_WAITING),
    receivers: map('How receivers answer.', object<ReceiverStatus>('A receiver.', {
      delivered: count('Messages that it has taken.'),
      expired: count('Messages that it did not take in time.'),
      failures: count('Attempts in a row that failed.'),
      lastDeliveryTime: time('When it last took a message.'),
      lastError: short('Why the last attempt failed.', 512),
      retryTime: time('Nothing is sent before.'),
    }, { required: ['delivered', 'expired', 'failures'] }), 16),
  });
}

/** Schema of a NotificationRule, for the definition. */
export function notificationRuleSchema(): JsonSchema {
  interface Rule { apiVersion: string; kind: string; metadata: object; spec: NotificationRuleSpec; status?: NotificationRuleStatus }
  return object<Rule>(`Notifications about the jobs (mltrainingjobs.${API_GROUP}) of a namespace.`, {
    apiVersion: { type: 'string', description: 'Version of the schema.' },
    kind: { type: 'string', description: 'NotificationRule.' },
    metadata: { type: 'object' },
    spec: NOTIFICATION_RULE.schema,
    status: statusSchema(),
  }, { required: ['spec'] });
}
