import type { DexConnectorSpec, IdentitySpec } from '../../model/platform/spec';
import { checkTypes } from '../props/check-props';

/** A key of a Secret. */
export interface SecretKeyReference {
  /** Name of the Secret. */
  readonly secretName: string;
  /** Key within it. */
  readonly key: string;
}

/** Options of `DexConnector.oidc`. */
export interface OidcConnectorOptions {
  /** URL of the provider, such as `https://login.example.com/realms/ml`. */
  readonly issuer: string;
  /** Client id of Dex at the provider. */
  readonly clientId: string;
  /** Secret with the client secret, in the namespace `auth`. */
  readonly clientSecret: SecretKeyReference;
  /** Name on the page of Dex. @default - the id */
  readonly name?: string;
  /** Additional settings of Dex's connector. @default - none */
  // The connector defines the structure of its settings.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly config?: { readonly [name: string]: any };
}

/** Options of `DexConnector.of`. */
export interface DexConnectorOptions {
  /** Name on the page of Dex. @default - the id */
  readonly name?: string;
  /** Settings of the connector. `$VARIABLE` is replaced with a variable of `secrets`. */
  // As above.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly config: { readonly [name: string]: any };
  /** Variables of Dex from Secrets in the namespace `auth`. @default - none */
  readonly secrets?: { readonly [variable: string]: SecretKeyReference };
}

/** An identity provider behind Dex. */
export class DexConnector {
  /** An OpenID Connect provider. Dex's redirect URI there is `https://HOST/dex/callback`. @param id part of URLs, such as `company` */
  public static oidc(id: string, options: OidcConnectorOptions): DexConnector {
    checkTypes('DexConnector.oidc', 'OidcConnectorOptions', options);
    const { issuer, clientId, clientSecret, name = id, config = {} } = options;
    // Dex reads a digit after `$` as the whole name.
    const variable = `${id.toUpperCase().replace(/[^A-Z0-9]/g, '_').replace(/^(?=\d)/, '_')}_CLIENT_SECRET`;
    return new DexConnector({
      type: 'oidc', id, name, secrets: { [variable]: clientSecret },
      config: { issuer, clientID: clientId, clientSecret: `$${variable}`, scopes: ['openid', 'profile', 'email'], ...config },
    });
  }

  /**
   * Any connector of Dex.
   * @param type Dex's name for it, such as `github` or `ldap`
   * @param id part of URLs
   * @see https://dexidp.io/docs/connectors/
   */
  public static of(type: string, id: string, options: DexConnectorOptions): DexConnector {
    checkTypes('DexConnector.of', 'DexConnectorOptions', options);
    return new DexConnector({ type, id, name: options.name ?? id, config: options.config, secrets: options.secrets ?? {} });
  }

  private constructor(private readonly spec: DexConnectorSpec) {}

  /** @internal */
  public _toSpec(): DexConnectorSpec {
    return this.spec;
  }
}

/** Options of `IdentityProvider.dex`. */
export interface DexIdentityOptions {
  /** Identity providers for signing in. @default - none: Kubeflow's published user, only for kind */
  readonly connectors?: DexConnector[];

  /**
   * Existing Secret with `client-id`, `client-secret` and `cookie-secret` for Dex and oauth2-proxy, in the namespaces `auth` and `oauth2-proxy`.
   * @default - Kubeflow's published values, only for kind
   */
  readonly secretName?: string;
}

/** Options of `IdentityProvider.iap`. */
export interface IapIdentityOptions {
  /** Audience of IAP's tokens: `/projects/NUMBER/global/backendServices/ID`. Tokens for another service are rejected. */
  readonly audience: string;
  /** Workspace domain of allowed users. @default - all users that IAP allows */
  readonly hostedDomain?: string;
}

/** How users sign in. */
export class IdentityProvider {
  /** Dex and oauth2-proxy, with your identity providers. */
  public static dex(options: DexIdentityOptions = {}): IdentityProvider {
    checkTypes('IdentityProvider.dex', 'DexIdentityOptions', options);
    return new IdentityProvider({ kind: 'dex', connectors: (options.connectors ?? []).map((each) => each._toSpec()), secretName: options.secretName });
  }

  /** Identity-Aware Proxy of Google Cloud. */
  public static iap(options: IapIdentityOptions): IdentityProvider {
    checkTypes('IdentityProvider.iap', 'IapIdentityOptions', options);
    return new IdentityProvider({ kind: 'iap', ...options });
  }

  private constructor(private readonly spec: IdentitySpec) {}

  /** @internal */
  public _toSpec(): IdentitySpec {
    return this.spec;
  }
}
