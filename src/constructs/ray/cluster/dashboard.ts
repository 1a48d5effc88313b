import type * as kplus from 'cdk8s-plus-28';
import type { RayIngressPathType } from '../enums';

/**
 * An Ingress that KubeRay creates for the dashboard of each cluster. Users of the dashboard can submit jobs: require a login in front of it, or use
 * `authentication`.
 */
export interface RayDashboardIngress {
  /** Class of the Ingress, as the annotation `kubernetes.io/ingress.class`. @default - the cluster's */
  readonly className?: string;

  /** Host name. @default - any */
  readonly host?: string;

  /** Path. @default - `/NAME/(.*)`, with the cluster's name */
  readonly path?: string;

  /** How the path is matched. @default - KubeRay's */
  readonly pathType?: RayIngressPathType;

  /** Secret with the certificate of the host. @default - no TLS */
  readonly tlsSecret?: kplus.ISecret;

  /**
   * Annotations for the controller, such as `nginx.ingress.kubernetes.io/rewrite-target`. They are added to the cluster's object, and KubeRay copies
   * them.
   * @default - none
   */
  readonly annotations?: { readonly [name: string]: string };
}

/** Options of `RayCluster.exposeDashboard`. */
export interface ExposeDashboardOptions {
  /** Type of the Service. @default ServiceType.CLUSTER_IP */
  readonly serviceType?: kplus.ServiceType;
  /** Port of the Service. @default 80 */
  readonly port?: number;
  /** Annotations of the Service, such as `networking.gke.io/load-balancer-type: Internal`. @default - none */
  readonly annotations?: { readonly [name: string]: string };
  /** Addresses that a load balancer allows, such as `10.0.0.0/8`. @default - all */
  readonly sourceRanges?: string[];
}
