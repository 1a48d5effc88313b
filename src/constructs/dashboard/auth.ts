import type { Duration } from 'cdk8s';
import { DASHBOARD_SESSION_SECONDS } from '../../manifests/dashboard/settings';
import type { HeaderAuthSpec, TokenAuthSpec } from '../../model/dashboard/dashboard';
import { checkTypes } from '../props/check-props';

/** Options of `DashboardAuth.token`. */
export interface DashboardTokenOptions {
  /**
   * Secret in the dashboard's namespace with the key that encrypts sessions, as `key`: at least 32 random bytes as text. Create it with
   * `kubectl create secret generic NAME --from-literal=key="$(openssl rand -base64 32)"`. To rotate it, keep the old one as `previous-key` until
   * sessions have ended, and restart the pods.
   * @default - each pod generates its own key: a restart signs out all users, and only one replica is possible
   */
  readonly sessionKeySecretName?: string;

  /** Maximum duration of a session. It also ends when its token expires. @default Duration.hours(8) */
  readonly sessionDuration?: Duration;
}

/** Options of `DashboardAuth.headers`. */
export interface DashboardHeaderOptions {
  /** Header with the user, such as `X-Auth-Request-Email`. The proxy must overwrite values that browsers send. */
  readonly userHeader: string;

  /**
   * Prefix of the header's value that is not part of the user name. Values without it are rejected.
   * @default - none
   */
  readonly headerPrefix?: string;

  /**
   * Prefix that the cluster adds to user names of the same provider (`--oidc-username-prefix` of the API server).
   * @default - none
   */
  readonly userPrefix?: string;

  /** Header with the user's groups, separated by commas. @default - users are only in the group `system:authenticated` */
  readonly groupsHeader?: string;

  /** Prefix that the cluster adds to groups (`--oidc-groups-prefix`). @default - none */
  readonly groupPrefix?: string;

  /**
   * Allowed users, without `userPrefix`. The dashboard can then impersonate only these users, even if its pod is compromised.
   * @default - all users
   */
  readonly users?: string[];

  /**
   * Groups that the header may contain, without `groupPrefix`. The API server rejects users with other groups.
   * @default - all groups
   */
  readonly groups?: string[];

  /**
   * Namespaces of the proxy, or of the gateway that uses it. Only their pods can connect to the dashboard.
   * @default - none; `proxyAddresses` is then required
   */
  readonly proxyNamespaces?: string[];

  /** Labels of the proxy's pods in those namespaces. @default - all pods there */
  readonly proxyLabels?: { readonly [label: string]: string };

  /** Addresses of a proxy outside the cluster, such as `35.191.0.0/16`. @default - none */
  readonly proxyAddresses?: string[];
}

/** Google's front ends, which send IAP's requests. @see https://cloud.google.com/load-balancing/docs/https/ext-https-lb-simple */
const GOOGLE_FRONT_ENDS = ['130.211.0.0/22', '35.191.0.0/16'];

/** How the dashboard authenticates users. */
export class DashboardAuth {
  /**
   * With a token of the Kubernetes API: users paste it when they sign in, or a proxy sends it as `Authorization: Bearer`. The dashboard uses this
   * token for everything that it does for the user, and has no permissions itself. The token is kept in an encrypted cookie that scripts cannot read.
   */
  public static token(options: DashboardTokenOptions = {}): DashboardAuth {
    checkTypes('DashboardAuth.token', 'DashboardTokenOptions', options);
    const sessionSeconds = options.sessionDuration?.toSeconds() ?? DASHBOARD_SESSION_SECONDS;
    return new DashboardAuth({ kind: 'token', sessionKeySecret: options.sessionKeySecretName, sessionSeconds });
  }

  /**
   * With a proxy in front that signs users in and sends their names in a header. The dashboard impersonates them, for which it needs the permission
   * to impersonate all users, or those in `users`. Anyone who can set the header can act as any user: read
   * docs/operator/dashboard.md before you choose it.
   */
  public static headers(options: DashboardHeaderOptions): DashboardAuth {
    checkTypes('DashboardAuth.headers', 'DashboardHeaderOptions', options);
    const { proxyNamespaces = [], proxyAddresses = [], ...others } = options;
    return new DashboardAuth({ kind: 'headers', ...others, proxyNamespaces, proxyAddresses });
  }

  /**
   * With Kubeflow's gateway, which sends the user in `kubeflow-userid`.
   * @param gatewayNamespace namespace of the gateway's pods
   */
  public static kubeflow(gatewayNamespace: string = 'istio-system'): DashboardAuth {
    return DashboardAuth.headers({ userHeader: 'kubeflow-userid', proxyNamespaces: [gatewayNamespace], proxyLabels: { app: 'istio-ingressgateway' } });
  }

  /** With Google's Identity-Aware Proxy, which sends the user in `X-Goog-Authenticated-User-Email`. */
  public static googleIap(): DashboardAuth {
    return DashboardAuth.headers({
      userHeader: 'X-Goog-Authenticated-User-Email', headerPrefix: 'accounts.google.com:', proxyAddresses: GOOGLE_FRONT_ENDS,
    });
  }

  private constructor(
    /** As the rules and the manifests read it. @internal */
    public readonly _spec: TokenAuthSpec | HeaderAuthSpec,
  ) {}
}
