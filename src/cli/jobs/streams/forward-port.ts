/**
 * Forwards a local port to a port of a pod. Each TCP connection has its own WebSocket, so that a slow connection does not block others, and so that
 * new connections reach the new pod after a restart.
 */
import net, { type AddressInfo, type Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { openStream } from './open-stream';
import type { PortPair } from './port-spec';
import { CliError } from '../../cli-error';
import { PORT_CHANNELS, PORT_PREFIX_BYTES, V4_PROTOCOL, channelMessage } from '../../../operator/runtime/http/stream-channels';
import { sendSlowly, writeSlowly } from '../../../operator/runtime/http/stream-flow';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { PODS, objectPath } from '../../../operator/runtime/resource-kind';

export interface ForwardRequest {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly pod: string;
  /** Local address to listen on. */
  readonly address: string;
  readonly ports: PortPair;
  /** Called when a connection to the pod could not be opened. */
  readonly onRefused: (error: Error) => void;
  /** Called with an error that the kubelet reports, such as that nothing listens on the port. */
  readonly onProblem: (sentence: string) => void;
}

/** An open local port. */
export interface ForwardedPort {
  readonly local: number;
  readonly remote: number;
  close(): void;
}

/** Idle milliseconds after which a half-closed connection is closed: the protocol cannot pass on that the client has finished sending. */
const HALF_OPEN_MS = 30_000;

/** Milliseconds for a server to confirm that a connection is closed. */
const CLOSE_MS = 2_000;

/** Starts listening. @throws CliError when the port is not available */
export async function forwardPort(request: ForwardRequest): Promise<ForwardedPort> {
  const { address, ports } = request;
  const open = new Set<Socket>();
  // Sockets are paused until the connection to the pod is open.
  const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
    connect(request, socket).catch((error: Error) => {
      socket.destroy();
      request.onRefused(error);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => reject(cannotListen(address, ports, error)));
    server.listen(ports.local, address, resolve);
  });
  return {
    local: (server.address() as AddressInfo).port,
    remote: ports.remote,
    close: () => {
      server.close();
      open.forEach((socket) => socket.destroy());
    },
  };
}

function cannotListen(address: string, { local, remote }: PortPair, { code, message }: NodeJS.ErrnoException): CliError {
  const where = `Listening on ${shownAddress(address)}:${local}`;
  const other = `Choose another local port, such as ${Math.min(local + 10_000, 60_000)}:${remote}, or :${remote} for any free one.`;
  switch (code) {
    case 'EADDRINUSE': return new CliError(`${where}: another program uses this port. ${other}`);
    case 'EACCES': return new CliError(`${where}: only an administrator may use ports below 1024. ${other}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND': return new CliError(`${where}: this machine does not have the address ${address}. Leave --address out, or use an address of this machine.`);
    default: return new CliError(`${where}: ${message}.`);
  }
}

/** `127.0.0.1`, `[::1]`. */
export function shownAddress(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

async function connect({ client, namespace, pod, ports, onProblem }: ForwardRequest, local: Socket): Promise<void> {
  const remote = await openStream(client, {
    path: `${objectPath(PODS, { namespace, name: pod }, 'portforward')}?ports=${ports.remote}`,
    protocols: [V4_PROTOCOL],
    description: `port-forward to port ${ports.remote} of pod "${namespace}/${pod}"`,
  });
  if (local.destroyed || remote.readyState > remote.OPEN) {
    remote.terminate();
    local.destroy();
    return;
  }
  const prefixes: number[] = [0, 0];
  remote.on('message', (data: RawData) => {
    const message = data as Buffer;
    const channel = message[0];
    if (channel > PORT_CHANNELS.error) {
      return;
    }
    // Each channel starts with the port number, as a message of its own or together with data.
    const skipped = Math.min(PORT_PREFIX_BYTES - prefixes[channel], message.length - 1);
    prefixes[channel] += skipped;
    const rest = message.subarray(1 + skipped);
    if (rest.length === 0) {
      return;
    }
    if (channel === PORT_CHANNELS.data) {
      writeSlowly(remote, rest, local);
    } else {
      onProblem(rest.toString('utf8').trim());
    }
  });
  // Pending data is written first.
  remote.once('close', () => local.destroySoon());
  local.on('data', (chunk: Buffer) => sendSlowly(remote, channelMessage(PORT_CHANNELS.data, chunk), local));
  local.once('end', () => local.setTimeout(HALF_OPEN_MS, () => local.destroy()));
  local.once('close', () => closeAfterSending(remote));
  remote.resume();
  local.resume();
}

function closeAfterSending(remote: WebSocket): void {
  remote.resume();
  remote.close();
  setTimeout(() => remote.terminate(), CLOSE_MS).unref();
}
