/**
 * Finds the cluster and the credentials: a kubeconfig (explicit path, `KUBECONFIG`, `~/.kube/config`) or the service account of the pod.
 *
 * Own code instead of `KubeConfig` of @kubernetes/client-node 2, measured on Node.js 20: that class imports undici and the generated API
 * client, which adds 170 KiB (brotli) to the operator's ConfigMap, 19 MB to its resident memory and 0.15 s to its start, and its undici 8
 * does not load on Node.js 20. Here a pod reads three files, and the YAML parser is only loaded (lazily) for a kubeconfig.
 *
 * Not supported, each with an error of its own: `auth-provider` (removed from kubectl in 1.26) and `proxy-url`.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { Clock, SYSTEM_CLOCK } from '../process/clock';
import { CredentialSource, ExecCredentials, ExecPlugin, StaticCredentials, TokenFileCredentials } from './credentials';

/** How to reach a cluster, and as whom. */
export interface ClusterConnection {
  /** Base URL of the API server, possibly with a path prefix. */
  readonly server: URL;
  /** Namespace of the context, or of the pod. */
  readonly namespace?: string;
  /** Where the connection was read from, for messages. */
  readonly origin: string;
  /** Authenticates requests. */
  readonly credentials: CredentialSource;
  /** TLS settings; read again for each new pool of connections, because certificate authorities are rotated. */
  tls(): Promise<TlsSettings>;
}

