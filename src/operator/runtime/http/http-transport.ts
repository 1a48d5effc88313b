/**
 * Moves bytes to and from the API server over HTTP/1.1 with kept-alive connections.
 *
 * HTTP/1.1 on purpose. Measured against kube-apiserver 1.36 (2,000 creates and reads of pods, 50 at a time, two cores): HTTP/2 in
 * Node.js costs the same CPU on both sides and is no faster, while a single connection stalls everything when it dies, and sticks to one
 * of several API servers behind a load balancer.
 *
 * There are three lanes, so that a burst of ordinary requests never holds up the two kinds that keep the operator alive:
 * - `pooled`: ordinary requests, over at most `maxSockets` connections;
 * - `urgent`: lease renewals, over connections of their own;
 * - `stream`: watches, one connection each, closed afterwards. TCP keep-alive probes find a peer that vanished without a word.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { ANSWER_TOO_LONG, TransportError } from './api-error';
import { Clock, Timer, onAbort } from '../process/clock';
import { Credentials } from '../credentials/credentials';
import { ClusterConnection } from '../credentials/kubeconfig';

/** Which connections a request uses; see the top of this file. */
export type Lane = 'pooled' | 'urgent' | 'stream';

/** One HTTP request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query, below the server's URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly lane: Lane;
  /** Milliseconds until the whole answer must have come; for {@link HttpTransport.stream} until its head must have come. */
  readonly timeoutMs: number;
  /** Most bytes of a whole answer; a longer one is given up. @default - any number */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Called when there is a connection, right before the request goes out. If it throws, nothing is sent, and the request fails with that error. */
  readonly beforeSend?: () => void;
  /** For error messages: `create pods "ns/name"`. */
  readonly description: string;
}

/** A whole answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer whose body is still coming. */
export interface ResponseStream {
  readonly message: http.IncomingMessage;
  /** The error to report in place of one that `message` emitted. */
  explain(error: unknown): Error;
  /** Must be called when `message` is not needed any more. */
  release(): void;
}

/** Settings of an {@link HttpTransport}. */
export interface HttpTransportOptions {
  readonly connection: ClusterConnection;
  /** Value of the `User-Agent` header; shows up in audit logs and in the metrics of the API server. */
  readonly userAgent: string;
  /** Connections of the `pooled` lane. */
  readonly maxSockets: number;
  readonly clock: Clock;
}

/** Idle connections are closed after this, in milliseconds: before kube-apiserver does (90 s), so that a request never meets a closing one. */
const IDLE_SOCKET_MS = 45_000;
/** A silent stream is probed by TCP after this, in milliseconds; ten failed probes, a second apart, break it. */
const STREAM_KEEP_ALIVE_MS = 30_000;

/** Codes of failures before the request was sent: name resolution, connecting, TLS handshake. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|ERR_SSL_.*)$/;
/** Codes that say that we do not trust the server's certificate: its authority may have been rotated. */
const UNTRUSTED = /^(CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|ERR_TLS_CERT_.*)$/;

type Agents = Record<Lane, http.Agent>;

/** See the top of this file. */
export class HttpTransport {
  private agents?: { readonly all: Agents; readonly certificate?: Credentials['certificate'] };
  private building?: Promise<Agents>;
  private readonly secure: boolean;
  private readonly prefix: string;

