/**
 * The WebSockets of a kubelet: commands in containers, here processes with the environment, folder and paths of the container's process, and
 * connections to ports of pods, here of this machine. The API server proxies version 4 of the protocol unchanged. It proxies version 5, which
 * `kubectl exec` uses, because the node declares `ExtendWebSocketsToKubelet` (local-node.ts); otherwise it would translate it to SPDY.
 */
import type http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { ExecNeeds, ExecProcess } from '../process/exec-process';
import {
  CLOSE_CHANNEL, COMMAND_CHANNELS, PORT_CHANNELS, V4_PROTOCOL, V5_PROTOCOL, channelMessage, commandEndMessage, portPrefix, sizeIn, type CommandEnd,
} from '../../operator/runtime/http/stream-channels';
import { sendSlowly, writeSlowly } from '../../operator/runtime/http/stream-flow';

/** What the streams connect to. */
export interface StreamTargets {
  /** Starts a command in a container; undefined when there is no such container. @throws Error where it cannot be started */
  readonly exec: (namespace: string, pod: string, container: string, command: readonly string[], needs: ExecNeeds) => ExecProcess | undefined;
  /** Whether a pod of this name runs here. */
  readonly hasPod: (namespace: string, pod: string) => boolean;
}

/** Address of every pod. */
const LOOPBACK = '127.0.0.1';

/** Status of WebSockets that end as planned. kubectl reports an error for connections that end without a status. */
const NORMAL_CLOSURE = 1000;

/** Maximum bytes of a message, as in a kubelet. */
const MAX_MESSAGE = 32 * 1024 * 1024;

export class KubeletStreams {
  private readonly servers = [[V5_PROTOCOL, V4_PROTOCOL], [V4_PROTOCOL]].map((known) => new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (offered) => known.find((protocol) => offered.has(protocol)) ?? false,
  }));

  public constructor(private readonly targets: StreamTargets) {}

  /** Handles an upgrade request. */
  public upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    try {
      this.connect(request, socket, head);
    } catch (error) {
      // The address is malformed.
      refuse(socket, 400, (error as Error).message);
    }
  }

  /** Closes all streams. */
  public close(): void {
    this.servers.flatMap((server) => [...server.clients]).forEach((stream) => stream.terminate());
  }

  private connect(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
    const [, what, namespace, pod, ...rest] = pathname.split('/').map(decodeURIComponent);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    const [commands, ports] = this.servers;
    if (!['exec', 'portForward'].includes(what)) {
      return refuse(socket, 404, `trainyard dev does not serve ${what}`);
    }
    if (!this.targets.hasPod(namespace, pod)) {
      return refuse(socket, 404, `pod ${namespace}/${pod} does not run on this machine`);
    }
    if (!offered.includes(V4_PROTOCOL) && !(what === 'exec' && offered.includes(V5_PROTOCOL))) {
      return refuse(socket, 400, `trainyard dev serves ${what} with the WebSocket protocol ${V4_PROTOCOL} only`);
    }
    if (what === 'portForward') {
      const port = Number(searchParams.get('port'));
      if (!Number.isInteger(port) || port < 1 || port > 65_535) {
        return refuse(socket, 400, 'trainyard dev forwards one port for each connection');
      }
      return ports.handleUpgrade(request, socket, head, (stream) => forward(stream, port));
    }
    // The path may have the pod's uid before the container.
    const container = rest.at(-1) ?? '';
    const is = (name: string) => ['1', 'true'].includes(searchParams.get(name) ?? '');
    commands.handleUpgrade(request, socket, head, (stream) => {
      const needs = { stdin: is('input'), terminal: is('tty') };
      try {
        const running = this.targets.exec(namespace, pod, container, searchParams.getAll('command'), needs);
        if (running === undefined) {
          throw new Error(`container ${container} of pod ${namespace}/${pod} does not run`);
        }
        relay(stream, running);
      } catch (error) {
        finish(stream, { kind: 'failed', message: (error as Error).message });
      }
    });
  }
}

function refuse(socket: Duplex, status: number, message: string): void {
  const body = `${message}\n`;
  socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

function finish(stream: WebSocket, end: CommandEnd): void {
  stream.send(commandEndMessage(end), () => stream.close(NORMAL_CLOSURE));
}

/** Connects a command with its client, and ends the command when the client disconnects. */
function relay(stream: WebSocket, running: ExecProcess): void {
  const { stdin, stdout, stderr } = running;
  // Like a kubelet: an empty message confirms the connection.
  stream.send(channelMessage(COMMAND_CHANNELS.stdout, Buffer.alloc(0)));
  for (const [channel, output] of [[COMMAND_CHANNELS.stdout, stdout], [COMMAND_CHANNELS.stderr, stderr]] as const) {
    output?.on('data', (chunk: Buffer) => sendSlowly(stream, channelMessage(channel, chunk), output));
  }
  stream.on('message', (data: RawData) => {
    const message = data as Buffer;
    const rest = message.subarray(1);
    switch (message[0]) {
      case COMMAND_CHANNELS.stdin:
        if (rest.length > 0 && stdin?.writable) {
          writeSlowly(stream, rest, stdin);
        }
        break;
      case COMMAND_CHANNELS.resize: {
        const size = sizeIn(rest);
        if (size !== undefined) {
          running.resize(size.columns, size.rows);
        }
        break;
      }
      case CLOSE_CHANNEL:
        if (rest[0] === COMMAND_CHANNELS.stdin) {
          stdin?.end();
        }
    }
  });
  stream.on('error', () => stream.terminate()).once('close', () => running.kill());
  void running.ended.then((end) => finish(stream, end));
}

/** A connection to a port of this machine. */
function forward(stream: WebSocket, port: number): void {
  const say = (channel: number, data: Buffer) => stream.send(channelMessage(channel, data));
  say(PORT_CHANNELS.data, portPrefix(port));
  say(PORT_CHANNELS.error, portPrefix(port));
  const socket = net.connect({ host: LOOPBACK, port, noDelay: true });
  socket.on('data', (chunk: Buffer) => sendSlowly(stream, channelMessage(PORT_CHANNELS.data, chunk), socket));
  socket.once('error', ({ code, message }: NodeJS.ErrnoException) => say(PORT_CHANNELS.error, Buffer.from(
    code === 'ECONNREFUSED' ? `nothing listens on ${LOOPBACK}:${port}` : `${LOOPBACK}:${port}: ${message}`)));
  socket.once('close', () => stream.close(NORMAL_CLOSURE));
  stream.on('message', (data: RawData) => {
    const message = data as Buffer;
    if (message[0] === PORT_CHANNELS.data && socket.writable) {
      writeSlowly(stream, message.subarray(1), socket);
    }
  });
  stream.on('error', () => stream.terminate()).once('close', () => socket.destroySoon());
}
