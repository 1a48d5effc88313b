/**
 * The server of the pages, for `trainyard ui` and the dashboard in a cluster. A {@link UiAccess} authenticates users. Requests that another site
 * could trigger in a browser are rejected: other hosts in `Host` (DNS rebinding), other origins, and changes without a header that other sites
 * cannot set.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal, SignInRefusal, json, readBody, securityHeaders, sendFile, sendPage, whenClosed, type Pages } from './answers';
import { EventStreams, type StreamLimits } from './event-streams';
import type { UiAction, UiAnswer, UiJob, UiJobs, UiLogLine, UiSession } from '../protocol';
import { queryIn } from '../history/history';
import type { UserHistory } from '../history/user-history';
import { CliError } from '../../cli-error';
import { ApiError, TransportError } from '../../../operator/runtime/http/api-error';

/** The requested part of a log. */
export interface LogChoice {
  /** @default - all */
  readonly rank?: number;
  /** Lines from the end, of each replica. */
  readonly tail: number;
}

/** Reads the data of a page. @param namespace undefined for all */
export type UiView = (namespace: string | undefined) => Promise<object>;

/** The source of all data. */
export interface UiSource {
  readonly session: UiSession;
  /** Deleted jobs. @default - they are not recorded */
  readonly history?: UserHistory;
  jobs(namespace: string | undefined): Promise<UiJobs>;
  job(job: string, namespace: string): Promise<UiJob>;
  /** Other pages of a namespace, by the last part of their address. */
  readonly views: { readonly [name: string]: UiView };
  /** Calls back with lines until the job has ended or the signal aborts. */
  logs(job: string, namespace: string, choice: LogChoice, signal: AbortSignal, onLine: (line: UiLogLine) => void): Promise<void>;
  act(action: UiAction): Promise<UiAnswer>;
}

/** The user of a request. */
export interface UiUser {
  /** Identifies the user for the limit on live views, and in the log. */
  readonly name: string;
  /** The cluster with the user's permissions. */
  readonly source: UiSource;
  /** Called when the response has ended. */
  readonly release?: () => void;
}

/** Authenticates users. Its functions throw a `Refusal` to reject a request. */
export interface UiAccess {
  /** Whether the files of the pages, which have no data, also require a user. */
  readonly protectsPages: boolean;
  /** Checks the host and the origin of the request. */
  checkSender(request: http.IncomingMessage): void;
  /** Handles signing in and out; false for other requests. */
  handle(request: http.IncomingMessage, url: URL, response: http.ServerResponse): Promise<boolean>;
  user(request: http.IncomingMessage): Promise<UiUser>;
}

export interface UiServerOptions {
  readonly access: UiAccess;
  readonly pages: Pages;
  /** @default - a free one */
  readonly port?: number;
  /** Address to listen on; all if it is empty. @default 127.0.0.1 */
  readonly host?: string;
  /** Prefix of paths, which ends with a slash. A proxy may remove it. @default / */
  readonly basePath?: string;
  /** Origins whose pages may show ours in a frame. @default - none */
  readonly frameAncestors?: readonly string[];
  /** Whether to serve `/healthz` for any host name, because load balancers do not use one. @default false */
  readonly answersHealth?: boolean;
  /** Limits of live views. @default - for one user on this machine */
  readonly streams?: StreamLimits;
  /** Called after a change, or with its error. Must not throw. */
  readonly onAction?: (user: string, action: UiAction, error?: unknown) => void;
}

/** Maximum bytes of the body of a change. */
const MAX_BODY = 4_096;

/** Initial lines of a log, for each replica. */
const TAIL = 500;

/** Timeout for receiving a request; milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Maximum number of concurrent connections of all users. */
const MAX_CONNECTIONS = 2_000;

export class UiServer {
  private readonly server: http.Server;
  private readonly streams: EventStreams;
  private readonly headers: { readonly [name: string]: string };

