/** A dashboard in front of an API server of tests, and requests as browsers and proxies make them. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Dashboard } from '../../../../../src/cli/ui/dashboard/dashboard';
import { readSettings } from '../../../../../src/cli/ui/dashboard/settings';
import { ACTION_HEADER } from '../../../../../src/cli/ui/protocol';
import { pagesOf } from '../../../../../src/cli/ui/server/answers';
import { StaticCredentials } from '../../../../../src/operator/runtime/credentials/credentials';
import type { ClusterConnection } from '../../../../../src/operator/runtime/credentials/kubeconfig';
import { Logger } from '../../../../../src/operator/runtime/process/logger';

/** An answer of the dashboard. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** How a request is made. */
export interface RequestOptions {
  readonly headers?: { readonly [name: string]: string | string[] };
  /** Sent as JSON by POST, with the header that pages send. */
  readonly body?: object;
  /** Ends an answer that goes on, once the body has this. */
  readonly until?: RegExp;
  /** @default 127.0.0.2: as from another machine */
  readonly from?: string;
}

/** A name that the dashboard answers to. */
export const HOST = 'trainyard.example.com';

/** What a page would be. */
const NO_PAGES = pagesOf({ 'index.html': '<title>page</title>' });

/** Starts a dashboard. @param lines of its log */
export async function startDashboard(
  connection: ClusterConnection, env: NodeJS.ProcessEnv, lines: string[] = [], pages = NO_PAGES,
): Promise<Dashboard> {
  return Dashboard.start({
    settings: readSettings({ PORT: '0', ALLOWED_HOSTS: HOST, ...env }), connection, version: '1.2.3', host: '127.0.0.1', pages,
    logger: Logger.create({ level: 'info', format: 'json', write: (line) => lines.push(line) }),
  });
}

/** Makes a request, by default as a browser that has opened the page over HTTPS. */
export function ask({ origin }: Dashboard, place: string, { headers = {}, body, until, from = '127.0.0.2' }: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request({
      host: '127.0.0.1', port: new URL(origin).port, path: place, localAddress: from, method: body === undefined ? 'GET' : 'POST',
      headers: { host: HOST, ...(body !== undefined && { 'content-type': 'application/json', [ACTION_HEADER]: '1' }), ...headers },
    }, (response) => {
      let text = '';
      const end = () => resolve({ status: response.statusCode!, headers: response.headers, body: text });
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (until?.test(text)) {
          end();
          sent.destroy();
        }
      }).on('end', end).on('error', () => undefined);
    });
    sent.on('error', reject).end(body === undefined ? '' : JSON.stringify(body));
  });
}

/** Signs in. @returns the cookie that a browser sends from then on */
export async function signIn(dashboard: Dashboard, token: string): Promise<string> {
  const { status, headers, body } = await ask(dashboard, '/api/sign-in', { body: { token } });
  if (status !== 200) {
    throw new Error(`Signing in: ${status} ${body}`);
  }
  return headers['set-cookie']![0].split(';')[0];
}

/** A request that the API server of a test got. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
}

/** Knows the tokens `token-of-NAME`, and has nothing installed. */
export class FakeApiServer {
  /** Since it was started. */
  public readonly seen: SeenRequest[] = [];

  private constructor(private readonly server: http.Server) {}

  public static async start(): Promise<FakeApiServer> {
    const made = new FakeApiServer(http.createServer((request, response) => made.answer(request, response)));
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** How it is reached, with the dashboard's own token. */
  public get connection(): ClusterConnection {
    return {
      server: new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`), origin: 'a test', tls: async () => ({}),
      credentials: new StaticCredentials({ headers: { authorization: 'Bearer token-of-dashboard' } }),
    };
  }

  public close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({ url = '', headers }: http.IncomingMessage, response: http.ServerResponse): void {
    this.seen.push({ path: url, headers });
    const name = /^Bearer token-of-([a-z]+)(?:\.|$)/.exec(headers.authorization ?? '')?.[1];
    const body = name === undefined ? { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' }
      : url === '/apis' ? { groups: [] } : { status: { userInfo: { username: name } } };
    response.writeHead(name === undefined ? 401 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
