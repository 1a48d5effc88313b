/**
 * `NotificationRule.spec`: which events of which jobs are reported, and to whom. Each field once, as those of a job are
 * (docs/decisions/tables-of-fields.md).
 */
import { API_GROUP } from '../labels';
import * as field from '../training-job/schema/field';

export const NOTIFICATION_RULE_KIND = 'NotificationRule';

/** Plural (URL) name of the kind. */
export const NOTIFICATION_RULE_PLURAL = 'notificationrules';

/** Set by users on an MLTrainingJob: rules of its namespace that report it although they do not select it, separated by commas. */
export const NOTIFY_ANNOTATION = `${API_GROUP}/notify`;

const EVENTS = field.words('NotificationEvent', 'What happened to a job.', {
  Failed: 'The job has failed.',
  Succeeded: 'The job has succeeded.',
  Restarted: 'Replicas were started again.',
  Stalled: 'The job reports no progress, for `stallSeconds` or as its own stall policy says.',
  QueueWait: 'The job has waited longer than `queueWaitSeconds` for its first replicas, in a queue or for nodes.',
  Deadline: 'The job has used `deadlinePercent` of its `activeDeadlineSeconds`.',
  Budget: 'The job has used `budgetReplicaHours`.',
});

/** What happened to a job. */
export type NotificationEvent = (typeof EVENTS.list)[number];

export const NOTIFICATION_EVENTS = EVENTS.list;

/** Placeholders of a message. Each is replaced once, and what replaces it is not read again. */
export const PLACEHOLDERS = ['job', 'namespace', 'event', 'reason', 'message', 'log', 'phase', 'progress', 'time', 'count', 'rule', 'cluster'] as const;

export const MAX_RECEIVERS = 8;

const URL_RULE = { maxLength: 2048, pattern: '^https?://[^\\s@]+$', says: 'must be an http or https URL without a user name and a password.' } as const;

