/** Rules on a NotificationRule, as the definition has them in CEL and in its schema: for programs, before the API server sees it. */
import { MAX_RECEIVERS, NOTIFICATION_RULE, PLACEHOLDERS, type NotificationRuleSpec } from './rule';
import { checkLabels, isDns1123Label } from '../names';
import { checkShape } from '../shapes';
import { shapeOf } from '../training-job/schema/field-shape';
import { didYouMean, ViolationCollector, type Violation } from '../violations';

const BRACES = /\{([^{}]*)\}|[{}]/g;
const MAX_MESSAGE = 2048;

const SHAPE = shapeOf(NOTIFICATION_RULE);

export function validateRule(spec: NotificationRuleSpec): Violation[] {
  const form = checkShape(SHAPE, spec, '').map((violation) => ({ ...violation, path: violation.path.replace(/^\./, '') }));
  return form.length > 0 ? form : validateMeaning(spec);
}

function validateMeaning({ events, receivers, message, selector, budgetReplicaHours }: NotificationRuleSpec): Violation[] {
  const violations = new ViolationCollector();
  if (events.includes('Budget') && budgetReplicaHours === undefined) {
    violations.add('budgetReplicaHours', undefined, 'is required for the event Budget.');
  }
  checkLabels(selector?.matchLabels ?? {}, 'selector.matchLabels', violations);
  if (message !== undefined) {
    checkMessage(message, violations);
  }
  if (receivers.length > MAX_RECEIVERS) {
    violations.add('receivers', receivers.length, `receivers; must be 1 to ${MAX_RECEIVERS}. Write a second rule.`);
  }
  receivers.forEach(({ name, webhook, cloudEvents }, index) => {
    if (!isDns1123Label(name)) {
      violations.add(`receivers[${index}].name`, name, 'must be a name of at most 63 lower-case letters, digits and \'-\'.');
    } else if (receivers.findIndex((other) => other.name === name) < index) {
      violations.add(`receivers[${index}].name`, name, 'is the name of another receiver too. Choose a different one.');
    }
    const url = webhook?.url ?? cloudEvents?.url;
    if (url !== undefined && !URL.canParse(url)) {
      violations.add(`receivers[${index}].${webhook === undefined ? 'cloudEvents' : 'webhook'}.url`, url, 'must be an http or https URL without a user name and a password.');
    }
  });
  return violations.violations;
}

function checkMessage(message: string, violations: ViolationCollector): void {
  if (message.length > MAX_MESSAGE) {
    violations.add('message', message, `must have at most ${MAX_MESSAGE} characters.`);
    return;
  }
  const names: readonly string[] = PLACEHOLDERS;
  for (const [whole, name] of message.matchAll(BRACES)) {
    if (!names.includes(name)) {
      violations.add('message', whole, `is not a placeholder. Use ${names.map((known) => `{${known}}`).join(', ')}.${didYouMean(name ?? '', names)}`);
    }
  }
}
