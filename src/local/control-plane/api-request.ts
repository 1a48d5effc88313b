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

/** Fields of the `Status` object of an error. */
export interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
}

/** An answer of the API server, whatever its status. */
export interface ApiResponse<T = StatusBody> {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON, or text. For an error it is a {@link StatusBody}. */
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

// Without this, most of the time of many requests is for TLS handshakes.
const agent = new https.Agent({ keepAlive: true, maxSockets: 32 });

/**
 * Sends a request to an API server, for the start of the control plane and for tests. The operator has its own client.
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
        const body = (response.headers['content-type']?.includes('json') ? JSON.parse(text) : text) as T & StatusBody;
        resolve({ status: response.statusCode!, body, warnings: warningTexts(response) });
      });
    });
    request.setTimeout(options.timeoutMs ?? 30_000, () => request.destroy(new Error(`${method} ${path}: no answer within the time-out`)));
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The server has closed the idle connection before it read the request.
      if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
        resolve(apiRequest(access, method, path, options));
      } else {
        reject(error);
      }
    });
    request.end(payload);
  });
}

/** `Warning: 299 - "text"`; several are joined by commas, and quotes in the text are escaped. */
function warningTexts(response: http.IncomingMessage): string[] {
  const header = [response.headers.warning ?? ''].flat().join(', ');
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replace(/\\(.)/g, '$1'));
}
