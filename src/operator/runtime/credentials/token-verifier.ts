/**
 * Checks tokens of service accounts by the public keys of their issuer, which every service account may read
 * (`/.well-known/openid-configuration`, `/openid/v1/jwks`). No TokenReview: it costs a request for each check, and a right in the whole cluster that
 * an operator of single namespaces does not have.
 *
 * What that gives up: a token stays good until it expires although its account is gone, as with any OpenID client. Whether its pod still exists is
 * the caller's to ask.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { SYSTEM_CLOCK, type Clock } from '../process/clock';
import type { KubeClient } from '../kube-client';

/** What a token says of its bearer. */
export interface ServiceAccountClaims {
  readonly namespace: string;
  readonly serviceAccount?: string;
  /** Pod that the token was made for, if it was made for one: a kubelet asks for such tokens only. */
  readonly pod?: { readonly name: string; readonly uid: string };
}

/** Settings of a {@link TokenVerifier}. */
export interface TokenVerifierOptions {
  readonly client: Pick<KubeClient, 'raw'>;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A token that is not accepted; the message says why, for logs and not for its bearer. */
export class TokenRefused extends Error {
  public readonly name = 'TokenRefused';
}

/** Asymmetric ones only: with a key that everybody knows nobody can sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

/** Keys are read again after this, in milliseconds, so that a key that was withdrawn does not count for ever. */
const KEYS_MAX_AGE_MS = 3600_000;

/** A token with an unknown key makes us read the keys again, but no more often than this, in milliseconds: anybody can make such tokens. */
const UNKNOWN_KEY_PAUSE_MS = 10_000;

/** Clocks differ by a little. Seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;

interface Issuer {
  readonly name: string;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly readAt: number;
}

/** See the top of this file. */
export class TokenVerifier {
  private readonly clock: Clock;
  private issuer?: Issuer;
  private reading?: Promise<Issuer>;

  public constructor(private readonly options: TokenVerifierOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /**
   * Checks signature, issuer, audience and times of a token.
   * @throws TokenRefused when it is not good
   * @throws ApiError, TransportError when the issuer's keys cannot be read
   */
  public async verify(token: string, audience: string): Promise<ServiceAccountClaims> {
    const known = this.issuer;
    const issuer = known !== undefined && this.clock.monotonic() - known.readAt < KEYS_MAX_AGE_MS ? known : await this.readIssuer(known);
    try {
      return await this.check(token, audience, issuer);
    } catch (error) {
      // Its key may be newer than what we have read.
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.clock.monotonic() - issuer.readAt < UNKNOWN_KEY_PAUSE_MS) {
        throw refused(error);
      }
    }
    const fresh = await this.readIssuer();
    return this.check(token, audience, fresh).catch((error: unknown) => {
      throw refused(error);
    });
  }

  private async check(token: string, audience: string, issuer: Issuer): Promise<ServiceAccountClaims> {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.name,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.clock.now()),
    });
    return claimsOf(payload);
  }

  /** @param fallback what to go on with when the keys cannot be read at the moment */
  private async readIssuer(fallback?: Issuer): Promise<Issuer> {
    this.reading ??= this.fetchIssuer().finally(() => { this.reading = undefined; });
    try {
      return await this.reading;
    } catch (error) {
      if (fallback === undefined) {
        throw error;
      }
      return fallback;
    }
  }

  private async fetchIssuer(): Promise<Issuer> {
    const { client } = this.options;
    // The keys are asked of the API server and not of `jwks_uri`, which may be an address that only others reach.
    const [{ issuer }, keys] = await Promise.all([
      client.raw<{ issuer: string }>('GET', '/.well-known/openid-configuration'),
      client.raw<JSONWebKeySet>('GET', '/openid/v1/jwks'),
    ]);
    this.issuer = { name: issuer, keys: createLocalJWKSet(keys), readAt: this.clock.monotonic() };
    return this.issuer;
  }
}

function claimsOf(payload: JWTPayload): ServiceAccountClaims {
  const claims = payload['kubernetes.io'] as { namespace?: unknown; serviceaccount?: { name?: string }; pod?: { name?: unknown; uid?: unknown } } | undefined;
  if (typeof claims?.namespace !== 'string') {
    throw new TokenRefused('the token does not belong to a service account: it has no namespace');
  }
  const { name, uid } = claims.pod ?? {};
  return {
    namespace: claims.namespace,
    serviceAccount: claims.serviceaccount?.name,
    ...(typeof name === 'string' && typeof uid === 'string' && { pod: { name, uid } }),
  };
}

function refused(error: unknown): unknown {
  return error instanceof errors.JOSEError ? new TokenRefused(error.message, { cause: error }) : error;
}
