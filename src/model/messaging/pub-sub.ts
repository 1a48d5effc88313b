/** Topics of Pub/Sub, with subscriptions that jobs are started by. */
import { rule, runChecks, type Finding, type FindingCollector, type Rule, type Below, type SpecCheck } from '../findings';

/** The rules on topics and subscriptions of Pub/Sub, each with its source. */
export const PUBSUB_RULES = {
  name: rule('pubsub-name', 'pubSubNames', 'Names have 3 to 255 letters, digits and - _ . ~ + %, begin with a letter, and not with goog.'),
  retention: rule('pubsub-retention', 'pulumiPubSub', 'Messages are kept for 10 minutes to 31 days.'),
  ackDeadline: rule('pubsub-ack-deadline', 'pulumiPubSub', 'A message is acknowledged within 10 to 600 seconds.'),
  attempts: rule('pubsub-attempts', 'pulumiPubSub', 'A message is a dead letter after 5 to 100 attempts.'),
  backoff: rule('pubsub-backoff', 'pulumiPubSub', 'The time between two attempts is 0 to 600 seconds, and does not get shorter.'),
  filter: rule('pubsub-filter', 'pulumiPubSub', 'A filter has at most 256 bytes.'),
  expiration: rule('pubsub-expiration', 'pulumiPubSub', 'An unused subscription is deleted after a day at the earliest.'),
  expirationRetention: rule('pubsub-expiration-retention', 'pulumiPubSub', 'A subscription is not deleted while its messages would still be kept.'),
  deadLetterName: rule('pubsub-dead-letter-loop', 'pubSubDeadLetters', 'Dead letters go to another topic.'),
  deadLetterReader: rule('pubsub-dead-letter-reader', 'pubSubDeadLetters', 'Messages published to a topic without a subscription are lost.'),
  ordering: rule('pubsub-ordering-dead-letters', 'pubSubOrdering', 'A dead letter leaves a gap in the order of its key.'),
} as const satisfies { readonly [name: string]: Rule };

/** Where messages go that could not be processed. */
export interface DeadLetters {
  /** Attempts before that. @default 5 */
  readonly maxAttempts?: number;
  /** Name of the topic for them. @default - that of the subscription with -dead-letters behind it */
  readonly topic?: string;
  /** Days that they are kept. @default 31 */
  readonly retentionDays?: number;
}

/** A subscription whose messages are pulled. */
export interface PubSubSubscriptionSpec {
  /** Seconds to acknowledge a message within. @default 60 */
  readonly ackDeadlineSeconds?: number;
  /** Seconds that an unacknowledged message is kept. @default 604800, seven days */
  readonly retentionSeconds?: number;
  /** Whether acknowledged messages are kept as long. @default false */
  readonly retainAcknowledged?: boolean;
  /** Whether messages with one key come in their order. Cannot be changed. @default false */
  readonly ordering?: boolean;
  /** Whether an acknowledged message never comes again. @default false */
  readonly exactlyOnce?: boolean;
  /** Which messages come, such as `attributes.kind = "dataset"`. Cannot be changed. @default - all */
  readonly filter?: string;
  /** Days without a reader after which the subscription is deleted. @default - never */
  readonly expirationDays?: number;
  /** Least seconds between two attempts. @default 10 */
  readonly minBackoffSeconds?: number;
  /** Most seconds between two attempts. @default 600 */
  readonly maxBackoffSeconds?: number;
  /** @default - messages come again until they are too old */
  readonly deadLetters?: DeadLetters;
}

export interface PubSubSpec {
  readonly topic?: string;
  /** Seconds that all messages can be had again. */
  readonly retentionSeconds?: number;
  readonly subscriptions?: { readonly [name: string]: PubSubSubscriptionSpec };
}

/** What a subscription has where nothing is said. */
export const SUBSCRIPTION_DEFAULTS = {
  ackDeadlineSeconds: 60, retentionSeconds: 604_800, minBackoffSeconds: 10, maxBackoffSeconds: 600, maxAttempts: 5, deadLetterDays: 31,
} as const;

export const DAY_SECONDS = 86_400;

const LEAST_RETENTION = 600;
const MOST_RETENTION = 31 * DAY_SECONDS;