/** TLS settings of a {@link ClusterConnection}. */
export interface TlsSettings {
  readonly ca?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Where to look for a connection. */
export interface LoadConnectionOptions {
  /** Kubeconfig to read; overrides `KUBECONFIG`. */
  readonly kubeconfig?: string;
  /** Context to use instead of `current-context`. */
  readonly context?: string;
  /** Environment. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder with `token`, `ca.crt` and `namespace`. @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly serviceAccountFolder?: string;
  /** For the life of tokens. @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

interface NamedEntry {
  name: string;
}
interface ClusterEntry extends NamedEntry {
  cluster: {
    server?: string;
    'certificate-authority'?: string;
    'certificate-authority-data'?: string;
    'insecure-skip-tls-verify'?: boolean;
    'tls-server-name'?: string;
    'proxy-url'?: string;
  };
}
interface UserEntry extends NamedEntry {
  user: {
    token?: string;
    tokenFile?: string;
    username?: string;
    password?: string;
    'client-certificate'?: string;
    'client-certificate-data'?: string;
    'client-key'?: string;
    'client-key-data'?: string;
    as?: string;
    'as-groups'?: string[];
    exec?: ExecPlugin;
    'auth-provider'?: { name?: string };
  };
}
interface ContextEntry extends NamedEntry {
  context: { cluster?: string; user?: string; namespace?: string };
}
interface KubeconfigFile {
  'current-context'?: string;
  clusters?: ClusterEntry[] | null;
  users?: UserEntry[] | null;
  contexts?: ContextEntry[] | null;
}

/**
 * Loads the connection in this order: `options.kubeconfig`, the files of `KUBECONFIG`, the service account of the pod (when
 * `KUBERNETES_SERVICE_HOST` is set), `~/.kube/config`. Throws an error that lists what was tried when there is none.
 */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<ClusterConnection> {
  const env = options.env ?? process.env;
  if (options.kubeconfig) {
    return loadKubeconfig([options.kubeconfig], options);
  }
  const listed = (env.KUBECONFIG ?? '').split(path.delimiter).filter((file) => file !== '');
  if (listed.length > 0) {
    return loadKubeconfig(listed, options);
  }
  if (env.KUBERNETES_SERVICE_HOST) {
    return loadInCluster(options);
  }
  const home = path.join(env.HOME ?? homedir(), '.kube', 'config');
  try {
    return await loadKubeconfig([home], options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
    throw new Error(
      `Looking for a Kubernetes cluster: KUBECONFIG is not set, this is not a pod (KUBERNETES_SERVICE_HOST is not set), and "${home}" does not exist; set KUBECONFIG.`,
      { cause: error },
    );
  }
}

/** The connection that Kubernetes gives every pod: the service `kubernetes`, a projected token, and the cluster's certificate authority. */
export async function loadInCluster(options: LoadConnectionOptions = {}): Promise<ClusterConnection> {
  const env = options.env ?? process.env;
  const host = env.KUBERNETES_SERVICE_HOST;
  if (!host) {
    throw new Error('Connecting from inside a pod: KUBERNETES_SERVICE_HOST is not set; outside a pod, set KUBECONFIG.');
  }
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const namespace = await readFile(path.join(folder, 'namespace'), 'utf8').catch(() => undefined);
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? '443'}`),
    namespace: namespace?.trim(),
    origin: `service account in ${folder}`,
    credentials: new TokenFileCredentials(path.join(folder, 'token'), options.clock ?? SYSTEM_CLOCK),
    tls: async () => ({ ca: await readFile(path.join(folder, 'ca.crt')) }),
  };
}

/** Reads kubeconfig files; as in kubectl the first file that names something wins. */
async function loadKubeconfig(files: readonly string[], options: LoadConnectionOptions): Promise<ClusterConnection> {
  const parsed: { folder: string; content: KubeconfigFile }[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    parsed.push({ folder: path.dirname(path.resolve(file)), content: ((await parseYamlOrJson(text, file)) ?? {}) as KubeconfigFile });
  }
  const origin = files.join(path.delimiter);
  const find = <E extends NamedEntry>(what: string, name: string | undefined, list: (content: KubeconfigFile) => E[] | null | undefined) => {
    for (const { folder, content } of parsed) {
      const entry = list(content)?.find((candidate) => candidate.name === name);
      if (entry !== undefined) {
        return { folder, entry };
      }
    }
    const known = parsed.flatMap(({ content }) => (list(content) ?? []).map((candidate) => candidate.name));
    throw new Error(`Reading kubeconfig ${origin}: there is no ${what} "${name ?? ''}"; it has: ${known.join(', ') || 'none'}.`);
  };

  const contextName = options.context ?? parsed.map(({ content }) => content['current-context']).find((name) => name);
  const { context } = find('context', contextName, (content) => content.contexts).entry;
  const cluster = find('cluster', context.cluster, (content) => content.clusters);
  const user = context.user === undefined ? undefined : find('user', context.user, (content) => content.users);
  const { server, 'proxy-url': proxy } = cluster.entry.cluster;
  if (!server || !URL.canParse(server)) {
    throw new Error(`Reading kubeconfig ${origin}: clusters["${cluster.entry.name}"].cluster.server is "${server ?? ''}"; it must be a URL.`);
  }
  if (proxy) {
    throw new Error(`Reading kubeconfig ${origin}: clusters["${cluster.entry.name}"].cluster.proxy-url is not supported; connect without a proxy.`);
  }
  return {
    server: new URL(server),
    namespace: context.namespace,
    origin: `${origin}, context "${contextName}"`,
    credentials: user === undefined ? new StaticCredentials({ headers: {} }) : await userCredentials(user, cluster.entry, origin, options),
    tls: async () => ({
      ca: await fileOrData(cluster.folder, cluster.entry.cluster['certificate-authority'], cluster.entry.cluster['certificate-authority-data']),
      servername: cluster.entry.cluster['tls-server-name'],
      rejectUnauthorized: cluster.entry.cluster['insecure-skip-tls-verify'] === true ? false : undefined,
    }),
  };
}

async function userCredentials(
  { folder, entry }: { folder: string; entry: UserEntry },
  cluster: ClusterEntry,
  origin: string,
  options: LoadConnectionOptions,
): Promise<CredentialSource> {
  const { user } = entry;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const headers: Record<string, string | string[]> = {
    ...(user.as ? { 'impersonate-user': user.as } : {}),
    ...(user['as-groups']?.length ? { 'impersonate-group': user['as-groups'] } : {}),
  };
  if (user['auth-provider']) {
    throw new Error(
      `Reading kubeconfig ${origin}: users["${entry.name}"].user.auth-provider "${user['auth-provider'].name ?? ''}" is not supported; ` +
        'kubectl dropped it in 1.26, use an exec plugin (for GKE: gke-gcloud-auth-plugin).',
    );
  }
  if (user.exec) {
    // A relative command with a slash is relative to the kubeconfig; a bare one is looked up in PATH.
    const command = user.exec.command.includes(path.sep) ? path.resolve(folder, user.exec.command) : user.exec.command;
    return new ExecCredentials({ ...user.exec, command }, clock, headers, {
      server: cluster.cluster.server,
      'tls-server-name': cluster.cluster['tls-server-name'],
      'insecure-skip-tls-verify': cluster.cluster['insecure-skip-tls-verify'],
      'certificate-authority-data': cluster.cluster['certificate-authority-data'],
    });
  }
  if (user.tokenFile && !user.token) {
    return new TokenFileCredentials(path.resolve(folder, user.tokenFile), clock, headers);
  }
  if (user.token) {
    headers.authorization = `Bearer ${user.token}`;
  } else if (user.username) {
    headers.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }
  const cert = await fileOrData(folder, user['client-certificate'], user['client-certificate-data']);
  const key = await fileOrData(folder, user['client-key'], user['client-key-data']);
  return new StaticCredentials({ headers, certificate: cert && key ? { cert: cert.toString(), key: key.toString() } : undefined });
}

async function parseYamlOrJson(text: string, file: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    return JSON.parse(text);
  }
  // In a bundle with several files, a CommonJS package that is imported dynamically has a default export only.
  const loaded: typeof import('yaml') & { readonly default?: typeof import('yaml') } = await import('yaml');
  const { parse } = loaded.default ?? loaded;
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`Reading kubeconfig ${file}: it is not valid YAML: ${String(error)}`, { cause: error });
  }
}

async function fileOrData(folder: string, file: string | undefined, data: string | undefined): Promise<Buffer | undefined> {
  // As in kubectl, inline data wins over a file.
  if (data) {
    return Buffer.from(data, 'base64');
  }
  return file ? readFile(path.resolve(folder, file)) : undefined;
}
