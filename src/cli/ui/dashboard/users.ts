/**
 * Users that are known at the moment, each with a client of the API server of their own: nothing that is read for one is shown to another. Who has no
 * answer open and was not seen for longest is forgotten first.
 */
import type { UiSource, UiUser } from '../server/server';
import type { CredentialSource, Credentials } from '../../../operator/runtime/credentials/credentials';
import type { ClusterConnection } from '../../../operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../operator/runtime/kube-client';

/** Requests of a user to the API server at the same time. */
const REQUESTS_PER_USER = 10;

/** Time in which the API server must answer, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Users without an open answer that are kept. */
const MAX_IDLE = 200;

interface Known {
  readonly name: string;
  readonly client: KubeClient;
  readonly source: UiSource;
  /** Answers that are not at their end. */
  open: number;
}

export class Users {
  /** From who was not seen for longest to the newest. */
  private readonly known = new Map<string, Known>();

  /** @param sourceOf what the pages of a user show */
  public constructor(private readonly connection: ClusterConnection, private readonly sourceOf: (client: KubeClient, name: string) => UiSource) {}

  /** How many are known. */
  public get size(): number {
    return this.known.size;
  }

  /** A client with these credentials, in place of those of the connection. */
  public clientOf(credentials: CredentialSource): KubeClient {
    return new KubeClient({
      connection: { ...this.connection, credentials }, maxRetries: 1, timeoutMs: REQUEST_TIMEOUT_MS, maxConcurrentRequests: REQUESTS_PER_USER,
      userAgent: 'trainyard-dashboard',
    });
  }

  /**
   * A user, for one answer.
   * @param key identifies the user and the login
   * @param make who it is, where the key is new
   */
  public enter(key: string, make: () => { readonly name: string; readonly client: KubeClient }): UiUser {
    const user = this.known.get(key) ?? this.newUser(make());
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

  /** Forgets one who has signed out, or whose rights have ended. */
  public forget(key: string): void {
    this.known.get(key)?.client.close();
    this.known.delete(key);
  }

  /** Closes all connections. */
  public close(): void {
    [...this.known.keys()].forEach((key) => this.forget(key));
  }

  private newUser({ name, client }: { readonly name: string; readonly client: KubeClient }): Known {
    return { name, client, source: this.sourceOf(client, name), open: 0 };
  }

  private forgetIdle(): void {
    const idle = [...this.known].filter(([, { open }]) => open === 0);
    idle.slice(0, Math.max(0, idle.length - MAX_IDLE)).forEach(([key]) => this.forget(key));
  }
}

/** The dashboard's own credentials, in the name of a user. The API server asks whether it may, and then what the user may. */
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
