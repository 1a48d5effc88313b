import type { Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { ISecret } from 'cdk8s-plus-28';
import type { RayDashboardIngress } from './dashboard';
import type { RayFaultTolerance } from './fault-tolerance';
import type { RayHead, RayWorkerGroup } from './group';
import type { RayAutoscalerVersion, RayUpscaling } from '../enums';
import type { CredentialUse } from '../../credentials/credential-use';
import type { RayBatchScheduler } from '../../training-job/engines/ray-options';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { RayAuthSpec } from '../../../model/ray/spec';

/** A Ray cluster: of its own, for a job, or under a service. */
export interface RayClusterOptions {
  /** Image with Ray, of all pods that name no other. */
  readonly image: string;

  /**
   * Version of Ray in the images, such as `2.54.0`. KubeRay decides by it what the cluster can do.
   * @default - that of the tag where the image is one of the Ray project (`rayproject/ray:2.54.0`), else not told
   */
  readonly rayVersion?: string;

  /** The pod with Ray's control plane. @default - one core and 4 GiB */
  readonly head?: RayHead;

  /** Workers. @default - none: everything runs on the head */
  readonly workerGroups?: RayWorkerGroup[];

  /** What makes workers come and go. @default - as many as the groups say */
  readonly autoscaler?: RayAutoscaler;

  /** Where the head keeps what must not go with it. @default - a lost head takes the cluster's state along */
  readonly faultTolerance?: RayFaultTolerance;

  /** Authentication. @default - everyone who reaches the head can use the cluster */
  readonly authentication?: RayAuthentication;

  /**
   * Whether Ray's nodes talk by TLS, with certificates of cert-manager. KubeRay 1.7 has it behind its feature gate `RayClusterMTLS`.
   * @default false
   */
  readonly tls?: boolean;

  /** An Ingress to the dashboard. @default - none */
  readonly dashboardIngress?: RayDashboardIngress;

  /** Environment of all pods. @default - none */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Tokens and keys that Ray's container gets in all pods, as variables or files. @default - none */
  readonly credentials?: CredentialUse[];

  /**
   * Identity of all pods.
   * @default - the namespace's default service account; with an autoscaler one that KubeRay makes for the head
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials that images are pulled with. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];
}

/** A gang of all pods of a cluster. */
export interface RayGang {
  /** What KubeRay was started with as `--batch-scheduler`. */
  readonly scheduler: RayBatchScheduler;
  /** Queue of the scheduler. @default - the scheduler's */
  readonly queue?: string;
  /** Priority of the gang. Only for `RayBatchScheduler.VOLCANO`. @default - the pods' */
  readonly priorityClassName?: string;
}

/** When an object runs, and who places its pods. */
export interface RayQueueOptions {
  /**
   * LocalQueue of Kueue that the object waits in. With an autoscaler, it is an elastic job.
   * @default - it is in no queue
   */
  readonly queueName?: string;

  /** WorkloadPriorityClass of Kueue. @default - the priority of the pods */
  readonly queuePriorityClassName?: string;

  /** Whether Kueue may send the object to another cluster. @default false */
  readonly multiKueue?: boolean;

  /** All-or-nothing start of the pods. @default - pods are placed one by one */
  readonly gang?: RayGang;
}

/**
 * Ray's own autoscaler, in a container next to the head's: workers come when tasks, actors and replicas of Ray Serve find no room, and go when they
 * have nothing to do.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/configuring-autoscaling.html
 */
export interface RayAutoscaler {
  /**
   * Version.
   * @default - the second where `rayVersion` is 2.47 or later, the first where it is older; Ray's own choice where it is unknown
   */
  readonly version?: RayAutoscalerVersion;

  /** How long a worker may have nothing to do before it goes. @default Duration.seconds(60) */
  readonly idleTimeout?: Duration;

  /** How fast workers are added. @default RayUpscaling.DEFAULT */
  readonly upscaling?: RayUpscaling;

  /** Image of the container. @default - the head's */
  readonly image?: string;

  /** Environment of the container. @default - KubeRay's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Compute of the container. @default - half a core and 512 MiB */
  readonly resources?: TrainingResources;
}

/**
 * Who may use a Ray cluster. Without it, everyone who reaches the head can run programs there.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-auth.html
 */
export class RayAuthentication {
  /**
   * Whoever has the cluster's token. Needs Ray 2.52.
   * @param secret Secret with the token in its key `auth_token`; KubeRay makes one that is called like the cluster where none is given
   */
  public static token(secret?: ISecret): RayAuthentication {
    return new RayAuthentication({ secretName: secret?.name });
  }

  /**
   * Whoever Kubernetes gives the verb `ray:write` on the RayCluster; the API server judges each token. Needs Ray 2.55, and is for `RayCluster` only.
   * The pods' own service account needs the right too.
   */
  public static kubernetes(): RayAuthentication {
    return new RayAuthentication({ kubernetes: true });
  }

  private constructor(private readonly spec: RayAuthSpec) {}

  /** @internal */
  public _toSpec(): RayAuthSpec {
    return this.spec;
  }
}
