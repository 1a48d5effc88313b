/**
 * Opens a WebSocket to the API server with the credentials of the user. Node 20 has no WebSocket with client certificates and headers, so this is
 * the `ws` package; the operator, which opens none, is without it.
 */
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ApiError, TransportError, type StatusBody } from '../../../operator/runtime/http/api-error';
import type { KubeClient } from '../../../operator/runtime/kube-client';

/** What is opened. */
export interface StreamRequest {
  /** Path with its query, below the server's URL. */
  readonly path: string;
  /** Protocols that are understood, the preferred one first. */
  readonly protocols: readonly string[];
  /** For messages: `exec in pod "ns/name"`. */
  readonly description: string;
}

/** Milliseconds until the server must have answered. */
const OPEN_TIMEOUT_MS = 30_000;

/** Milliseconds between two signs of life, so that load balancers do not take a silent connection for a dead one. */
const PING_MS = 20_000;

/** TCP finds a peer that vanished without a word after about this many milliseconds of silence. */
const KEEP_ALIVE_MS = 30_000;

/** Most bytes of a message; servers send 32 KiB at a time. */
const MAX_MESSAGE = 16 * 1024 * 1024;

/** Most bytes of an answer that refuses. */
const MAX_REFUSAL = 16 * 1024;

/** Bytes that wait to be sent before more is read for them. */
const MAX_WAITING = 1024 * 1024;

/**
 * Opens it, paused: what comes first is not lost while whoever asked attaches its listeners, and then calls `resume`.
 * @throws ApiError where the server refuses, TransportError where it does not answer
 */
export async function openStream(client: KubeClient, request: StreamRequest): Promise<WebSocket> {
  try {
    return await open(client, request);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isUnauthorized) {
      throw error;
    }
    // As for other requests: a token may have expired in the meantime.
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
    // kube-apiserver does not compress, and what is copied seldom can be.
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
      refusal(description, response).then(reject, reject).finally(() => sent.destroy());
    });
    // Stays: an error after the opening is followed by `close`, which is what is listened to.
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

/** Something that is read from, and can be made to wait. */
interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Sends a message. While too many bytes wait, `source` is not read. */
export function sendSlowly(socket: WebSocket, message: Buffer, source: Pausable): void {
  socket.send(message, () => {
    if (socket.bufferedAmount < MAX_WAITING) {
      source.resume();
    }
  });
  if (socket.bufferedAmount >= MAX_WAITING) {
    source.pause();
  }
}

/** Something that is written to. */
export interface Sink {
  write(chunk: Buffer): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Writes what a socket has sent. While the sink has too much, the socket is not read. */
export function writeSlowly(socket: WebSocket, chunk: Buffer, sink: Sink): void {
  // Standard streams say false, and tests' nothing at all.
  if ((sink.write(chunk) as boolean | undefined) === false && !socket.isPaused) {
    socket.pause();
    sink.once('drain', () => socket.resume());
  }
}
