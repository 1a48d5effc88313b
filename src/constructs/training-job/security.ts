/**
 * Where pods of a job may connect to.
 */
export enum Egress {
  /** Everywhere. */
  ALL = 'All',

  /** Only to each other, DNS, the operator's progress endpoint, HTTPS servers, `toCidrs`, and with a service account metadata servers. */
  LIMITED = 'Limited',
}

/**
 * Firewall around a job: its pods take connections from each other, and from nobody else.
 */
export interface JobNetworkPolicy {
  /**
   * Namespaces whose pods may connect to the job too, such as that of Prometheus.
   *
   * @default - none
   */
  readonly fromNamespaces?: string[];

  /**
   * Where pods of the job may connect to.
   *
   * @default Egress.ALL
   */
  readonly egress?: Egress;

  /**
   * Addresses that pods may connect to on every port where egress is limited, such as `10.8.0.0/16`.
   *
   * @default - none
   */
  readonly toCidrs?: string[];
}

/**
 * What the pods of a job may do, and whom they talk to.
 */
export interface JobSecurity {
  /**
   * Whether every container keeps Kubernetes' restricted Pod Security Standard: no root, no gain of privileges, no capabilities.
   *
   * @default false
   */
  readonly restricted?: boolean;

  /**
   * User that containers run as.
   *
   * @default - the image's
   */
  readonly runAsUser?: number;

  /**
   * Group that volumes belong to, so that a user other than root can write checkpoints.
   *
   * @default - none
   */
  readonly fsGroup?: number;

  /**
   * Firewall around the job. Give `{}` for one that lets pods of the job connect to each other and to everywhere.
   *
   * @default - none: whoever may reach pods of the namespace may reach the job's
   */
  readonly networkPolicy?: JobNetworkPolicy;
}
