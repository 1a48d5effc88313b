import type * as kplus from 'cdk8s-plus-28';
import type { RayAuthentication } from './authentication';
import type { RayAutoscaler } from './autoscaler';
import type { RayDashboardIngress } from './dashboard';
import type { RayFaultTolerance } from './fault-tolerance';
import type { RayHead, RayWorkerGroup } from './group';
import type { CredentialUse } from '../../credentials/credential-use';
import type { RayBatchScheduler } from '../../training-job/engines/ray-options';

/**
 * A Ray cluster: of its own, for a job, or under a service.
 */
export interface RayClusterOptions {
  /**
   * Image with Ray, of all pods that name no other.
   */
  readonly image: string;

  /**
   * Version of Ray in the images, such as `2.54.0`. KubeRay decides by it what the cluster can do.
   *
   * @default - that of the tag where the image is one of the Ray project (`rayproject/ray:2.54.0`), else not told
   */
  readonly rayVersion?: string;

  /**
   * The pod with Ray's control plane.
   *
   * @default - one core and 4 GiB
   */
  readonly head?: RayHead;

  /**
   * Workers.
   *
   * @default - none: everything runs on the head
   */
  readonly workerGroups?: RayWorkerGroup[];

  /**
   * What makes workers come and go.
   *
   * @default - as many as the groups say
   */
  readonly autoscaler?: RayAutoscaler;

  /**
   * Where the head keeps what must not go with it.
   *
   * @default - a lost head takes the cluster's state along
   */
  readonly faultTolerance?: RayFaultTolerance;

  /**
   * Who may use the cluster.
   *
   * @default - whoever reaches the head
   */
  readonly authentication?: RayAuthentication;

  /**
   * Whether Ray's nodes talk by TLS, with certificates of cert-manager. KubeRay 1.7 has it behind its feature gate `RayClusterMTLS`.
   *
   * @default false
   */
  readonly tls?: boolean;

  /**
   * An Ingress to the dashboard.
   *
   * @default - none
   */
  readonly dashboardIngress?: RayDashboardIngress;

  /**
   * Environment of all pods.
   *
   * @default - none
   */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * Tokens and keys that Ray's container gets in all pods, as variables or files.
   *
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /**
   * Identity of all pods.
   *
   * @default - the namespace's default service account; with an autoscaler one that KubeRay makes for the head
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /**
   * Registry credentials that images are pulled with.
   *
   * @default - the service account's
   */
  readonly imagePullSecrets?: kplus.ISecret[];
}

/**
 * A gang of all pods of a cluster.
 */
export interface RayGang {
  /**
   * What KubeRay was started with as `--batch-scheduler`.
   */
  readonly scheduler: RayBatchScheduler;

  /**
   * Queue of the scheduler.
   *
   * @default - the scheduler's
   */
  readonly queue?: string;

  /**
   * Priority of the gang. Only for `RayBatchScheduler.VOLCANO`.
   *
   * @default - the pods'
   */
  readonly priorityClassName?: string;
}

/**
 * When an object runs, and who places its pods.
 */
export interface RayQueueOptions {
  /**
   * LocalQueue of Kueue that the object waits in. With an autoscaler, it is an elastic job.
   *
   * @default - it is in no queue
   */
  readonly queueName?: string;

  /**
   * WorkloadPriorityClass of Kueue.
   *
   * @default - the priority of the pods
   */
  readonly queuePriorityClassName?: string;

  /**
   * Whether Kueue may send the object to another cluster.
   *
   * @default false
   */
  readonly multiKueue?: boolean;

  /**
   * All-or-nothing start of the pods.
   *
   * @default - pods are placed one by one
   */
  readonly gang?: RayGang;
}
