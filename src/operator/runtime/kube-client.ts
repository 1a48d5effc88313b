import { ApiError, StatusBody } from './http/api-error';
import {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  PatchOptions,
  PatchType,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from './http/call-options';
import { HttpRequest, ResponseStream } from './http/http-transport';
import { KubeList, KubeObject, WatchEvent } from './kube-object';
import { ClusterConnection } from './credentials/kubeconfig';
import { Call, RequestSender, RequestSenderOptions } from './http/request-sender';
import { apiVersionOf, collectionPath, objectPath, PODS, qualifiedPlural, ResourceKind, ResourceRef } from './resource-kind';
import { readLines } from './watch/watch-stream';

const PATCH_CONTENT_TYPE: Record<PatchType, string> = {
  merge: 'application/merge-patch+json',
  // The type says YAML, of which JSON is a part.
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Asks for metadata, and for all of the object where that cannot be had. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json';

/** What a client that was made by {@link KubeClient.with} does besides. */
export interface ClientHooks {
  /**
   * Called at the last moment before each attempt of each request that is not a read. If it throws, the request is not sent and fails with that
   * error.
   */
  readonly beforeWrite?: () => void;
  /** Called when a request has ended, its retries included; without an error when it succeeded. Watches are left out. Must not throw. */
  readonly afterRequest?: (request: Pick<Call, 'method' | 'resource'>, error?: unknown) => void;
}

/**
 * A thin client of the Kubernetes API: JSON in and out, a method per verb; failures are an `ApiError` or a `TransportError`, and
 * `request-sender.ts` says which requests are sent again. One per process, shared by everything in it.
 */
export class KubeClient {
  /** @param sender that of another client whose connections and limits this one shares. @default - its own */
  public constructor(
    private readonly options: RequestSenderOptions,
    private readonly sender: RequestSender = new RequestSender(options),
    private readonly hooks: ClientHooks = {},
  ) {}

  /** A client that shares the connections and limits of this one, and calls these hooks. Closing either closes both. */
  public with(hooks: ClientHooks): KubeClient {
    return new KubeClient(this.options, this.sender, { ...this.hooks, ...hooks });
  }

  /** Where the client is connected to. */
  public get connection(): ClusterConnection {
    return this.options.connection;
  }

  /** How many requests may be in flight at this moment. */
  public get limit(): number {
    return this.sender.limit;
  }

  /** Reads one object, at its latest version. */
  public async get<T extends KubeObject>(kind: ResourceKind, ref: ResourceRef, options: GetOptions = {}): Promise<T> {
    return this.json<T>(this.objectCall('get', 'GET', kind, ref, options));
  }

  /** Reads one object, or undefined when there is none. */
  public async tryGet<T extends KubeObject>(kind: ResourceKind, ref: ResourceRef, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.get<T>(kind, ref, options);
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) {
        return undefined;
      }
      throw error;
    }
  }

  /** Reads one page of objects. Items carry `apiVersion` and `kind`, which the server leaves out of lists. */
  public async listPage<T extends KubeObject>(kind: ResourceKind, options: ListOptions = {}): Promise<KubeList<T>> {
    const query = { ...selectQuery(options), limit: options.limit, continue: options.continueToken, resourceVersion: options.resourceVersion };
    const { value: list, bytes } = await this.answer<{ items?: T[] | null; metadata?: { resourceVersion?: string; continue?: string } }>(
      { ...this.collectionCall('list', 'GET', kind, options, query), ...(options.metadataOnly && { accept: METADATA_LIST }) },
    );
    const items = list.items ?? [];
    for (const item of items) {
      item.apiVersion ??= apiVersionOf(kind);
      item.kind ??= kind.kind;
    }
    return { items, resourceVersion: list.metadata?.resourceVersion ?? '', continueToken: list.metadata?.continue || undefined, bytes };
  }

  /** Reads all objects, page by page. A page token that expires between two pages fails with an error whose `isGone` holds. */
  public async list<T extends KubeObject>(kind: ResourceKind, options: ListOptions = {}): Promise<KubeList<T>> {
    const pages: T[][] = [];
    let page: KubeList<T> | undefined;
    do {
      page = await this.listPage<T>(kind, { ...options, continueToken: page?.continueToken ?? options.continueToken });
      pages.push(page.items);
    } while (page.continueToken !== undefined);
    return { items: pages.flat(), resourceVersion: page.resourceVersion };
  }

  /** Makes an object in the namespace that its metadata names. */
  public async create<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name, generateName } = object.metadata ?? {};
    const shown = describe(kind, { namespace, name: name ?? `${generateName ?? ''}*` }, options.subresource);
    if (kind.namespaced && !namespace) {
      throw new Error(`Creating ${shown}: no namespace was given, but ${kind.kind} is namespaced; set metadata.namespace.`);
    }
    // Evictions and bindings are created under the object that they are about, whose name they bear.
    const isPart = options.subresource !== undefined;
    const path = isPart ? objectPath(kind, { namespace, name: name ?? '' }, options.subresource) : collectionPath(kind, namespace);
    return this.json<T>({
      verb: 'create',
      resource: resourceLabel(kind, options.subresource),
      description: `create ${shown}`,
      method: 'POST',
      path: path + queryString(writeQuery(options)),
      contentType: 'application/json',
      accept: options.metadataOnly ? METADATA_ONLY : undefined,
      body: object,
      options,
    });
  }

  /** Replaces an object (or its status). With `metadata.resourceVersion` the server refuses when somebody else was faster. */
  public async replace<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = { namespace: object.metadata?.namespace, name: object.metadata?.name ?? '' };
    return this.json<T>({ ...this.objectCall('update', 'PUT', kind, ref, options, writeQuery(options)), contentType: 'application/json', body: object });
  }

  /** Changes part of an object (or of its status). */
  public async patch<T extends KubeObject>(kind: ResourceKind, ref: ResourceRef, patch: unknown, options: PatchOptions = {}): Promise<T> {
    const type = options.type ?? 'merge';
    if (type === 'apply' && !options.fieldManager) {
      throw new Error(`Applying ${describe(kind, ref)}: fieldManager is missing; server-side apply records owners by that name.`);
    }
    const query = { ...writeQuery(options), force: type === 'apply' && options.force ? true : undefined };
    return this.json<T>({
      ...this.objectCall(type === 'apply' ? 'apply' : 'patch', 'PATCH', kind, ref, options, query),
      contentType: PATCH_CONTENT_TYPE[type],
      accept: options.metadataOnly ? METADATA_ONLY : undefined,
      body: patch,
    });
  }

  /** Server-side apply: `object` holds exactly the fields that `fieldManager` wants to own. Conflicts are overridden. */
  public async apply<T extends KubeObject>(kind: ResourceKind, object: T, options: PatchOptions & { fieldManager: string }): Promise<T> {
    const ref = { namespace: object.metadata?.namespace, name: object.metadata?.name ?? '' };
    const body = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
    return this.patch<T>(kind, ref, body, { force: true, ...options, type: 'apply' });
  }

  /**
   * Deletes an object. Returns the object when the server keeps it for now (grace period, finalizers) or shows its last state, else the
   * server's `Status`; `Store.applyDeleteResponse` knows the difference.
   */
  public async delete(kind: ResourceKind, ref: ResourceRef, options: DeleteOptions = {}): Promise<KubeObject> {
    return this.json<KubeObject>({ ...this.objectCall('delete', 'DELETE', kind, ref, options), ...deleteBody(options) });
  }

  /**
   * Streams changes to `onEvent`, synchronously and in order, until the server ends the watch (resolves), the signal aborts, the
   * connection breaks or the server reports an error (rejects; `isGone` when `resourceVersion` is too old). Never retried here.
   */
  public async watch<T extends KubeObject>(kind: ResourceKind, options: WatchOptions, onEvent: (event: WatchEvent<T>) => void): Promise<void> {
    const query = {
      ...selectQuery(options),
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.timeoutSeconds,
    };
    const call = this.collectionCall('watch', 'GET', kind, { namespace: options.namespace, signal: options.signal }, query);
    const stream = await this.sender.stream(call);
    try {
      options.onOpen?.();
      await readLines(stream.message, (line) => {
        const event = JSON.parse(line) as WatchEvent<T> | { type: 'ERROR'; object: StatusBody };
        if (event.type === 'ERROR') {
          throw new ApiError(call.description, event.object.code ?? 500, event.object);
        }
        onEvent(event);
      });
      options.signal?.throwIfAborted();
    } catch (error) {
      // A broken connection surfaces as an error with a system code; our own errors pass unchanged.
      throw (error as NodeJS.ErrnoException).code !== undefined ? stream.explain(error) : error;
    } finally {
      stream.message.destroy();
      stream.release();
    }
  }

  /** Reads logs of a container as text. */
  public async podLogs(ref: ResourceRef, options: LogOptions = {}): Promise<string> {
    const { body } = await this.sender.send(this.logCall(ref, options));
    return body.toString('utf8');
  }

  /** The same as a stream, of which `follow` makes one without an end while the container runs. Never retried here. */
  public async podLogStream(ref: ResourceRef, options: LogOptions = {}): Promise<ResponseStream> {
    return this.sender.stream(this.logCall(ref, options));
  }

  /** Any other request, such as `raw('GET', '/version')`; the answer is parsed as JSON. */
  public async raw<T>(method: HttpRequest['method'], path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const description = `${method} ${path}`;
    const contentType = body === undefined ? undefined : 'application/json';
    return this.json<T>({ verb: method.toLowerCase(), resource: '', description, method, path, contentType, body, options });
  }

  /** The time of the server as it answers, in milliseconds since 1970; undefined where the answer has no date. */
  public async serverTime(path = '/version'): Promise<number | undefined> {
    const { headers } = await this.sender.send({ verb: 'get', resource: '', description: `GET ${path}`, method: 'GET', path, options: {} });
    const time = Date.parse(headers.date ?? '');
    return Number.isNaN(time) ? undefined : time;
  }

  /** Closes all connections. Requests in flight fail. */
  public close(): void {
    this.sender.close();
  }

  private async json<T>(call: Call): Promise<T> {
    return (await this.answer<T>(call)).value;
  }

  private async answer<T>(call: Call): Promise<{ readonly value: T; readonly bytes: number }> {
    const { beforeWrite, afterRequest } = this.hooks;
    let body;
    try {
      ({ body } = await this.sender.send(call.method === 'GET' ? call : { ...call, beforeSend: beforeWrite }));
    } catch (error) {
      afterRequest?.(call, error);
      throw error;
    }
    afterRequest?.(call);
    return { value: (body.length === 0 ? {} : JSON.parse(body.toString('utf8'))) as T, bytes: body.length };
  }

  private logCall(ref: ResourceRef, options: LogOptions): Call {
    const { container, tailLines, limitBytes, previous, timestamps, sinceTime, follow } = options;
    const query = { container, tailLines, limitBytes, previous, timestamps, sinceTime, follow };
    return this.objectCall('get', 'GET', PODS, ref, { ...options, subresource: 'log' }, query);
  }

  private objectCall(
    verb: string,
    method: HttpRequest['method'],
    kind: ResourceKind,
    ref: ResourceRef,
    options: CallOptions & { subresource?: string },
    query: Query = {},
  ): Call {
    return {
      verb,
      resource: resourceLabel(kind, options.subresource),
      description: `${verb} ${describe(kind, ref, options.subresource)}`,
      method,
      path: objectPath(kind, ref, options.subresource) + queryString(query),
      options,
    };
  }

  private collectionCall(
    verb: string,
    method: HttpRequest['method'],
    kind: ResourceKind,
    options: CallOptions & { namespace?: string },
    query: Query,
  ): Call {
    const where = options.namespace === undefined ? 'in all namespaces' : `in namespace "${options.namespace}"`;
    return {
      verb,
      resource: qualifiedPlural(kind),
      description: `${verb} ${qualifiedPlural(kind)}${kind.namespaced ? ` ${where}` : ''}`,
      method,
      path: collectionPath(kind, options.namespace) + queryString(query),
      options,
    };
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function queryString(query: Query): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(value!)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function selectQuery(options: SelectOptions): Query {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}

function writeQuery(options: WriteOptions): Query {
  return { fieldManager: options.fieldManager, fieldValidation: options.fieldValidation, dryRun: options.dryRun ? 'All' : undefined };
}

function deleteBody(options: DeleteOptions): Pick<Call, 'body' | 'contentType'> {
  const { preconditions, gracePeriodSeconds, propagationPolicy, dryRun } = options;
  const body = { preconditions, gracePeriodSeconds, propagationPolicy, dryRun: dryRun ? ['All'] : undefined };
  return Object.values(body).every((value) => value === undefined)
    ? {}
    : { contentType: 'application/json', body: { apiVersion: 'v1', kind: 'DeleteOptions', ...body } };
}

function describe(kind: ResourceKind, ref: ResourceRef, subresource?: string): string {
  return `${resourceLabel(kind, subresource)} "${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}"`;
}

function resourceLabel(kind: ResourceKind, subresource?: string): string {
  return subresource === undefined ? qualifiedPlural(kind) : `${qualifiedPlural(kind)}/${subresource}`;
}
