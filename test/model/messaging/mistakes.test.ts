/** Topics and subscriptions that cannot be made, or that lose messages: each with the field, the value, words of the rule and its source. */
import type { Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import {
  PUBSUB_RULES, SUBSCRIPTION_DEFAULTS, checkPubSub, deadLetterTopicName, type PubSubSubscriptionSpec,
} from '../../../src/model/messaging/pub-sub';

const subscribed = (jobs: PubSubSubscriptionSpec): Finding[] => checkPubSub({ topic: 'datasets', subscriptions: { jobs } });

type Case = [what: string, found: Finding[], severity: 'error' | 'warning', rule: keyof typeof PUBSUB_RULES, path: string, value: unknown, words: string];

const MISTAKES: readonly Case[] = [
  ['a short name', checkPubSub({ topic: 'ab' }), 'error', 'name', 'pubsub.topic', 'ab', '3 to 255'],
  ['a name of Google', checkPubSub({ topic: 'google-datasets' }), 'error', 'name', 'pubsub.topic', 'google-datasets', 'not with goog'],
  ['a subscription with a slash', checkPubSub({ subscriptions: { 'a/jobs': {} } }), 'error', 'name', 'pubsub.subscriptions.a/jobs', 'a/jobs', 'begin with a letter'],
  ['a topic that keeps messages for a minute', checkPubSub({ retentionSeconds: 60 }), 'error', 'retention', 'pubsub.retentionSeconds', 60, 'from 600 (ten minutes)'],
  ['a subscription that keeps them for a year', subscribed({ retentionSeconds: 31_536_000 }), 'error', 'retention', 'pubsub.subscriptions.jobs.retentionSeconds', 31_536_000, '2678400 (31 days)'],
  ['an hour to acknowledge', subscribed({ ackDeadlineSeconds: 3600 }), 'error', 'ackDeadline', 'pubsub.subscriptions.jobs.ackDeadlineSeconds', 3600, 'from 10 to 600'],
  ['a second to acknowledge', subscribed({ ackDeadlineSeconds: 1 }), 'error', 'ackDeadline', 'pubsub.subscriptions.jobs.ackDeadlineSeconds', 1, 'from 10 to 600'],
  ['an hour between attempts', subscribed({ maxBackoffSeconds: 3600 }), 'error', 'backoff', 'pubsub.subscriptions.jobs.maxBackoffSeconds', 3600, 'from 0 to 600'],
  ['a time between attempts that gets shorter', subscribed({ minBackoffSeconds: 60, maxBackoffSeconds: 30 }), 'error', 'backoff', 'pubsub.subscriptions.jobs.minBackoffSeconds', 60, 'more than maxBackoffSeconds: 30'],
  ['a long filter', subscribed({ filter: `attributes.a = "${'ä'.repeat(130)}"` }), 'error', 'filter', 'pubsub.subscriptions.jobs.filter', `attributes.a = "${'ä'.repeat(130)}"`, '277 bytes'],
  ['a subscription that goes after an hour', subscribed({ expirationDays: 0.04 }), 'error', 'expiration', 'pubsub.subscriptions.jobs.expirationDays', 0.04, 'less than a day'],
  ['a subscription that goes before its messages', subscribed({ expirationDays: 2 }), 'warning', 'expirationRetention', 'pubsub.subscriptions.jobs.expirationDays', 2, '604800 seconds'],
  ['dead letters that come back', subscribed({ deadLetters: { topic: 'datasets' } }), 'error', 'deadLetterName', 'pubsub.subscriptions.jobs.deadLetters.topic', 'datasets', 'loop forever'],
  ['a dead letter after two attempts', subscribed({ deadLetters: { maxAttempts: 2 } }), 'error', 'attempts', 'pubsub.subscriptions.jobs.deadLetters.maxAttempts', 2, 'from 5 to 100'],
  ['dead letters for a year', subscribed({ deadLetters: { retentionDays: 365 } }), 'error', 'deadLetterReader', 'pubsub.subscriptions.jobs.deadLetters.retentionDays', 365, 'from 1 to 31 days'],
  ['an order with gaps', subscribed({ ordering: true, deadLetters: {} }), 'warning', 'ordering', 'pubsub.subscriptions.jobs.deadLetters', true, 'can break ordering'],
];

test.each(MISTAKES)('%s', (_what, found, severity, rule, path, value, words) => {
  const { id, source } = PUBSUB_RULES[rule];
  expect(found).toEqual([{ severity, rule: id, source: SOURCES[source], path, value, message: expect.stringContaining(words) }]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(PUBSUB_RULES).filter((rule) => !MISTAKES.some(([, , , told]) => told === rule))).toEqual([]);
});

test('what is made where nothing is said is fine, and so are the limits', () => {
  expect(checkPubSub({ topic: 'datasets', subscriptions: { jobs: {}, more: { ...SUBSCRIPTION_DEFAULTS, deadLetters: {} } } })).toEqual([]);
  const most = { ackDeadlineSeconds: 600, retentionSeconds: 2_678_400, minBackoffSeconds: 0, maxBackoffSeconds: 600, expirationDays: 31 };
  expect(subscribed({ ...most, deadLetters: { maxAttempts: 100, retentionDays: 31 } })).toEqual([]);
});

test('dead letters have a topic with the name of the subscription, or the one that is given', () => {
  expect([deadLetterTopicName('jobs', {}), deadLetterTopicName('jobs', { topic: 'lost' })]).toEqual(['jobs-dead-letters', 'lost']);
});
