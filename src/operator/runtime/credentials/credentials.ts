import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Clock } from '../process/clock';

/** Request headers; a list stands for a header that is repeated. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** What identifies us to the API server in one request. */
export interface Credentials {
  /** Headers such as `authorization`. */
  readonly headers: Headers;
  /** Client certificate and key in PEM, when the user has them. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Where {@link Credentials} come from. */
export interface CredentialSource {
  /** Credentials that are valid now; cheap to call for each request. Returns the same object until they change. */
  get(): Promise<Credentials>;
  /** Forgets what is cached; called when the server says 401. */
  invalidate(): void;
}

/** How long a token read from a file is used before the file is read again, in milliseconds: the value of client-go. */
const TOKEN_FILE_REFRESH_MS = 60_000;
/** An exec plugin's credential is renewed this long before it expires, in milliseconds. */
const EXPIRY_MARGIN_MS = 30_000;

/** Credentials that never change. */
export class StaticCredentials implements CredentialSource {
  public constructor(private readonly credentials: Credentials) {}

  public get(): Promise<Credentials> {
    return Promise.resolve(this.credentials);
  }

  public invalidate(): void {
    // There is nothing else to try.
  }
}

/**
 * A bearer token in a file, such as the projected service account token of a pod, which the kubelet replaces long before it expires.
 * When the file cannot be read for a moment the last token stays in use: the kubelet swaps a symbolic link.
 */
export class TokenFileCredentials implements CredentialSource {
  private cached?: Credentials;
  private readAt = -Infinity;

  public constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly headers: Headers = {},
  ) {}

  public async get(): Promise<Credentials> {
    if (this.cached !== undefined && this.clock.monotonic() - this.readAt < TOKEN_FILE_REFRESH_MS) {
      return this.cached;
    }
    try {
      const authorization = `Bearer ${(await readFile(this.path, 'utf8')).trim()}`;
      this.readAt = this.clock.monotonic();
      if (this.cached?.headers.authorization !== authorization) {
        this.cached = { headers: { ...this.headers, authorization } };
      }
    } catch (error) {
      if (this.cached === undefined) {
        throw new Error(`Reading the bearer token file "${this.path}": ${String(error)}; is the service account token mounted?`, { cause: error });
      }
    }
    return this.cached!;
  }

  public invalidate(): void {
    this.readAt = -Infinity;
  }
}

/** The `exec` block of a user in a kubeconfig. */
export interface ExecPlugin {
  apiVersion?: string;
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  installHint?: string;
  provideClusterInfo?: boolean;
}

interface ExecCredential {
  status?: { token?: string; clientCertificateData?: string; clientKeyData?: string; expirationTimestamp?: string };
}

/**
 * Credentials printed by a program (`gke-gcloud-auth-plugin`, `aws eks get-token`, `kubelogin`), cached until they expire.
 * Concurrent requests share one run of the program.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export class ExecCredentials implements CredentialSource {
  private cached?: { credentials: Credentials; expiresAt: number };
  private running?: Promise<Credentials>;

  public constructor(
    private readonly plugin: ExecPlugin,
    private readonly clock: Clock,
    private readonly headers: Headers = {},
    /** Passed to the program in KUBERNETES_EXEC_INFO when it asks for it. */
    private readonly clusterInfo: Readonly<Record<string, unknown>> = {},
  ) {}

  public get(): Promise<Credentials> {
    if (this.cached !== undefined && this.clock.now() < this.cached.expiresAt - EXPIRY_MARGIN_MS) {
      return Promise.resolve(this.cached.credentials);
    }
    this.running ??= this.execute().finally(() => (this.running = undefined));
    return this.running;
  }

  public invalidate(): void {
    this.cached = undefined;
  }

  private async execute(): Promise<Credentials> {
    const status = (JSON.parse(await this.run()) as ExecCredential).status;
    if (!status?.token && !(status?.clientCertificateData && status.clientKeyData)) {
      throw new Error(`Running the credential plugin "${this.plugin.command}": it printed neither a token nor a client certificate with its key.`);
    }
    const credentials: Credentials = {
      headers: { ...this.headers, ...(status.token ? { authorization: `Bearer ${status.token}` } : {}) },
      certificate:
        status.clientCertificateData && status.clientKeyData ? { cert: status.clientCertificateData, key: status.clientKeyData } : undefined,
    };
    const expiresAt = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Infinity;
    this.cached = { credentials, expiresAt };
    return credentials;
  }

  private run(): Promise<string> {
    const { command, args, env, apiVersion, installHint, provideClusterInfo } = this.plugin;
    const execInfo = {
      apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, ...(provideClusterInfo ? { cluster: this.clusterInfo } : {}) },
    };
    const environment = { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo) } as NodeJS.ProcessEnv;
    for (const { name, value } of env ?? []) {
      environment[name] = value;
    }
    return new Promise((resolve, reject) => {
      const failed = (why: string, cause?: unknown): void =>
        reject(new Error(`Running the credential plugin "${command}": ${why}${installHint ? `\n${installHint}` : ''}`, { cause }));
      const child = spawn(command, args ?? [], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.on('error', (error) => failed(error.message, error));
      child.on('close', (code, signal) =>
        code === 0 ? resolve(stdout) : failed(`it exited with ${signal ?? `code ${code}`}: ${stderr.trim().slice(-2000)}`),
      );
    });
  }
}
