/** Where a pod's config maps and secrets are read from: objects in memory for `trainyard run`, the API server for `trainyard dev`. */
import type { IssuedToken } from './token-file';
import type { ConfigMap, Secret } from '../../manifests/kubernetes';

/** Content of a config map or secret by key. */
export type ObjectData = ReadonlyMap<string, Buffer>;

/** Finds config maps and secrets of the pod's namespace, and tokens of its service accounts. */
export interface ObjectSource {
  /** Content of the config map; undefined when there is none. */
  configMap(name: string): Promise<ObjectData | undefined>;

  /** Content of the secret; undefined when there is none. */
  secret(name: string): Promise<ObjectData | undefined>;

  /** A token of a service account for an audience; undefined when nobody here makes one. */
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
