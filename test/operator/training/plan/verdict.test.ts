/**
 * A node is lost, and the ranks on other nodes fail first: what is counted, and against whom. The node's Lease stops at the moment of the loss, and
 * the operator may be another process at each step, because all that it remembers is in the status.
 */
import fc from 'fast-check';
import { makeJob, type JobBuilder } from '../support/builders';
import { PlannedJob } from '../support/planned-job';
import { VERDICT_LIMIT_MS } from '../../../../src/operator/training/plan/observe/silent-pods';
import { arrayCopySpec } from '../../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { searchOf, trialSpec } from '../../../../src/model/tuning/trial-spec';
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

  /** The container of a pod fails, and its kubelet starts it again. */
  public failInPlace(name: string, failure: Partial<PodFailure>): void {
    this.put(name, {
      containerRestarts: (this.job.pods.get(name)!.containerRestarts ?? 0) + 1,
      lastContainerFailure: { disruption: false, container: 'training', exitCode: 1, reason: 'Error', ...failure },
    });
  }

  /** Passes for so many seconds, every three. */
  public live(seconds: number): this {
    for (let second = 0; second < seconds; second += 3) {
      this.pass(3).start();
    }
    return this;
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

/** The job of a trial. */
function trialOf(replicas: number): TrainingJobSpec {
  const spec: TrainingJobSpec = {
    framework: 'jax', image: 'registry.example/train:1', replicas, autoTuning: { objective: 'loss', parameters: { lr: { type: 'int', values: [1, 2] } } },
  };
  return trialSpec(spec, searchOf(spec, 'uid'), { number: 1, point: [0] });
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

describe('a replica that is replaced by itself', () => {
  const actors = () => makeJob().plain(4).restartPolicy('OnFailure').backoffLimit(2).runPolicy({ restartInPlace: false });

  it('is replaced at once when it has lost a peer, and counts only when all nodes have been heard from', () => {
    const cluster = new Cluster(actors());
    const [first] = cluster.names;
    cluster.fail(first, ECHO);
    cluster.pass();
    expect(cluster.job.status).toMatchObject({ attempt: 0, restarts: 0, provisionalFailure: { attempt: 0, pod: first, puts: 'Restart' }, replacing: [{ pod: first }] });
    cluster.live(30);
    expect(cluster.job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 1, disruptions: 0 });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
  });

  it('counts nothing when the node of the peer turns out to be lost', () => {
    const cluster = new Cluster(actors());
    const [first, second, third] = cluster.names;
    cluster.lose(cluster.nodeOf(third));
    cluster.fail(first, ECHO);
    cluster.pass(3);
    cluster.fail(second, ECHO);
    cluster.pass(3);
    expect(cluster.job.status).toMatchObject({ restarts: 0, provisionalFailure: { count: 2 } });
    cluster.live(60);
    expect(cluster.job.status).toMatchObject({ phase: 'Running', attempt: 0, restarts: 0, disruptions: 2, lastFailure: { node: 'n1', reason: 'NodeSilent' } });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
    expect(cluster.job.events).toContainEqual({ type: 'Warning', reason: 'JobDisrupted', message: expect.stringContaining('followed from it and is not counted') });
  });

  it('is not counted when it loses a peer that is lost already, or was a moment ago', () => {
    const cluster = new Cluster(actors());
    const [first, second, third] = cluster.names;
    cluster.lose(cluster.nodeOf(third));
    cluster.hasLeases = false;
    for (let time = 0; time < 78; time += 3) {
      cluster.pass(3);
    }
    expect(cluster.job.status).toMatchObject({ disruptions: 2, lastRestart: { cause: 'Disruption' } });
    const { lastRestart } = cluster.job.status;
    cluster.fail(first, ECHO);
    cluster.pass(3);
    expect(cluster.job.status).toMatchObject({ restarts: 0, disruptions: 2, lastRestart });
    expect(cluster.job.status.replacing).toContainEqual(expect.objectContaining({ pod: first }));
    // It has an end, so that a script that never finds its peers is counted again.
    cluster.pass(VERDICT_LIMIT_MS / 1000);
    cluster.start();
    cluster.fail(second, ECHO);
    cluster.live(120);
    expect(cluster.job.status).toMatchObject({ restarts: 1 });
  });

  it('counts at once when it says nothing of a peer', () => {
    const cluster = new Cluster(actors());
    cluster.fail(cluster.names[0], { exitCode: 1, logTail: 'ValueError: no such file' });
    cluster.pass();
    expect(cluster.job.status).toMatchObject({ restarts: 1 });
    expect(cluster.job.status.provisionalFailure).toBeUndefined();
  });

  it('does not end the job before it is known whether a node was lost: never restarted, or the last of backoffLimit used up', () => {
    for (const builder of [actors().restartPolicy('Never'), actors().backoffLimit(0)]) {
      const lost = new Cluster(builder);
      lost.lose('n1');
      lost.fail(lost.names[0], ECHO);
      lost.pass(3);
      expect(lost.job.status).toMatchObject({ provisionalFailure: { puts: 'End' } });
      expect(lost.live(60).job.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 2 });

      const well = new Cluster(builder);
      well.fail(well.names[0], ECHO);
      well.pass(3);
      expect(well.job.status.phase).not.toBe('Failed');
      expect(well.live(30).job.status).toMatchObject({ phase: 'Failed', lastFailure: { pod: well.names[0], exitCode: 1 } });
    }
  });

  it('books all that waited when there were too many of them', () => {
    const cluster = new Cluster(actors().spec({ replicas: 6 }), 1);
    const [first, second, third] = cluster.names;
    [first, second].forEach((name) => cluster.fail(name, ECHO));
    cluster.pass();
    cluster.fail(third, ECHO);
    cluster.pass(1);
    expect(cluster.job.status).toMatchObject({ restarts: 0, provisionalFailure: { count: 2, puts: 'End' } });
    cluster.live(60);
    expect(cluster.job.status).toMatchObject({ phase: 'Failed', restarts: 2 });
    expect(cluster.job.condition('Failed')?.reason).toBe('BackoffLimitExceeded');
  });

  it('was killed with its node, of which that is known later', () => {
    const lost = new Cluster(actors(), 1);
    lost.lose('n0');
    lost.fail(lost.names[0], { exitCode: 143 });
    lost.live(60);
    expect(lost.job.status).toMatchObject({ phase: 'Running', restarts: 0 });

    const well = new Cluster(actors(), 1);
    well.fail(well.names[0], { exitCode: 143 });
    expect(well.pass().job.status.restarts).toBe(0);
    expect(well.live(30).job.status).toMatchObject({ phase: 'Running', restarts: 1 });
  });
});

