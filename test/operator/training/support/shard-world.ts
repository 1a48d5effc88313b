/**
 * Replicas of an operator with shards, and an API server that answers late, wrongly or not at all, all on one fake clock. A replica can be stopped
 * and go on later, and can die; like a process it does nothing then, while what it has sent is still carried out.
 */
import { KubeClient, type ClientHooks } from '../../../../src/operator/runtime/kube-client';
import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import type { KubeObject } from '../../../../src/operator/runtime/kube-object';
import type { Clock } from '../../../../src/operator/runtime/process/clock';
import { sleep } from '../../../../src/operator/runtime/process/clock';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { PODS, qualifiedPlural, type ResourceKind, type ResourceRef } from '../../../../src/operator/runtime/resource-kind';
import { NotLeadingError } from '../../../../src/operator/training/leadership';
import { Shards, type HeldShard } from '../../../../src/operator/training/shards';
import type { SeededRandom } from '../../../faults/support/random';
import { FakeClock } from '../../runtime/support/fake-clock';
import { FakeStorage, mergePatch, StorageError, type AnyObject } from '../../runtime/support/fake-storage';

/** Lease of the replicas, seconds. */
export const LEASE_SECONDS = 15;

/** What goes wrong with requests at the moment. */
export interface Troubles {
  /** Part of the requests that is refused, that is carried out late, and whose answer is lost. */
  readonly refused: number;
  readonly late: number;
  readonly lost: number;
}

const NONE: Troubles = { refused: 0, late: 0, lost: 0 };

/** See the top of this file. */
export class ShardWorld {
  public readonly clock = new FakeClock();
  public readonly storage = new FakeStorage();
  public readonly replicas: ShardReplica[] = [];
  public troubles = NONE;
  /** What must never be. */
  public readonly violations: string[] = [];
  /** For each shard the holding periods in which it was written for, in order. */
  private readonly written: string[][] = [];

  /** @param shards that replicas have unless they are told otherwise */
  public constructor(public readonly shards: number, public readonly random: SeededRandom) {}

  /** Starts one more replica. */
  public join(shards = this.shards): ShardReplica {
    const replica = new ShardReplica(this, `replica-${this.replicas.length}`, shards);
    this.replicas.push(replica);
    return replica;
  }

  /** How many holding periods there were in which something was written. */
  public get periods(): number {
    return this.written.reduce((sum, { length }) => sum + length, 0);
  }

  /** Replicas that have not died. */
  public get alive(): readonly ShardReplica[] {
    return this.replicas.filter(({ isDead }) => !isDead);
  }

  /** Shards that each living replica works on, by its name. */
  public holdings(): { [replica: string]: readonly number[] } {
    return Object.fromEntries(this.alive.map(({ name, shards }) => [name, shards.held]));
  }

  /** Whether each shard is worked on, by as many replicas as can be, evenly. */
  public get isEven(): boolean {
    const counts = this.alive.map(({ shards }) => shards.held.length);
    return counts.reduce((sum, count) => sum + count, 0) === this.shards && Math.max(...counts) - Math.min(...counts) <= 1;
  }

  /** Lets time pass until something holds. @returns whether it came to hold within `ms` */
  public async until(holds: () => boolean, ms: number): Promise<boolean> {
    for (let passed = 0; !holds() && passed < ms; passed += 250) {
      await this.clock.advance(250);
    }
    return holds();
  }

  /** A replica writes for a shard, in one of its holding periods. */
  public wrote(writer: ShardReplica, shard: number, period: string): void {
    const periods = (this.written[shard] ??= []);
    if (periods.at(-1) !== period) {
      if (periods.includes(period)) {
        this.violations.push(`${period} wrote for shard ${shard} again after ${periods.at(-1)}`);
      }
      periods.push(period);
    }
    const mayWrite = (replica: ShardReplica): boolean => (
      // With another number of shards a job is of another shard.
      replica.count === writer.count ? replica.mayWrite(shard) : replica.shards.held.some((each) => replica.mayWrite(each)));
    const rivals = this.replicas.filter((replica) => replica !== writer && !replica.isDead && mayWrite(replica));
    rivals.forEach(({ name }) => this.violations.push(`${name} may write for shard ${shard} while ${period} does`));
  }
}

/** One replica. */
export class ShardReplica {
  public readonly shards: Shards;
  public readonly ended: Promise<void>;
  public isDead = false;
  private isStopped = false;
  private readonly held: (() => void)[] = [];
  private readonly end = new AbortController();
  private periods = 0;

  public constructor(private readonly world: ShardWorld, public readonly name: string, public readonly count: number) {
    const clock: Clock = {
      now: () => world.clock.now(),
      monotonic: () => world.clock.monotonic(),
      schedule: (callback, delayMs) => world.clock.schedule(() => this.whenRunning(callback), delayMs),
    };
    this.shards = new Shards({
      count,
      client: this.client({}, clock),
      config: { leaderElect: true, leaseSeconds: LEASE_SECONDS, identity: name, namespace: 'sys' },
      logger: Logger.silent(),
      clock,
      onLost: () => this.kill(),
      work: async (shard, signal) => this.work(shard, signal, clock),
    });
    this.ended = this.shards.run(this.end.signal);
  }

