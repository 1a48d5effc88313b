/**
 * Active users, each with a separate client of the API server, so that no user sees data of another. Users without open responses are removed first,
 * the least recently active one before the others.
 */
import type { UiSource, UiUser } from '../server/server';
import type { CredentialSource, Credentials } from '../../../operator/runtime/credentials/credentials';
import type { ClusterConnection } from '../../../operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../operator/runtime/kube-client';

/** Maximum number of concurrent requests of a user to the API server. */
const REQUESTS_PER_USER = 10;

/** Timeout of a request to the API server; milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Maximum number of users without open responses. */
const MAX_IDLE = 200;

interface Known {
  readonly name: string;
  readonly client: KubeClient;
  readonly source: UiSource;
  /** Number of open responses. */
  open: number;
}

export class Users {
  /** From the least to the most recently active user. */
  private readonly known = new Map<string, Known>();

  /** @param sourceOf creates the source of a user's pages */
  public constructor(private readonly connection: ClusterConnection, private readonly sourceOf: (client: KubeClient, name: string) => UiSource) {}

  public get size(): number {
    return this.known.size;
  }

  /** A client with these credentials instead of those of the connection. */
  public clientOf(credentials: CredentialSource): KubeClient {
    return new KubeClient({
      connection: { ...this.connection, credentials }, maxRetries: 1, timeoutMs: REQUEST_TIMEOUT_MS, maxConcurrentRequests: REQUESTS_PER_USER,
      userAgent: 'trainyard-dashboard',
    });
  }

  /**
   * The user for one response, which must release it.
   * @param key identifies the user and the login
   * @param make creates the user if the key is new
   */
  public enter(key: string, make: () => { readonly name: string; readonly client: KubeClient }): UiUser {
    const user = this.known.get(key) ?? this.create(make());
    this.known.delete(key);
    this.known.set(key, user);
    user.open += 1;
    this.forgetIdle();
    return {
      name: user.name, source: user.source,
      release: () => {
        user.open -= 1;
      },
    };
  }

  /** Removes a user who has signed out, or whose token is no longer valid. */
  public forget(key: string): void {
    this.known.get(key)?.client.close();
    this.known.delete(key);
  }

  /** Closes all connections. */
  public close(): void {
    [...this.known.keys()].forEach((key) => this.forget(key));
  }

  private create({ name, client }: { readonly name: string; readonly client: KubeClient }): Known {
    return { name, client, source: this.sourceOf(client, name), open: 0 };
  }

  private forgetIdle(): void {
    const idle = [...this.known].filter(([, { open }]) => open === 0);
    idle.slice(0, Math.max(0, idle.length - MAX_IDLE)).forEach(([key]) => this.forget(key));
  }
}

/** The dashboard's credentials, impersonating a user. The API server checks the permission to impersonate and the user's permissions. */
export class Impersonation implements CredentialSource {
  private last?: { readonly own: Credentials; readonly together: Credentials };

  public constructor(private readonly own: CredentialSource, private readonly user: string, private readonly groups: readonly string[]) {}

  public async get(): Promise<Credentials> {
    const own = await this.own.get();
    if (this.last?.own !== own) {
      const headers = { ...own.headers, 'impersonate-user': this.user, ...(this.groups.length > 0 && { 'impersonate-group': this.groups }) };
      this.last = { own, together: { ...own, headers } };
    }
    return this.last.together;
  }

  public invalidate(): void {
    this.own.invalidate();
  }
}