describe('a container that is restarted in place', () => {
  const actors = () => makeJob().plain(4).restartPolicy('OnFailure').backoffLimit(1);

  it('counts nothing when it lost a peer whose node turns out to be lost, and once when all are well', () => {
    const lost = new Cluster(actors());
    lost.lose('n1');
    lost.failInPlace(lost.names[0], ECHO);
    lost.pass(3);
    expect(lost.job.status).toMatchObject({ restarts: 0, containerRestarts: 1, provisionalFailure: { puts: 'Restart', pod: lost.names[0] } });
    expect(lost.live(60).job.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 2 });

    const well = new Cluster(actors());
    well.failInPlace(well.names[0], ECHO);
    expect(well.live(30).job.status).toMatchObject({ phase: 'Running', restarts: 1, disruptions: 0, containerRestarts: 1 });
  });

  it('does not use up the last of backoffLimit before that is known', () => {
    const lost = new Cluster(actors().backoffLimit(0));
    lost.lose('n1');
    lost.failInPlace(lost.names[0], ECHO);
    lost.pass(3);
    expect(lost.job.status).toMatchObject({ provisionalFailure: { puts: 'End' } });
    expect(lost.live(60).job.status).toMatchObject({ phase: 'Running', restarts: 0, disruptions: 2 });

    const well = new Cluster(actors().backoffLimit(0));
    well.failInPlace(well.names[0], ECHO);
    expect(well.live(30).job.status).toMatchObject({ phase: 'Failed', restarts: 0 });
  });
});

