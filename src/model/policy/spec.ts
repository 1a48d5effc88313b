/** An organisation's rule about jobs, written once: synth holds programs against it, and the API server what is applied. */
import { checkLabels, isLabelKey, isSubdomain } from '../names';
import { matchesGlob } from '../text/expressions';
import { ViolationCollector, type Violation } from '../violations';

/** What the API server fills in where a training job on our operator says nothing. */
export interface JobDefaultsSpec {
  readonly labels?: { readonly [label: string]: string };
  readonly deadlineSeconds?: number;
  readonly queueName?: string;
}

/** A policy. What is undefined is not asked for. */
export interface JobPolicySpec {
  readonly name: string;
  /** Namespaces that it is about. @default - all but {@link exceptNamespaces} */
  readonly namespaces?: readonly string[];
  /** Namespaces that it is not about. */
  readonly exceptNamespaces?: readonly string[];
  /** Images; `*` stands for any characters. */
  readonly allowedImages?: readonly string[];
  /** Labels that whatever has pods must have, with the values that they may take; none stands for any value. */
  readonly requiredLabels?: { readonly [label: string]: readonly string[] };
  /** PriorityClasses that pods may have. A pod without one is fine. */
  readonly priorityClasses?: readonly string[];
  /** WorkloadPriorityClasses that jobs may have. A job without one is fine. */
  readonly queuePriorityClasses?: readonly string[];
  readonly queues?: readonly string[];
  /** Whether pods may ask their node for what the baseline Pod Security Standard forbids. @default true */
  readonly hostAccess?: boolean;
  /** Service accounts that pods may name. A pod without one is fine. */
  readonly serviceAccounts?: readonly string[];
  readonly maxReplicas?: number;
  readonly maxGpus?: number;
  /** Longest `activeDeadlineSeconds`, which has to be there. */
  readonly maxDeadlineSeconds?: number;
  readonly defaults?: JobDefaultsSpec;
}

/** Resources that are whole GPUs. */
export const POLICY_GPU_RESOURCES: readonly string[] = ['nvidia.com/gpu', 'amd.com/gpu'];

/**
 * Names of resources of which each counts as a GPU, read alike by JavaScript and RE2: whole and shared ones, slices and partitions, accelerators
 * that do the work of one, and devices by the name of their class, which may be GPUs.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource
 */
export const POLICY_GPU = /^(nvidia[.]com[/](gpu|mig-).*|amd[.]com[/](gpu|[a-z]px_nps).*|gpu[.]intel[.]com[/].*|google[.]com[/]tpu.*|aws[.]amazon[.]com[/]neuron.*|habana[.]ai[/]gaudi.*|deviceclass[.]resource[.]kubernetes[.]io[/].*)$/;

/** Namespaces of Kubernetes itself, which a policy about all namespaces is not about. */
export const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];

/** An image pattern as a regular expression that JavaScript and RE2 read alike. */
export function imageExpression(patterns: readonly string[]): string {
  return `^(${patterns.map((pattern) => pattern.replace(/[^A-Za-z0-9*_/:@-]/g, (character) => `[${character === '^' || character === '\\' || character === ']' ? `\\${character}` : character}]`)
    .replace(/\*/g, '.*')).join('|')})$`;
}

/** What {@link imageExpression} says, without an expression: the patterns are an administrator's, and the image is anybody's. */
export function isAllowedImage(image: string, patterns: readonly string[]): boolean {
  return !image.includes('\n') && patterns.some((pattern) => matchesGlob(pattern, image));
}

/** Whether the policy is about objects of a namespace. */
export function concerns({ namespaces, exceptNamespaces = SYSTEM_NAMESPACES }: JobPolicySpec, namespace: string | undefined): boolean {
  // An object that names no namespace may end in any.
  return namespaces === undefined
    ? namespace === undefined || !exceptNamespaces.includes(namespace)
    : namespace !== undefined && namespaces.includes(namespace);
}

/** Longest name: `-trainingjobs` comes behind it in names of the API server's policies. */
const NAME_MAX_LENGTH = 200;

export function validateJobPolicy(policy: JobPolicySpec): Violation[] {
  const violations = new ViolationCollector();
  const { name, namespaces, exceptNamespaces, requiredLabels = {}, defaults = {}, ...rules } = policy;
  if (!isSubdomain(name, NAME_MAX_LENGTH)) {
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
  Object.keys(requiredLabels).filter((label) => !isLabelKey(label)).forEach((label) => {
    violations.add(`requiredLabels['${label}']`, label, 'must be the name of a label, such as cost-center.');
  });
  Object.entries({ maxReplicas: rules.maxReplicas, maxGpus: rules.maxGpus, maxDeadlineSeconds: rules.maxDeadlineSeconds })
    .forEach(([field, value]) => violations.whole(field, value, field === 'maxGpus' ? 0 : 1));
  return violations.violations;
}

/** What is filled in has to be what is asked for. */
function checkDefaults({ defaults = {}, requiredLabels = {}, maxDeadlineSeconds, queues }: JobPolicySpec, violations: ViolationCollector): void {
  const { labels = {}, deadlineSeconds, queueName } = defaults;
  checkLabels(labels, 'defaults.labels', violations);
  for (const [label, value] of Object.entries(labels)) {
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
