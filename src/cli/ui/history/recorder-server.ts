/**
 * The recorder's server. It responds only to the dashboard's service account, with a token for the recorder. The dashboard checks the permissions of
 * users before it sends a request.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { queryIn, type HistoryList, type HistoryRun } from './history';
import type { HistoryStore } from './store';
import { Refusal, json } from '../server/answers';
import { DASHBOARD_NAME, RECORDER_NAME } from '../../../manifests/dashboard/settings';
import { TokenRefused, type TokenVerifier } from '../../../operator/runtime/credentials/token-verifier';
import type { Logger } from '../../../operator/runtime/process/logger';

/** Timeout for receiving a request; milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Maximum number of concurrent connections. */
const MAX_CONNECTIONS = 200;

export interface RecorderServerOptions {
  readonly store: HistoryStore;
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  /** Namespace of the dashboard. */
  readonly namespace: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** @default - all addresses */
  readonly host?: string;
  readonly logger: Logger;
  /** Why the recorder does not record now. */
  readonly problem: () => string | undefined;
}

export async function startRecorderServer(options: RecorderServerOptions): Promise<{ readonly origin: string; readonly close: () => void }> {
  const server = http.createServer((request, response) => {
    answer(options, request).then((found) => json(response, found), (error: unknown) => {
      if (!(error instanceof Refusal)) {
        options.logger.error('the history cannot be read', { error });
      }
      const { message, status } = error instanceof Refusal ? error : new Refusal(500, 'The history cannot be read. See the log of the recorder.');
      json(response, { message }, status);
    });
  });
  Object.assign(server, { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, maxConnections: MAX_CONNECTIONS });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ store, verifier, namespace, problem }: RecorderServerOptions, { method, url = '/', headers }: http.IncomingMessage): Promise<HistoryList | HistoryRun> {
  const [, token] = /^Bearer (\S{1,8192})$/.exec(headers.authorization ?? '') ?? [];
  const claims = token === undefined ? undefined : await verifier.verify(token, RECORDER_NAME).catch((error: unknown) => {
    if (error instanceof TokenRefused) {
      return undefined;
    }
    throw error;
  });
  if (claims?.namespace !== namespace || claims.serviceAccount !== DASHBOARD_NAME) {
    throw new Refusal(401, 'The recorder responds only to the dashboard.');
  }
  const place = `http://recorder/${url.replace(/^\/+/, '')}`;
  if (method !== 'GET' || !URL.canParse(place)) {
    throw new Refusal(405, 'Only GET is served here.');
  }
  const { pathname, searchParams } = new URL(place);
  if (pathname === '/runs') {
    const why = problem();
    return { ...await store.list(queryIn(searchParams)), ...(why !== undefined && { problem: why }) };
  }
  const run = pathname === '/run' ? await store.run(searchParams.get('namespace') ?? '', searchParams.get('uid') ?? '') : undefined;
  if (run === undefined) {
    throw new Refusal(404, 'The history has no such job in this namespace.');
  }
  return run;
}
