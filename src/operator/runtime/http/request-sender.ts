/**
 * Sends one API request, again where that is safe, and turns every failure into an {@link ApiError} or a {@link TransportError}.
 *
 * What is sent again by itself, at most `maxRetries` times:
 * - 429: every verb, because the server has not executed the request;
 * - 5xx and broken connections: only verbs whose repetition does no harm (read, replace, patch, delete). A create whose answer was
 *   lost may have succeeded, so the caller gets the error and looks before it tries again;
 * - connections that could not be made: every verb;
 * - 401: once, with fresh credentials.
 * The server's `Retry-After` is a lower bound of the delay. Whoever needs longer patience has a work queue for it.
 */
import { AdaptiveLimiter } from './adaptive-limiter';
import { ApiError, StatusBody, TransportError } from './api-error';
import { Backoff, BackoffOptions } from '../process/backoff';
import { CallOptions } from './call-options';
import { Clock, sleep, SYSTEM_CLOCK } from '../process/clock';
import { HttpRequest, HttpResponse, HttpTransport, ResponseStream } from './http-transport';
import { ClusterConnection } from '../credentials/kubeconfig';

/** Settings of a {@link RequestSender}, and so of a `KubeClient`. */
export interface RequestSenderOptions {
  readonly connection: ClusterConnection;
  /** @default "trainyard" */
  readonly userAgent?: string;
  /** Requests in flight together while the server is quick, watches and urgent ones not counted ({@link AdaptiveLimiter}). @default 50 */
  readonly maxConcurrentRequests?: number;
  /** Milliseconds until an answer must have come. @default 30000 */
  readonly timeoutMs?: number;
  /** How often a failed request is sent again; see the top of this file. @default 3 */
  readonly maxRetries?: number;
  /** Delays between those attempts. @default 100 ms doubling to 5 s */
  readonly retryBackoff?: BackoffOptions;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Called after each attempt of each request; for metrics. Must not throw. */
  readonly onRequest?: (request: RequestRecord) => void;
  /** Called with each `Warning` header of the server (deprecated API, unknown field, weak schema). Must not throw. */
  readonly onWarning?: (warning: string, request: string) => void;
}

/** One attempt of one request, as metrics want it. */
export interface RequestRecord {
  /** As the API server's own metrics and audit log name it: get, list, watch, create, update, patch, apply, delete, deletecollection. */
  readonly verb: string;
  /** `pods`, `leases.coordination.k8s.io`, with the subresource after a slash; empty for raw requests. */
  readonly resource: string;
  /** HTTP status, or the code of the transport error. */
  readonly code: string;
  /** Seconds, time in our own queue excluded. For a watch: until its first byte. */
  readonly seconds: number;
}

/** One request, described for sending, for messages and for metrics. */
export interface Call {
  /** See {@link RequestRecord.verb}. */
  readonly verb: string;
  /** See {@link RequestRecord.resource}. */
  readonly resource: string;
  /** For messages: `create pods "ns/name"`. */
  readonly description: string;
  readonly method: HttpRequest['method'];
  /** Path with query. */
  readonly path: string;
  readonly contentType?: string;
  /** Form of the answer. @default - JSON of the whole object */
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** See {@link HttpRequest.beforeSend}. */
  readonly beforeSend?: () => void;
  readonly options: CallOptions;
}

const DEFAULT_RETRY_BACKOFF: BackoffOptions = { initialMs: 100, maxMs: 5_000 };
/** A watch that is not answered within this many milliseconds is given up. */
const STREAM_OPEN_TIMEOUT_MS = 30_000;

/** See the top of this file. */
export class RequestSender {
  private readonly transport: HttpTransport;
  private readonly limiter: AdaptiveLimiter;
  private readonly clock: Clock;

  public constructor(private readonly options: RequestSenderOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    const maxSockets = options.maxConcurrentRequests ?? 50;
    this.limiter = new AdaptiveLimiter(maxSockets, this.clock);
    this.transport = new HttpTransport({
      connection: options.connection,
      userAgent: options.userAgent ?? 'trainyard',
      maxSockets,
      clock: this.clock,
    });
  }

  /** How many requests may be in flight at this moment. */
  public get limit(): number {
    return this.limiter.limit;
  }

