import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { LeaseLooks, LOOK_EVERY_MS, NodeLeases } from '../../../../src/operator/training/nodes/node-leases';

class FakeClock {
  public wall = 1_000_000_000;
  public ticks = 0;

  public now(): number {
    return this.wall + this.ticks;
  }

  public monotonic(): number {
    return this.ticks;
  }

  public after(seconds: number): void {
    this.ticks += seconds * 1000;
  }
}

/** Looks every 4 seconds for so long, and finds these versions, the last of them again and again. */
function look(looks: LeaseLooks, clock: FakeClock, seconds: number, ...versions: (string | undefined)[]): void {
  for (let second = 0; second < seconds; second += 4) {
    clock.after(4);
    looks.note('n1', versions.length > 1 ? versions.shift() : versions[0]);
  }
}

describe('a node\'s Lease', () => {
  let clock: FakeClock;
  let looks: LeaseLooks;

  beforeEach(() => {
    clock = new FakeClock();
    looks = new LeaseLooks(clock);
  });

  const silence = () => looks.of('n1')!.lookedAt - looks.of('n1')!.silentSince;

  it('is silent for as long as each look finds it unchanged', () => {
    looks.note('n1', 'a');
    look(looks, clock, 20, 'a');
    expect(silence()).toBe(20_000);
    expect(looks.of('n1')).not.toHaveProperty('renewedAgoMs');
  });

  it('is renewed when a look finds it changed, and no earlier than the look before', () => {
    looks.note('n1', 'a');
    look(looks, clock, 4, 'b');
    expect(looks.of('n1')).toMatchObject({ exists: true, renewedAgoMs: 4_000 });
    expect(silence()).toBe(0);
  });

  it('is not silent for the time in which nobody looked: an outage of the operator or of the API server', () => {
    looks.note('n1', 'a');
    clock.after(3_600);
    looks.note('n1', 'a');
    expect(silence()).toBe(0);
  });

  it('is judged by a clock that does not jump', () => {
    looks.note('n1', 'a');
    clock.after(4);
    clock.wall += 3_600_000;
    looks.note('n1', 'a');
    expect(silence()).toBe(4_000);
    clock.wall -= 7_200_000;
    expect(looks.of('n1')!.lookedAt).toBe(clock.now());
  });

  it('tells nothing of a node at which nobody has looked lately: it may be back', () => {
    looks.note('n1', 'a');
    look(looks, clock, 20, 'a');
    clock.after(11);
    expect(looks.of('n1')).toBeUndefined();
  });

  it('that was silent keeps its node from new pods for a minute, or until it is renewed', () => {
    looks.note('n1', 'a');
    look(looks, clock, 16, 'a');
    expect(looks.silentNodes(20_000)).toEqual([]);
    look(looks, clock, 4, 'a');
    expect(looks.silentNodes(20_000)).toEqual(['n1']);
    clock.after(60);
    expect(looks.silentNodes(20_000)).toEqual(['n1']);
    clock.after(1);
    expect(looks.silentNodes(20_000)).toEqual([]);

    looks.note('n1', 'a');
    look(looks, clock, 20, 'a');
    look(looks, clock, 4, 'b');
    expect(looks.silentNodes(20_000)).toEqual([]);
  });

  it('that is not there keeps no pod from its node', () => {
    looks.note('n1', undefined);
    look(looks, clock, 20, undefined);
    expect(looks.silentNodes(20_000)).toEqual([]);
  });

  it('that is not there, or may not be read, says nothing', () => {
    looks.note('n1', undefined);
    look(looks, clock, 20, undefined);
    expect(looks.of('n1')).toMatchObject({ exists: false });
    expect(looks.of('n2')).toBeUndefined();
  });
});

describe('Leases of nodes', () => {
  function reading(answer: () => Promise<unknown>) {
    const clock = new FakeClock();
    const asked: unknown[] = [];
    const client = { tryGet: async (kind: { plural: string }, ref: object) => { asked.push([kind.plural, ref]); return answer(); } };
    return { clock, asked, leases: new NodeLeases({ client: client as never, clock, logger: Logger.silent() }) };
  }

  it('are read by name and not more often than needed', async () => {
    const { leases, clock, asked } = reading(async () => ({ metadata: { uid: 'u', resourceVersion: '1' } }));
    await leases.look('n1');
    await leases.look('n1');
    expect(asked).toEqual([['leases', { namespace: 'kube-node-lease', name: 'n1' }]]);
    clock.after(LOOK_EVERY_MS / 1000);
    await leases.look('n1');
    expect(asked).toHaveLength(2);
    expect(leases.of('n1')).toMatchObject({ exists: true });
  });

  it('that may not be read leave it to the nodes themselves', async () => {
    const { leases } = reading(async () => { throw new ApiError('get leases', 403); });
    await leases.look('n1');
    expect(leases.of('n1')).toMatchObject({ exists: false });
  });

  it('that cannot be read now are looked at again, and nothing is known of them until then', async () => {
    const { leases } = reading(async () => { throw new Error('connection refused'); });
    await leases.look('n1');
    expect(leases.of('n1')).toBeUndefined();
    await expect(leases.lookNow('n1')).rejects.toThrow('connection refused');
  });
});
