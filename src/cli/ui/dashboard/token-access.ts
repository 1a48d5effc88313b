/**
 * Access with the user's own token: as a bearer token of the request, or in a sealed cookie after signing in. Requests to the API server use that
 * token, so the dashboard needs no permissions. The API server resolves the user of a token (SelfSubjectReview).
 */
import { createHash } from 'node:crypto';
import type http from 'node:http';
import { checkSender, isLoopback } from './sender';
import { MAX_SEALED, expiryOf, type SessionSeals } from './sessions';
import type { Users } from './users';
import { SIGN_IN_PLACE } from '../protocol';
import { Refusal, SignInRefusal, cookieIn, readBody, sentence } from '../server/answers';
import type { UiAccess, UiUser } from '../server/server';
import { StaticCredentials } from '../../../operator/runtime/credentials/credentials';
import { ApiError } from '../../../operator/runtime/http/api-error';
import { TokenBuckets } from '../../../operator/runtime/http/token-buckets';

export interface TokenAccessOptions {
  readonly hosts: readonly string[];
  readonly basePath: string;
  readonly seals: SessionSeals;
  /** Maximum seconds of a session; it never lasts longer than the token. */
  readonly sessionSeconds: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Longest token, in bytes. */
const MAX_TOKEN = 8 * 1024;

/** How long the user of a token is cached; milliseconds. Permissions are checked for each request. */
const REVIEW_MS = 60_000;

/** Maximum number of cached users. */
const MAX_REVIEWS = 1_000;

/** Limit on reviews of new tokens of all users, so that an attacker who guesses tokens cannot overload the API server. */
const REVIEWS = { perSecond: 10, burst: 50 };

const SIGN_IN = 'Sign in with a token of the Kubernetes API.';

export class TokenAccess implements UiAccess {
  public readonly protectsPages = false;

  /** From the oldest to the newest. */
  private readonly reviews = new Map<string, { readonly at: number; readonly name: Promise<string> }>();
  private readonly pace = new TokenBuckets(REVIEWS);

  public constructor(private readonly users: Users, private readonly options: TokenAccessOptions) {}

  public checkSender(request: http.IncomingMessage): void {
    checkSender(request, this.options.hosts);
  }

  public async handle(request: http.IncomingMessage, { pathname }: URL, response: http.ServerResponse): Promise<boolean> {
    if (pathname !== SIGN_IN_PLACE) {
      return false;
    }
    const { token } = await readBody(request, 2 * MAX_TOKEN);
    if (token === '') {
      this.signOut(request, response);
      return true;
    }
    const trimmed = typeof token === 'string' ? token.trim() : '';
    const name = await this.nameOf(trimmed);
    const now = Math.floor(this.now() / 1000);
    const expiresAt = Math.min(now + this.options.sessionSeconds, expiryOf(trimmed) ?? Infinity);
    const sealed = this.options.seals.seal({ token: trimmed, expiresAt });
    if (sealed.length > MAX_SEALED) {
      throw new Refusal(413, `The token has ${trimmed.length} characters, which do not fit into a cookie. Use one of at most about 3,800.`);
    }
    sentence(response, `You are ${name}.`, { 'set-cookie': this.cookie(request, sealed, expiresAt - now) });
    return true;
  }

  public async user(request: http.IncomingMessage): Promise<UiUser> {
    const token = this.tokenOf(request);
    if (token === undefined) {
      throw new SignInRefusal(cookieIn(request.headers.cookie, this.cookieName(request)) === '' ? SIGN_IN : 'Your session has ended. Sign in again.');
    }
    const name = await this.nameOf(token);
    return this.users.enter(keyOf(token), () => ({ name, client: this.users.clientOf(bearer(token)) }));
  }

  private tokenOf(request: http.IncomingMessage): string | undefined {
    const { authorization = '', cookie } = request.headers;
    const [scheme, shown] = authorization.split(' ');
    if (scheme.toLowerCase() === 'bearer') {
      return shown ?? '';
    }
    return this.options.seals.open(cookieIn(cookie, this.cookieName(request)), this.now() / 1000)?.token;
  }

  /** The user of a token. @throws Refusal if the token is not valid */
  private async nameOf(token: string): Promise<string> {
    // Without a token, the API server would answer for an anonymous user.
    if (token.length > MAX_TOKEN || !/^[\x21-\x7e]{8,}$/.test(token)) {
      throw new SignInRefusal('This is not a token: a token has at least 8 letters, digits and signs, without spaces.');
    }
    const key = keyOf(token);
    const known = this.reviews.get(key);
    if (known !== undefined && this.now() - known.at < REVIEW_MS) {
      return known.name;
    }
    if (this.pace.waitMs('') > 0) {
      throw new Refusal(429, 'Too many users are signing in. Try again in a few seconds.', { 'retry-after': '5' });
    }
    this.pace.take('');
    const name = this.review(token);
    this.reviews.delete(key);
    this.reviews.set(key, { at: this.now(), name });
    if (this.reviews.size > MAX_REVIEWS) {
      const [oldest] = this.reviews.keys();
      this.reviews.delete(oldest);
    }
    name.catch(() => {
      this.reviews.delete(key);
      this.users.forget(key);
    });
    return name;
  }

  private async review(token: string): Promise<string> {
    const client = this.users.clientOf(bearer(token));
    try {
      const { status } = await client.raw<SelfSubjectReview>('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview',
      });
      const name = status?.userInfo?.username ?? '';
      if (name === '' || name === 'system:anonymous') {
        throw new SignInRefusal('The cluster does not recognize this token.');
      }
      return name;
    } catch (error) {
      throw error instanceof ApiError && error.isUnauthorized ? new SignInRefusal('The cluster does not accept the token. It may have expired.') : error;
    } finally {
      client.close();
    }
  }

  private signOut(request: http.IncomingMessage, response: http.ServerResponse): void {
    const token = this.tokenOf(request);
    if (token !== undefined) {
      this.reviews.delete(keyOf(token));
      this.users.forget(keyOf(token));
    }
    sentence(response, 'You are signed out.', { 'set-cookie': this.cookie(request, '', 0) });
  }

  private cookie(request: http.IncomingMessage, value: string, seconds: number): string {
    return `${this.cookieName(request)}=${value}; HttpOnly; Secure; SameSite=Strict; Path=${this.options.basePath}; Max-Age=${seconds}`;
  }

  /** The prefixes stop other hosts of the domain from writing the cookie. Browsers accept them only over HTTPS. */
  private cookieName({ headers: { host } }: http.IncomingMessage): string {
    const prefix = isLoopback(host) ? '' : this.options.basePath === '/' ? '__Host-' : '__Secure-';
    return `${prefix}trainyard-session`;
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }
}

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

function bearer(token: string): StaticCredentials {
  return new StaticCredentials({ headers: { authorization: `Bearer ${token}` } });
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
