import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it comes over the wire. */
export interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number } }[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** A collector that keeps what it gets. */
export class OtlpCollector {
  public readonly requests: { readonly path: string; readonly contentType?: string; readonly body: TraceRequest }[] = [];
  private readonly server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as TraceRequest;
      this.requests.push({ path: request.url ?? '', contentType: request.headers['content-type'], body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  /** Listens on a free port of this machine. @returns the URL for `OTEL_EXPORTER_OTLP_ENDPOINT` */
  public async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** All spans so far. */
  public get spans(): WireSpan[] {
    return this.requests.flatMap(({ body }) => body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
  }

  /** Closes all connections. */
  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