  /** Sends a request and returns its successful answer. */
  public async send(call: Call): Promise<HttpResponse> {
    const { options } = call;
    const maxRetries = options.maxRetries ?? this.options.maxRetries ?? 3;
    const backoff = new Backoff(this.options.retryBackoff ?? DEFAULT_RETRY_BACKOFF);
    // Serialised once, not per attempt.
    const request = this.httpRequest(call, options.urgent ? 'urgent' : 'pooled', options.timeoutMs ?? this.options.timeoutMs ?? 30_000);
    for (let reauthenticated = false; ; ) {
      try {
        const send = async () => this.attempt(call, request);
        return await (options.urgent ? this.limiter.urgent(send) : this.limiter.limited(send, options.signal));
      } catch (error) {
        if (error instanceof ApiError && error.isUnauthorized && !reauthenticated) {
          reauthenticated = true;
          this.transport.reauthenticate();
          continue;
        }
        if (backoff.failures >= maxRetries || !mayRepeat(call, error)) {
          throw error;
        }
        const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
        await sleep(this.clock, Math.max(backoff.next(), retryAfterMs), options.signal);
        options.signal?.throwIfAborted();
      }
    }
  }

  /** Opens a stream; rejects unless the server accepts it. Not retried: a watch is resumed by whoever knows from where. */
  public async stream(call: Call): Promise<ResponseStream> {
    const started = this.clock.monotonic();
    let stream: ResponseStream;
    try {
      stream = await this.transport.stream(this.httpRequest(call, 'stream', STREAM_OPEN_TIMEOUT_MS));
    } catch (error) {
      this.record(call, errorCode(error), started);
      throw error;
    }
    const { statusCode, headers } = stream.message;
    this.record(call, String(statusCode), started);
    if (statusCode === 200) {
      return stream;
    }
    if (statusCode === 401) {
      // The next attempt, which the caller makes after a pause, has fresh credentials.
      this.transport.reauthenticate();
    }
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of stream.message) {
        chunks.push(chunk as Buffer);
      }
      throw failure(call, { status: statusCode!, headers, body: Buffer.concat(chunks) });
    } finally {
      stream.release();
    }
  }

  /** Closes all connections. Requests in flight fail. */
  public close(): void {
    this.transport.close();
  }

  private httpRequest(call: Call, lane: HttpRequest['lane'], timeoutMs: number): HttpRequest {
    return {
      method: call.method,
      path: call.path,
      headers: { ...(call.contentType !== undefined && { 'content-type': call.contentType }), ...(call.accept !== undefined && { accept: call.accept }) },
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      lane,
      timeoutMs,
      maxBytes: call.options.maxBytes,
      signal: call.options.signal,
      beforeSend: call.beforeSend,
      description: call.description,
    };
  }

  private async attempt(call: Call, request: HttpRequest): Promise<HttpResponse> {
    const started = this.clock.monotonic();
    let response: HttpResponse;
    try {
      response = await this.transport.request(request);
    } catch (error) {
      this.record(call, errorCode(error), started);
      throw error;
    }
    this.record(call, String(response.status), started);
    if (response.headers.warning !== undefined) {
      this.options.onWarning?.(response.headers.warning, call.description);
    }
    if (response.status < 200 || response.status > 299) {
      throw failure(call, response);
    }
    return response;
  }

  private record(call: Call, code: string, startedMs: number): void {
    this.options.onRequest?.({ verb: call.verb, resource: call.resource, code, seconds: (this.clock.monotonic() - startedMs) / 1000 });
  }
}

/** Whether sending the same request again is harmless and may help; see the top of the file. */
function mayRepeat(call: Call, error: unknown): boolean {
  const harmless = call.method !== 'POST';
  if (error instanceof ApiError) {
    // An eviction is refused with 429 while a disruption budget does not allow it; that takes longer than a retry is worth.
    return error.isTooManyRequests ? !call.resource.endsWith('/eviction') : harmless && error.isRetriable;
  }
  return error instanceof TransportError && !error.isTooLong && (harmless || !error.maybeExecuted);
}

function failure(call: Call, response: HttpResponse): ApiError {
  const text = response.body.toString('utf8');
  let status: StatusBody;
  try {
    status = JSON.parse(text) as StatusBody;
  } catch {
    // A proxy, or a server that is starting, answers in plain text.
    status = { message: text.trim().slice(0, 500) };
  }
  // The header may also be a date, which Kubernetes never sends.
  const retryAfter = Number(response.headers['retry-after']);
  return new ApiError(call.description, response.status, status, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function errorCode(error: unknown): string {
  return error instanceof TransportError ? error.code : 'aborted';
}
