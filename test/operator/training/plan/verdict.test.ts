/**
 * A node is lost, and the ranks on other nodes fail first: what is counted, and against whom. The node's Lease stops at the moment of the loss, and
 * the operator may be another process at each step, because all that it remembers is in the status.
 */
import fc from 'fast-check';
import { makeJob, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';
import { VERDICT_LIMIT_MS } from '../../../../src/operator/training/plan/silent-pods';
import type { LeaseState, NodeState, ObservedPod, PodFailure } from '../../../../src/operator/training/plan/types';

const ECHO: Partial<PodFailure> = { exitCode: 1, logTail: 'RuntimeError: Connection closed by peer [10.0.0.7]:29500' };
const FAULT: Partial<PodFailure> = { exitCode: 1, logTail: 'CUDA error: uncorrectable ECC error encountered' };

/** A gang on nodes of two ranks each, in a small world: pods that are deleted stay until their kubelet lets them go. */
class Cluster {
  public readonly job: PlannedJob;
  /** Nodes that are lost, with the time of the loss. */
  public readonly lost = new Map<string, number>();
  public hasLeases = true;
  public isNotReadyAfter = 45;
  /** When Leases are looked at from. */
  private readonly watchedFrom = new Map<string, number>();

  public constructor(builder: JobBuilder, private readonly perNode = 2) {
    this.job = new PlannedJob(builder).run();
    [...this.job.pods.keys()].forEach((name, index) => this.put(name, { state: 'Running', node: `n${Math.floor(index / this.perNode)}` }));
    this.see();
    this.job.pass();
  }

  public get names(): string[] {
    return [...this.job.pods.keys()];
  }

  public nodeOf(name: string): string {
    return this.job.pods.get(name)!.node!;
  }

  public lose(node: string): void {
    this.lost.set(node, this.job.now);
  }

  public fail(name: string, failure: Partial<PodFailure>): void {
    this.put(name, { state: 'Failed', failure: { disruption: false, container: 'training', exitCode: 1, reason: 'Error', ...failure } });
  }

  /** A pass of the operator, and kubelets that let go what was deleted; those of lost nodes do not. */
  public pass(seconds = 0): this {
    this.job.after(seconds);
    this.see();
    const before = new Map(this.job.pods);
    this.job.pass();
    for (const action of this.job.actions) {
      if (action.type === 'lookAtNode' && !this.watchedFrom.has(action.node)) {
        this.watchedFrom.set(action.node, this.job.now);
      }
      if (action.type === 'deletePod' && action.force !== true && this.lost.has(before.get(action.name)?.node ?? '')) {
        this.job.pods.set(action.name, { ...before.get(action.name)!, deleting: true, deletionDeadline: this.job.now + 30_000 });
      }
    }
    return this;
  }

  /** New pods find nodes that are well, and run. */
  public start(): this {
    this.names.filter((name) => this.job.pods.get(name)!.node === undefined).forEach((name, index) => this.put(name, { state: 'Running', node: `new${index}` }));
    return this;
  }

  private put(name: string, change: Partial<ObservedPod>): void {
    this.job.pods.set(name, { ...this.job.pods.get(name)!, ...change });
  }

  private see(): void {
    this.job.pods.forEach((pod, name) => pod.node !== undefined && this.put(name, { nodeState: this.stateOf(pod.node) }));
  }

  private stateOf(node: string): NodeState {
    const { now } = this.job;
    const lostAt = this.lost.get(node);
    const isNotReady = lostAt !== undefined && now - lostAt >= this.isNotReadyAfter * 1000;
    const lease = this.leaseOf(node);
    return { health: isNotReady ? 'NotReady' : 'Ready', ...(isNotReady && { since: lostAt + this.isNotReadyAfter * 1000 }), ...(lease && { lease }) };
  }

  private leaseOf(node: string): LeaseState | undefined {
    const { now } = this.job;
    const from = this.watchedFrom.get(node);
    const lostAt = this.lost.get(node);
    if (from === undefined) {
      return undefined;
    }
    if (!this.hasLeases) {
      return { exists: false, silentSince: from, lookedAt: now };
    }
    return lostAt === undefined
      ? { exists: true, silentSince: now, lookedAt: now, ...(now - from >= 10_000 && { renewedAgoMs: 5_000 }) }
      : { exists: true, silentSince: Math.max(lostAt, from), lookedAt: now };
  }
}

const gang = (ranks = 4) => makeJob().pytorch(ranks).restartPolicy('OnFailure').backoffLimit(2);

describe('a peer of a rank whose node is lost', () => {
  it('fails first: the job starts again at once, and nothing is counted against it', () => {
    const cluster = new Cluster(gang());
    const [first, , third] = cluster.names;
    cluster.lose(cluster.nodeOf(third));
    const healthy = cluster.nodeOf(first);
    cluster.fail(first, { ...ECHO, ...FAULT });
    cluster.pass(5);
    expect(cluster.job.status).toMatchObject({
      attempt: 1, phase: 'Restarting', restarts: 0, disruptions: 0, provisionalFailure: { attempt: 0, pod: first, node: healthy, puts: 'Restart' },
    });
    expect(cluster.job.status.suspectNodes).toBeUndefined();

    for (let second = 0; second < 24; second += 3) {
      cluster.pass(3);
    }
    expect(cluster.job.status).toMatchObject({
      restarts: 0, disruptions: 2, lastFailure: { pod: third, node: 'n1', reason: 'NodeSilent' }, lastRestart: { cause: 'Disruption', reason: 'NodeSilent' },
    });
    expect(cluster.job.status).not.toHaveProperty('provisionalFailure', expect.anything());
    expect(cluster.job.status.suspectNodes).toBeUndefined();
    expect(cluster.job.events).toContainEqual({ type: 'Warning', reason: 'JobDisrupted', message: expect.stringContaining(`the failure of ${first} followed from it and is not counted`) });
  });

  it('is replaced no later than 30 s after the loss', () => {
    const cluster = new Cluster(gang());
    const { now } = cluster.job;
    cluster.lose('n1');
    cluster.pass(5);
    cluster.fail(cluster.names[0], ECHO);
    while (cluster.job.created.length < 4 && cluster.job.now < now + 60_000) {
      cluster.pass(1);
    }
    expect(cluster.job.created).toHaveLength(4);
    expect((cluster.job.now - now) / 1000).toBeLessThanOrEqual(30);
  });

  it('does not end a job that is never started again for failures', () => {
    const cluster = new Cluster(gang().restartPolicy('Never'));
    cluster.lose('n1');
    cluster.fail(cluster.names[0], ECHO);
    cluster.pass(5);
    expect(cluster.job.status).toMatchObject({ attempt: 0, provisionalFailure: { puts: 'End' } });
    expect(cluster.job.status.phase).not.toBe('Failed');
    expect(cluster.job.condition('Running')?.message).toContain('which ends the job unless a node of another replica is lost');

    for (let second = 0; second < 30; second += 3) {
      cluster.pass(3);
    }
    expect(cluster.job.status).toMatchObject({ attempt: 1, restarts: 0, disruptions: 2, lastFailure: { node: 'n1', reason: 'NodeSilent' } });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
  });

  it('does not use up the last of backoffLimit', () => {
    const cluster = new Cluster(gang().backoffLimit(0));
    cluster.lose('n1');
    cluster.fail(cluster.names[0], ECHO);
    for (let second = 0; second < 30; second += 3) {
      cluster.pass(3);
    }
    expect(cluster.job.status).toMatchObject({ attempt: 1, restarts: 0, disruptions: 2 });
  });

  it('is understood later where Leases may not be read, by the node that is not ready', () => {
    const cluster = new Cluster(gang());
    cluster.hasLeases = false;
    cluster.lose('n1');
    cluster.fail(cluster.names[0], ECHO);
    for (let second = 0; second < 60; second += 3) {
      cluster.pass(3);
    }
    expect(cluster.job.status).toMatchObject({ restarts: 0, disruptions: 2, lastFailure: { node: 'n1', reason: 'NodeNotReady' } });
  });
});

describe('a failure on a node that is well', () => {
  it('is counted once when the pods of all others have gone', () => {
    const cluster = new Cluster(gang());
    cluster.fail(cluster.names[0], FAULT);
    cluster.pass(1);
    cluster.pass(1);
    expect(cluster.job.status).toMatchObject({ attempt: 1, restarts: 1, disruptions: 0, suspectNodes: [{ node: 'n0', failures: 1 }] });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
    cluster.pass(60);
    expect(cluster.job.status.restarts).toBe(1);
  });

  it('ends a job that is never started again as soon as the other nodes have renewed their Leases', () => {
    const cluster = new Cluster(gang().restartPolicy('Never'));
    cluster.fail(cluster.names[0], { exitCode: 3 });
    cluster.pass(0).pass(4).pass(4);
    expect(cluster.job.status.phase).not.toBe('Failed');
    cluster.pass(4);
    expect(cluster.job.status).toMatchObject({ phase: 'Failed', restarts: 0, lastFailure: { exitCode: 3 } });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
  });

  it('ends it at once where nodes have no Leases, and where all ranks are on one node', () => {
    const without = new Cluster(gang().restartPolicy('Never'));
    without.hasLeases = false;
    without.fail(without.names[0], { exitCode: 3 });
    expect(without.pass().pass().job.status.phase).toBe('Failed');

    const together = new Cluster(gang().restartPolicy('Never'), 4);
    together.fail(together.names[0], { exitCode: 3 });
    expect(together.pass().job.status.phase).toBe('Failed');
  });

  it('ends it after a time when nobody can say how the others are', () => {
    const cluster = new Cluster(gang().restartPolicy('Never'));
    cluster.fail(cluster.names[0], { exitCode: 3 });
    // Somebody looks, and the API server does not answer: nothing is ever known of a Lease.
    const pass = (seconds: number) => {
      cluster.job.after(seconds).pass();
      return cluster.job.status.phase;
    };
    expect(pass(1)).not.toBe('Failed');
    expect(pass(VERDICT_LIMIT_MS / 1000 - 1)).not.toBe('Failed');
    expect(pass(3)).toBe('Failed');
  });
});

describe('random histories', () => {
  const scenario = fc.record({
    ranks: fc.integer({ min: 2, max: 8 }), perNode: fc.integer({ min: 1, max: 3 }),
    framework: fc.constantFrom('pytorch' as const, 'jax' as const, 'mpi' as const),
    policy: fc.constantFrom('OnFailure' as const, 'Never' as const, 'ExitCode' as const), backoffLimit: fc.integer({ min: 0, max: 3 }),
    victim: fc.nat(), delays: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 8 }),
    failing: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    words: fc.constantFrom(ECHO, FAULT, { exitCode: 1 }, { exitCode: 137 }), leases: fc.boolean(), step: fc.integer({ min: 1, max: 4 }),
  });
  interface Drawn {
    readonly ranks: number;
    readonly perNode: number;
    readonly framework: 'pytorch' | 'jax' | 'mpi';
    readonly policy: 'OnFailure' | 'Never' | 'ExitCode';
    readonly backoffLimit: number;
  }
  const build = ({ ranks, perNode, framework, policy, backoffLimit }: Drawn) =>
    new Cluster(makeJob().framework(framework, ranks).restartPolicy(policy).backoffLimit(backoffLimit), perNode);

  it('in which a node is lost and peers fail first count nothing against the job, and suspect no node', () => {
    fc.assert(fc.property(scenario, (drawn) => {
      const cluster = build(drawn);
      // Without Leases a job that would end is judged at once, as the node is: that is what they are for.
      cluster.hasLeases = drawn.leases || drawn.policy !== 'OnFailure' || drawn.backoffLimit === 0;
      const nodes = [...new Set(cluster.names.map((name) => cluster.nodeOf(name)))];
      fc.pre(nodes.length > 1);
      const lost = nodes[drawn.victim % nodes.length];
      cluster.lose(lost);
      const others = cluster.names.filter((name) => cluster.nodeOf(name) !== lost);
      drawn.failing.forEach((pick, index) => {
        const name = others[pick % others.length];
        if (cluster.job.pods.get(name)?.state === 'Running' && cluster.job.status.attempt === 0) {
          cluster.fail(name, drawn.words);
        }
        cluster.pass(drawn.delays[index % drawn.delays.length]);
      });
      for (let second = 0; second < 120; second += drawn.step) {
        cluster.pass(drawn.step).start();
      }
      expect(cluster.job.status).toMatchObject({ phase: 'Running', attempt: 1, restarts: 0, disruptions: expect.any(Number) });
      expect(cluster.job.status.disruptions).toBeGreaterThan(0);
      expect(cluster.job.status.suspectNodes).toBeUndefined();
      expect(cluster.job.status.provisionalFailure).toBeUndefined();
    }), { numRuns: 150, seed: 18 });
  });

  it('in which no node is lost count each failure once', () => {
    fc.assert(fc.property(scenario, (drawn) => {
      const cluster = build({ ...drawn, policy: 'OnFailure', backoffLimit: 50 });
      cluster.hasLeases = drawn.leases;
      let failures = 0;
      for (const pick of drawn.failing) {
        const running = cluster.names.filter((name) => cluster.job.pods.get(name)!.state === 'Running');
        cluster.fail(running[pick % running.length], { exitCode: 1 });
        failures++;
        for (let second = 0; second < 900 && (cluster.job.status.phase !== 'Running' || second === 0); second += drawn.step) {
          cluster.pass(drawn.step).start();
        }
        expect(cluster.job.status).toMatchObject({ phase: 'Running', attempt: failures, restarts: failures, disruptions: 0 });
      }
    }), { numRuns: 50, seed: 18 });
  });
});