  /** SIGKILL. */
  public kill(): void {
    this.isDead = true;
  }

  /** SIGSTOP. */
  public stop(): void {
    this.isStopped = true;
  }

  /** SIGCONT. */
  public goOn(): void {
    this.isStopped = false;
    this.held.splice(0).forEach((step) => this.whenRunning(step));
  }

  /** SIGTERM. */
  public leave(): void {
    this.whenRunning(() => {
      this.end.abort();
      void this.ended.then(() => this.kill());
    });
  }

  /** Whether a write for a shard would be sent at this moment. */
  public mayWrite(shard: number): boolean {
    const turn = this.shards['turns'][shard];
    return turn !== undefined && turn.works && turn.leadership.isLeading;
  }

  private whenRunning(step: () => void): void {
    if (this.isStopped) {
      this.held.push(step);
    } else if (!this.isDead) {
      step();
    }
  }

  /** Passes over jobs: writes now and then, and some more after it was asked to end. */
  private async work({ index, client }: HeldShard, signal: AbortSignal, clock: Clock): Promise<void> {
    const { random } = this.world;
    const period = `${this.name}/${this.periods++}`;
    const write = async () => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'jobs', name: period, annotations: { shard: String(index) } } };
      await client.create(PODS, pod).catch((error: unknown) => {
        if (!(error instanceof NotLeadingError) && !(error instanceof ApiError) && !(error instanceof Error)) {
          throw error;
        }
      });
    };
    while (!signal.aborted) {
      await write();
      await sleep(clock, random.between(200, 900), signal);
    }
    await sleep(clock, random.between(0, 1500));
    await write();
  }

  private client(hooks: ClientHooks, clock: Clock): KubeClient {
    const call = <T extends KubeObject>(execute: () => AnyObject, timeoutMs = 3_000, write?: { kind: ResourceKind; object?: KubeObject }) => {
      if (write !== undefined) {
        hooks.beforeWrite?.();
        if (write.kind === PODS && !this.isDead) {
          this.world.wrote(this, Number(write.object!.metadata!.annotations!.shard), write.object!.metadata!.name!);
        }
      }
      return this.send<T>(execute, timeoutMs, clock);
    };
    const { storage } = this.world;
    const fake = {
      connection: {},
      with: (more: ClientHooks) => this.client({ ...hooks, ...more }, clock),
      get: async (kind: ResourceKind, { namespace, name }: ResourceRef, options?: { timeoutMs?: number }) => (
        call(() => storage.get(qualifiedPlural(kind), namespace, name), options?.timeoutMs)),
      create: async (kind: ResourceKind, object: AnyObject, options?: { timeoutMs?: number }) => (
        call(() => (kind === PODS ? object : storage.create(qualifiedPlural(kind), 'sys', object)), options?.timeoutMs, { kind, object })),
      replace: async (kind: ResourceKind, object: AnyObject, options?: { timeoutMs?: number }) => (
        call(() => storage.update(qualifiedPlural(kind), 'sys', object), options?.timeoutMs, { kind })),
      patch: async (kind: ResourceKind, { namespace, name }: ResourceRef, patch: AnyObject, options?: { timeoutMs?: number }) => call(() => {
        const next = mergePatch(storage.get(qualifiedPlural(kind), namespace, name), patch) as AnyObject;
        return storage.update(qualifiedPlural(kind), namespace, { ...next, metadata: { ...next.metadata, resourceVersion: undefined } });
      }, options?.timeoutMs, { kind }),
    };
    return fake as unknown as KubeClient;
  }

  private async send<T>(execute: () => AnyObject, timeoutMs: number, clock: Clock): Promise<T> {
    const { world, world: { random, troubles } } = this;
    const [isRefused, isLate, isLost] = [troubles.refused, troubles.late, troubles.lost].map((part) => random.next() < part);
    return new Promise<T>((resolve, reject) => {
      if (this.isDead) {
        return;
      }
      const patience = clock.schedule(() => reject(new Error('no answer')), timeoutMs);
      world.clock.schedule(() => {
        let answer: () => void;
        try {
          if (isRefused) {
            throw new StorageError(503, 'ServiceUnavailable', 'the API server is busy');
          }
          const object = JSON.parse(JSON.stringify(execute())) as T;
          answer = () => resolve(object);
        } catch (error) {
          const { status, reason, message } = error as StorageError;
          answer = () => reject(new ApiError('request', status, { reason, message }));
        }
        if (!isLost) {
          world.clock.schedule(() => this.whenRunning(() => {
            patience.cancel();
            answer();
          }), random.between(1, 80));
        }
      }, isLate ? random.between(500, 8_000) : random.between(1, 80));
    });
  }
}
