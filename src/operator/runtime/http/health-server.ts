import http from 'node:http';
import { AddressInfo } from 'node:net';
import { guardConnections, type ConnectionGuard } from './connection-guard';
import { Logger } from '../process/logger';

/** Says what is wrong, or undefined when nothing is. Must be quick: it runs for each probe. */
export type HealthCheck = () => string | undefined;

/** Settings of a {@link HealthServer}. */
export interface HealthServerOptions {
  readonly logger: Logger;
  /** Address to listen on. @default - all addresses: the kubelet probes a pod by its own */
  readonly host?: string;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /**
   * Checks of `/healthz`, by name. A failure makes the kubelet restart the process, so only what a restart cures belongs here: a
   * loop that hangs, and not an API server that is away. (An event loop that is blocked needs no check: nothing answers then.)
   */
  readonly liveness?: Readonly<Record<string, HealthCheck>>;
  /** Checks of `/readyz`, by name: caches that have synced. A standby that waits to become the leader is ready. */
  readonly readiness?: Readonly<Record<string, HealthCheck>>;
  /** Answer of `/metrics`. @default - 404 */
  readonly metrics?: () => Promise<{ contentType: string; body: string }>;
}

/** Requests that are answered on one connection: with the guard's pace of new connections this bounds those of an address. */
const REQUESTS_PER_CONNECTION = 10;

/**
 * Serves `/healthz` (also as `/livez`), `/readyz` and `/metrics` in plain HTTP. Answers look like those of kube-apiserver. Every pod of the cluster
 * can connect where no NetworkPolicy stops it, and a probe that gets no answer ends the process: connections are bounded for each address, so that
 * the kubelet's have a place.
 */
export class HealthServer {
  private readonly server: http.Server;
  private readonly guard: ConnectionGuard;

  public constructor(private readonly options: HealthServerOptions) {
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        options.logger.error('a health request failed', { url: request.url, error });
        send(response, 500, 'text/plain; charset=utf-8', 'internal error\n');
      });
    });
    // A prober that sends nothing must not hold a socket for ever.
    this.server.requestTimeout = 10_000;
    this.server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
    this.guard = guardConnections(this.server);
  }

  /** Starts to listen; resolves with the port. Rejects when the port is taken. */
  public listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port: this.options.port, host: this.options.host }, () => {
        this.server.off('error', reject);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Stops listening and closes all connections. */
  public close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.guard.close();
      this.server.closeAllConnections();
    });
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (isLoopback(this.options.host) && !isLoopback(hostNameOf(request))) {
      // A web page whose name has been made to lead to loopback (DNS rebinding) would read the metrics of `trainyard dev`.
      send(response, 403, 'text/plain; charset=utf-8', 'this server listens on loopback and does not accept other host names\n');
      return;
    }
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      send(response, 405, 'text/plain; charset=utf-8', 'only GET is supported\n');
    } else if (path === '/healthz' || path === '/livez') {
      report(response, this.options.liveness ?? {});
    } else if (path === '/readyz') {
      report(response, this.options.readiness ?? {});
    } else if (path === '/metrics' && this.options.metrics !== undefined) {
      const { contentType, body } = await this.options.metrics();
      send(response, 200, contentType, body);
    } else {
      send(response, 404, 'text/plain; charset=utf-8', 'not found; available: /healthz, /readyz and, if enabled, /metrics\n');
    }
  }
}

/** Of the `Host` header, without the port. */
function hostNameOf({ headers: { host = '' } }: http.IncomingMessage): string {
  return host.replace(/:\d+$/, '');
}

function isLoopback(host: string | undefined): boolean {
  return host !== undefined && ['127.0.0.1', 'localhost', '[::1]', '::1'].includes(host);
}

function report(response: http.ServerResponse, checks: Readonly<Record<string, HealthCheck>>): void {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: runCheck(check) }));
  const lines = results.map(({ name, problem }) => (problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`));
  const healthy = results.every(({ problem }) => problem === undefined);
  send(response, healthy ? 200 : 503, 'text/plain; charset=utf-8', `${[...lines, healthy ? 'ok' : 'not ok'].join('\n')}\n`);
}

function runCheck(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return String(error);
  }
}

function send(response: http.ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
