import type { TlsSpec } from '../../model/platform/spec';

/**
 * Kinds of issuers of cert-manager.
 */
export enum IssuerKind {
  /** One for all namespaces. */
  CLUSTER = 'ClusterIssuer',

  /** One of the namespace `istio-system`. */
  NAMESPACED = 'Issuer',
}

/**
 * Where the certificate of the platform's domain is from.
 */
export class PlatformTls {
  /** No TLS: for kind. */
  public static none(): PlatformTls {
    return new PlatformTls({ kind: 'none' });
  }

  /** A certificate that signs itself, made by cert-manager. */
  public static selfSigned(): PlatformTls {
    return new PlatformTls({ kind: 'self-signed' });
  }

  /** A certificate of an issuer of cert-manager, such as Let's Encrypt. @param name name of the issuer */
  public static issuer(name: string, kind: IssuerKind = IssuerKind.CLUSTER): PlatformTls {
    return new PlatformTls({ kind: 'issuer', name, issuerKind: kind });
  }

  /** A Secret of type `kubernetes.io/tls` in the namespace `istio-system`. @param name name of the Secret */
  public static secret(name: string): PlatformTls {
    return new PlatformTls({ kind: 'secret', name });
  }

  /** A certificate map of Google's Certificate Manager, for the load balancer of IAP. @param name name of the map */
  public static certificateMap(name: string): PlatformTls {
    return new PlatformTls({ kind: 'certificate-map', name });
  }

  private constructor(private readonly spec: TlsSpec) {}

  /** @internal */
  public _toSpec(): TlsSpec {
    return this.spec;
  }
}

/**
 * Where people find the platform.
 */
export interface PlatformDomain {
  /**
   * Host name, such as `ml.example.com`.
   */
  readonly host: string;

  /**
   * Where its certificate is from.
   */
  readonly tls: PlatformTls;
}
