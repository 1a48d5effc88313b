import http from 'node:http';
import https from 'node:https';

/** How to reach an API server as one user. */
export interface ApiAccess {
  /** For instance `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly token: string;
  /** The certificate authority, PEM. */
  readonly ca: string;
}

/** What every answer may have: an error is a `Status` object, whose message says what was wrong. */
export interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
}

/** An answer of the API server, whatever its status. */
export interface ApiResponse<T = StatusBody> {
  /** The HTTP status. */
  readonly status: number;
  /** What was sent: an object where it was JSON, else text. On an error it is a {@link StatusBody}, whatever was expected. */
  readonly body: T & StatusBody;
  /** The texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

/** Options of {@link apiRequest}. */
export interface ApiRequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @default application/json */
  readonly contentType?: string;
  /** Form of the answer, such as that of a table. @default application/json */
  readonly accept?: string;
  /** Milliseconds without a byte after which the request fails. @default 30000 */
  readonly timeoutMs?: number;
}

// Without kept connections, a loop of requests is mostly TLS handshakes.
const agent = new https.Agent({ keepAlive: true, maxSockets: 32 });

/**
 * One request to an API server. Deliberately small: it serves the start of the control plane and tests; the operator has a client of its own.
 * @param path with a leading slash
 * @throws Error only when there is no answer; an answer with an error status is returned
 */
export async function apiRequest<T = StatusBody>(
  access: ApiAccess,
  method: string,
  path: string,
  options: ApiRequestOptions = {},
): Promise<ApiResponse<T>> {
  const payload = options.body === undefined ? undefined : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const request = https.request(`${access.url}${path}`, {
      method,
      agent,
      ca: access.ca,
      headers: {
        authorization: `Bearer ${access.token}`,
        accept: options.accept ?? 'application/json',
        ...payload === undefined ? {} : { 'content-type': options.contentType ?? 'application/json', 'content-length': Buffer.byteLength(payload) },
      },
    }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => { text += chunk; });
      response.once('error', reject);
      response.once('end', () => {
        const body = parseBody(response, text) as T & StatusBody;
        resolve({ status: response.statusCode!, body, warnings: warningTexts(response) });
      });
    });
    request.setTimeout(options.timeoutMs ?? 30_000, () => request.destroy(new Error(`${method} ${path}: no answer within the time-out`)));
    request.once('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that the server has closed in the meantime, before it read anything: told by a write or by a read, whichever comes first.
      if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
        resolve(apiRequest(access, method, path, options));
      } else {
        reject(error);
      }
    });
    request.end(payload);
  });
}

function parseBody(response: http.IncomingMessage, text: string): unknown {
  return response.headers['content-type']?.includes('json') ? JSON.parse(text) : text;
}

/** `Warning: 299 - "text"`; several are joined by commas, and quotes in the text are escaped. */
function warningTexts(response: http.IncomingMessage): string[] {
  const header = [response.headers.warning ?? ''].flat().join(', ');
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replace(/\\(.)/g, '$1'));
}
