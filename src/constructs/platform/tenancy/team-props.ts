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
  /** Anything. */
  PRIVILEGED = 'privileged',
  /** Nothing that is known to lead out of the container. */
  BASELINE = 'baseline',
  /** Hardened pods: not root, no capabilities, seccomp. */
  RESTRICTED = 'restricted',
}

/** People, as the API server knows them after they have been authenticated. */
export interface TeamPeople {
  /**
   * Names of users: on GKE their e-mails. A ServiceAccount is `system:serviceaccount:NAMESPACE:NAME`.
   * @default - none
   */
  readonly users?: string[];

  /** Names of groups. @default - none */
  readonly groups?: string[];
}

/** Most that a team may have at a time. What is left out is not limited. */
export interface TeamQuota {
  /**
   * GPUs. A training job that wants more is refused at synth and by the API server, with the numbers.
   * @default - not limited
   */
  readonly gpu?: Gpu;

  /** TPU chips. @default - not limited */
  readonly tpu?: Tpu;

  /** Cores that pods ask for. @default - not limited */
  readonly cpu?: Cpu;

  /** Memory that pods ask for. @default - not limited */
  readonly memory?: Size;

  /** Space of all claims. @default - not limited */
  readonly storage?: Size;

  /** Pods. @default - not limited */
  readonly pods?: number;

  /** Claims of volumes. @default - not limited */
  readonly persistentVolumeClaims?: number;

  /** Training jobs, whatever their state. @default - not limited */
  readonly trainingJobs?: number;
}

/** What containers get that say nothing, and the most that one may have. */
export interface TeamContainers {
  /**
   * Cores that a container asks for that does not say.
   * @default - Cpu.millis(100) where the team has a quota of cores, which every pod has to say its part of
   */
  readonly defaultCpu?: Cpu;

  /**
   * Memory that a container asks for that does not say.
   * @default - Size.mebibytes(256) where the team has a quota of memory
   */
  readonly defaultMemory?: Size;

  /** Most cores of a container. One that names no limit gets this as its limit. @default - not limited */
  readonly maxCpu?: Cpu;

  /** Most memory of a container. One that names no limit gets this as its limit. @default - not limited */
  readonly maxMemory?: Size;
}

/** Where traffic of the team's pods may go and come from, in addition to the namespace itself. */
export interface TeamNetwork {
  /**
   * Namespaces that may reach the pods, such as those of ingress and monitoring.
   * @default - none; those of Kubeflow may reach the pods of a profile
   */
  readonly fromNamespaces?: string[];

  /**
   * Where traffic may go. `Egress.LIMITED` is: the namespace, names, HTTPS, the operator, `toCidrs`, `toNamespaces`, and for a team with an
   * `identity` metadata servers.
   * @default Egress.LIMITED
   */
  readonly egress?: Egress;

  /** Ranges of addresses that the pods may reach, such as that of a file server. @default - none */
  readonly toCidrs?: string[];

  /**
   * Namespace of the operator that runs the team's jobs, which report their progress to it.
   * @default trainyard-system
   */
  readonly operatorNamespace?: string;

  /**
   * Namespaces that the pods may reach, such as that of MLflow.
   * @default - none; those of Kubeflow may be reached from a profile
   */
  readonly toNamespaces?: string[];
}

/** Who the team's pods are to Google Cloud. */
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
   * User that owns the team as a profile of Kubeflow. The user interface, notebooks and pipelines then know it.
   * @default - a plain namespace
   */
  readonly profileOwner?: string;

  /** Members of the team. @default - none, until `addMembers` */
  readonly members?: TeamPeople;

  /** People with read access. @default - none, until `addViewers` */
  readonly viewers?: TeamPeople;

  /** Whether members may open shells and ports in pods. @default false */
  readonly interactive?: boolean;

  /** Queue of the cluster that the team's LocalQueue, of the team's name, stands for. @default - no queue */
  readonly clusterQueue?: IClusterQueue;

  /** Most that the team may have. @default - not limited */
  readonly quota?: TeamQuota;

  /** What containers get and may ask for. @default - what a quota makes necessary */
  readonly containers?: TeamContainers;

  /**
   * What the API server lets pods do. With `RESTRICTED`, training jobs of the team need `security: { restricted: true, runAsUser }`.
   * @default PodSecurityLevel.BASELINE
   */
  readonly podSecurity?: PodSecurityLevel;

  /**
   * Traffic from and to other namespaces, which is denied but for what is named here and what jobs need.
   * @default - nothing from elsewhere, and out only what jobs need
   */
  readonly network?: TeamNetwork;

  /**
   * Rules about the team's jobs: images, priorities, labels, sizes, deadlines.
   * @default - no more GPUs in a job than the quota has
   */
  readonly rules?: JobRules;

  /** Identity of the pods on Google Cloud. @default - none */
  readonly identity?: TeamIdentity;

  /** Labels of the namespace, and of all objects of the team, that costs are summed up by. @default - none */
  readonly costLabels?: { readonly [label: string]: string };
}
