// Generated from the tables of src/model/training-job: run `npm run props` after a change there.

/** Where pods of a job may connect to. */
export enum Egress {
  /** Everywhere. */
  ALL = 'All',
  /** Only to each other, DNS, the operator's progress endpoint, HTTPS servers, `toCidrs`, and with a service account metadata servers. */
  LIMITED = 'Limited',
}

/** Firewall around the job: its pods accept connections only from each other. */
export interface JobNetworkPolicy {
  /** Namespaces whose pods may connect to the job too, such as that of Prometheus. @default - none */
  readonly fromNamespaces?: string[];
  /** Where pods of the job may connect to. @default Egress.ALL */
  readonly egress?: Egress;
  /** Addresses that pods may connect to on every port if egress is limited, such as `10.8.0.0/16`. @default - none */
  readonly toCidrs?: string[];
}

/** What the pods of the job may do, and whom they may connect to. */
export interface JobSecurity {
  /**
   * Whether every container complies with Kubernetes' restricted Pod Security Standard: no root, no privilege escalation, no capabilities.
   * @default false
   */
  readonly restricted?: boolean;

  /** User that containers run as. @default - the image's */
  readonly runAsUser?: number;

  /** Group that volumes belong to, so that a user other than root can write checkpoints. @default - none */
  readonly fsGroup?: number;

  /**
   * Firewall around the job: its pods accept connections only from each other.
   * @default - none: the job's pods accept the same connections as other pods of the namespace
   */
  readonly networkPolicy?: JobNetworkPolicy;
}
