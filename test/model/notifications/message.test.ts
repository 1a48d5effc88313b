/** Texts of messages: nothing of a job is more than text in them. */
import {
  cloudEvent, kubernetesEvent, messageSubject, messageText, slackBody, webhookBody, type MessageContext,
} from '../../../src/model/notifications/message';
import { NOTIFICATION_RULE, type NotificationRuleSpec } from '../../../src/model/notifications/rule';
import type { WaitingMessage } from '../../../src/model/notifications/status';
import { validateRule } from '../../../src/model/notifications/validation';

const HOSTILE = '<!channel> <https://evil.example|click> *bold* <img src=x onerror=alert(1)> {log}\r\nBcc: all@example.com\u202e\u0000';
const message: WaitingMessage = {
  id: 'abc', job: 'bert', uid: 'u', namespace: 'ml', event: 'Failed', time: '2026-11-27T12:00:00Z', count: 3, notBefore: '2026-11-27T12:00:00Z', receivers: ['a'],
  phase: 'Failed', reason: 'Error', message: HOSTILE, log: 'line 1\nline 2', progress: 40,
};
const context: MessageContext = { rule: 'team', cluster: 'west' };

test('the standard text', () => {
  const text = messageText({ ...message, message: 'exit code 1' }, context);
  expect(text).toBe('Job ml/bert has failed (3 times).\nError: exit code 1\nline 1\nline 2\nTime: 2026-11-27T12:00:00Z, cluster: west');
});

test('placeholders are replaced once, and what replaces them is not read again', () => {
  const text = messageText(message, { ...context, template: '{job} {event} {count} {progress} {rule} {cluster}: {message}' });
  expect(text).toMatch(/^bert Failed 3 40 % team west: <!channel>.*\{log\}/);
  expect(text).not.toContain('line 1');
  expect(messageText({ ...message, message: '$& $1 $`' }, { ...context, template: '{message}' })).toBe('$& $1 $`');
});

test('a text ends, whatever a job says', () => {
  expect(messageText({ ...message, log: 'x'.repeat(100_000) }, { ...context, template: '{log}'.repeat(400) }).length).toBeLessThanOrEqual(3000);
});

test('Slack reads no markup and no mention', () => {
  const { text, mrkdwn, blocks } = JSON.parse(slackBody({ ...message, job: '<!here>&' }, context));
  expect(text).toBe('Job ml/&lt;!here&gt;&amp; has failed');
  expect(mrkdwn).toBe(false);
  expect(blocks).toHaveLength(1);
  expect(blocks[0].text).toMatchObject({ type: 'plain_text', emoji: false });
});

test('a subject is one line', () => {
  expect(messageSubject({ ...message, job: 'a\r\nBcc: all@example.com' })).toBe('Job ml/a\\u000d\\u000aBcc: all@example.com has failed');
});

test('bodies for programs have the facts, and controls only as text', () => {
  expect(JSON.parse(webhookBody(message, context))).toMatchObject({ type: 'trainingjob.failed', data: { id: 'abc', job: 'bert', event: 'Failed', count: 3, rule: 'team' } });
  expect(JSON.parse(cloudEvent(message, context))).toMatchObject({
    specversion: '1.0', id: 'abc', type: 'ml.collabnix.io.trainingjob.failed.v1', subject: 'ml/bert', datacontenttype: 'application/json', data: { text: expect.any(String) },
  });
  const { text } = JSON.parse(webhookBody(message, context)).data as { text: string };
  expect(['\0', '\u202e', '\r'].filter((character) => text.includes(character))).toEqual([]);
  expect(kubernetesEvent(message, context)).toMatchObject({ metadata: { name: 'bert.abc', namespace: 'ml' }, type: 'Warning', reason: 'NotifiedFailed' });
});

const valid: NotificationRuleSpec = { events: ['Failed'], receivers: [{ name: 'a', kubernetesEvent: {} }] };

test.each<[string, Partial<NotificationRuleSpec>, string]>([
  ['events', { events: [] }, 'events'],
  ['a budget that is missing', { events: ['Budget'] }, 'budgetReplicaHours'],
  ['an interval', { intervalSeconds: 0 }, 'intervalSeconds'],
  ['a placeholder', { message: '{jobs}' }, 'message'],
  ['a brace', { message: 'a { b' }, 'message'],
  ['a label', { selector: { matchLabels: { 'a b': 'c' } } }, 'selector.matchLabels[\'a b\']'],
  ['a URL', { receivers: [{ name: 'a', webhook: { url: 'ftp://example.com' } }] }, 'receivers[0].webhook.url'],
  ['a password in a URL', { receivers: [{ name: 'a', webhook: { url: 'https://user:pass@example.com' } }] }, 'receivers[0].webhook.url'],
  ['mail addresses', { receivers: [{ name: 'a', email: { smtpSecretName: 's', from: 'a@b', to: ['x@y\r\nBcc: z@y'] } }] }, 'receivers[0].email.to[0]'],
  ['a name that is taken', { receivers: [{ name: 'a', kubernetesEvent: {} }, { name: 'a', kubernetesEvent: {} }] }, 'receivers[1].name'],
])('a rule is refused for %s', (_, fields, path) => {
  expect(validateRule(valid)).toEqual([]);
  expect(validateRule({ ...valid, ...fields }).map((violation) => violation.path)).toEqual([path]);
});

test('a message with many braces is looked at in linear time', () => {
  expect(validateRule({ ...valid, message: '{'.repeat(2048) }).length).toBeGreaterThan(0);
  expect(NOTIFICATION_RULE.schema.required).toEqual(['events', 'receivers']);
});
