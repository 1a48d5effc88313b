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

/** A Ray cluster: standalone, or of a job or a service. */
export interface RayClusterOptions {
  /** Image with Ray, for all pods that do not name their own. */
  readonly image: string;

  /**
   * Version of Ray in the images, such as `2.54.0`. KubeRay enables features of the cluster based on it.
   * @default - from the tag of an image of the Ray project (`rayproject/ray:2.54.0`), else not set
   */
  readonly rayVersion?: string;

  /** The pod with Ray's control plane. @default - one core and 4 GiB */
  readonly head?: RayHead;

  /** Workers. @default - none: everything runs on the head */
  readonly workerGroups?: RayWorkerGroup[];

  /** Ray's autoscaler. @default - none: the number of workers is fixed */
  readonly autoscaler?: RayAutoscaler;

  /** Where the head stores its state, so that it survives a loss of the head. @default - the state is lost with the head */
  readonly faultTolerance?: RayFaultTolerance;

  /** Authentication. @default - everyone who can connect to the head can use the cluster */
  readonly authentication?: RayAuthentication;

  /**
   * Whether Ray's nodes communicate with TLS, with certificates from cert-manager. In KubeRay 1.7, it needs the feature gate `RayClusterMTLS`.
   * @default false
   */
  readonly tls?: boolean;

  /** An Ingress for the dashboard. @default - none */
  readonly dashboardIngress?: RayDashboardIngress;

  /** Environment of all pods. @default - none */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Tokens and keys for Ray's container in all pods, as variables or files. @default - none */
  readonly credentials?: CredentialUse[];

  /**
   * Service account of all pods.
   * @default - the namespace's default; with an autoscaler, KubeRay creates one for the head
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials for pulling images. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];
}

/** A gang of all pods of a cluster. */
export interface RayGang {
  /** Value of KubeRay's flag `--batch-scheduler`. */
  readonly scheduler: RayBatchScheduler;
  /** Queue of the scheduler. @default - the scheduler's */
  readonly queue?: string;
  /** Priority of the gang. Only for `RayBatchScheduler.VOLCANO`. @default - the pods' */
  readonly priorityClassName?: string;
}

/** Queue and gang scheduler. */
export interface RayQueueOptions {
  /**
   * Kueue LocalQueue of the object. With an autoscaler, it is an elastic job.
   * @default - no queue
   */
  readonly queueName?: string;

  /** Kueue WorkloadPriorityClass. @default - the priority of the pods */
  readonly queuePriorityClassName?: string;

  /** Whether Kueue may send the object to another cluster. @default false */
  readonly multiKueue?: boolean;

  /** All-or-nothing start of the pods. @default - pods are placed one by one */
  readonly gang?: RayGang;
}

/**
 * Ray's own autoscaler, in a container of the head's pod: it adds workers when tasks, actors and replicas of Ray Serve do not fit, and removes idle
 * ones.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/configuring-autoscaling.html
 */
export interface RayAutoscaler {
  /**
   * Version.
   * @default - V2 if `rayVersion` is 2.47 or later, V1 if it is older; if it is unknown, Ray's own default
   */
  readonly version?: RayAutoscalerVersion;

  /** How long a worker is idle before it is removed. @default Duration.seconds(60) */
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
 * Authentication of a Ray cluster. Without it, everyone who can connect to the head can run programs on the cluster.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-auth.html
 */
export class RayAuthentication {
  /**
   * With a token of the cluster. Needs Ray 2.52.
   * @param secret Secret with the token in its key `auth_token`. By default, KubeRay creates one with the cluster's name
   */
  public static token(secret?: ISecret): RayAuthentication {
    return new RayAuthentication({ secretName: secret?.name });
  }

  /**
   * With Kubernetes permissions: users need the verb `ray:write` on the RayCluster, and the API server checks each token. Needs Ray 2.55, and is only
   * for `RayCluster`. The pods' own service account needs the permission too.
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
