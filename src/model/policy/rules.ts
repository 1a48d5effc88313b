/** What is wrong with a policy itself. */
import type { JobPolicySpec } from './spec';
import { ViolationCollector, type Violation } from '../violations';

const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Longest name: `-trainingjobs` comes behind it in names of the API server's policies. */
const NAME_MAX_LENGTH = 200;

/** Rules for a policy. */
export function validateJobPolicy(policy: JobPolicySpec): Violation[] {
  const violations = new ViolationCollector();
  const { name, namespaces, exceptNamespaces, requiredLabels = {}, defaults = {}, ...rules } = policy;
  if (name.length > NAME_MAX_LENGTH || !NAME.test(name)) {
    violations.add('name', name, `must be lower-case letters, digits, - and ., with a letter or digit at both ends, and at most ${NAME_MAX_LENGTH} characters.`);
  }
  if (namespaces !== undefined && exceptNamespaces !== undefined) {
    violations.add('exceptNamespaces', exceptNamespaces, 'applies only to a policy for all namespaces. Remove it, or namespaces.');
  }
  if (namespaces?.length === 0) {
    violations.add('namespaces', [], 'is an empty list. List namespaces, or omit it to match all.');
  }
  checkDefaults(policy, violations);
  // That pods may have access to the node is nothing to ask for.
  const asked = [...Object.values({ ...rules, hostAccess: rules.hostAccess === false || undefined }), ...Object.values(defaults)];
  if (asked.every((rule) => rule === undefined) && Object.keys(requiredLabels).length === 0) {
    violations.add('policy', undefined, 'has no rules. Add a rule, such as allowedImages.');
  }
  if (rules.allowedImages?.some((image) => image === '')) {
    violations.add('allowedImages', rules.allowedImages, 'has an empty pattern. Write images such as registry.example/*.');
  }
  rules.allowedImages?.filter((image) => image !== '*' && /^[^/]*\*/.test(image)).forEach((image) => {
    violations.add('allowedImages', image, 'allows images of other registries: its * can stand for the end of a registry\'s name. Write the whole registry and a / before the first *, such as registry.example/*.');
  });
  if (rules.allowedImages?.length === 0 || rules.queues?.length === 0) {
    violations.add(rules.queues?.length === 0 ? 'queues' : 'allowedImages', [], 'allows nothing. List what is allowed, or leave it out.');
  }
  Object.keys(requiredLabels).filter((label) => !LABEL_KEY.test(label)).forEach((label) => {
    violations.add(`requiredLabels['${label}']`, label, 'must be the name of a label, such as cost-center.');
  });
  Object.entries({ maxReplicas: rules.maxReplicas, maxGpus: rules.maxGpus, maxDeadlineSeconds: rules.maxDeadlineSeconds })
    .forEach(([field, value]) => {
      const least = field === 'maxGpus' ? 0 : 1;
      if (value !== undefined && !(Number.isInteger(value) && value >= least)) {
        violations.add(field, value, `must be a whole number, ${least} or more.`);
      }
    });
  return violations.violations;
}

/** What is filled in has to be what is asked for. */
function checkDefaults({ defaults = {}, requiredLabels = {}, maxDeadlineSeconds, queues }: JobPolicySpec, violations: ViolationCollector): void {
  const { labels = {}, deadlineSeconds, queueName } = defaults;
  for (const [label, value] of Object.entries(labels)) {
    if (!LABEL_KEY.test(label) || !LABEL_VALUE.test(value)) {
      violations.add(`defaults.labels['${label}']`, value, 'must be a label: a name with at most 63 letters, digits, -, _ and . after an optional domain, and a value of the same characters.');
    }
    if (Object.hasOwn(requiredLabels, label) && requiredLabels[label].length > 0 && !requiredLabels[label].includes(value)) {
      violations.add(`defaults.labels['${label}']`, value, `is rejected by the policy itself, which requires ${requiredLabels[label].join(' or ')}.`);
    }
  }
  const isDeadline = (value: number) => Number.isInteger(value) && value >= 1 && value <= (maxDeadlineSeconds ?? Infinity);
  if (deadlineSeconds !== undefined && !isDeadline(deadlineSeconds)) {
    violations.add('defaults.deadline', deadlineSeconds, `must be at least one second${maxDeadlineSeconds === undefined ? '' : `, and at most the ${maxDeadlineSeconds} that the policy allows`}.`);
  }
  if (queueName !== undefined && queues !== undefined && !queues.includes(queueName)) {
    violations.add('defaults.queueName', queueName, `is rejected by the policy itself, which allows ${queues.join(', ')}.`);
  }
}
