/** An Ingress in front of the dashboard. */
export interface DashboardIngress {
  /** Host name, such as `trainyard.example.com`. The dashboard accepts it. */
  readonly host: string;

  /**
   * Secret with the certificate for this name, of type `kubernetes.io/tls`, in the dashboard's namespace. Users can sign in only over HTTPS.
   * @default - the ingress controller has a certificate for the host
   */
  readonly tlsSecretName?: string;

  /** Class of the Ingress. @default - the cluster's default class */
  readonly className?: string;

  /** Annotations, for example for cert-manager to issue the certificate. @default - none */
  readonly annotations?: { readonly [name: string]: string };
}

/**
 * A Gateway of the Gateway API in front of the dashboard. An HTTPRoute is created for it; certificates are those of the Gateway's listener.
 */
export interface DashboardGateway {
  /** Host name, such as `trainyard.example.com`. The dashboard accepts it. */
  readonly host: string;

  /** Name of the Gateway. */
  readonly name: string;

  /**
   * Namespace of the Gateway. Its listener must allow routes of the dashboard's namespace.
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

/** Pages that may show the dashboard in a frame and choose its namespace, like Kubeflow's central dashboard. */
export interface DashboardEmbed {
  /**
   * Whether pages with the dashboard's own address are allowed: those of Kubeflow, if the dashboard has a path behind Kubeflow's gateway.
   * @default false
   */
  readonly sameOrigin?: boolean;

  /**
   * Origins of other allowed pages, such as `https://portal.example.com`. Browsers send the session cookie only if it is the same site.
   * @default - none
   */
  readonly origins?: string[];
}
