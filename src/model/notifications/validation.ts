/** Rules on a NotificationRule, as the definition has them in CEL and in its schema: for programs, before the API server sees it. */
import { PLACEHOLDERS, resolveRule, type NotificationRuleSpec, type ReceiverSpec } from './rule';
import { didYouMean, ViolationCollector, type Violation } from '../violations';
import { isLabelKey, isLabelValue } from '../names';

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const URL_FORM = /^https?:\/\/[^\s@]+$/;
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/;
const BRACES = /\{([^{}]*)\}|[{}]/g;
const MAX_MESSAGE = 2048;

export function validateRule(spec: NotificationRuleSpec): Violation[] {
  const violations = new ViolationCollector();
  const { events, receivers, message, selector, budgetReplicaHours, ...numbers } = resolveRule(spec);
  if (events.length === 0) {
    violations.add('events', events, 'must have at least one event.');
  }
  if (events.includes('Budget') && budgetReplicaHours === undefined) {
    violations.add('budgetReplicaHours', undefined, 'is required for the event Budget.');
  }
  const bounds: [string, number | undefined, number, number][] = [
    ['stallSeconds', numbers.stallSeconds, 30, Infinity], ['queueWaitSeconds', numbers.queueWaitSeconds, 30, Infinity],
    ['deadlinePercent', numbers.deadlinePercent, 1, 100], ['budgetReplicaHours', budgetReplicaHours, 1, Infinity],
    ['intervalSeconds', numbers.intervalSeconds, 1, 86_400], ['maxPerMinute', numbers.maxPerMinute, 1, 600], ['retrySeconds', numbers.retrySeconds, 60, 604_800],
  ];
  bounds.forEach(([field, value, least, most]) => violations.whole(field, value, least, most));
  Object.entries(selector?.matchLabels ?? {}).forEach(([label, value]) => {
    if (!isLabelKey(label) || !isLabelValue(value)) {
      violations.add(`selector.matchLabels.${label}`, value, 'is not a label: a name with an optional domain, and a value of at most 63 letters, digits, \'-\', \'_\' and \'.\'.');
    }
  });
  if (message !== undefined) {
    checkMessage(message, violations);
  }
  if (receivers.length === 0 || receivers.length > 8) {
    violations.add('receivers', receivers.length, 'receivers; must be 1 to 8. Add one, or write a second rule.');
  }
  receivers.forEach((receiver, index) => checkReceiver(receiver, `receivers[${index}]`, violations));
  receivers.forEach(({ name }, index) => {
    if (receivers.findIndex((other) => other.name === name) < index) {
      violations.add(`receivers[${index}].name`, name, 'is the name of another receiver too. Choose a different one.');
    }
  });
  return violations.violations;
}

function checkMessage(message: string, violations: ViolationCollector): void {
  if (message.length === 0 || message.length > MAX_MESSAGE) {
    violations.add('message', message, `must have 1 to ${MAX_MESSAGE} characters.`);
    return;
  }
  const names: readonly string[] = PLACEHOLDERS;
  for (const [whole, name] of message.matchAll(BRACES)) {
    if (!names.includes(name)) {
      violations.add('message', whole, `is not a placeholder. Use ${names.map((known) => `{${known}}`).join(', ')}.${didYouMean(name ?? '', names)}`);
    }
  }
}

function checkReceiver({ name, webhook, cloudEvents, email }: ReceiverSpec, path: string, violations: ViolationCollector): void {
  if (!NAME.test(name) || name.length > 63) {
    violations.add(`${path}.name`, name, 'must be a name of at most 63 lower-case letters, digits and \'-\'.');
  }
  const url = webhook?.url ?? cloudEvents?.url;
  if (url !== undefined && (!URL_FORM.test(url) || !URL.canParse(url))) {
    violations.add(`${path}.url`, url, 'must be an http or https URL without a user name and a password.');
  }
  for (const [field, address] of email === undefined ? [] : [['from', email.from], ...email.to.map((to, index) => [`to[${index}]`, to])]) {
    violations.form(`${path}.${field}`, address, ADDRESS, 'must be a mail address, such as team@example.com.');
  }
  if (email?.to.length === 0) {
    violations.add(`${path}.to`, [], 'must have at least one address.');
  }
}
