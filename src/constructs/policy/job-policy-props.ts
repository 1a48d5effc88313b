import type { Duration } from 'cdk8s';
import type { IConstruct } from 'constructs';

/** What the API server does with an object that breaks a policy. */
export enum PolicyEnforcement {
  /** Refuses it, with the reason. */
  DENY = 'Deny',
  /** Takes it, and warns whoever applies it. */
  WARN = 'Warn',
  /** Takes it, and notes it in the audit log. */
  AUDIT = 'Audit',
  /** Knows nothing of the policy: it is enforced at synth alone. */
  SYNTH_ONLY = 'SynthOnly',
}

/** What the API server fills into training jobs on our operator that say nothing. */
export interface JobDefaults {
  /** Labels. @default - none */
  readonly labels?: { readonly [label: string]: string };
  /** Deadline. @default - none */
  readonly deadline?: Duration;
  /** Queue of Kueue. @default - none */
  readonly queueName?: string;
}

/** Version of the API server's MutatingAdmissionPolicies. */
export enum MutatingPolicyVersion {
  /** Kubernetes 1.36 and later. */
  V1 = 'v1',
  /** Kubernetes 1.34 and 1.35, where the API is switched on. */
  V1BETA1 = 'v1beta1',
}

/** What a policy asks for. What is left out is not asked for. */
export interface JobRules {
  /** Images that containers may run; `*` stands for any characters: `registry.example/*`. @default - any */
  readonly allowedImages?: string[];

  /**
   * Labels that whatever has pods must have, with the values that they may take; an empty list stands for any value. Objects that another object made
   * are not asked.
   * @default - none
   */
  readonly requiredLabels?: { readonly [label: string]: string[] };

  /** PriorityClasses that pods may have. Pods without a class are fine. @default - any */
  readonly priorityClasses?: string[];

  /**
   * WorkloadPriorityClasses that jobs may have: training jobs, and other kinds that Kueue takes, by their label `kueue.x-k8s.io/priority-class`. Jobs
   * without a class are fine.
   * @default - any
   */
  readonly queuePriorityClasses?: string[];

  /**
   * Queues of which jobs have to wait in one: training jobs, and other kinds that Kueue takes, by their label `kueue.x-k8s.io/queue-name`. Kinds that
   * may serve as well, such as Pods and Deployments, have to where they ask for GPUs.
   * @default - jobs may be in no queue
   */
  readonly queues?: string[];

  /**
   * Whether pods may have access to the node: its namespaces, files and ports, privileged containers, further capabilities, and whatever else the
   * baseline Pod Security Standard forbids.
   * @default true
   * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
   */
  readonly hostAccess?: boolean;

  /** Service accounts that pods may name. Pods that name none, or `default`, are fine. @default - any */
  readonly serviceAccounts?: string[];

  /**
   * Most replicas that run at a time: of all roles, copies of an array and trials of a search.
   * @default - any number
   */
  readonly maxReplicas?: number;

  /** Most GPUs that run at a time. @default - any number */
  readonly maxGpus?: number;

  /**
   * Longest deadline of jobs, and of Pods that nothing else controls, which they have to have.
   * @default - jobs need none
   */
  readonly maxDeadline?: Duration;
}

/** Properties of a `JobPolicy`. */
export interface JobPolicyProps extends JobRules {
  /** Name of the policy, in messages and of the API server's objects. @default - from the id of the construct */
  readonly name?: string;

  /** Namespaces that it is about. @default - all but `exceptNamespaces` */
  readonly namespaces?: string[];

  /**
   * Namespaces that it is not about.
   * @default - those of Kubernetes itself: kube-system, kube-public, kube-node-lease
   */
  readonly exceptNamespaces?: string[];

  /** What the API server fills into training jobs that say nothing. @default - nothing */
  readonly defaults?: JobDefaults;

  /** Version of the object that fills in `defaults`. @default MutatingPolicyVersion.V1 */
  readonly mutatingPolicyVersion?: MutatingPolicyVersion;

  /** What the API server does. @default PolicyEnforcement.DENY */
  readonly enforcement?: PolicyEnforcement;

  /** What is looked at when the app is synthesized. @default - the whole app */
  readonly over?: IConstruct;
}
