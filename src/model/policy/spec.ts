/** An organisation's rule about jobs, written once: synth holds programs against it, and the API server what is applied. */
import { matchesGlob } from '../text/expressions';

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
  /** Queues that training jobs have to wait in. */
  readonly queues?: readonly string[];
  /** Whether pods may ask their node for what the baseline Pod Security Standard forbids. @default true */
  readonly hostAccess?: boolean;
  /** Service accounts that pods may name. A pod without one is fine. */
  readonly serviceAccounts?: readonly string[];
  /** Most replicas at a time. */
  readonly maxReplicas?: number;
  /** Most GPUs at a time. */
  readonly maxGpus?: number;
  /** Longest `activeDeadlineSeconds`, which has to be there. */
  readonly maxDeadlineSeconds?: number;
  readonly defaults?: JobDefaultsSpec;
}

/** Resources that are whole GPUs. */
export const POLICY_GPU_RESOURCES: readonly string[] = ['nvidia.com/gpu', 'amd.com/gpu'];

/**
 * Names of resources of which each counts as a GPU, read alike by JavaScript and RE2: whole and shared ones, slices and partitions, and accelerators
 * that do the work of one.
 */
export const POLICY_GPU = /^(nvidia[.]com[/](gpu|mig-).*|amd[.]com[/](gpu|[a-z]px_nps).*|gpu[.]intel[.]com[/].*|google[.]com[/]tpu.*|aws[.]amazon[.]com[/]neuron.*|habana[.]ai[/]gaudi.*)$/;

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
