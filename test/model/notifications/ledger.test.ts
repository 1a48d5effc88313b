/** What waits, what is handled and what is throttled, from one status to the next. */
import { admit, due, LATENESS_MS, settle } from '../../../src/model/notifications/ledger';
import type { Occurrence } from '../../../src/model/notifications/occurrences';
import { resolveRule } from '../../../src/model/notifications/rule';
import { MAX_WAITING, type NotificationRuleStatus } from '../../../src/model/notifications/status';
import { timeText } from '../../../src/model/text/times';

const T0 = Date.parse('2026-11-27T12:00:00Z');
const rule = resolveRule({
  events: ['Failed', 'Restarted'], intervalSeconds: 300, retrySeconds: 3600, receivers: [{ name: 'a', kubernetesEvent: {} }, { name: 'b', kubernetesEvent: {} }],
});

const event = (at: number, fields: Partial<Occurrence> = {}): Occurrence => (
  { id: `${fields.job ?? 'job'}-${at}`, isLive: false, job: 'job', uid: 'u', namespace: 'ns', event: 'Restarted', time: timeText(at), ...fields });
const pass = (status: NotificationRuleStatus, now: number, occurrences: Occurrence[]) => (
  admit(status, { rule, createdAt: T0 - 1000, occurrences, now }));

test('an event is taken in once, for all receivers, and each has it until it has taken it', () => {
  const first = pass({}, T0, [event(T0)]);
  expect(first.waiting).toMatchObject([{ id: `job-${T0}`, count: 1, receivers: ['a', 'b'] }]);
  expect(pass(first, T0 + 1000, [event(T0)])).toEqual(first);
  const half = settle(first, { id: `job-${T0}`, receiver: 'a', at: T0 });
  expect(half.waiting).toMatchObject([{ receivers: ['b'] }]);
  expect(due(half, 'a', T0)).toEqual([]);
  expect(due(half, 'b', T0)).toHaveLength(1);
  const done = settle(half, { id: `job-${T0}`, receiver: 'b', at: T0 });
  expect(done.waiting).toEqual([]);
  expect(pass(done, T0 + 2000, [event(T0)]).waiting).toEqual([]);
});

test('events from before the rule are not reported, live ones are', () => {
  const old = T0 - 10 * LATENESS_MS;
  expect(pass({}, T0, [event(old)]).waiting).toEqual([]);
  expect(pass({}, T0, [event(old, { isLive: true })]).waiting).toHaveLength(1);
});

test('a loop of restarts is one message an interval, and none is left out of the count', () => {
  let status: NotificationRuleStatus = {};
  const sentAt: number[] = [];
  let events = 0;
  for (let second = 0; second < 3600; second += 10) {
    const now = T0 + second * 1000;
    status = pass(status, now, [event(now)]);
    for (const message of due(status, 'a', now)) {
      sentAt.push(now);
      events += message.count;
      status = settle(settle(status, { id: message.id, receiver: 'a', at: now }), { id: message.id, receiver: 'b', at: now });
    }
  }
  expect(sentAt).toEqual(Array.from({ length: 12 }, (_, index) => T0 + index * 300_000));
  expect(events + status.waiting!.reduce((sum, { count }) => sum + count, 0)).toBe(360);
});

test('another job, and another event, have an interval of their own', () => {
  const status = pass({}, T0, [event(T0), event(T0, { job: 'other' }), event(T0, { event: 'Failed', id: 'failed' })]);
  expect(due(status, 'a', T0)).toHaveLength(3);
});

test('a receiver that fails is left alone for a while, and the others are not', () => {
  const status = settle(pass({}, T0, [event(T0)]), { id: `job-${T0}`, receiver: 'a', error: 'HTTP 503', at: T0, retryAt: T0 + 60_000 });
  expect(due(status, 'a', T0 + 30_000)).toEqual([]);
  expect(due(status, 'b', T0 + 30_000)).toHaveLength(1);
  expect(due(status, 'a', T0 + 61_000)).toHaveLength(1);
  expect(status.receivers!.a).toMatchObject({ failures: 1, lastError: 'HTTP 503' });
});

test('a message whose time is over is counted for each receiver that does not have it', () => {
  const status = settle(pass({}, T0, [event(T0)]), { id: `job-${T0}`, receiver: 'a', at: T0 });
  const over = pass(status, T0 + 3_600_000, []);
  expect(over.waiting).toEqual([]);
  expect(over.receivers).toMatchObject({ a: { delivered: 1, expired: 0 }, b: { delivered: 0, expired: 1 } });
});

test('what has no room is not handled, and is taken in when there is room', () => {
  const all = Array.from({ length: MAX_WAITING + 5 }, (_, index) => event(T0 + index, { job: `job-${index}`, id: `${index}` }));
  const full = pass({}, T0 + 1000, all);
  expect(full.waiting).toHaveLength(MAX_WAITING);
  const settled = full.waiting!.slice(0, 5).reduce((status, { id }) => (
    settle(settle(status, { id, receiver: 'a', at: T0 }), { id, receiver: 'b', at: T0 })), full);
  const next = pass(settled, T0 + 2000, all);
  expect(next.waiting).toHaveLength(MAX_WAITING);
  expect(Object.keys(next.handled!)).toHaveLength(MAX_WAITING + 5);
});

test('what is remembered stays bounded, and forgets nothing that could come back', () => {
  let status: NotificationRuleStatus = {};
  const occurrences: Occurrence[] = [];
  for (let minute = 0; minute < 600; minute++) {
    const now = T0 + minute * 60_000;
    occurrences.push(event(now, { job: `job-${minute}`, id: `id-${minute}`, event: 'Failed' }));
    status = pass(status, now, occurrences);
    for (const { id } of due(status, 'a', now)) {
      expect(id).toBe(`id-${minute}`);
      status = settle(settle(status, { id, receiver: 'a', at: now }), { id, receiver: 'b', at: now });
    }
  }
  expect(status.receivers!.a.delivered).toBe(600);
  expect(Object.keys(status.handled!).length).toBeLessThan(200);
  expect(Object.keys(status.sent!).length).toBeLessThan(20);
});

test('a receiver that the rule no longer has gets nothing', () => {
  const status = pass({}, T0, [event(T0)]);
  const changed = admit(status, { rule: { ...rule, receivers: rule.receivers.slice(0, 1) }, createdAt: T0, occurrences: [], now: T0 });
  expect(changed.waiting).toMatchObject([{ receivers: ['a'] }]);
});
