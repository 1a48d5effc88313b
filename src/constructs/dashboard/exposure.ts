/** An Ingress in front of the dashboard. */
export interface DashboardIngress {
  /** Host name, such as `trainyard.example.com`. The dashboard answers to it. */
  readonly host: string;

  /**
   * Secret with the certificate of that name, of type `kubernetes.io/tls` and in the dashboard's namespace. People sign in over HTTPS only.
   * @default - the ingress controller has a certificate for the host
   */
  readonly tlsSecretName?: string;

  /** Class of the Ingress. @default - the cluster's default class */
  readonly className?: string;

  /** Annotations, such as those that make cert-manager issue the certificate. @default - none */
  readonly annotations?: { readonly [name: string]: string };
}

/**
 * A Gateway of the Gateway API in front of the dashboard, which gets an HTTPRoute. Certificates are those of the Gateway's listener.
 */
export interface DashboardGateway {
  /** Host name, such as `trainyard.example.com`. The dashboard answers to it. */
  readonly host: string;

  /** Name of the Gateway. */
  readonly name: string;

  /**
   * Namespace of the Gateway, whose listener has to allow routes of the dashboard's namespace.
   * @default - the dashboard's
   */
  readonly namespace?: string;

  /** Listener of the Gateway. @default - all that allow the route */
  readonly sectionName?: string;
}

/** The dashboard's Service. */
export interface DashboardService {
  /** Type, such as `ClusterIP`, `NodePort` or `LoadBalancer`. @default - ClusterIP */
  readonly type?: string;
  /** Annotations, such as `cloud.google.com/backend-config` on GKE. @default - none */
  readonly annotations?: { readonly [name: string]: string };
}

/** Pages that may show the dashboard in a frame, and choose its namespace as Kubeflow's central dashboard does. */
export interface DashboardEmbed {
  /**
   * Whether pages of the dashboard's own address may: those of Kubeflow, when the dashboard has a path behind Kubeflow's gateway.
   * @default false
   */
  readonly sameOrigin?: boolean;

  /**
   * Origins of other pages that may, such as `https://portal.example.com`. Browsers send the cookie of a session only where that is the same site.
   * @default - none
   */
  readonly origins?: string[];
}
