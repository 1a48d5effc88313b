import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { RayClusterOptions, RayQueueOptions } from './cluster/cluster-options';
import type { ServeProxyLocation } from './enums';
import type { ServeApplication } from './serve';
import type { RayMonitored } from '../monitoring/monitoring-options';
import { checkTypes } from '../props/check-props';
import type { RayServiceUpgradeSpec } from '../../model/ray/service';

/** HTTP options of Ray Serve. */
export interface ServeHttpOptions {
  /** Port. @default 8000 */
  readonly port?: number;

  /** Timeout of a request. @default - no limit */
  readonly requestTimeout?: Duration;

  /**
   * How long an idle connection is kept open. Set it longer than that of the load balancer in front.
   * @default Duration.seconds(90)
   */
  readonly keepAlive?: Duration;
}

/** Properties of a `RayService`. */
export interface RayServiceProps extends kplus.ResourceProps, RayQueueOptions, RayMonitored {
  /** The cluster. */
  readonly cluster: RayClusterOptions;

  /** Applications. @default - none; see `addApplication` */
  readonly applications?: ServeApplication[];

  /**
   * How a changed cluster replaces the old one. Changes of only applications need no new cluster.
   * @default - RayServiceUpgrade.newCluster()
   */
  readonly upgrade?: RayServiceUpgrade;

  /** How long the old cluster is kept after it was replaced. @default Duration.seconds(60) */
  readonly clusterDeletionDelay?: Duration;

  /** Whether the Service selects only workers, not the head. @default false */
  readonly excludeHead?: boolean;

  /** Where requests are accepted. @default ServeProxyLocation.EVERY_NODE */
  readonly proxyLocation?: ServeProxyLocation;

  /** HTTP options. @default - port 8000, no timeout */
  readonly http?: ServeHttpOptions;

  /**
   * Additional fields of the Ray Serve configuration, as in Ray, such as `grpc_options` and `logging_config`.
   * @default - none
   */
  readonly serveConfig?: { readonly [field: string]: unknown };

  /** Type of the applications' Service. @default - ClusterIP */
  readonly serviceType?: kplus.ServiceType;

  /** Annotations of that Service. @default - none */
  readonly serviceAnnotations?: { readonly [name: string]: string };

  /**
   * How long the first cluster may take until it serves. After that, the service has failed.
   * @default - no limit
   */
  readonly initializingTimeout?: Duration;

  /**
   * Whether a PodDisruptionBudget keeps all but one of the workers while nodes are drained. Disable it if you have your own, because Kubernetes does
   * not evict pods with two budgets.
   * @default true - with two or more replicas
   */
  readonly disruptionBudget?: boolean;

  /** Whether the service has no pods. Not in a queue, which controls it. @default false */
  readonly suspend?: boolean;
}

/** Options of `RayServiceUpgrade.incremental`. */
export interface IncrementalUpgradeOptions {
  /** Class of the gateway that splits the requests, such as `istio`. */
  readonly gatewayClassName: string;

  /** Percentage of the requests to move in each step. */
  readonly stepSizePercent: number;

  /** Time between steps. */
  readonly interval: Duration;

  /**
   * Percentage of its size by which the new cluster grows in each step, and therefore the additional capacity during the upgrade.
   * @default 100
   */
  readonly maxSurgePercent?: number;
}

/** How a changed cluster replaces the old one. */
export class RayServiceUpgrade {
  /** A complete new cluster starts, and gets all requests when it is ready; then the old one is deleted. */
  public static newCluster(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'NewCluster' });
  }

  /**
   * Requests move step by step while the new cluster grows and the old one shrinks, for services that are too large to run twice. Needs an
   * autoscaler, the Gateway API, and KubeRay's feature gate `RayServiceIncrementalUpgrade`.
   */
  public static incremental(options: IncrementalUpgradeOptions): RayServiceUpgrade {
    checkTypes('RayServiceUpgrade.incremental', 'IncrementalUpgradeOptions', options);
    const { gatewayClassName, stepSizePercent, interval, maxSurgePercent } = options;
    return new RayServiceUpgrade({
      type: 'NewClusterWithIncrementalUpgrade', gatewayClassName, stepSizePercent, intervalSeconds: interval.toSeconds(), maxSurgePercent,
    });
  }

  /** The cluster is never replaced, even if its spec changes. */
  public static none(): RayServiceUpgrade {
    return new RayServiceUpgrade({ type: 'None' });
  }

  private constructor(private readonly spec: RayServiceUpgradeSpec) {}

  /** @internal */
  public _toSpec(): RayServiceUpgradeSpec {
    return this.spec;
  }
}
