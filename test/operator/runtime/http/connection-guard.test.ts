import { EventEmitter } from 'node:events';
import { ConnectionGuard, STRANGERS_PER_ADDRESS, STRANGER_MS, WAITING_PER_ADDRESS } from '../../../../src/operator/runtime/http/connection-guard';
import { FakeClock } from '../support/fake-clock';

class FakeSocket extends EventEmitter {
  public destroyed = false;

  public constructor(public remoteAddress: string | undefined, public remotePort: number) {
    super();
  }

  public destroy(): void {
    if (!this.destroyed) {
      this.destroyed = true;
      this.remoteAddress = undefined;
      this.emit('close');
    }
  }
}

class World {
  public readonly clock = new FakeClock();
  public readonly begun: FakeSocket[] = [];
  public readonly refused: string[] = [];
  public readonly guard: ConnectionGuard;
  private port = 0;

  public constructor(max?: number) {
    this.guard = new ConnectionGuard({
      clock: this.clock, max, begin: (socket) => void this.begun.push(socket as FakeSocket), onRefused: (reason) => void this.refused.push(reason),
    });
  }

  public connect(address: string): FakeSocket {
    const socket = new FakeSocket(address, ++this.port);
    this.guard.admit(socket);
    return socket;
  }

  public connectMany(address: string, count: number): FakeSocket[] {
    return Array.from({ length: count }, () => this.connect(address));
  }

  /** A client that connects, is authorized, and goes. */
  public report(address: string): boolean {
    const socket = this.connect(address);
    if (!this.begun.includes(socket)) {
      return false;
    }
    const connection = this.guard.find(socket)!;
    connection.requestBegins();
    connection.authorize();
    connection.requestEnds();
    socket.destroy();
    return true;
  }

  public count(reason: string): number {
    return this.refused.filter((one) => one === reason).length;
  }
}

test('of one address so many strangers are served, so many wait, and the rest is closed; another address is served at once', () => {
  const world = new World();
  world.connectMany('10.0.0.1', 5_000);
  expect(world.begun).toHaveLength(STRANGERS_PER_ADDRESS);
  expect(world.guard.size).toBe(STRANGERS_PER_ADDRESS + WAITING_PER_ADDRESS);
  expect(world.count('address')).toBe(5_000 - world.guard.size);
  const other = world.connect('10.0.0.2');
  expect(other.destroyed).toBe(false);
});

test('an address that waits takes turns with one that floods', async () => {
  const world = new World();
  world.connectMany('10.0.0.1', 5_000);
  const other = world.connect('10.0.0.2');
  await world.clock.advance(20);
  expect(world.begun).toContain(other);
});

test('a stranger is closed after five seconds, and those that waited get its place', async () => {
  const world = new World();
  const [first, ...rest] = world.connectMany('10.0.0.1', STRANGERS_PER_ADDRESS + 1);
  const last = rest.at(-1)!;
  expect(world.begun).not.toContain(last);
  await world.clock.advance(STRANGER_MS + 1_000);
  expect(first.destroyed).toBe(true);
  expect(world.begun).toContain(last);
  expect(world.count('silent')).toBe(STRANGERS_PER_ADDRESS);
});

test('a connection that was authorized stays, and one whose request is being answered is not cut', async () => {
  const world = new World();
  const [authorized, answering, silent] = world.connectMany('10.0.0.1', 3);
  world.guard.find(authorized)!.authorize();
  const connection = world.guard.find(answering)!;
  connection.requestBegins();
  await world.clock.advance(60_000);
  expect([authorized, answering, silent].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  connection.requestEnds();
  await world.clock.advance(STRANGER_MS);
  expect(answering.destroyed).toBe(true);
});

test('pods of one address that report are not limited as strangers are: 500 of them, again and again', () => {
  const world = new World();
  const reported = Array.from({ length: 5 * 100 }, () => world.report('10.0.0.1')).filter(Boolean);
  // What limits them is the pace of handshakes for all, which takes a hundred at once.
  expect(reported).toHaveLength(100);
  expect(world.refused).toEqual([]);
});

test('500 pods of one address that report together are all served in a few seconds', async () => {
  const world = new World();
  const sockets = world.connectMany('10.0.0.1', 500);
  const served = new Set<FakeSocket>();
  const answer = () => world.begun.forEach((socket) => {
    if (!served.has(socket)) {
      served.add(socket);
      world.guard.find(socket)!.authorize();
      socket.destroy();
    }
  });
  for (let turn = 0; turn < 100; turn++) {
    answer();
    await world.clock.advance(20);
  }
  expect(served.size).toBe(sockets.length);
  expect(world.refused).toEqual([]);
});

test('handshakes that end in nothing are paced, for one address and for all together', async () => {
  const world = new World();
  const knock = (address: string) => world.connect(address).destroy();
  for (let turn = 0; turn < 1_000; turn++) {
    knock('10.0.0.1');
  }
  expect(world.begun.length).toBeLessThanOrEqual(64);
  for (let address = 0; address < 1_000; address++) {
    knock(`10.0.1.${address}`);
  }
  expect(world.begun.length).toBeLessThanOrEqual(100);
  await world.clock.advance(1_000);
  expect(world.begun.length).toBeLessThanOrEqual(700);
});

test('near the limit the oldest stranger of the address with the most of them is closed, and then the oldest that is idle', async () => {
  const world = new World(10);
  const honest = world.connect('10.0.0.9');
  const flood = world.connectMany('10.0.0.1', 20);
  expect(honest.destroyed).toBe(false);
  expect(world.guard.size).toBe(10);
  expect(flood.filter(({ destroyed }) => destroyed)).toHaveLength(11);
  for (const socket of flood.filter(({ destroyed }) => !destroyed)) {
    world.guard.find(socket)!.authorize();
  }
  world.guard.find(honest)!.authorize();
  const late = world.connect('10.0.0.3');
  expect(late.destroyed).toBe(false);
  expect(honest.destroyed).toBe(true);
});

test('at the end those that wait are closed, and no timer is left', () => {
  const world = new World();
  world.connectMany('10.0.0.1', 200);
  world.guard.close();
  world.begun.forEach((socket) => socket.destroy());
  expect(world.guard.size).toBe(0);
  expect(world.clock.pendingTimers).toBe(0);
  expect(world.connect('10.0.0.1').destroyed).toBe(true);
});
