import type { Duration } from 'cdk8s';
import type { IConstruct } from 'constructs';

/** What the API server does with an object that violates a policy. */
export enum PolicyEnforcement {
  /** Rejects it, with the reason. */
  DENY = 'Deny',
  /** Accepts it, and returns a warning to the client. */
  WARN = 'Warn',
  /** Accepts it, and records it in the audit log. */
  AUDIT = 'Audit',
  /** Nothing: the policy is only enforced at synth. */
  SYNTH_ONLY = 'SynthOnly',
}

/** Defaults that the API server sets in training jobs on Trainyard's operator. */
export interface JobDefaults {
  /** Labels. @default - none */
  readonly labels?: { readonly [label: string]: string };
  /** Deadline. @default - none */
  readonly deadline?: Duration;
  /** Kueue queue. @default - none */
  readonly queueName?: string;
}

/** Version of the API server's MutatingAdmissionPolicies. */
export enum MutatingPolicyVersion {
  /** Kubernetes 1.36 and later. */
  V1 = 'v1',
  /** Kubernetes 1.34 and 1.35, if the API is enabled. */
  V1BETA1 = 'v1beta1',
}

/** Rules of a policy. */
export interface JobRules {
  /** Images that containers may run; `*` matches any characters: `registry.example/*`. @default - any */
  readonly allowedImages?: string[];

  /**
   * Labels that objects with pods must have, with the allowed values; an empty list allows any value. Objects that another object created are not
   * checked.
   * @default - none
   */
  readonly requiredLabels?: { readonly [label: string]: string[] };

  /** PriorityClasses that pods may have. Pods without a class are allowed. @default - any */
  readonly priorityClasses?: string[];

  /**
   * WorkloadPriorityClasses that jobs may have: training jobs, and other kinds that Kueue queues, by their label `kueue.x-k8s.io/priority-class`.
   * Jobs without a class are allowed.
   * @default - any
   */
  readonly queuePriorityClasses?: string[];

  /**
   * Queues, one of which jobs must use: training jobs, and other kinds that Kueue queues, by their label `kueue.x-k8s.io/queue-name`. Kinds that can
   * also be services, such as Pods and Deployments, must use one if they request GPUs.
   * @default - jobs need no queue
   */
  readonly queues?: string[];

  /**
   * Whether pods may access the node: its namespaces, files and ports, privileged containers, additional capabilities, and everything else that the
   * baseline Pod Security Standard forbids.
   * @default true
   * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
   */
  readonly hostAccess?: boolean;

  /** Service accounts that pods may use. `default` is always allowed. @default - any */
  readonly serviceAccounts?: string[];

  /**
   * Maximum number of replicas that run at the same time: of all roles, copies of an array and trials of a search.
   * @default - any number
   */
  readonly maxReplicas?: number;

  /** Maximum number of GPUs in use at the same time. @default - any number */
  readonly maxGpus?: number;

  /**
   * Maximum deadline, which jobs, and Pods without a controller, must then have.
   * @default - no deadline is required
   */
  readonly maxDeadline?: Duration;
}

/** Properties of a `JobPolicy`. */
export interface JobPolicyProps extends JobRules {
  /** Name of the policy in messages, and of the API server's objects. @default - derived from the id of the construct */
  readonly name?: string;

  /** Namespaces to which it applies. @default - all except `exceptNamespaces` */
  readonly namespaces?: string[];

  /**
   * Namespaces to which it does not apply.
   * @default - those of Kubernetes itself: kube-system, kube-public, kube-node-lease
   */
  readonly exceptNamespaces?: string[];

  /** Defaults that the API server sets in training jobs. @default - none */
  readonly defaults?: JobDefaults;

  /** Version of the object that sets `defaults`. @default MutatingPolicyVersion.V1 */
  readonly mutatingPolicyVersion?: MutatingPolicyVersion;

  /** What the API server does with violations. @default PolicyEnforcement.DENY */
  readonly enforcement?: PolicyEnforcement;

  /** Constructs to check at synth. @default - the whole app */
  readonly over?: IConstruct;
}
