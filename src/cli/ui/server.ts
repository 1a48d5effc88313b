/**
 * The server of `trainyard ui`: for the one person who started it. It listens on loopback, and whoever asks has to show the secret of the address
 * that was printed, once as a query and from then on as a cookie. What a browser can be made to do by another site is refused: other hosts in `Host`
 * (rebinding of names), other origins, and changes without a header that no other site can set.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ACTION_HEADER, type UiAction, type UiAnswer, type UiJob, type UiJobs, type UiLogLine, type UiSession } from './protocol';
import { CliError } from '../cli-error';
import { ApiError, TransportError } from '../../operator/runtime/http/api-error';

/** Which part of a log is wanted. */
export interface LogChoice {
  /** @default - all */
  readonly rank?: number;
  /** Lines from the end, of each replica. */
  readonly tail: number;
}

/** Where the answers come from. */
export interface UiSource {
  readonly session: UiSession;
  jobs(namespace: string | undefined): Promise<UiJobs>;
  job(job: string, namespace: string): Promise<UiJob>;
  /** Calls back with lines until the job has ended or the signal aborts. */
  logs(job: string, namespace: string, choice: LogChoice, signal: AbortSignal, onLine: (line: UiLogLine) => void): Promise<void>;
  act(action: UiAction): Promise<UiAnswer>;
}

/** Settings of the server. */
export interface UiServerOptions {
  readonly source: UiSource;
  /** Folder of the pages. */
  readonly folder: string;
  /** @default - a free one */
  readonly port?: number;
}

const COOKIE = 'trainyard';

/** Scripts and styles are files of ours, and nothing else is loaded from anywhere. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
};

/** Milliseconds between two looks at the cluster while a page is open. */
const LOOK_MS = 2_000;

/** A line of nothing, in milliseconds, by which both sides see that the other is there. */
const BEAT_MS = 15_000;

/** Longest body of a change, in bytes. */
const MAX_BODY = 4_096;

/** Lines of a log that are sent at first, for each replica. */
const TAIL = 500;

class Refusal extends Error {
  public constructor(public readonly status: number, message: string) {
    super(message);
  }
}

/** See the top of this file. */
export class UiServer {
  private readonly secret = randomBytes(24).toString('base64url');
  private readonly server: http.Server;

