import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RayClusterOptions, RayQueueOptions } from './cluster/cluster-options';
import type { ServeProxyLocation } from './enums';
import type { ServeApplication } from './serve';
import type { RayServiceUpgrade } from './upgrade';
import type { RayMonitored } from '../monitoring/monitoring-options';

/**
 * How Ray Serve takes requests.
 */
export interface ServeHttpOptions {
  /**
   * Port.
   *
   * @default 8000
   */
  readonly port?: number;

  /**
   * Longest time of a request.
   *
   * @default - no limit
   */
  readonly requestTimeout?: Duration;

  /**
   * How long a connection without requests stays open. Longer than that of the load balancer in front.
   *
   * @default Duration.seconds(90)
   */
  readonly keepAlive?: Duration;
}

/**
 * Properties of a `RayService`.
 */
export interface RayServiceProps extends kplus.ResourceProps, RayQueueOptions, RayMonitored {
  /**
   * The cluster.
   */
  readonly cluster: RayClusterOptions;

  /**
   * Applications. More can be added by `addApplication`.
   *
   * @default - none
   */
  readonly applications?: ServeApplication[];

  /**
   * How a changed cluster takes over. Changes of applications alone need no new cluster.
   *
   * @default - RayServiceUpgrade.newCluster()
   */
  readonly upgrade?: RayServiceUpgrade;

  /**
   * How long the old cluster stays after a new one has taken over.
   *
   * @default Duration.seconds(60)
   */
  readonly clusterDeletionDelay?: Duration;

  /**
   * Whether the Service leads to workers only, and not to the head.
   *
   * @default false
   */
  readonly excludeHead?: boolean;

  /**
   * Where requests are taken.
   *
   * @default ServeProxyLocation.EVERY_NODE
   */
  readonly proxyLocation?: ServeProxyLocation;

  /**
   * How requests are taken.
   *
   * @default - port 8000, no limit of time
   */
  readonly http?: ServeHttpOptions;

  /**
   * Further fields of the configuration of Ray Serve, as Ray spells them, such as `grpc_options` and `logging_config`.
   *
   * @default - none
   */
  readonly serveConfig?: { readonly [field: string]: unknown };

  /**
   * Type of the Service in front of the applications.
   *
   * @default - ClusterIP
   */
  readonly serviceType?: kplus.ServiceType;

  /**
   * Annotations of that Service.
   *
   * @default - none
   */
  readonly serviceAnnotations?: { readonly [name: string]: string };

  /**
   * How long the first cluster may take until it serves; after that the service has failed.
   *
   * @default - as long as it takes
   */
  readonly initializingTimeout?: Duration;

  /**
   * Whether a PodDisruptionBudget keeps all but one of the workers while nodes are drained. Switch it off where you have written one yourself:
   * Kubernetes evicts no pod that two budgets are about.
   *
   * @default true - for what has two replicas or more
   */
  readonly disruptionBudget?: boolean;

  /**
   * Whether the service keeps its object and has no pods. Not in a queue, which decides that.
   *
   * @default false
   */
  readonly suspend?: boolean;
}
