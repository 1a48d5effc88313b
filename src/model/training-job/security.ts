/** `spec.security`: what the pods of a job may do, and whom they talk to. */

/** `spec.security`. */
export interface SecuritySpec {
  /**
   * Whether every container of the job keeps Kubernetes' restricted Pod Security Standard: no root, no gain of privileges, no capabilities, the
   * runtime's filter of system calls. What the job's templates ask for has to agree.
   * @default false
   */
  readonly restricted?: boolean;

  /** User that containers run as. @default - the image's, which a kubelet refuses in a restricted pod when it is root or a mere name */
  readonly runAsUser?: number;

  /** Group that volumes belong to, so that a user other than root can write checkpoints. @default - none */
  readonly fsGroup?: number;

  /** Firewall around the job. @default - none */
  readonly networkPolicy?: NetworkPolicySpec;
}

/** `spec.security.networkPolicy`: pods of the job take connections from each other, and from nobody else. */
export interface NetworkPolicySpec {
  /** @default true */
  readonly enabled?: boolean;

  /** Namespaces whose pods may connect to the job too, such as that of Prometheus. @default - none */
  readonly fromNamespaces?: readonly string[];

  /**
   * Where pods of the job may connect to: everywhere, or only to each other, to DNS, to the operator's progress endpoint, to HTTPS servers, to
   * `toCidrs`, and to metadata servers if a template names a service account other than `default`.
   * @default All
   */
  readonly egress?: EgressMode;

  /** Addresses that pods may connect to on every port where egress is limited, such as `10.8.0.0/16`. @default - none */
  readonly toCidrs?: readonly string[];
}

/** See {@link NetworkPolicySpec.egress}. */
export type EgressMode = 'All' | 'Limited';

/** All values of {@link EgressMode}. */
export const EGRESS_MODES: readonly EgressMode[] = ['All', 'Limited'];

/** Whether a job has a firewall. */
export function hasNetworkPolicy(security: SecuritySpec | undefined): boolean {
  return security?.networkPolicy !== undefined && security.networkPolicy.enabled !== false;
}