  private constructor(private readonly options: UiServerOptions) {
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => this.fail(response, error));
    });
  }

  /** Starts it. @throws CliError when the port is taken */
  public static async start(options: UiServerOptions): Promise<UiServer> {
    const made = new UiServer(options);
    await new Promise<void>((resolve, reject) => {
      made.server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE'
        ? new CliError(`Port ${options.port} of 127.0.0.1 is in use. Choose another with --port, or leave it out.`) : error));
      made.server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return made;
  }

  /** The address to open, with the secret. */
  public get url(): string {
    return `${this.origin}/?secret=${this.secret}`;
  }

  /** Ends it, and all who listen. */
  public close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    Object.entries(SECURITY_HEADERS).forEach(([name, value]) => response.setHeader(name, value));
    const url = new URL(request.url ?? '/', this.origin);
    this.checkSender(request);
    if (url.searchParams.has('secret')) {
      this.checkSecret(url.searchParams.get('secret') ?? '');
      // The secret does not stay in the address.
      response.writeHead(303, { 'location': '/', 'set-cookie': `${COOKIE}=${this.secret}; HttpOnly; SameSite=Strict; Path=/` }).end();
      return;
    }
    this.checkSecret(cookieIn(request.headers.cookie));
    if (url.pathname.startsWith('/api/')) {
      await this.api(url, request, response);
    } else {
      this.file(url.pathname, request, response);
    }
  }

  /** Names other than ours in `Host` are of a site that has bound its name to this address. */
  private checkSender({ headers }: http.IncomingMessage): void {
    const { host, origin } = headers;
    if (`http://${host}` !== this.origin) {
      throw new Refusal(403, `This server is ${this.origin}, and answers to no other name.`);
    }
    if (origin !== undefined && origin !== this.origin) {
      throw new Refusal(403, 'Requests of other sites are refused.');
    }
  }

  private checkSecret(shown: string): void {
    const [one, other] = [Buffer.from(shown), Buffer.from(this.secret)];
    if (one.length !== other.length || !timingSafeEqual(one, other)) {
      throw new Refusal(401, 'Open the address that trainyard ui has printed.');
    }
  }

  private file(pathname: string, { method }: http.IncomingMessage, response: http.ServerResponse): void {
    // Pages have their place behind #, so there is one.
    const name = pathname === '/' ? 'index.html' : path.basename(pathname);
    const file = path.join(this.options.folder, name);
    const type = TYPES[path.extname(name)] as string | undefined;
    if (method !== 'GET' || type === undefined || pathname !== (name === 'index.html' ? '/' : `/${name}`) || !fs.existsSync(file)) {
      throw new Refusal(404, 'There is no such page.');
    }
    response.writeHead(200, { 'content-type': type }).end(fs.readFileSync(file));
  }

  private async api({ pathname, searchParams }: URL, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { source } = this.options;
    const namespace = searchParams.get('namespace') ?? undefined;
    const job = searchParams.get('job') ?? '';
    if (pathname === '/api/action') {
      const action = await this.readAction(request);
      return json(response, await source.act(action));
    }
    if (request.method !== 'GET') {
      throw new Refusal(405, 'Only GET is served here.');
    }
    switch (pathname) {
      case '/api/session': return json(response, source.session);
      case '/api/jobs': return this.stream(request, response, async (send, signal) => whileOpen(signal, async () => send('jobs', await source.jobs(namespace))));
      case '/api/job': return this.stream(request, response, async (send, signal) => whileOpen(signal, async () => send('job', await source.job(job, namespace ?? ''))));
      case '/api/logs': {
        const rank = searchParams.get('rank');
        return this.stream(request, response, async (send, signal) => {
          await source.logs(job, namespace ?? '', { tail: TAIL, ...(rank !== null && { rank: Number(rank) }) }, signal, (line) => send('line', line));
          send('end', {});
        });
      }
      default: throw new Refusal(404, 'There is no such answer.');
    }
  }

  private async readAction(request: http.IncomingMessage): Promise<UiAction> {
    if (request.method !== 'POST' || request.headers[ACTION_HEADER] === undefined || request.headers['content-type'] !== 'application/json') {
      throw new Refusal(400, 'This is not how a page asks for a change.');
    }
    if (!this.options.source.session.canChange) {
      throw new Refusal(403, 'This page only shows. Start it with trainyard ui --allow-changes to change jobs.');
    }
    let text = '';
    for await (const chunk of request) {
      text += String(chunk);
      if (text.length > MAX_BODY) {
        throw new Refusal(413, 'The request is too long.');
      }
    }
    const { action, job, namespace } = parsed(text);
    if (typeof job !== 'string' || typeof namespace !== 'string' || !['suspend', 'resume', 'rerun', 'delete'].includes(String(action))) {
      throw new Refusal(400, 'This is no change that is known.');
    }
    return { action: action as UiAction['action'], job, namespace };
  }

  /**
   * Server-sent events: what has not changed is not sent again. A page that comes back after a lost connection begins anew.
   * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
   */
  private async stream(
    request: http.IncomingMessage, response: http.ServerResponse,
    run: (send: (event: string, data: object) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    const beat = setInterval(() => response.write(':\n\n'), BEAT_MS);
    let last = '';
    response.on('close', () => {
      clearInterval(beat);
      abort.abort();
    });
    request.socket.setNoDelay(true);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const send = (event: string, data: object) => {
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      if (!response.destroyed && (text !== last || event === 'line')) {
        last = text;
        response.write(text);
      }
    };
    try {
      await run(send, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) {
        send('problem', { message: messageOf(error) } satisfies UiAnswer);
      }
    }
    response.end();
  }

  private fail(response: http.ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const status = error instanceof Refusal ? error.status : error instanceof CliError ? 422 : error instanceof ApiError ? error.status : 502;
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify({ message: messageOf(error) } satisfies UiAnswer));
  }
}

/** Again and again, for as long as the page is there. */
async function whileOpen(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof TransportError) {
    return `The cluster does not answer: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function cookieIn(header = ''): string {
  const found = header.split(';').map((part) => part.trim()).find((part) => part.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) ?? '';
}

function parsed(text: string): { readonly [field: string]: unknown } {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value as { readonly [field: string]: unknown } : {};
  } catch {
    return {};
  }
}

function json(response: http.ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}