const secretKey = (sentence: string, required = false) => field.block('the reference to a Secret', sentence, {
  name: field.objectName('Name of the Secret, in the namespace of the rule.', { required: true }),
  key: field.text('Key in the Secret.', { required: true, minLength: 1, maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' }),
}, { required });

const oneAddress = {
  rule: 'has(self.url) != has(self.urlSecret)',
  message: 'must have either url or urlSecret. Set one of the two',
};

const http = (called: string, sentence: string) => field.block(called, sentence, {
  url: field.text('Address. One that is a secret belongs into urlSecret.', URL_RULE),
  urlSecret: secretKey('Key of a Secret with the address.'),
  signingSecret: secretKey('Key of a Secret with the key that requests are signed with (HMAC-SHA256, in the headers of Standard Webhooks).'),
}, { rules: [oneAddress] });

const RECEIVER = field.block('the receiver', 'Who is notified. Exactly one of webhook, cloudEvents, slack, email and kubernetesEvent.', {
  name: field.text('Name, of which a rule has only one.', { required: true, minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
  webhook: http('the webhook', 'A POST with JSON.'),
  cloudEvents: http('the receiver of CloudEvents', 'A POST with a CloudEvent 1.0 in structured mode.'),
  slack: field.block('the Slack receiver', 'An incoming webhook of Slack.', { urlSecret: secretKey('Key of a Secret with its address.', true) }),
  email: field.block('the mail receiver', 'A mail by SMTP.', {
    smtpSecretName: field.objectName('Secret with host, and where needed port, user, password and tls (starttls, implicit or none). The host is in the Secret '
      + 'too, so that whoever writes a rule cannot send the password elsewhere.', { required: true }),
    from: field.text('Address of the sender.', { required: true, maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$', says: 'must be a mail address.' }),
    to: field.list('Addresses of the recipients.', field.text('An address.', {
      maxLength: 254, pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$', says: 'must be a mail address.',
    }), { required: true, minItems: 1, maxItems: 20 }),
  }),
  kubernetesEvent: field.block('the Kubernetes Event', 'An Event on the job.', {}),
}, {
  rules: [{
    rule: '[has(self.webhook), has(self.cloudEvents), has(self.slack), has(self.email), has(self.kubernetesEvent)].filter(given, given).size() == 1',
    message: 'must have exactly one of webhook, cloudEvents, slack, email and kubernetesEvent',
  }],
});

const knownPlaceholders = PLACEHOLDERS.reduce((text, name) => `${text}.replace('{${name}}', '')`, 'self');

/** `NotificationRule.spec`. */
export const NOTIFICATION_RULE = field.block('the rule', 'Which events of which jobs are reported, and to whom.', {
  events: field.list('What is reported.', field.word('An event.', EVENTS), { required: true, minItems: 1, maxItems: EVENTS.list.length, set: true }),
  selector: field.block('the selector', 'Jobs of the namespace that are reported, in addition to those whose annotation names the rule.', {
    matchLabels: field.map('Labels that a job has.', field.text('Value.', { maxLength: 63 }), { maxProperties: 20 }),
  }, { otherwise: 'all but trials and copies of arrays' }),
  onlyNamed: field.boolean(`Whether only jobs are reported whose annotation ${NOTIFY_ANNOTATION} names the rule.`, { default: false }),
  stallSeconds: field.seconds('Time without progress after which a job that has reported some is stalled.', { minimum: 30, default: 1800 }),
  queueWaitSeconds: field.seconds('Waiting time that is reported.', { minimum: 30, default: 3600 }),
  deadlinePercent: field.integer('Part of the deadline of a job after which it is reported, percent.', { minimum: 1, maximum: 100, default: 80 }),
  budgetReplicaHours: field.integer('Hours since the start of a job, times its replicas, that are reported.', { minimum: 1, otherwise: 'none; needed for Budget' }),
  intervalSeconds: field.seconds('Shortest time between two messages of one event and one job name. Those in between become one message at its end.', {
    minimum: 1, maximum: 86_400, default: 300,
  }),
  maxPerMinute: field.integer('Messages that a receiver gets in a minute; others wait.', { minimum: 1, maximum: 600, default: 30 }),
  retrySeconds: field.seconds('Time for which a message is sent again until the receiver takes it.', { minimum: 60, maximum: 604_800, default: 86_400 }),
  message: field.text('Text of a message, in which placeholders such as {job} are replaced.', {
    minLength: 1, maxLength: 2048, otherwise: 'the event, the job, the reason and the message',
    rules: [{
      rule: `!${knownPlaceholders}.contains('{')`,
      message: `must not contain braces other than those of ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`,
    }],
  }),
  receivers: field.list('Who is notified.', RECEIVER, { required: true, minItems: 1, maxItems: MAX_RECEIVERS, key: 'name' }),
}, {
  rules: [{
    rule: '!(\'Budget\' in self.events) || has(self.budgetReplicaHours)',
    message: 'is required for the event Budget',
    fieldPath: '.budgetReplicaHours',
    reason: 'FieldValueRequired',
  }],
});

export type NotificationRuleSpec = field.ValueOf<typeof NOTIFICATION_RULE>;

export type ResolvedNotificationRule = field.ResolvedOf<typeof NOTIFICATION_RULE.fields>;

export type ReceiverSpec = field.ValueOf<typeof RECEIVER>;

export interface SecretKeySpec {
  readonly name: string;
  readonly key: string;
}

export function resolveRule(spec: NotificationRuleSpec): ResolvedNotificationRule {
  return field.resolve(NOTIFICATION_RULE, spec);
}

/** Names of the Secrets that the receivers of a rule refer to, each once. */
export function secretsOf({ receivers }: Pick<NotificationRuleSpec, 'receivers'>): string[] {
  const names = receivers.flatMap(({ webhook, cloudEvents, slack, email }) => [
    webhook?.urlSecret?.name, webhook?.signingSecret?.name, cloudEvents?.urlSecret?.name, cloudEvents?.signingSecret?.name, slack?.urlSecret?.name,
    email?.smtpSecretName,
  ]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
