import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RayClusterOptions, RayQueueOptions } from './cluster/cluster-options';
import type { ServeProxyLocation } from './enums';
import type { ServeApplication } from './serve';
import type { RayMonitored } from '../monitoring/monitoring-options';
import { checkTypes } from '../props/check-props';
import type { RayServiceUpgradeSpec } from '../../model/ray/service';

/** How Ray Serve takes requests. */
export interface ServeHttpOptions {
  /** Port. @default 8000 */
  readonly port?: number;

  /** Longest time of a request. @default - no limit */
  readonly requestTimeout?: Duration;

  /**
   * How long a connection without requests stays open. Longer than that of the load balancer in front.
   * @default Duration.seconds(90)
   */
  readonly keepAlive?: Duration;
}

/** Properties of a `RayService`. */
export interface RayServiceProps extends kplus.ResourceProps, RayQueueOptions, RayMonitored {
  /** The cluster. */
  readonly cluster: RayClusterOptions;

  /** Applications. More can be added by `addApplication`. @default - none */
  readonly applications?: ServeApplication[];

  /**
   * How a changed cluster takes over. Changes of applications alone need no new cluster.
   * @default - RayServiceUpgrade.newCluster()
   */
  readonly upgrade?: RayServiceUpgrade;

  /** How long the old cluster stays after a new one has taken over. @default Duration.seconds(60) */
  readonly clusterDeletionDelay?: Duration;

  /** Whether the Service leads to workers only, and not to the head. @default false */
  readonly excludeHead?: boolean;

  /** Where requests are taken. @default ServeProxyLocation.EVERY_NODE */
  readonly proxyLocation?: ServeProxyLocation;

  /** How requests are taken. @default - port 8000, no limit of time */
  readonly http?: ServeHttpOptions;

  /**
   * Further fields of the configuration of Ray Serve, as Ray spells them, such as `grpc_options` and `logging_config`.
   * @default - none
   */
  readonly serveConfig?: { readonly [field: string]: unknown };

  /** Type of the Service in front of the applications. @default - ClusterIP */
  readonly serviceType?: kplus.ServiceType;

  /** Annotations of that Service. @default - none */
  readonly serviceAnnotations?: { readonly [name: string]: string };

  /**
   * How long the first cluster may take until it serves; after that the service has failed.
   * @default - as long as it takes
   */
  readonly initializingTimeout?: Duration;

  /**
   * Whether a PodDisruptionBudget keeps all but one of the workers while nodes are drained. Switch it off where you have written one yourself:
   * Kubernetes evicts no pod that two budgets are about.
   * @default true - for what has two replicas or more
   */
  readonly disruptionBudget?: boolean;

  /** Whether the service keeps its object and has no pods. Not in a queue, which decides that. @default false */
  readonly suspend?: boolean;
}

/** Options of `RayServiceUpgrade.incremental`. */
export interface IncrementalUpgradeOptions {
  /** Class of the gateway that divides the requests, such as `istio`. */
  readonly gatewayClassName: string;

  /** Part of the requests that moves at a time, in percent. */
  readonly stepSizePercent: number;

  /** How long after each step the next one comes. */
  readonly interval: Duration;

  /**
   * Part of its size that the new cluster grows by at a time, in percent: how much more than one cluster there is.
   * @default 100
   */
  readonly maxSurgePercent?: number;
}

/** How a changed cluster takes over from the one that serves. */
export class RayServiceUpgrade {
  /** A whole new cluster starts, and gets all requests when it is ready; then the old one goes. */
  public static newCluster(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'NewCluster' });
  }

  /**
   * Requests move step by step while one cluster grows and the other shrinks: for services that are too large to be there twice. Needs an autoscaler,
   * the Gateway API, and KubeRay's feature gate `RayServiceIncrementalUpgrade`.
   */
  public static incremental(options: IncrementalUpgradeOptions): RayServiceUpgrade {
    checkTypes('RayServiceUpgrade.incremental', 'IncrementalUpgradeOptions', options);
    const { gatewayClassName, stepSizePercent, interval, maxSurgePercent } = options;
    return new RayServiceUpgrade({
      type: 'NewClusterWithIncrementalUpgrade', gatewayClassName, stepSizePercent, intervalSeconds: interval.toSeconds(), maxSurgePercent,
    });
  }

  /** Nothing: the cluster stays as it is, whatever its description says. */
  public static none(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'None' });
  }

  private constructor(private readonly spec: RayServiceUpgradeSpec) {}

  /** @internal */
  public _toSpec(): RayServiceUpgradeSpec {
    return this.spec;
  }
}
