/**
 * A small server of JSON, over TLS or in plain HTTP, with the limits that a server needs that anybody in the cluster can reach: bodies, times and
 * connections are bounded, the latter over TLS by a `ConnectionGuard`; plain HTTP is for loopback. Failures are Kubernetes `Status` objects, as those
 * of the API server are.
 */
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { StatusBody } from './api-error';
import { guardConnections, type ConnectionGuard, type RefusalReason } from './connection-guard';
import type { Logger } from '../process/logger';

/** A request whose body has come. */
export interface JsonRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** The `Authorization` header. */
  readonly authorization?: string;
  /** Reads the whole body as text. @throws BodyTooLarge */
  readonly body: () => Promise<string>;
  /** To be called when its bearer may ask for what it asks: from then on its connection may stay. */
  readonly authorized: () => void;
}

/** What is answered; `body` is sent as JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: object;
  /** Seconds after which the client may try again. */
  readonly retryAfterSeconds?: number;
}

/** A certificate and its private key as PEM. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
}

/** Settings of a {@link JsonServer}. */
export interface JsonServerOptions {
  readonly logger: Pick<Logger, 'warn'>;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Address to listen on. @default - all addresses */
  readonly host?: string;
  /** @default - plain HTTP */
  readonly tls?: ServerTls;
  /** Most bytes of a body. */
  readonly maxBodyBytes: number;
  /** Answers a request. An error is logged and answered with 500. */
  readonly handle: (request: JsonRequest) => Promise<JsonAnswer>;
  /** Called after each request with the status of its answer. */
  readonly onAnswer?: (status: number) => void;
  /** Called for each connection that the guard closes. */
  readonly onRefused?: (reason: RefusalReason) => void;
}

/** A body that is longer than allowed. */
class BodyTooLarge extends Error {
  public readonly name = 'BodyTooLarge';
}

/** A request must have come within this time, milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/** An idle connection that had an authorized request is closed after this, milliseconds. */
const IDLE_TIMEOUT_MS = 120_000;

/** See the top of this file. */
export class JsonServer {
  private readonly server: http.Server | https.Server;
  private readonly guard?: ConnectionGuard;
  private closing = false;

  public constructor(private readonly options: JsonServerOptions) {
    const listener: http.RequestListener = (request, response) => void this.answer(request, response);
    this.server = options.tls
      ? https.createServer({ ...options.tls, minVersion: 'TLSv1.2', handshakeTimeout: REQUEST_TIMEOUT_MS }, listener)
      : http.createServer(listener);
    this.server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.server.headersTimeout = REQUEST_TIMEOUT_MS;
    this.server.keepAliveTimeout = IDLE_TIMEOUT_MS;
    if (options.tls) {
      this.guard = guardConnections(this.server, options.onRefused);
    }
  }

  /** Open connections, with those that wait. */
  public get connections(): number {
    return this.guard?.size ?? 0;
  }

  /** Starts to listen; resolves with the port. Rejects when the port is taken. */
  public listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port: this.options.port, host: this.options.host }, () => {
        this.server.off('error', reject);
        this.server.on('error', (error) => this.options.logger.warn('internal server error', { error }));
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Connections from now on are made with this certificate. */
  public setCertificate(tls: ServerTls): void {
    (this.server as https.Server).setSecureContext({ ...tls, minVersion: 'TLSv1.2' });
  }

  /** Stops listening, lets requests end that have come, and closes all connections. */
  public close(): Promise<void> {
    this.closing = true;
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.guard?.close();
      this.server.closeIdleConnections();
      setTimeout(() => this.server.closeAllConnections(), REQUEST_TIMEOUT_MS).unref();
    });
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const connection = this.guard?.find(request.socket);
    const { status, body, retryAfterSeconds } = await this.handled(request, () => connection?.authorize());
    this.options.onAnswer?.(status);
    const text = `${JSON.stringify(body)}\n`;
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      ...(this.closing && { connection: 'close' }),
    });
    response.end(text);
    // What is left of a body that nobody wanted is read and dropped, for at most the time of a request: a client that still sends would otherwise
    // find the connection broken and never see the answer.
    request.resume();
  }

  private async handled(request: http.IncomingMessage, authorized: () => void): Promise<JsonAnswer> {
    const { maxBodyBytes, handle, logger } = this.options;
    try {
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
        throw new BodyTooLarge();
      }
      return await handle({
        method: request.method ?? '',
        path: (request.url ?? '/').split('?')[0],
        authorization: request.headers.authorization,
        body: () => readBody(request, maxBodyBytes),
        authorized,
      });
    } catch (error) {
      if (error instanceof BodyTooLarge) {
        return failure(413, 'RequestEntityTooLarge', 'Payload too large');
      }
      logger.warn('a request failed', { method: request.method, url: request.url, error });
      return failure(500, 'InternalError', 'Internal error');
    }
  }
}

/** A failure in the form of the API server's. */
export function failure(code: number, reason: string, message: string, retryAfterSeconds?: number): JsonAnswer {
  const body: StatusBody & { apiVersion: string; metadata: object } = {
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code,
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  };
  return { status: code, body, retryAfterSeconds };
}

function readBody(request: http.IncomingMessage, most: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        reject(new BodyTooLarge());
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}