  private constructor(private readonly options: UiServerOptions) {
    this.streams = new EventStreams(options.streams ?? {}, messageOf);
    this.headers = securityHeaders(options.frameAncestors);
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => this.fail(response, error));
    });
    this.server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.server.headersTimeout = REQUEST_TIMEOUT_MS;
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws CliError if the port is in use */
  public static async start(options: UiServerOptions): Promise<UiServer> {
    const started = new UiServer(options);
    const { host = '127.0.0.1', port = 0 } = options;
    await new Promise<void>((resolve, reject) => {
      started.server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE'
        ? new CliError(`Port ${port} of ${host} is in use. Choose another with --port, or leave it out.`) : error));
      started.server.listen(port, host || undefined, resolve);
    });
    return started;
  }

  /** Its address on this machine. */
  public get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Stops it and closes all connections. */
  public close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    Object.entries(this.headers).forEach(([name, value]) => response.setHeader(name, value));
    const { access, pages, basePath = '/', answersHealth = false } = this.options;
    if (answersHealth && request.url === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
      return;
    }
    access.checkSender(request);
    if (`${request.url}/` === basePath) {
      // Addresses in the page are relative to its folder.
      response.writeHead(308, { location: basePath }).end();
      return;
    }
    const url = placeOf(request.url ?? '/', basePath);
    if (await access.handle(request, url, response)) {
      return;
    }
    const isApi = url.pathname.startsWith('/api/');
    if (isApi || access.protectsPages) {
      const { name, source, release } = await access.user(request);
      whenClosed(response, () => release?.());
      if (isApi) {
        return this.api(name, source, url, request, response);
      }
    }
    sendPage(pages, url.pathname, request, response);
  }

  private async api(
    user: string, source: UiSource, { pathname, searchParams }: URL, request: http.IncomingMessage, response: http.ServerResponse,
  ): Promise<void> {
    const namespace = searchParams.get('namespace') ?? undefined;
    const job = searchParams.get('job') ?? '';
    if (pathname === '/api/action') {
      const action = await this.readAction(source, request);
      return json(response, await this.act(user, source, action));
    }
    if (request.method !== 'GET') {
      throw new Refusal(405, 'Only GET is served here.');
    }
    const { streams } = this;
    const live = async (event: string, read: () => Promise<object>) => (
      streams.stream(user, request, response, async (send, signal) => streams.whileOpen(user, signal, async () => send(event, await read()))));
    switch (pathname) {
      case '/api/session': return json(response, source.session);
      case '/api/jobs': return live('jobs', async () => source.jobs(namespace));
      case '/api/job': return live('job', async () => source.job(job, namespace ?? ''));
      case '/api/logs': {
        const rank = searchParams.get('rank');
        return streams.stream(user, request, response, async (send, signal) => {
          await source.logs(job, namespace ?? '', { tail: TAIL, ...(rank !== null && { rank: Number(rank) }) }, signal, (line) => send('line', line));
          if (!signal.aborted) {
            send('end', {});
          }
        });
      }
      case '/api/history': return json(response, await historyOf(source).list(queryIn(searchParams)));
      case '/api/history/run': return json(response, await historyOf(source).run(namespace ?? '', searchParams.get('uid') ?? ''));
      case '/api/history/compare': return json(response, await historyOf(source).compare(searchParams.getAll('run')));
      case '/api/history/export': return sendFile(response, await historyOf(source).export(namespace ?? '', searchParams.get('uid') ?? '', searchParams.get('format') ?? ''));
      default: {
        const name = pathname.slice('/api/'.length);
        if (!Object.hasOwn(source.views, name)) {
          throw new Refusal(404, 'This address does not exist.');
        }
        return live(name, async () => source.views[name](namespace));
      }
    }
  }

  private async readAction(source: UiSource, request: http.IncomingMessage): Promise<UiAction> {
    if (!source.session.canChange) {
      throw new Refusal(403, `These pages are read-only. ${source.session.howToChange}`);
    }
    const { action, job, namespace, run } = await readBody(request, MAX_BODY);
    const isKnown = ['suspend', 'resume', 'rerun', 'delete'].includes(String(action)) && (run === undefined || (typeof run === 'string' && action === 'rerun'));
    if (typeof job !== 'string' || typeof namespace !== 'string' || !isKnown) {
      throw new Refusal(400, 'This action does not exist.');
    }
    if (run !== undefined) {
      historyOf(source);
    }
    return { action: action as UiAction['action'], job, namespace, ...(run !== undefined && { run: run as string }) };
  }

  private async act(user: string, source: UiSource, action: UiAction): Promise<UiAnswer> {
    const { onAction } = this.options;
    try {
      const answer = await source.act(action);
      onAction?.(user, action);
      return answer;
    } catch (error) {
      onAction?.(user, action, error);
      throw error;
    }
  }

  private fail(response: http.ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const status = error instanceof Refusal ? error.status : error instanceof CliError ? 422 : error instanceof ApiError ? error.status : 502;
    const answer = { message: messageOf(error), ...(error instanceof SignInRefusal && { signIn: true }) } satisfies UiAnswer;
    json(response, answer, status, error instanceof Refusal ? error.headers : {});
  }
}

function historyOf({ history }: UiSource): UserHistory {
  if (history === undefined) {
    throw new Refusal(404, 'No history is recorded here.');
  }
  return history;
}

/** The address without the prefix. */
function placeOf(address: string, basePath: string): URL {
  const path = address.startsWith(basePath) ? address.slice(basePath.length) : address;
  // Two slashes would start a host name.
  const place = `http://pages/${path.replace(/^\/+/, '')}`;
  if (!URL.canParse(place)) {
    throw new Refusal(400, 'The address cannot be read.');
  }
  return new URL(place);
}

function messageOf(error: unknown): string {
  if (error instanceof TransportError) {
    return `The cluster does not answer: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}