describe('random histories', () => {
  /** What is started again, and how: all that differs in the planner. */
  const shapes: { readonly [shape: string]: (ranks: number) => JobBuilder } = {
    'independent replicas, new pods': (ranks) => makeJob().plain(ranks).runPolicy({ restartInPlace: false }),
    'independent replicas, restarted in place': (ranks) => makeJob().plain(ranks),
    'roles with policies of their own': (ranks) => makeJob().framework('tensorflow').roles({
      chief: { replicas: 1, restartPolicy: 'Never' }, ps: { replicas: 1, restartPolicy: 'Always' }, worker: { replicas: ranks, restartPolicy: 'ExitCode' },
    }),
    'a gang of roles with policies of their own': (ranks) => makeJob().roles({ master: { replicas: 1, restartPolicy: 'Never' }, worker: { replicas: ranks, restartPolicy: 'OnFailure' } }),
    'elastic, by agents that give up': (ranks) => makeJob().pytorch(ranks).spec({ elastic: { minReplicas: 1, maxReplicas: ranks } }),
    'elastic, by replicas that are replaced': (ranks) => makeJob().framework('horovod', ranks).spec({ elastic: { minReplicas: 1, maxReplicas: ranks } }),
    'with helpers': (ranks) => makeJob().pytorch(ranks).spec({ helpers: [{ name: 'judge', image: 'registry.example/help:1', replicas: 2 }] }),
    'a copy of an array': (ranks) => makeJob().spec(arrayCopySpec({ framework: 'pytorch', image: 'registry.example/train:1', replicas: ranks, array: { count: 3 } }, 1)),
    'a trial of a search': (ranks) => makeJob().spec(trialOf(ranks)),
  };
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

  describe.each(Object.entries(shapes))('of %s', (shape, make) => {
    const drawing = fc.record({
      ranks: fc.integer({ min: 2, max: 6 }), perNode: fc.integer({ min: 1, max: 3 }), backoffLimit: fc.integer({ min: 0, max: 2 }),
      policy: fc.constantFrom('OnFailure' as const, 'Never' as const, 'ExitCode' as const), victim: fc.nat(),
      delays: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 8 }),
      failing: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), step: fc.integer({ min: 1, max: 4 }),
    });
    const clusterOf = ({ ranks, perNode, policy, backoffLimit }: Omit<Drawn, 'framework'>) => {
      const inPlace = shape.includes('in place');
      return new Cluster(make(ranks).restartPolicy(inPlace ? 'OnFailure' : policy).backoffLimit(backoffLimit), perNode);
    };
    const echo = (cluster: Cluster, name: string) => (shape.includes('in place') ? cluster.failInPlace(name, ECHO) : cluster.fail(name, ECHO));

    it('count nothing against the job, and suspect no node, when a node is lost and peers fail first', () => {
      fc.assert(fc.property(drawing, (drawn) => {
        const cluster = clusterOf(drawn);
        const nodes = [...new Set(cluster.names.map((name) => cluster.nodeOf(name)))];
        fc.pre(nodes.length > 1);
        const lost = nodes[drawn.victim % nodes.length];
        cluster.lose(lost);
        drawn.failing.forEach((pick, index) => {
          const others = cluster.names.filter((name) => cluster.job.pods.get(name)!.state === 'Running' && cluster.nodeOf(name) !== lost && !cluster.job.pods.get(name)!.deleting);
          if (others.length > 0 && cluster.job.status.attempt === 0) {
            echo(cluster, others[pick % others.length]);
          }
          cluster.pass(drawn.delays[index % drawn.delays.length]);
        });
        for (let second = 0; second < 150; second += drawn.step) {
          cluster.pass(drawn.step).start();
        }
        expect(cluster.job.status).toMatchObject({ phase: 'Running', restarts: 0 });
        expect(cluster.job.status.disruptions).toBeGreaterThan(0);
        expect(cluster.job.status.suspectNodes).toBeUndefined();
        expect(cluster.job.status.provisionalFailure).toBeUndefined();
      }), { numRuns: 60, seed: 18 });
    });

    it('count each failure once in the end when no node is lost', () => {
      fc.assert(fc.property(drawing, (drawn) => {
        const cluster = new Cluster(make(drawn.ranks).restartPolicy('OnFailure').backoffLimit(50), drawn.perNode);
        let failures = 0;
        for (const pick of drawn.failing) {
          const running = cluster.names.filter((name) => cluster.job.pods.get(name)!.state === 'Running' && !/chief|master|ps|worker/.test(shape.includes('roles') ? name : ''));
          if (running.length > 0) {
            echo(cluster, running[pick % running.length]);
            failures++;
          }
          cluster.live(900);
        }
        expect(cluster.job.status).toMatchObject({ restarts: failures, disruptions: 0 });
        expect(cluster.job.status.provisionalFailure).toBeUndefined();
      }), { numRuns: 15, seed: 18 });
    });
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
