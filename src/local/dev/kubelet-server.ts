/**
 * The part of a kubelet's API that the API server asks a pod's node for: `/containerLogs/NAMESPACE/POD/CONTAINER?follow=true&tailLines=10` for
 * `kubectl logs`, and as WebSockets `/exec/...` and `/portForward/...` (kubelet-streams.ts). Served on loopback only, and only to whoever shows a
 * certificate of this control plane: logs hold what programs print, commands do what the user may, and every user of the machine and every web page
 * reaches the port.
 */
import fs from 'node:fs';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeletStreams, type StreamTargets } from './kubelet-streams';

/** Milliseconds between two looks at a log that is followed. */
const FOLLOW_POLL_MS = 200;

export interface ReadableLog {
  readonly file: string;
  /** Whether nothing will be added any more. */
  hasEnded(): boolean;
}

export interface KubeletServerOptions extends StreamTargets {
  /** PEM: what it shows to the API server. */
  readonly cert: string;
  readonly key: string;
  /** PEM: the authority that has to have signed a client's certificate. */
  readonly clientCa: string;
  /** Finds a container's log; undefined when there is no such container. */
  readonly findLog: (namespace: string, pod: string, container: string) => ReadableLog | undefined;
}

/** Serves logs, commands and ports over HTTPS. */
export class KubeletServer {
  private readonly server: https.Server;
  private readonly streams: KubeletStreams;

  private constructor(private readonly options: KubeletServerOptions) {
    const { cert, key, clientCa } = options;
    this.streams = new KubeletStreams(options);
    // Also of connections that ask for another protocol: certificates are looked at when a connection is made.
    this.server = https.createServer({ cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true }, (request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    }).on('upgrade', (request, socket, head) => this.streams.upgrade(request, socket, head));
  }

  /** Starts it on a free port of 127.0.0.1. */
  public static async start(options: KubeletServerOptions): Promise<KubeletServer> {
    const made = new KubeletServer(options);
    await new Promise<void>((resolve, reject) => made.server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return made;
  }

  public get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends it, all who follow a log, and all commands. */
  public close(): void {
    this.streams.close();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
    const [, what, namespace, pod, container] = pathname.split('/').map(decodeURIComponent);
    const log = what === 'containerLogs' ? this.options.findLog(namespace, pod, container) : undefined;
    if (log === undefined) {
      response.writeHead(404).end(what === 'containerLogs' ? `no log of container ${container} of pod ${namespace}/${pod} on this machine\n`
        : `trainyard dev serves logs, and commands and ports by WebSocket, but not ${what}\n`);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.flushHeaders();
    const tail = searchParams.get('tailLines');
    let position = tail === null ? 0 : startOfTail(log.file, Number(tail));
    do {
      // Asked first: what was written before the end is then read for sure.
      const ended = log.hasEnded();
      position = await send(log.file, position, response);
      if (ended || searchParams.get('follow') !== 'true') {
        break;
      }
      await delay(FOLLOW_POLL_MS);
    } while (!response.destroyed);
    response.end();
  }
}

/** Sends what the file has from a position on; returns where it ends. A container that has written nothing has no file. */
async function send(file: string, from: number, response: http.ServerResponse): Promise<number> {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= from) {
    return from;
  }
  for await (const chunk of fs.createReadStream(file, { start: from, end: size - 1 })) {
    if (!response.write(chunk)) {
      await new Promise<void>((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  }
  return size;
}

function startOfTail(file: string, lines: number): number {
  const text = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
  let position = text.length;
  // The end of the last line is not one that stands before another line.
  for (let left = lines, at = text.length - 1; at > 0 && left > 0; left--) {
    at = text.lastIndexOf(0x0a, at - 1);
    position = at + 1;
  }
  return position;
}
