/**
 * Stands between one operator and the API server, and does to its requests what a network or an overloaded API server does: other answers, late
 * answers, none, connections that break, watches that fall silent. Everything else passes unchanged. It ends TLS with a certificate of its own, so
 * that it sees each request.
 */
import http from 'node:http';
import https from 'node:https';
import fs from 'node:fs';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import type { ApiAccess } from '../../../src/local/control-plane';
import { createAuthority, issueServerCertificate } from '../../../src/operator/runtime/credentials/certificates';
import type { Installation } from '../../cluster/support/operator';

/** A request of the operator. */
export interface SeenRequest {
  readonly method: string;
  /** Path with its query. */
  readonly url: string;
  /** Plural of what it is about, such as `pods`. */
  readonly resource: string;
  readonly isWatch: boolean;
  /** A change of anything but the lease. */
  readonly isWrite: boolean;
  readonly isLease: boolean;
}

/** What happens to a request instead of its passing at once. */
export type Fault =
  /** Another answer; the API server never sees the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly reason: string; readonly headers?: http.OutgoingHttpHeaders }
  /** It passes after a while. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** It passes when something has happened. */
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** It is taken and never answered; the API server never sees it. */
  | { readonly kind: 'hang' }
  /** It is executed, and its answer is lost with the connection. */
  | { readonly kind: 'loseAnswer' };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** See the top of this file. */
export class FaultyApi {
  /** What happens to a request; asked when it comes. */
  public faultOf: (request: SeenRequest) => Fault | undefined = () => undefined;
  /** Whether nothing more comes over an answer that is still being sent, such as a watch; asked for each piece. */
  public isSilent: (request: SeenRequest) => boolean = () => false;
  /** All requests so far, in order. */
  public readonly seen: SeenRequest[] = [];
  private readonly held = new Set<() => void>();

  private constructor(private readonly upstream: ApiAccess, private readonly server: https.Server, private readonly ca: string) {}

  /** Starts one in front of an API server, on a port of its own. */
  public static async start(upstream: ApiAccess): Promise<FaultyApi> {
    const now = Date.now();
    const authority = await createAuthority('faulty API', now - HOUR_MS, DAY_MS);
    const { certificate, key } = await issueServerCertificate(authority, ['127.0.0.1'], now - HOUR_MS, DAY_MS);
    const server = https.createServer({ cert: certificate, key });
    const api = new FaultyApi(upstream, server, authority.certificate);
    const agent = new https.Agent({ keepAlive: true, ca: upstream.ca });
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => { void api.serve(agent, request, response); });
    server.on('close', () => agent.destroy());
    // Whoever is cut off hears of it as an error, which is the purpose.
    server.on('clientError', (_error, socket) => socket.destroy());
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    return api;
  }

  /** The same installation, whose operators speak to this. */
  public throughIt(installation: Installation): Installation {
    const config = JSON.parse(fs.readFileSync(installation.kubeconfig, 'utf8')) as { clusters: { cluster: object }[] };
    const { port } = this.server.address() as AddressInfo;
    const cluster = { 'server': `https://127.0.0.1:${port}`, 'certificate-authority-data': Buffer.from(this.ca).toString('base64') };
    const kubeconfig = path.join(path.dirname(installation.kubeconfig), `kubeconfig-${port}`);
    fs.writeFileSync(kubeconfig, JSON.stringify({ ...config, clusters: [{ ...config.clusters[0], cluster }] }), { mode: 0o600 });
    return { ...installation, kubeconfig };
  }

  /** No faults any more: what was held back is delivered. Requests that hang go on hanging. */
  public heal(): void {
    this.faultOf = () => undefined;
    this.isSilent = () => false;
    this.held.forEach((deliver) => deliver());
    this.held.clear();
  }

  /** Breaks all connections that there are. */
  public cut(): void {
    this.server.closeAllConnections();
  }

  /** Ends it, with all its connections. */
  public async close(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private async serve(agent: https.Agent, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const seen = describe(request.method!, request.url!);
    this.seen.push(seen);
    const fault = this.faultOf(seen);
    const body = await bodyOf(request);
    if (body === undefined) {
      return;
    }
    if (fault?.kind === 'answer') {
      const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: fault.status, reason: fault.reason, message: `fault: ${fault.reason}` };
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(JSON.stringify(status));
    } else if (fault?.kind === 'delay' || fault?.kind === 'wait') {
      await (fault.kind === 'wait' ? fault.until : new Promise((resolve) => setTimeout(resolve, fault.ms)));
      if (!response.destroyed) {
        this.pass(agent, seen, request, body, response, false);
      }
    } else if (fault?.kind !== 'hang') {
      this.pass(agent, seen, request, body, response, fault?.kind === 'loseAnswer');
    }
  }

  private pass(
    agent: https.Agent, seen: SeenRequest, request: http.IncomingMessage, body: Buffer, response: http.ServerResponse, loseAnswer: boolean,
  ): void {
    // A watch ends with its connection, which therefore is its own.
    const headers = { ...request.headers, host: new URL(this.upstream.url).host };
    const options = { method: request.method, headers, ca: this.upstream.ca, agent: seen.isWatch ? false : agent };
    const outgoing = https.request(`${this.upstream.url}${request.url}`, options, (answer) => {
      if (loseAnswer) {
        answer.resume();
        answer.once('end', () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      this.forward(seen, answer, response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  }

  private forward(seen: SeenRequest, answer: http.IncomingMessage, response: http.ServerResponse): void {
    const waiting: (() => void)[] = [];
    const deliver = () => { waiting.splice(0).forEach((step) => step()); };
    const step = (action: () => void) => {
      if (waiting.length > 0 || this.isSilent(seen)) {
        waiting.push(action);
        this.held.add(deliver);
      } else {
        action();
      }
    };
    answer.on('data', (chunk: Buffer) => step(() => response.write(chunk)));
    answer.on('end', () => step(() => response.end()));
    answer.on('error', () => step(() => response.destroy()));
  }
}

/** The body, or undefined when the connection broke before its end. */
async function bodyOf(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function describe(method: string, url: string): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'https://api');
  const parts = pathname.split('/').filter(Boolean);
  // /api/v1/... or /apis/GROUP/VERSION/..., then namespaces/NAME where there is one.
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const resource = (rest[0] === 'namespaces' && rest.length > 2 ? rest[2] : rest[0]) ?? '';
  const isLease = resource === 'leases';
  return { method, url, resource, isWatch: searchParams.get('watch') === 'true', isWrite: method !== 'GET' && !isLease, isLease };
}