  public constructor(private readonly options: HttpTransportOptions) {
    const { protocol, pathname } = options.connection.server;
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw new Error(`Connecting to ${options.connection.server.href}: the protocol is "${protocol}"; it must be https: or http:.`);
    }
    this.secure = protocol === 'https:';
    this.prefix = pathname.replace(/\/$/, '');
  }

  /** Sends a request and reads the whole answer, whatever its status. Rejects with a {@link TransportError}, or an AbortError. */
  public async request(request: HttpRequest): Promise<HttpResponse> {
    const { message, guard } = await this.open(request);
    try {
      const { maxBytes = Infinity } = request;
      const chunks: Buffer[] = [];
      let bytes = 0;
      await new Promise<void>((resolve, reject) => {
        message.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > maxBytes) {
            guard.end('length');
          }
        });
        message.on('end', resolve);
        message.on('error', reject);
      });
      return { status: message.statusCode!, headers: message.headers, body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks) };
    } catch (error) {
      throw guard.explain(error);
    } finally {
      guard.release();
    }
  }

  /**
   * Sends a request and hands over the answer as soon as its head is there; `signal` goes on to end the stream.
   * The caller consumes or destroys `message`.
   */
  public async stream(request: HttpRequest): Promise<ResponseStream> {
    const { message, guard } = await this.open(request);
    guard.disarm();
    return { message, explain: (error) => guard.explain(error), release: () => guard.release() };
  }

  /** Closes idle and active connections. Requests in flight fail. */
  public close(): void {
    this.dropAgents();
  }

  /** Forgets cached credentials; called when the server does not accept them. */
  public reauthenticate(): void {
    this.options.connection.credentials.invalidate();
  }

  private async open(request: HttpRequest): Promise<{ message: http.IncomingMessage; guard: RequestGuard }> {
    request.signal?.throwIfAborted();
    const credentials = await this.options.connection.credentials.get();
    const agents = await this.agentsFor(credentials);
    const { hostname, port } = this.options.connection.server;
    const sent = (this.secure ? https : http).request({
      // An IPv6 address stands in brackets in a URL, and without in a socket address.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? undefined : port,
      method: request.method,
      path: this.prefix + request.path,
      agent: agents[request.lane],
      headers: {
        // As client-go: keys of the token issuer are JSON under a name of their own.
        accept: 'application/json, */*',
        'user-agent': this.options.userAgent,
        ...(credentials.headers as http.OutgoingHttpHeaders),
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        ...request.headers,
      },
    });
    const guard = new RequestGuard(sent, request, this.options.clock);
    if (request.lane === 'stream') {
      sent.on('socket', (socket) => socket.setKeepAlive(true, STREAM_KEEP_ALIVE_MS));
    }
    let refusal: { readonly error: unknown } | undefined;
    try {
      const message = await new Promise<http.IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve);
        // Stays attached: an error after the response reaches `message`, and must not become an uncaught one here.
        sent.on('error', reject);
        if (request.beforeSend === undefined) {
          sent.end(request.body);
        } else {
          this.whenConnected(sent, () => {
            try {
              request.beforeSend!();
              sent.end(request.body);
            } catch (error) {
              refusal = { error };
              sent.destroy();
            }
          });
        }
      });
      return { message, guard };
    } catch (error) {
      guard.release();
      if (refusal !== undefined) {
        throw refusal.error;
      }
      const explained = guard.explain(error);
      if (explained instanceof TransportError && UNTRUSTED.test(explained.code)) {
        this.dropAgents();
      }
      throw explained;
    }
  }

  /**
   * Calls `ready` when what is written next goes out at once. A process can be stopped while its connection is being made; what it had written to the
   * connection by then would go out when it wakes up.
   */
  private whenConnected(sent: http.ClientRequest, ready: () => void): void {
    sent.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
      const isPending = this.secure ? socket.secureConnecting : socket.connecting;
      if (isPending) {
        socket.once(this.secure ? 'secureConnect' : 'connect', ready);
      } else {
        ready();
      }
    });
  }

  /** The connection pools; new ones when there are none, or when the client certificate changed. */
  private async agentsFor(credentials: Credentials): Promise<Agents> {
    if (this.agents !== undefined && this.agents.certificate !== credentials.certificate) {
      this.dropAgents();
    }
    if (this.agents !== undefined) {
      return this.agents.all;
    }
    this.building ??= this.buildAgents(credentials).finally(() => (this.building = undefined));
    return this.building;
  }

  private async buildAgents(credentials: Credentials): Promise<Agents> {
    const settings = this.secure ? sharedContext({ ...(await this.options.connection.tls()), ...credentials.certificate }) : {};
    const build = (agentOptions: https.AgentOptions): http.Agent =>
      this.secure ? new https.Agent({ ...settings, ...agentOptions }) : new http.Agent(agentOptions);
    const keptAlive = (maxSockets: number): http.Agent =>
      build({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, scheduling: 'lifo', timeout: IDLE_SOCKET_MS });
    // No renewal waits for another's connection: there are as many as Leases, and one more for each that hangs.
    const all = { pooled: keptAlive(this.options.maxSockets), urgent: keptAlive(Infinity), stream: build({ keepAlive: false }) };
    this.agents = { all, certificate: credentials.certificate };
    return all;
  }

  private dropAgents(): void {
    const agents = this.agents;
    this.agents = undefined;
    for (const agent of Object.values(agents?.all ?? {})) {
      agent.destroy();
    }
  }
}

/**
 * Authorities and certificates read once and not for each connection: by themselves, agents parse them each time, which in a burst is a tenth
 * of the operator's work.
 */
function sharedContext({ ca, cert, key, ...others }: tls.SecureContextOptions & Pick<tls.ConnectionOptions, 'servername' | 'rejectUnauthorized'>) {
  return { ...others, secureContext: tls.createSecureContext({ ca, cert, key }) };
}

/** Ends a request at its deadline, when its signal aborts or when the answer is too long, and says afterwards why it ended. */
class RequestGuard {
  private endedBecause?: 'deadline' | 'signal' | 'length';
  private readonly timer: Timer;
  private readonly forgetSignal: () => void;

  public constructor(
    private readonly sent: http.ClientRequest,
    private readonly request: HttpRequest,
    clock: Clock,
  ) {
    this.timer = clock.schedule(() => this.end('deadline'), request.timeoutMs);
    this.forgetSignal = onAbort(request.signal, () => this.end('signal'));
  }

  /** Takes the deadline away, and leaves the signal in force. */
  public disarm(): void {
    this.timer.cancel();
  }

  public release(): void {
    this.timer.cancel();
    this.forgetSignal();
  }

  /** The error to report in place of the low-level one. */
  public explain(error: unknown): Error {
    const { description, signal, timeoutMs, maxBytes } = this.request;
    if (this.endedBecause === 'signal') {
      return signal!.reason as Error;
    }
    if (this.endedBecause === 'deadline') {
      return new TransportError(description, 'ETIMEDOUT', true, { cause: error, detail: `no answer within ${timeoutMs} ms` });
    }
    if (this.endedBecause === 'length') {
      return new TransportError(description, ANSWER_TOO_LONG, true, { cause: error, detail: `the answer is longer than ${maxBytes} bytes` });
    }
    const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN';
    return new TransportError(description, code, !NOT_SENT.test(code), { cause: error });
  }

  /** Ends the request now. */
  public end(because: 'deadline' | 'signal' | 'length'): void {
    this.endedBecause ??= because;
    this.sent.destroy(new Error(`ended by ${because}`));
  }
}
