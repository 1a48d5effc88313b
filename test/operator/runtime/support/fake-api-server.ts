/**
 * A small kube-apiserver over real HTTP, in memory: every verb of the REST API on any resource, with watches, and with the ways in which a
 * real one disappoints: errors, delays, lost answers, silent or lagging watches, expired versions. Nothing is defaulted or validated
 * unless a test adds it to `storage.admission`.
 */
import http from 'node:http';
import { AddressInfo } from 'node:net';
import { compileLabelSelector } from './label-selector';
import { ClusterConnection } from '../../../../src/operator/runtime/credentials/kubeconfig';
import { StaticCredentials } from '../../../../src/operator/runtime/credentials/credentials';
import { AnyObject, FakeStorage, mergePatch, StorageDeleteOptions, StorageError, StorageEvent } from './fake-storage';

/** A request as faults and assertions see it. */
export interface FakeRequest {
  readonly method: string;
  /** get, list, watch, create, update, patch, apply, delete, deletecollection. */
  readonly verb: string;
  /** `pods`, `leases.coordination.k8s.io`; empty for other paths. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly path: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body?: any;
  /** Set once it is answered. */
  status?: number;
}

/** How a request goes wrong. */
export interface Fault {
  /** Refuses with this status. */
  readonly status?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Breaks the connection: before the request is executed, or after, so that only the answer is lost. */
  readonly reset?: 'before' | 'after';
  /** Executes the request only when this resolves. */
  readonly gate?: Promise<unknown>;
  /** Executes the request at once, and answers only when this resolves. */
  readonly answerGate?: Promise<unknown>;
  /** Never answers. */
  readonly hang?: boolean;
  /** For watches: accepted, but nothing is ever sent. */
  readonly silent?: boolean;
}

interface Watcher {
  readonly request: FakeRequest;
  readonly response: http.ServerResponse;
  readonly silent: boolean;
  send(event: StorageEvent): void;
}

interface Page {
  readonly revision: number;
  readonly rest: AnyObject[];
}

export class FakeApiServer {
  public readonly storage = new FakeStorage();
  /** Every request, in order of arrival. */
  public readonly requests: FakeRequest[] = [];
  /** Asked in order for each request; the first answer counts. */
  public readonly faults: ((request: FakeRequest) => Fault | undefined)[] = [];
  /** Whether watches get a bookmark when they begin and end. */
  public bookmarks = true;
  /** Ends watches after this many milliseconds instead of their `timeoutSeconds`. */
  public watchTimeoutMs?: number;
  /** Bearer token that requests must carry. */
  public token?: string;
  private readonly server = http.createServer((request, response) => void this.serve(request, response));
  private readonly watchers = new Set<Watcher>();
  private readonly pages = new Map<string, Page>();
  private readonly logs = new Map<string, string>();
  private held?: StorageEvent[];
  private port = 0;

  public static async start(): Promise<FakeApiServer> {
    const server = new FakeApiServer();
    await server.listen();
    return server;
  }

  public constructor() {
    this.storage.subscribe((event) => {
      if (this.held !== undefined) {
        this.held.push(event);
      } else {
        this.watchers.forEach((watcher) => watcher.send(event));
      }
    });
  }

  public get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A connection to this server for a `KubeClient`. */
  public connection(headers: Record<string, string> = {}): ClusterConnection {
    return {
      server: new URL(this.url),
      namespace: 'default',
      origin: 'fake',
      credentials: new StaticCredentials({ headers }),
      tls: () => Promise.resolve({}),
    };
  }

