/**
 * Opens a WebSocket to the API server with the user's credentials. Node 20 has no WebSocket with client certificates and headers, so this uses the
 * `ws` package, which is bundled with the CLI and not with the operator.
 */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ApiError, TransportError, type StatusBody } from '../../../operator/runtime/http/api-error';
import type { KubeClient } from '../../../operator/runtime/kube-client';

/** A stream to open. */
export interface StreamRequest {
  /** Path with its query, below the server's URL. */
  readonly path: string;
  /** Accepted protocols, the preferred one first. */
  readonly protocols: readonly string[];
  /** For messages: `exec in pod "ns/name"`. */
  readonly description: string;
}

/** Time limit of the handshake in milliseconds. */
const OPEN_TIMEOUT_MS = 30_000;

/** Milliseconds between pings, which keep load balancers from closing an idle connection. */
const PING_MS = 20_000;

/** Idle milliseconds before TCP checks that the other side is still there. */
const KEEP_ALIVE_MS = 30_000;

/** Maximum bytes of a message. Servers send about 32 KiB at a time. */
const MAX_MESSAGE = 16 * 1024 * 1024;

/** Bytes that are read of an error response. */
const MAX_REFUSAL = 16 * 1024;

/**
 * Opens a stream. It is paused, so that no message is lost before the caller has added its listeners and calls `resume`.
 * @throws ApiError when the server refuses, TransportError when it does not answer
 */
export async function openStream(client: KubeClient, request: StreamRequest): Promise<WebSocket> {
  try {
    return await open(client, request);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isUnauthorized) {
      throw error;
    }
    // As for other requests: the token may have expired.
    client.connection.credentials.invalidate();
    return open(client, request);
  }
}

async function open({ connection }: KubeClient, { path, protocols, description }: StreamRequest): Promise<WebSocket> {
  const { server } = connection;
  const [{ headers, certificate }, tls] = await Promise.all([connection.credentials.get(), connection.tls()]);
  const url = `${server.protocol === 'https:' ? 'wss:' : 'ws:'}//${server.host}${server.pathname.replace(/\/$/, '')}${path}`;
  const socket = new WebSocket(url, [...protocols], {
    ...tls, ...certificate,
    headers: { 'user-agent': 'trainyard', ...headers as { readonly [name: string]: string } },
    handshakeTimeout: OPEN_TIMEOUT_MS,
    maxPayload: MAX_MESSAGE,
    // kube-apiserver does not support compression.
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('upgrade', ({ socket: connected }: IncomingMessage) => connected.setKeepAlive(true, KEEP_ALIVE_MS));
    socket.once('open', () => {
      socket.pause();
      const pings = setInterval(() => socket.ping(), PING_MS).unref();
      socket.once('close', () => clearInterval(pings));
      resolve(socket);
    });
    socket.once('unexpected-response', (sent, response: IncomingMessage) => {
      // The request is complete, so destroying it would leave its connection open.
      const connection = sent.socket;
      refusal(description, response).then(reject, reject).finally(() => connection?.destroy());
    });
    // This listener stays: callers listen to `close`, which follows every later error.
    socket.on('error', (error: NodeJS.ErrnoException) => reject(new TransportError(description, error.code ?? 'ECONNRESET', false, { cause: error })));
  });
}

async function refusal(description: string, response: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_REFUSAL) {
      break;
    }
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return new ApiError(description, response.statusCode ?? 500, statusIn(text));
}

function statusIn(text: string): StatusBody {
  try {
    return JSON.parse(text) as StatusBody;
  } catch {
    // A proxy answers in plain text.
    return { message: text.trim().slice(0, 500) };
  }
}
