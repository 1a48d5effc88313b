/** What a policy says to an object, in the words that the API server has for it too. */
import { DEFAULT_SERVICE_ACCOUNT } from './host-access';
import { isAllowedImage, type JobDefaultsSpec, type JobPolicySpec } from './spec';
import type { PolicySubject } from './subject';
import { QUEUE_NAME_LABEL } from '../kueue-names';

/** Words of the rules. This file, or CEL, puts what is found between them. */
export const POLICY_MESSAGES = {
  image: ({ name, allowedImages }: JobPolicySpec) => ['image \'', `' is not allowed by policy '${name}': allowed are ${allowedImages!.join(', ')}`],
  label: ({ name }: JobPolicySpec, label: string, values: readonly string[]) => (
    `policy '${name}' requires the label ${label}${values.length === 0 ? '' : ` to be ${values.join(' or ')}`}`
  ),
  priority: ({ name, priorityClasses }: JobPolicySpec) => ['priority class \'', `' is not allowed by policy '${name}': allowed are ${shown(priorityClasses!)}`],
  queuePriority: ({ name, queuePriorityClasses }: JobPolicySpec) => ['queue priority class \'', `' is not allowed by policy '${name}': allowed are ${shown(queuePriorityClasses!)}`],
  queue: ({ name, queues }: JobPolicySpec) => (
    `policy '${name}' requires the job to wait in a queue (scheduling.queueName, or the label ${QUEUE_NAME_LABEL} on other kinds): ${shown(queues!)}`
  ),
  hostAccess: ({ name }: JobPolicySpec) => [`policy '${name}' forbids access to the node: `, ''],
  serviceAccount: ({ name, serviceAccounts }: JobPolicySpec) => [
    'service account \'', `' is not allowed by policy '${name}': allowed are ${[DEFAULT_SERVICE_ACCOUNT, ...serviceAccounts!].join(', ')}`,
  ],
  replicas: ({ name, maxReplicas }: JobPolicySpec) => ['', ` replicas are more than policy '${name}' allows: at most ${maxReplicas}`],
  gpus: ({ name, maxGpus }: JobPolicySpec) => ['', ` GPUs are more than policy '${name}' allows: at most ${maxGpus}`],
  claims: ({ name }: JobPolicySpec) => `policy '${name}' counts GPUs, which resource claims do not show. Request them in resources.limits, and remove resourceClaims`,
  scale: ({ name }: JobPolicySpec) => `policy '${name}' counts GPUs, which a change of the scale alone does not show. Change spec.replicas of the object itself`,
  deadline: ({ name, maxDeadlineSeconds }: JobPolicySpec) => `policy '${name}' requires activeDeadlineSeconds, at most ${maxDeadlineSeconds}`,
};

/** A training job as it is after the API server has filled in what it does not say. */
export function withDefaults(subject: PolicySubject, { labels, deadlineSeconds, queueName }: JobDefaultsSpec): PolicySubject {
  return {
    ...subject,
    labels: { ...labels, ...subject.labels },
    deadlineSeconds: subject.deadlineSeconds ?? deadlineSeconds ?? null,
    queue: subject.queue ?? queueName ?? null,
  };
}

/** What is wrong with an object, in the order in which the API server looks. */
export function policyProblems(policy: JobPolicySpec, subject: PolicySubject): string[] {
  const { allowedImages, requiredLabels = {}, priorityClasses, queuePriorityClasses, queues, hostAccess, serviceAccounts } = policy;
  const { maxReplicas, maxGpus, maxDeadlineSeconds } = policy;
  const problems: string[] = [];
  const tell = (words: readonly string[], found: unknown) => problems.push(words.join(String(found)));
  const foreign = allowedImages && subject.images.find((image) => !isAllowedImage(image, allowedImages));
  if (foreign !== undefined) {
    tell(POLICY_MESSAGES.image(policy), foreign);
  }
  for (const [label, values] of Object.entries(requiredLabels)) {
    const value = Object.hasOwn(subject.labels, label) ? subject.labels[label] : undefined;
    if (value === undefined || (values.length > 0 && !values.includes(value))) {
      problems.push(POLICY_MESSAGES.label(policy, label, values));
    }
  }
  const priority = priorityClasses && subject.priorityClasses.find((name) => !priorityClasses.includes(name));
  if (priority !== undefined) {
    tell(POLICY_MESSAGES.priority(policy), priority);
  }
  if (queuePriorityClasses !== undefined && subject.queuePriorityClass !== undefined && !queuePriorityClasses.includes(subject.queuePriorityClass)) {
    tell(POLICY_MESSAGES.queuePriority(policy), subject.queuePriorityClass);
  }
  const { queue } = subject;
  if (queues !== undefined && queue !== undefined && (queue === null ? subject.mustQueue === true : !queues.includes(queue))) {
    problems.push(POLICY_MESSAGES.queue(policy));
  }
  if (hostAccess === false && subject.hostAccess.length > 0) {
    tell(POLICY_MESSAGES.hostAccess(policy), subject.hostAccess[0]);
  }
  const account = serviceAccounts && subject.serviceAccounts.find((name) => !serviceAccounts.includes(name));
  if (account !== undefined) {
    tell(POLICY_MESSAGES.serviceAccount(policy), account);
  }
  if (maxReplicas !== undefined && subject.replicas !== undefined && subject.replicas > maxReplicas) {
    tell(POLICY_MESSAGES.replicas(policy), subject.replicas);
  }
  if (maxGpus !== undefined && subject.gpus !== undefined && subject.gpus > maxGpus) {
    tell(POLICY_MESSAGES.gpus(policy), subject.gpus);
  }
  if (maxGpus !== undefined && subject.claims === true) {
    problems.push(POLICY_MESSAGES.claims(policy));
  }
  if (maxDeadlineSeconds !== undefined && subject.deadlineSeconds !== undefined && !((subject.deadlineSeconds ?? Infinity) <= maxDeadlineSeconds)) {
    problems.push(POLICY_MESSAGES.deadline(policy));
  }
  return problems;
}

function shown(names: readonly string[]): string {
  return names.join(', ') || 'none';
}
