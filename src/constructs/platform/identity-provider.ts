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
  /** Id of Dex at the provider. */
  readonly clientId: string;
  /** Where the client's secret is, in the namespace `auth`. */
  readonly clientSecret: SecretKeyReference;
  /** Address that the provider sends people back to: `https://HOST/dex/callback`. */
  readonly redirectUri: string;
  /** Name on the page of Dex. @default - the id */
  readonly name?: string;
  /** Further settings of Dex's connector. @default - none */
  // Settings are what the connector's author has thought of.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly config?: { readonly [name: string]: any };
}

/** Options of `DexConnector.of`. */
export interface DexConnectorOptions {
  /** Name on the page of Dex. @default - the id */
  readonly name?: string;
  /** Settings of the connector. A value `$VARIABLE` is that of a variable of `secrets`. */
  // As above.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly config: { readonly [name: string]: any };
  /** Variables of Dex from Secrets in the namespace `auth`. @default - none */
  readonly secrets?: { readonly [variable: string]: SecretKeyReference };
}

/** An identity provider behind Dex. */
export class DexConnector {
  /** A provider that speaks OpenID Connect. @param id part of URLs, such as `company` */
  public static oidc(id: string, options: OidcConnectorOptions): DexConnector {
    checkTypes('DexConnector.oidc', 'OidcConnectorOptions', options);
    const { issuer, clientId, clientSecret, redirectUri, name = id, config = {} } = options;
    const variable = `${id.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_CLIENT_SECRET`;
    return new DexConnector({
      type: 'oidc', id, name, secrets: { [variable]: clientSecret },
      config: { issuer, clientID: clientId, clientSecret: `$${variable}`, redirectURI: redirectUri, scopes: ['openid', 'profile', 'email'], ...config },
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
  /** Who people are asked to sign in with. @default - none: the user that Kubeflow publishes, which is for kind only */
  readonly connectors?: DexConnector[];

  /**
   * Secret with `client-id`, `client-secret` and `cookie-secret` for Dex and oauth2-proxy, in the namespaces `auth` and `oauth2-proxy`. Somebody
   * else makes it.
   * @default - those that Kubeflow publishes, which is for kind only
   */
  readonly secretName?: string;
}

/** Options of `IdentityProvider.iap`. */
export interface IapIdentityOptions {
  /** Audience of IAP's tokens: `/projects/NUMBER/global/backendServices/ID`. Tokens for another service are refused. */
  readonly audience: string;
  /** Workspace domain that people must be of. @default - whoever IAP lets through */
  readonly hostedDomain?: string;
}

/** Who people are. */
export class IdentityProvider {
  /** Dex and oauth2-proxy, in front of identity providers of your own. */
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
