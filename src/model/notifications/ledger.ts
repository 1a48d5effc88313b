/**
 * Which messages wait, which events are handled, and when the next message of an event may be sent: a pure function from one status to the next.
 *
 * An event is handled from when its message is in the status, which is written before anything is sent. A message is in the status until each
 * receiver has taken it or its time is over. So a notifier that ends at any moment loses none, and sends one again only if it ended between the
 * receiver's answer and the write; then with the same id.
 */
import type { Occurrence } from './occurrences';
import type { ResolvedNotificationRule } from './rule';
import { MAX_REMEMBERED, MAX_WAITING, type NotificationRuleStatus, type ReceiverStatus, type WaitingMessage } from './status';
import { timeText } from '../text/times';

/** How much later than another event an older one may come into the cache, in milliseconds. */
export const LATENESS_MS = 3_600_000;

/** What a pass knows. */
export interface Pass {
  readonly rule: ResolvedNotificationRule;
  /** When the rule was created, milliseconds since the epoch: earlier events are not reported. */
  readonly createdAt: number;
  readonly occurrences: readonly Occurrence[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How an attempt ended. */
export interface Outcome {
  readonly id: string;
  readonly receiver: string;
  /** Why the receiver does not have the message. @default - it has it */
  readonly error?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Nothing is sent before, after an error; milliseconds since the epoch. */
  readonly retryAt?: number;
}

const NO_ANSWER: ReceiverStatus = { delivered: 0, expired: 0, failures: 0 };

/** The status after an attempt. */
export function settle(status: NotificationRuleStatus, { id, receiver, error, at, retryAt = at }: Outcome): NotificationRuleStatus {
  const known = status.receivers?.[receiver] ?? NO_ANSWER;
  if (error !== undefined) {
    const failed = { ...known, failures: known.failures + 1, lastError: error, retryTime: timeText(retryAt + 999) };
    return { ...status, receivers: { ...status.receivers, [receiver]: failed } };
  }
  const { expired, delivered } = known;
  return {
    ...status,
    receivers: { ...status.receivers, [receiver]: { expired, delivered: delivered + 1, failures: 0, lastDeliveryTime: timeText(at) } },
    waiting: without(status.waiting ?? [], (message, name) => message.id === id && name === receiver),
  };
}

/** The status with the events that are new, and without the messages whose time is over. */
export function admit(status: NotificationRuleStatus, { rule, createdAt, occurrences, now }: Pass): NotificationRuleStatus {
  const names = rule.receivers.map(({ name }) => name);
  let until = status.handledUntil === undefined ? createdAt : Date.parse(status.handledUntil);
  const handled = new Map(Object.entries(status.handled ?? {}));
  const sent = new Map(Object.entries(status.sent ?? {}).filter(([, at]) => Date.parse(at) + rule.intervalSeconds * 1000 > now));
  const receivers = new Map(Object.entries(status.receivers ?? {}).filter(([name]) => names.includes(name)));
  const waiting = without(status.waiting ?? [], ({ notBefore }, name) => {
    const isOver = Date.parse(notBefore) + rule.retrySeconds * 1000 <= now;
    if (isOver && names.includes(name)) {
      const known = receivers.get(name) ?? NO_ANSWER;
      receivers.set(name, { ...known, expired: known.expired + 1 });
    }
    return isOver || !names.includes(name);
  });

  let heldBack = Infinity;
  for (const { isLive, ...facts } of [...occurrences].sort((one, other) => Date.parse(one.time) - Date.parse(other.time))) {
    const at = Date.parse(facts.time);
    if (handled.has(facts.id) || (!isLive && at < until)) {
      continue;
    }
    const key = `${facts.event}/${facts.job}`;
    const held = waiting.findIndex((message) => message.event === facts.event && message.job === facts.job && Date.parse(message.notBefore) > now);
    if (held >= 0) {
      const { count, notBefore } = waiting[held];
      waiting[held] = { ...facts, count: count + 1, notBefore, receivers: names };
    } else if (waiting.length >= MAX_WAITING) {
      heldBack = Math.min(heldBack, at);
      continue;
    } else {
      const last = sent.get(key);
      const notBefore = timeText(last === undefined ? now : Math.max(now, Date.parse(last) + rule.intervalSeconds * 1000));
      waiting.push({ ...facts, count: 1, notBefore, receivers: names });
      sent.set(key, notBefore);
    }
    handled.set(facts.id, facts.time);
  }

  // In large steps: each is a write.
  if (now - until > 2 * LATENESS_MS) {
    until = Math.max(until, Math.min(now - LATENESS_MS, heldBack - 1000));
  }
  const alive = new Set(occurrences.filter(({ isLive }) => isLive).map(({ id }) => id));
  const kept = [...handled].filter(([id, time]) => Date.parse(time) >= until || alive.has(id));
  const [remembered, forgotten] = newest(kept, 2 * MAX_REMEMBERED);
  return {
    handledUntil: timeText(forgotten === undefined ? until : Math.max(until, Date.parse(forgotten))),
    handled: Object.fromEntries(remembered),
    sent: Object.fromEntries(newest([...sent], MAX_REMEMBERED)[0]),
    waiting,
    receivers: Object.fromEntries(receivers),
  };
}

/** Messages that may be sent to a receiver now, the oldest first. */
export function due({ waiting = [], receivers = {} }: NotificationRuleStatus, receiver: string, now: number): WaitingMessage[] {
  const { retryTime } = receivers[receiver] ?? NO_ANSWER;
  return retryTime !== undefined && Date.parse(retryTime) > now ? []
    : waiting.filter((message) => message.receivers.includes(receiver) && Date.parse(message.notBefore) <= now);
}

/** When something is due without any event, milliseconds since the epoch; Infinity where nothing is. */
export function nextDue({ waiting = [], receivers = {} }: NotificationRuleStatus, { retrySeconds }: ResolvedNotificationRule, now: number): number {
  const times = [
    ...waiting.flatMap(({ notBefore }) => [Date.parse(notBefore), Date.parse(notBefore) + retrySeconds * 1000]),
    ...(waiting.length === 0 ? [] : Object.values(receivers).map(({ retryTime }) => Date.parse(retryTime ?? ''))),
  ];
  return Math.min(...times.filter((time) => time > now));
}

/** Messages without some of their receivers, and without those that have none left. */
function without(waiting: readonly WaitingMessage[], removed: (message: WaitingMessage, receiver: string) => boolean): WaitingMessage[] {
  return waiting.map((message) => ({ ...message, receivers: message.receivers.filter((name) => !removed(message, name)) }))
    .filter(({ receivers }) => receivers.length > 0);
}

/** The newest entries in their order, and the time of the newest that is left out. */
function newest(entries: [string, string][], max: number): [entries: [string, string][], leftOut?: string] {
  if (entries.length <= max) {
    return [entries];
  }
  const times = entries.map(([, time]) => time).sort().reverse();
  return [entries.filter(([, time]) => time > times[max]), times[max]];
}