  /** Starts, or starts again on the same port after {@link stop}. */
  public listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, '127.0.0.1', () => {
        this.port = (this.server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** Stops: connections break, the objects stay. */
  public stop(): Promise<void> {
    return new Promise((resolve) => {
      this.watchers.clear();
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** The next `times` requests that match go wrong. */
  public failNext(matches: (request: FakeRequest) => boolean, fault: Fault, times = 1): void {
    let left = times;
    this.faults.push((request) => (left > 0 && matches(request) && left-- > 0 ? fault : undefined));
  }

  /** Watches that are open. */
  public get openWatches(): number {
    return this.watchers.size;
  }

  /** Breaks all watches, in the middle. */
  public dropWatches(): void {
    this.watchers.forEach(({ response }) => response.destroy());
  }

  /** Ends all watches as a time-out of the server does. */
  public endWatches(): void {
    this.watchers.forEach(({ response }) => response.end());
  }

  /** Sends a bookmark to all watches. */
  public sendBookmarks(): void {
    this.watchers.forEach((watcher) => this.bookmark(watcher));
  }

  /** Sends an ERROR event to all watches and ends them. */
  public failWatches(status: object): void {
    this.watchers.forEach(({ response }) => response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`));
  }

  /** Watches lag from now on, until {@link releaseWatches}. */
  public holdWatches(): void {
    this.held ??= [];
  }

  /** Delivers the next `count` events that are held back; without a count, all of them, and ends the lag. */
  public releaseWatches(count?: number): void {
    const events = this.held?.splice(0, count ?? Infinity) ?? [];
    if (count === undefined) {
      this.held = undefined;
    }
    events.forEach((event) => this.watchers.forEach((watcher) => watcher.send(event)));
  }

  /** Page tokens given out so far are too old. */
  public expirePages(): void {
    this.pages.clear();
  }

  /** Sets what `pods/log` answers. */
  public setLog(namespace: string, pod: string, text: string): void {
    this.logs.set(`${namespace}/${pod}`, text);
  }

  /** Requests that match, so far. */
  public count(matches: Partial<Pick<FakeRequest, 'verb' | 'resource' | 'subresource' | 'name' | 'status'>>): number {
    return this.requests.filter((request) => Object.entries(matches).every(([name, value]) => request[name as keyof FakeRequest] === value)).length;
  }

  private async serve(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let request: FakeRequest;
    try {
      request = await this.read(incoming);
    } catch {
      // The client went away in the middle of its request.
      response.destroy();
      return;
    }
    this.requests.push(request);
    const fault = this.faults.map((each) => each(request)).find((each) => each !== undefined);
    if (fault?.reset === 'before' || fault?.hang) {
      if (fault.reset) {
        incoming.socket.destroy();
      }
      return;
    }
    await fault?.gate;
    try {
      if (this.token !== undefined && incoming.headers.authorization !== `Bearer ${this.token}`) {
        throw new StorageError(401, 'Unauthorized', 'Unauthorized');
      }
      if (fault?.status !== undefined) {
        throw new StorageError(fault.status, fault.reason ?? '', fault.message ?? 'injected', { retryAfterSeconds: fault.retryAfterSeconds });
      }
      if (request.verb === 'watch') {
        this.watch(request, response, fault?.silent ?? false);
        return;
      }
      const { status, body, text } = this.execute(request);
      request.status = status;
      await fault?.answerGate;
      if (fault?.reset === 'after') {
        incoming.socket.destroy();
        return;
      }
      response.writeHead(status, { 'content-type': text === undefined ? 'application/json' : 'text/plain' });
      response.end(text ?? JSON.stringify(body));
    } catch (error) {
      const { status, reason, message, details } = error instanceof StorageError ? error : new StorageError(500, 'InternalError', String(error));
      request.status = status;
      const retryAfter = details.retryAfterSeconds === undefined ? {} : { 'retry-after': String(details.retryAfterSeconds) };
      response.writeHead(status, { 'content-type': 'application/json', ...retryAfter });
      response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code: status }));
    }
  }

  private async read(incoming: http.IncomingMessage): Promise<FakeRequest> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) {
      chunks.push(chunk as Buffer);
    }
    const url = new URL(incoming.url!, this.url);
    const match = /^(?:\/api|\/apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+)(?=\/.))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(url.pathname);
    const [, group, namespace, plural, name, subresource] = match ?? [];
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const isApply = incoming.headers['content-type'] === 'application/apply-patch+yaml';
    const verbs: Record<string, string> = {
      GET: url.searchParams.has('watch') ? 'watch' : name === undefined ? 'list' : 'get',
      POST: 'create',
      PUT: 'update',
      PATCH: isApply ? 'apply' : 'patch',
      DELETE: name === undefined ? 'deletecollection' : 'delete',
    };
    return {
      method: incoming.method!,
      verb: verbs[incoming.method!],
      resource: plural === undefined ? '' : group === undefined ? plural : `${plural}.${group}`,
      subresource,
      namespace,
      name,
      query: url.searchParams,
      headers: incoming.headers,
      path: url.pathname,
      body,
    };
  }

  private execute(request: FakeRequest): { status: number; body?: unknown; text?: string } {
    const { resource, namespace, name, verb, subresource, body, query } = request;
    if (resource === '') {
      return { status: 200, body: { path: request.path, gitVersion: 'v0.0.0-fake' } };
    }
    switch (verb) {
      case 'get':
        if (subresource === 'log') {
          this.storage.get(resource, namespace, name!);
          return { status: 200, text: this.log(`${namespace}/${name}`, query) };
        }
        return { status: 200, body: this.storage.get(resource, namespace, name!) };
      case 'list':
        return { status: 200, body: this.list(request) };
      case 'create':
        return { status: 201, body: this.storage.create(resource, namespace, body) };
      case 'update':
        return { status: 200, body: this.storage.update(resource, namespace, body, subresource) };
      case 'patch':
        return { status: 200, body: this.patch(request) };
      case 'apply':
        return this.apply(request);
      case 'delete': {
        const { object, gone } = this.storage.delete(resource, namespace, name!, (body ?? {}) as StorageDeleteOptions);
        // As for custom resources; pods and services come back even when they are gone.
        const showsObject = !gone || resource === 'pods' || resource === 'services';
        const details = { name, kind: resource, uid: object.metadata!.uid };
        return { status: 200, body: showsObject ? object : { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
      }
      case 'deletecollection':
        this.select(request).forEach(({ metadata }) => this.storage.delete(resource, metadata!.namespace, metadata!.name!, body ?? {}));
        return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
      default:
        throw new StorageError(405, 'MethodNotAllowed', `${request.method} is not supported`);
    }
  }

  private patch({ resource, namespace, name, body, subresource, headers }: FakeRequest): AnyObject {
    if (headers['content-type'] === 'application/json-patch+json') {
      throw new StorageError(415, 'UnsupportedMediaType', 'the fake does not know JSON patches');
    }
    const current = this.storage.get(resource, namespace, name!);
    const next = mergePatch(current, body) as AnyObject;
    // Only a version in the patch is a precondition.
    next.metadata = { ...next.metadata, resourceVersion: body?.metadata?.resourceVersion };
    return this.storage.update(resource, namespace, next, subresource);
  }

  private apply(request: FakeRequest): { status: number; body: AnyObject } {
    const { resource, namespace, name, body, query } = request;
    if (!query.get('fieldManager')) {
      throw new StorageError(400, 'BadRequest', 'fieldManager is required for apply patch');
    }
    try {
      this.storage.get(resource, namespace, name!);
    } catch (error) {
      if (request.subresource !== undefined) {
        throw error;
      }
      return { status: 201, body: this.storage.create(resource, namespace, body) };
    }
    return { status: 200, body: this.patch(request) };
  }

  private list(request: FakeRequest): object {
    const { query } = request;
    const limit = Number(query.get('limit') ?? 0);
    const token = query.get('continue');
    const page = token === null ? { revision: this.storage.revision, rest: this.select(request) } : this.pages.get(token);
    if (page === undefined) {
      throw new StorageError(410, 'Expired', 'The provided continue parameter is too old to display a consistent list result.');
    }
    const items = limit > 0 ? page.rest.slice(0, limit) : page.rest;
    const rest = page.rest.slice(items.length);
    const metadata: Record<string, unknown> = { resourceVersion: String(page.revision) };
    if (rest.length > 0) {
      metadata.continue = `page-${this.pages.size}-${page.revision}`;
      metadata.remainingItemCount = rest.length;
      this.pages.set(metadata.continue as string, { revision: page.revision, rest });
    }
    return { kind: 'List', apiVersion: 'v1', metadata, items };
  }

  private select(request: FakeRequest): AnyObject[] {
    const matches = matcher(request);
    return this.storage.list(request.resource).filter(matches);
  }

  private watch(request: FakeRequest, response: http.ServerResponse, silent: boolean): void {
    const from = Number(request.query.get('resourceVersion') ?? this.storage.revision);
    if (from > this.storage.revision) {
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      throw new StorageError(504, 'Timeout', `Timeout: Too large resource version: ${from}, current: ${this.storage.revision}`, { causes });
    }
    request.status = 200;
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    if (from < this.storage.compactedTo) {
      // A real server reports this within the stream.
      const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: `too old resource version: ${from}` };
      response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
      return;
    }
    const matches = matcher(request);
    const watcher: Watcher = {
      request,
      response,
      silent,
      send: (event) => {
        const line = silent || event.resource !== request.resource ? undefined : watchLine(event, matches);
        if (line !== undefined) {
          response.write(`${JSON.stringify(line)}\n`);
        }
      },
    };
    const lagging = new Set(this.held ?? []);
    this.storage.history.filter(({ revision }) => revision > from).forEach((event) => lagging.has(event) || watcher.send(event));
    this.watchers.add(watcher);
    const timeoutMs = this.watchTimeoutMs ?? Number(request.query.get('timeoutSeconds') ?? 300) * 1000;
    const timer = setTimeout(() => {
      this.bookmark(watcher);
      response.end();
    }, timeoutMs);
    timer.unref();
    response.on('close', () => {
      clearTimeout(timer);
      this.watchers.delete(watcher);
    });
  }

  private bookmark({ request, response, silent }: Watcher): void {
    if (!silent && this.bookmarks && request.query.get('allowWatchBookmarks') === 'true' && this.held === undefined) {
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.storage.revision) } } })}\n`);
    }
  }

  private log(key: string, query: URLSearchParams): string {
    const text = this.logs.get(key) ?? '';
    const tail = Number(query.get('tailLines') ?? 0);
    const lines = text.split('\n');
    const shown = tail > 0 ? lines.slice(-tail - (text.endsWith('\n') ? 1 : 0)).join('\n') : text;
    const limit = Number(query.get('limitBytes') ?? 0);
    return limit > 0 ? shown.slice(0, limit) : shown;
  }
}

/** What a watch with these selectors sees of a change; objects that enter or leave the selection are added or deleted for it. */
function watchLine(event: StorageEvent, matches: (object: AnyObject) => boolean): { type: string; object: AnyObject } | undefined {
  const before = event.previous !== undefined && matches(event.previous);
  const after = event.type !== 'DELETED' && matches(event.object);
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', object: event.object };
  }
  if (!before) {
    return undefined;
  }
  const last = event.type === 'DELETED' ? event.object : event.previous!;
  return { type: 'DELETED', object: { ...last, metadata: { ...last.metadata, resourceVersion: String(event.revision) } } };
}

function matcher({ namespace, query, name }: FakeRequest): (object: AnyObject) => boolean {
  const labels = compileLabelSelector(query.get('labelSelector') ?? '');
  const fields = (query.get('fieldSelector') ?? '').split(',').filter((part) => part !== '');
  return (object) =>
    (namespace === undefined || object.metadata!.namespace === namespace) &&
    (name === undefined || object.metadata!.name === name) &&
    labels(object.metadata!.labels) &&
    fields.every((part) => {
      const [, path, operator, value] = /^([^!=]+)(!?=)=?(.*)$/.exec(part)!;
      const actual = path.split('.').reduce<unknown>((parent, step) => (parent as Record<string, unknown> | undefined)?.[step], object) ?? '';
      return (String(actual) === value) === (operator === '=');
    });
}
