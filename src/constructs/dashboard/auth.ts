import type { Duration } from 'cdk8s';
import { DASHBOARD_SESSION_SECONDS } from '../../manifests/dashboard/settings';
import type { HeaderAuthSpec, TokenAuthSpec } from '../../model/dashboard/dashboard';
import { checkTypes } from '../props/check-props';

/** Options of `DashboardAuth.token`. */
export interface DashboardTokenOptions {
  /**
   * Secret in the dashboard's namespace with the key that seals sessions, as `key`: at least 32 random bytes of text. Create it with
   * `kubectl create secret generic NAME --from-literal=key="$(openssl rand -base64 32)"`. To change it, keep the old one as `previous-key` until
   * sessions have ended, and restart the pods.
   * @default - each pod creates its own key: its end signs out all users, and there can be only one replica
   */
  readonly sessionKeySecretName?: string;

  /** Longest time of a session. None lasts longer than its token. @default Duration.hours(8) */
  readonly sessionDuration?: Duration;
}

/** Options of `DashboardAuth.headers`. */
export interface DashboardHeaderOptions {
  /** Header with the user, such as `X-Auth-Request-Email`. The proxy must replace what browsers send. */
  readonly userHeader: string;

  /**
   * What the header's value begins with, which is not part of the user's name. Values without it are refused.
   * @default - nothing
   */
  readonly headerPrefix?: string;

  /**
   * What the cluster puts in front of names that come from the same provider (`--oidc-username-prefix` of the API server).
   * @default - nothing
   */
  readonly userPrefix?: string;

  /** Header with the user's groups, joined by commas. @default - users are in no group but `system:authenticated` */
  readonly groupsHeader?: string;

  /** What the cluster puts in front of groups (`--oidc-groups-prefix`). @default - nothing */
  readonly groupPrefix?: string;

  /**
   * Allowed users, without `userPrefix`. The dashboard can then impersonate only these users, even if its pod is compromised.
   * @default - all users
   */
  readonly users?: string[];

  /**
   * Groups that the header may have, without `groupPrefix`; users with others are refused by the API server.
   * @default - all groups
   */
  readonly groups?: string[];

  /**
   * Namespaces of the proxy, or of the gateway that asks it. Only their pods can connect to the dashboard.
   * @default - none: there are `proxyAddresses`
   */
  readonly proxyNamespaces?: string[];

  /** Labels of the proxy's pods in those namespaces. @default - all pods there */
  readonly proxyLabels?: { readonly [label: string]: string };

  /** Addresses of a proxy outside the cluster, such as `35.191.0.0/16`. @default - none */
  readonly proxyAddresses?: string[];
}

/** Google's front ends, which IAP's requests come from. @see https://cloud.google.com/load-balancing/docs/https/ext-https-lb-simple */
const GOOGLE_FRONT_ENDS = ['130.211.0.0/22', '35.191.0.0/16'];

/** How the dashboard knows who a user is. */
export class DashboardAuth {
  /**
   * Users bring a token of the Kubernetes API: they paste it when they sign in, or a proxy sends it as `Authorization: Bearer`. All that the
   * dashboard does for a user is done with that token; the dashboard itself has no right. The token is kept in a cookie that is sealed and that
   * scripts cannot read.
   */
  public static token(options: DashboardTokenOptions = {}): DashboardAuth {
    checkTypes('DashboardAuth.token', 'DashboardTokenOptions', options);
    const sessionSeconds = options.sessionDuration?.toSeconds() ?? DASHBOARD_SESSION_SECONDS;
    return new DashboardAuth({ kind: 'token', sessionKeySecret: options.sessionKeySecretName, sessionSeconds });
  }

  /**
   * A proxy in front signs users in, and names them in a header. The dashboard acts in their names (impersonation), for which it needs the right to
   * act as any user, or as those of `users`. Whoever can write the header is any user: see docs/dashboard.md before you choose it.
   */
  public static headers(options: DashboardHeaderOptions): DashboardAuth {
    checkTypes('DashboardAuth.headers', 'DashboardHeaderOptions', options);
    const { proxyNamespaces = [], proxyAddresses = [], ...others } = options;
    return new DashboardAuth({ kind: 'headers', ...others, proxyNamespaces, proxyAddresses });
  }

  /**
   * Kubeflow's gateway, which names users in `kubeflow-userid`. @param gatewayNamespace where the gateway's pods are; Kubeflow's are in
   * `istio-system`
   */
  public static kubeflow(gatewayNamespace: string = 'istio-system'): DashboardAuth {
    return DashboardAuth.headers({ userHeader: 'kubeflow-userid', proxyNamespaces: [gatewayNamespace], proxyLabels: { app: 'istio-ingressgateway' } });
  }

  /** Google's Identity-Aware Proxy, which names users in `X-Goog-Authenticated-User-Email`. */
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