const NAME = /^(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;

export function deadLetterTopicName(subscription: string, { topic }: DeadLetters): string {
  return topic ?? `${subscription}-dead-letters`;
}

export const PUBSUB_CHECKS: readonly SpecCheck<PubSubSpec>[] = [
  { fields: ['topic'], check: ({ topic }, below, findings) => checkName(topic, below('topic'), findings) },
  { fields: ['retentionSeconds'], check: ({ retentionSeconds }, below, findings) => checkRetention(retentionSeconds, below('retentionSeconds'), findings) },
  { fields: ['subscriptions'], check: checkSubscriptions },
  { fields: ['topic', 'subscriptions'], check: checkLoops },
];

export function checkPubSub(spec: PubSubSpec, path = 'pubsub'): Finding[] {
  return runChecks(PUBSUB_CHECKS, spec, path);
}

function checkSubscriptions({ subscriptions = {} }: PubSubSpec, below: Below, findings: FindingCollector): void {
  for (const [name, subscription] of Object.entries(subscriptions)) {
    const path = below(`subscriptions.${name}`);
    checkName(name, path, findings);
    checkDelivery(subscription, path, findings);
    checkDeadLetters(name, subscription, path, findings);
  }
}

function checkLoops({ topic, subscriptions = {} }: PubSubSpec, below: Below, findings: FindingCollector): void {
  for (const [name, { deadLetters }] of Object.entries(subscriptions)) {
    if (deadLetters !== undefined && deadLetterTopicName(name, deadLetters) === topic) {
      findings.error(PUBSUB_RULES.deadLetterName, below(`subscriptions.${name}.deadLetters.topic`), topic, 'is the topic that the messages come from, so they would loop forever. Choose another name.');
    }
  }
}

function checkName(name: string | undefined, path: string, findings: FindingCollector): void {
  findings.form(PUBSUB_RULES.name, path, name, NAME, 'must have 3 to 255 letters, digits and - _ . ~ + %, begin with a letter and not with goog.');
}

function checkRetention(seconds: number | undefined, path: string, findings: FindingCollector): void {
  if (seconds !== undefined && (seconds < LEAST_RETENTION || seconds > MOST_RETENTION)) {
    findings.error(PUBSUB_RULES.retention, path, seconds, `is not from ${LEAST_RETENTION} (ten minutes) to ${MOST_RETENTION} (31 days).`);
  }
}

function checkDelivery(subscription: PubSubSubscriptionSpec, path: string, findings: FindingCollector): void {
  const { ackDeadlineSeconds, filter, expirationDays } = subscription;
  const { minBackoffSeconds = SUBSCRIPTION_DEFAULTS.minBackoffSeconds, maxBackoffSeconds = SUBSCRIPTION_DEFAULTS.maxBackoffSeconds } = subscription;
  const { retentionSeconds = SUBSCRIPTION_DEFAULTS.retentionSeconds } = subscription;
  checkRetention(subscription.retentionSeconds, `${path}.retentionSeconds`, findings);
  if (ackDeadlineSeconds !== undefined && (ackDeadlineSeconds < 10 || ackDeadlineSeconds > 600)) {
    findings.error(PUBSUB_RULES.ackDeadline, `${path}.ackDeadlineSeconds`, ackDeadlineSeconds, 'is not from 10 to 600. A subscriber that needs longer can extend the deadline itself.');
  }
  for (const [field, value] of Object.entries({ minBackoffSeconds, maxBackoffSeconds })) {
    if (value < 0 || value > 600) {
      findings.error(PUBSUB_RULES.backoff, `${path}.${field}`, value, 'is not from 0 to 600.');
    }
  }
  if (minBackoffSeconds > maxBackoffSeconds) {
    findings.error(PUBSUB_RULES.backoff, `${path}.minBackoffSeconds`, minBackoffSeconds, `is more than maxBackoffSeconds: ${maxBackoffSeconds}.`);
  }
  const bytes = Buffer.byteLength(filter ?? '');
  if (bytes > 256) {
    findings.error(PUBSUB_RULES.filter, `${path}.filter`, filter, `has ${bytes} bytes, and the maximum is 256. Compare attributes with hasPrefix, or filter in the program.`);
  }
  if (expirationDays !== undefined && expirationDays < 1) {
    findings.error(PUBSUB_RULES.expiration, `${path}.expirationDays`, expirationDays, 'is less than a day. Leave it out to keep the subscription.');
  } else if (expirationDays !== undefined && expirationDays * DAY_SECONDS < retentionSeconds) {
    findings.warn(PUBSUB_RULES.expirationRetention, `${path}.expirationDays`, expirationDays,
      `is less than the ${retentionSeconds} seconds for which messages are kept: they would be deleted with the subscription.`);
  }
}

function checkDeadLetters(name: string, { deadLetters, ordering }: PubSubSubscriptionSpec, path: string, findings: FindingCollector): void {
  if (deadLetters === undefined) {
    return;
  }
  const { maxAttempts, retentionDays } = deadLetters;
  checkName(deadLetterTopicName(name, deadLetters), `${path}.deadLetters.topic`, findings);
  if (maxAttempts !== undefined && (maxAttempts < 5 || maxAttempts > 100)) {
    findings.error(PUBSUB_RULES.attempts, `${path}.deadLetters.maxAttempts`, maxAttempts, 'is not from 5 to 100.');
  }
  if (retentionDays !== undefined && (retentionDays < 1 || retentionDays > 31)) {
    findings.error(PUBSUB_RULES.deadLetterReader, `${path}.deadLetters.retentionDays`, retentionDays, 'is not from 1 to 31 days, the retention of the dead-letter subscription.');
  }
  if (ordering) {
    findings.warn(PUBSUB_RULES.ordering, `${path}.deadLetters`, true, 'can break ordering: later messages of the same key are delivered after one is dead-lettered. Remove ordering or deadLetters if that matters.');
  }
}
