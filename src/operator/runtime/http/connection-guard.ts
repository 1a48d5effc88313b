/**
 * Decides which connections a server takes, before TLS: a handshake costs a millisecond of the one event loop, and anybody in the cluster can ask for
 * one.
 *
 * A connection is a stranger until a request on it was authorized. Strangers are bounded: {@link STRANGERS_PER_ADDRESS} of one address are served at
 * a time, further ones wait, each has {@link STRANGER_MS} to send a request that is authorized, and near the limit of all connections the oldest
 * stranger of the address with the most of them is closed, or else the oldest that is idle. Handshakes are paced, for each address and in all;
 * addresses that wait take turns. A connection that was authorized gives its place among the strangers back, and its handshake too: the pods of a
 * node may share one address, and honest clients are bounded by the rate of their reports instead.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SYSTEM_CLOCK, type Clock, type Timer } from '../process/clock';
import { TokenBuckets } from './token-buckets';

/** The part of a socket that is needed. */
export interface GuardedSocket {
  readonly remoteAddress?: string;
  readonly remotePort?: number;
  destroy(): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

/** Why a connection was closed: too many of its address, too many in all, or nothing authorized came in time. */
export type RefusalReason = 'address' | 'limit' | 'silent';

/** Settings of a {@link ConnectionGuard}. */
export interface ConnectionGuardOptions {
  /** Serves a connection. */
  readonly begin: (socket: GuardedSocket) => void;
  readonly onRefused?: (reason: RefusalReason) => void;
  /** Most connections at a time, those that wait included. @default 4096 */
  readonly max?: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A connection as the server tells what happens on it. */
export interface GuardedConnection {
  requestBegins(): void;
  requestEnds(): void;
  /** A request was authorized. */
  authorize(): void;
}

/** Strangers of one address that are served at a time. */
export const STRANGERS_PER_ADDRESS = 64;

/** Connections of one address that wait to be served: more pods than a node has. */
export const WAITING_PER_ADDRESS = 448;

/** A stranger is closed after this, milliseconds, unless a request of it is being answered. */
export const STRANGER_MS = 5_000;

/** A connection that was not served until then is closed, milliseconds. */
const WAITING_MS = 10_000;

/** Connections of one address without an authorized request that are begun in a second, and at once. */
const ADDRESS_PACE = { perSecond: 32, burst: 64 };

/** Connections that are begun in a second, and at once: at about a millisecond each, half of the event loop's time is left for all else. */
const PACE = { perSecond: 500, burst: 100 };

/** Pause between two looks at those who wait, and at strangers, milliseconds. */
const TURN_MS = 20;
const SWEEP_MS = 1_000;

const MAX_CONNECTIONS = 4_096;

/** Key of the one bucket for all. */
const ALL = '';

interface Address {
  readonly name: string;
  /** From the oldest to the newest; those that wait are among them. */
  readonly strangers: Set<Connection>;
  readonly waiting: Set<Connection>;
}

interface Connection extends GuardedConnection {
  readonly socket: GuardedSocket;
  /** A socket that is closed does not know its address any more. */
  readonly key: string;
  readonly address: Address;
  /** Since when it waits, or is served. */
  since: number;
  requests: number;
  isAuthorized: boolean;
}

/** See the top of this file. */
export class ConnectionGuard {
  private readonly clock: Clock;
  private readonly max: number;
  private readonly pace: TokenBuckets;
  private readonly addressPace: TokenBuckets;
  private readonly connections = new Map<string, Connection>();
  /** Addresses with strangers. */
  private readonly addresses = new Map<string, Address>();
  /** Addresses of which a connection waits; the next in turn first. */
  private readonly turns = new Set<Address>();
  private turn?: Timer;
  private sweep?: Timer;
  private closed = false;

  public constructor(private readonly options: ConnectionGuardOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.max = options.max ?? MAX_CONNECTIONS;
    this.pace = new TokenBuckets({ ...PACE, clock: this.clock });
    this.addressPace = new TokenBuckets({ ...ADDRESS_PACE, clock: this.clock });
  }

  /** Open connections, those that wait included. */
  public get size(): number {
    return this.connections.size;
  }

  /** Takes a new connection: serves it now or later, or closes it. */
  public admit(socket: GuardedSocket): void {
    // One that waits has no other listener, and its client may be gone at any time.
    socket.on('error', () => undefined);
    const name = socket.remoteAddress;
    if (name === undefined || this.closed) {
      socket.destroy();
      return;
    }
    const known = this.addresses.get(name);
    if (known !== undefined && known.waiting.size >= WAITING_PER_ADDRESS) {
      this.refuse(socket, 'address');
      return;
    }
    if (this.connections.size >= this.max && !this.makeRoom()) {
      this.refuse(socket, 'limit');
      return;
    }
    const address = this.addressOf(name);
    const connection = this.connectionOf(socket, address);
    this.connections.set(connection.key, connection);
    socket.on('close', () => this.forget(connection));
    address.strangers.add(connection);
    address.waiting.add(connection);
    this.schedule();
    if (this.turns.size > 0 || !this.beginNext(address)) {
      this.turns.add(address);
      this.turn ??= this.clock.schedule(() => this.takeTurns(), TURN_MS);
    }
  }

