/**
 * Where a pod's config maps and secrets are read from: objects in memory for `trainyard run`, the API server for `trainyard dev`.
 *
 * A service account's token as a file of a pod's volume, replaced before it expires, as a kubelet does.
 */
import fs from 'node:fs';
import type { ConfigMap, Secret } from '../../manifests/kubernetes';

/** Content of a config map or secret by key. */
export type ObjectData = ReadonlyMap<string, Buffer>;

/** Finds config maps and secrets of the pod's namespace, and tokens of its service accounts. */
export interface ObjectSource {
  /** Content of the config map; undefined when there is none. */
  configMap(name: string): Promise<ObjectData | undefined>;
  /** Content of the secret; undefined when there is none. */
  secret(name: string): Promise<ObjectData | undefined>;
  /** A token of a service account for an audience; undefined if this source issues none. */
  serviceAccountToken(serviceAccount: string, audience: string | undefined, expirationSeconds: number): Promise<IssuedToken | undefined>;
}

/** Content of a config map as files see it. */
export function configMapData(configMap: ConfigMap & { readonly binaryData?: { readonly [key: string]: string } }): ObjectData {
  return new Map([
    ...Object.entries(configMap.data ?? {}).map(([key, text]): [string, Buffer] => [key, Buffer.from(text, 'utf8')]),
    ...Object.entries(configMap.binaryData ?? {}).map(([key, text]): [string, Buffer] => [key, Buffer.from(text, 'base64')]),
  ]);
}

/** Content of a secret as files see it; `stringData` wins, as on the API server. */
export function secretData(secret: Secret): ObjectData {
  return new Map([
    ...Object.entries(secret.data ?? {}).map(([key, text]): [string, Buffer] => [key, Buffer.from(text, 'base64')]),
    ...Object.entries(secret.stringData ?? {}).map(([key, text]): [string, Buffer] => [key, Buffer.from(text, 'utf8')]),
  ]);
}

/** Objects that are at hand. */
export class MemoryObjectSource implements ObjectSource {
  private readonly configMaps: ReadonlyMap<string, ConfigMap>;
  private readonly secrets: ReadonlyMap<string, Secret>;

  public constructor(private readonly objects: {
    readonly configMaps?: readonly ConfigMap[];
    readonly secrets?: readonly Secret[];
    /** Makes a token for an audience. @default - there are none */
    readonly token?: (audience: string | undefined) => string | undefined;
  } = {}) {
    this.configMaps = new Map((objects.configMaps ?? []).map((configMap) => [configMap.metadata.name, configMap]));
    this.secrets = new Map((objects.secrets ?? []).map((secret) => [secret.metadata.name, secret]));
  }

  public async configMap(name: string): Promise<ObjectData | undefined> {
    const found = this.configMaps.get(name);
    return found && configMapData(found);
  }

  public async secret(name: string): Promise<ObjectData | undefined> {
    const found = this.secrets.get(name);
    return found && secretData(found);
  }

  public async serviceAccountToken(_serviceAccount: string, audience: string | undefined): Promise<IssuedToken | undefined> {
    const token = this.objects.token?.(audience);
    return token === undefined ? undefined : { token };
  }
}

export interface IssuedToken {
  readonly token: string;
  /** Seconds until it expires. @default - never */
  readonly expiresInSeconds?: number;
}

/** Part of its life after which a token is replaced; a kubelet's. */
const RENEWED_AFTER = 0.8;

/** Milliseconds before a renewal that failed is tried again. */
const RETRY_MS = 10_000;

/** Keeps one file. */
export class TokenFile {
  private timer?: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly issue: () => Promise<IssuedToken>,
    private readonly warn: (message: string) => void,
  ) {}

  /** Writes the file. @throws what `issue` throws the first time; later failures are reported and retried */
  public static async create(file: string, issue: () => Promise<IssuedToken>, warn: (message: string) => void): Promise<TokenFile> {
    const made = new TokenFile(file, issue, warn);
    await made.renew();
    return made;
  }

  /** Leaves the file as it is from now on. */
  public close(): void {
    clearTimeout(this.timer);
  }

  private async renew(): Promise<void> {
    const { token, expiresInSeconds } = await this.issue();
    // A reader never sees half of it.
    fs.writeFileSync(`${this.file}.new`, token, { mode: 0o600 });
    fs.renameSync(`${this.file}.new`, this.file);
    if (expiresInSeconds !== undefined) {
      this.again(expiresInSeconds * RENEWED_AFTER * 1000);
    }
  }

  private again(ms: number): void {
    this.timer = setTimeout(() => {
      this.renew().catch((error: Error) => {
        this.warn(`the token in ${this.file} could not be renewed, will be retried: ${error.message}`);
        this.again(RETRY_MS);
      });
    }, ms).unref();
  }
}
