import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { Grant } from '../../gke/identity/grant';
import type { WorkloadPool } from '../../gke/identity/workload-identity';
import type { JobRules } from '../../policy/job-policy-props';
import type { IClusterQueue } from '../../queues/cluster-queue';
import type { Egress } from '../../training-job/generated/security';
import type { Gpu, Tpu } from '../../training-job/pods/resources';

/** Levels of the Pod Security Standards. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export enum PodSecurityLevel {
  /** No restrictions. */
  PRIVILEGED = 'privileged',
  /** No known privilege escalations. */
  BASELINE = 'baseline',
  /** Hardened pods: no root, no capabilities, seccomp. */
  RESTRICTED = 'restricted',
}

/** Users and groups, with the names that the API server authenticates. */
export interface TeamPeople {
  /**
   * Names of users, on GKE their e-mail addresses. A ServiceAccount is `system:serviceaccount:NAMESPACE:NAME`.
   * @default - none
   */
  readonly users?: string[];

  /** Names of groups. @default - none */
  readonly groups?: string[];
}

/** Maximum resources of a team at the same time. */
export interface TeamQuota {
  /**
   * GPUs. A training job that requests more is an error at synth, and the API server rejects it.
   * @default - not limited
   */
  readonly gpu?: Gpu;

  /** TPU chips. @default - not limited */
  readonly tpu?: Tpu;

  /** Sum of the CPU requests of pods. @default - not limited */
  readonly cpu?: Cpu;

  /** Sum of the memory requests of pods. @default - not limited */
  readonly memory?: Size;

  /** Size of all claims together. @default - not limited */
  readonly storage?: Size;

  /** Number of pods. @default - not limited */
  readonly pods?: number;

  /** Number of PersistentVolumeClaims. @default - not limited */
  readonly persistentVolumeClaims?: number;

  /** Number of training jobs, whatever their state. @default - not limited */
  readonly trainingJobs?: number;
}

/** Default requests and maximum limits of containers. */
export interface TeamContainers {
  /**
   * CPU request of containers without one.
   * @default - Cpu.millis(100) if the team has a CPU quota, because every pod must then have a request
   */
  readonly defaultCpu?: Cpu;

  /**
   * Memory request of containers without one.
   * @default - Size.mebibytes(256) if the team has a memory quota
   */
  readonly defaultMemory?: Size;

  /** Maximum CPU of a container, and the limit of containers without one. @default - not limited */
  readonly maxCpu?: Cpu;

  /** Maximum memory of a container, and the limit of containers without one. @default - not limited */
  readonly maxMemory?: Size;
}

/** Allowed network traffic of the team's pods, in addition to traffic in the namespace itself. */
export interface TeamNetwork {
  /**
   * Namespaces that may connect to the pods, such as those of ingress and monitoring.
   * @default - none; Kubeflow's namespaces may connect to the pods of a profile
   */
  readonly fromNamespaces?: string[];

  /**
   * Allowed outgoing traffic. `Egress.LIMITED` allows the namespace, DNS, HTTPS, the operator, `toCidrs`, `toNamespaces`, and metadata servers for a
   * team with an `identity`.
   * @default Egress.LIMITED
   */
  readonly egress?: Egress;

  /** Address ranges that the pods may connect to, such as that of a file server. @default - none */
  readonly toCidrs?: string[];

  /**
   * Namespace of the operator that runs the team's jobs, which report their progress to it.
   * @default trainyard-system
   */
  readonly operatorNamespace?: string;

  /**
   * Namespaces that the pods may connect to, such as that of MLflow.
   * @default - none; the pods of a profile may connect to Kubeflow's namespaces
   */
  readonly toNamespaces?: string[];
}

/** Identity of the team's pods on Google Cloud. */
export interface TeamIdentity {
  /** Pool of the cluster. */
  readonly pool: WorkloadPool;
  /** What the pods may do. @default - nothing */
  readonly grants?: Grant[];
  /** E-mail of a Google service account that they act as. @default - direct federation */
  readonly googleServiceAccount?: string;
}

/** Properties of a `Team`. */
export interface TeamProps {
  /** Name of the team, and of its namespace. */
  readonly name: string;

  /**
   * User that owns the team as a Kubeflow profile, for the user interface, notebooks and pipelines.
   * @default - a plain namespace
   */
  readonly profileOwner?: string;

  /** Members of the team. @default - none; see `addMembers` */
  readonly members?: TeamPeople;

  /** People with read access. @default - none; see `addViewers` */
  readonly viewers?: TeamPeople;

  /** Whether members may use `kubectl exec` and `port-forward`. @default false */
  readonly interactive?: boolean;

  /** ClusterQueue of the team's LocalQueue, which has the team's name. @default - no queue */
  readonly clusterQueue?: IClusterQueue;

  /** Maximum resources of the team. @default - not limited */
  readonly quota?: TeamQuota;

  /** Default requests and maximum limits of containers. @default - only requests that a quota requires */
  readonly containers?: TeamContainers;

  /**
   * Pod Security Standard of the namespace. With `RESTRICTED`, training jobs of the team need `security: { restricted: true, runAsUser }`.
   * @default PodSecurityLevel.BASELINE
   */
  readonly podSecurity?: PodSecurityLevel;

  /**
   * Allowed traffic from and to other namespaces, in addition to what jobs need.
   * @default - no incoming traffic, and only the outgoing traffic that jobs need
   */
  readonly network?: TeamNetwork;

  /**
   * Rules for the team's jobs: images, priorities, labels, sizes, deadlines.
   * @default - a job can have at most the GPUs of the quota
   */
  readonly rules?: JobRules;

  /** Identity of the pods on Google Cloud. @default - none */
  readonly identity?: TeamIdentity;

  /** Labels of the namespace, and of all objects of the team, for cost reports. @default - none */
  readonly costLabels?: { readonly [label: string]: string };
}