  /** The connection that a socket over this one's belongs to, such as that of TLS. */
  public find(socket: Pick<GuardedSocket, 'remoteAddress' | 'remotePort'>): GuardedConnection | undefined {
    return this.connections.get(keyOf(socket));
  }

  /** Closes those that wait, and takes no more. */
  public close(): void {
    this.closed = true;
    this.turn?.cancel();
    this.sweep?.cancel();
    for (const { waiting } of this.addresses.values()) {
      [...waiting].forEach(({ socket }) => socket.destroy());
    }
  }

  /** Begins the connection of an address that waits for longest, if it may. */
  private beginNext(address: Address): boolean {
    const [next] = address.waiting;
    const served = address.strangers.size - address.waiting.size;
    if (next === undefined || served >= STRANGERS_PER_ADDRESS || this.pace.waitMs(ALL) > 0 || this.addressPace.waitMs(address.name) > 0) {
      return false;
    }
    this.pace.take(ALL);
    this.addressPace.take(address.name);
    address.waiting.delete(next);
    next.since = this.clock.monotonic();
    this.options.begin(next.socket);
    return true;
  }

  /** One connection of each address that waits, again and again, until none may be begun. */
  private takeTurns(): void {
    this.turn = undefined;
    let hasBegun = true;
    while (hasBegun) {
      hasBegun = false;
      for (const address of [...this.turns]) {
        if (address.waiting.size === 0) {
          this.turns.delete(address);
        } else if (this.beginNext(address)) {
          hasBegun = true;
          this.turns.delete(address);
          this.turns.add(address);
        }
      }
    }
    if (this.turns.size > 0 && !this.closed) {
      this.turn = this.clock.schedule(() => this.takeTurns(), TURN_MS);
    }
  }

  private schedule(): void {
    if (!this.closed) {
      this.sweep ??= this.clock.schedule(() => this.closeSilent(), SWEEP_MS);
    }
  }

  private closeSilent(): void {
    this.sweep = undefined;
    const now = this.clock.monotonic();
    for (const { strangers, waiting } of [...this.addresses.values()]) {
      for (const connection of [...strangers]) {
        if (connection.requests === 0 && now - connection.since >= (waiting.has(connection) ? WAITING_MS : STRANGER_MS)) {
          this.drop(connection, 'silent');
        }
      }
    }
    if (this.addresses.size > 0) {
      this.schedule();
    }
  }

  /** Closes a stranger, or else the connection that is open for longest, of those without a request. @returns whether there is room now */
  private makeRoom(): boolean {
    const [worst] = [...this.addresses.values()].sort((a, b) => b.strangers.size - a.strangers.size);
    const isIdle = ({ requests }: Connection) => requests === 0;
    const oldest = [...worst?.strangers ?? []].find(isIdle) ?? [...this.connections.values()].find(isIdle);
    if (oldest !== undefined) {
      this.drop(oldest, 'limit');
    }
    return oldest !== undefined;
  }

  private addressOf(name: string): Address {
    const address = this.addresses.get(name) ?? { name, strangers: new Set(), waiting: new Set() };
    this.addresses.set(name, address);
    return address;
  }

  private connectionOf(socket: GuardedSocket, address: Address): Connection {
    const connection: Connection = {
      socket,
      key: keyOf(socket),
      address,
      since: this.clock.monotonic(),
      requests: 0,
      isAuthorized: false,
      requestBegins: () => { connection.requests++; },
      requestEnds: () => { connection.requests--; },
      authorize: () => {
        if (!connection.isAuthorized) {
          connection.isAuthorized = true;
          this.leaveStrangers(connection);
          this.addressPace.giveBack(address.name);
        }
      },
    };
    return connection;
  }

  private drop(connection: Connection, reason: RefusalReason): void {
    this.forget(connection);
    this.refuse(connection.socket, reason);
  }

  private refuse(socket: GuardedSocket, reason: RefusalReason): void {
    this.options.onRefused?.(reason);
    socket.destroy();
  }

  private forget(connection: Connection): void {
    if (this.connections.get(connection.key) === connection) {
      this.connections.delete(connection.key);
    }
    this.leaveStrangers(connection);
  }

  private leaveStrangers(connection: Connection): void {
    const { address } = connection;
    address.strangers.delete(connection);
    address.waiting.delete(connection);
    if (address.strangers.size === 0 && this.addresses.get(address.name) === address) {
      this.addresses.delete(address.name);
      this.turns.delete(address);
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Pick<GuardedSocket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress}|${remotePort}`;
}

/**
 * Puts a guard between the socket on which a server listens and the server, that is before TLS. The server tells the guard of each request;
 * whether one is authorized only its handler knows.
 */
export function guardConnections(server: Server, onRefused?: (reason: RefusalReason) => void): ConnectionGuard {
  const begin = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const guard = new ConnectionGuard({ begin: (socket) => begin.forEach((listener) => listener.call(server, socket as Socket)), onRefused });
  server.on('connection', (socket: Socket) => guard.admit(socket));
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = guard.find(request.socket);
    connection?.requestBegins();
    response.once('close', () => connection?.requestEnds());
  });
  return guard;
}
