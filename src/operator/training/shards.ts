/**
 * Several active replicas: each job belongs to a shard by its key, each shard has a Lease, and whoever holds that works on the shard's jobs and on no
 * others. A shard is to its holder what the operator is to its leader, so all that `Leadership` says holds for each of them.
 *
 * The operator's own Lease is held by all replicas together, in the name of their number of shards: with another number a job would belong to another
 * shard, so replicas that differ in it never act at the same time, nor does one without shards. Each renewal leaves a mark there by which the others
 * know the replica. The shards are divided evenly among those that are known: who has too many ends its passes over one and gives it back, who has
 * too few takes one that is free. Marks decide nothing but that. What a replica may write is decided by Leases alone.
 */
import { createHash } from 'node:crypto';
import { LEASE_NAME } from './config';
import { Leadership, type LeadershipOptions } from './leadership';
import { operatorShardLease } from '../../manifests/operator/settings';
import { API_GROUP } from '../../model/labels';
import { hash32 } from '../../model/tuning/random';
import type { KubeClient } from '../runtime/kube-client';
import type { Lease } from '../runtime/leader-election';
import { SYSTEM_CLOCK, onAbort, type Clock } from '../runtime/process/clock';

/** The shard of a job, from 0. @param key `namespace/name` */
export function shardOf(key: string, count: number): number {
  // Names that differ in their last digit alone are spread too.
  return hash32(key) % count;
}

/** What a member has to do for an even division. */
export interface Share {
  /** Shards that it holds and that are too many. */
  readonly surplus: readonly number[];
  /** Shards that nobody known holds and that are its to take. */
  readonly wanted: readonly number[];
}

/**
 * Divides the shards: each member has as many as any other, or one more. Those who have most keep the one more.
 * @param holders of each shard; undefined of one that is free
 */
export function shareOf(me: string, members: readonly string[], holders: readonly (string | undefined)[]): Share {
  const held = new Map(members.map((member) => [member, [] as number[]]));
  const free: number[] = [];
  holders.forEach((holder, shard) => (held.get(holder ?? '') ?? free).push(shard));
  const inOrder = [...held].sort(([name, shards], [otherName, others]) => others.length - shards.length || (name < otherName ? -1 : 1));
  let taken = 0;
  for (const [rank, [member, shards]] of inOrder.entries()) {
    const target = Math.floor((holders.length + inOrder.length - 1 - rank) / inOrder.length);
    const lacking = Math.max(0, target - shards.length);
    if (member === me) {
      return { surplus: shards.slice(target), wanted: free.slice(taken, taken + lacking) };
    }
    taken += lacking;
  }
  return { surplus: [], wanted: [] };
}

const MARK = `${API_GROUP}/member-`;

/** Part of the lease after which a member without a new mark is not counted on. It loses nothing by that: its Leases are its own. */
const SILENT = 0.4;

/** Replicas, by their marks on the common Lease. */
class Members {
  private readonly seen = new Map<string, { readonly mark: string; readonly at: number }>();
  private readonly own: string;

  public constructor(private readonly identity: string, private readonly leaseMs: number, private readonly clock: Clock) {
    this.own = `${MARK}${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
  }

  /** What to write: our own mark, or none when we leave, and none for those that are silent for good. */
  public marks(leaves: boolean): { [annotation: string]: string | null } {
    const now = this.clock.monotonic();
    const silent = [...this.seen].filter(([, { at }]) => now - at > this.leaseMs).map(([annotation]) => [annotation, null] as const);
    return { ...Object.fromEntries(silent), [this.own]: leaves ? null : `${this.identity} ${new Date(this.clock.now()).toISOString()}` };
  }

  public take({ metadata }: Lease): void {
    const marks = Object.entries(metadata?.annotations ?? {}).filter(([annotation]) => annotation.startsWith(MARK));
    const before = new Map(this.seen);
    this.seen.clear();
    for (const [annotation, mark] of marks) {
      const known = before.get(annotation);
      this.seen.set(annotation, known?.mark === mark ? known : { mark, at: this.clock.monotonic() });
    }
  }

  /** Who is there, this process included. */
  public present(): string[] {
    const now = this.clock.monotonic();
    const others = [...this.seen].filter(([annotation, { at }]) => annotation !== this.own && now - at <= this.leaseMs * SILENT);
    return [this.identity, ...others.map(([, { mark }]) => mark.slice(0, mark.lastIndexOf(' ')))];
  }
}

/** A shard that this process holds. */
export interface HeldShard {
  readonly index: number;
  /** For all that only the shard's holder may write. */
  readonly client: KubeClient;
  /** Whether a job is of this shard, by its key. */
  readonly owns: (key: string) => boolean;
}

/** What {@link Shards} work with. */
export interface ShardsOptions extends Omit<LeadershipOptions, 'lease' | 'within'> {
  /** How many there are. */
  readonly count: number;
  /** Works on the jobs of a shard. Ends when the signal aborts, with all its writes. */
  readonly work: (shard: HeldShard, signal: AbortSignal) => Promise<void>;
}

interface Turn {
  readonly leadership: Leadership;
  readonly stop: AbortController;
  works: boolean;
}

/** See the top of this file. */
export class Shards {
  /** For what any replica may write that acts at all. */
  public readonly client: KubeClient;
  private readonly common: Leadership;
  private readonly members: Members;
  private readonly turns: Turn[] = [];
  private leaves = false;
  private isLost = false;

  /** @throws Error when the operator's own namespace is unknown */
  public constructor(private readonly options: ShardsOptions) {
    const { count, config } = options;
    this.members = new Members(config.identity, config.leaseSeconds * 1000, options.clock ?? SYSTEM_CLOCK);
    const joint = {
      mark: () => this.members.marks(this.leaves),
      renewed: (lease: Lease) => {
        this.members.take(lease);
        this.settle();
      },
    };
    this.common = new Leadership({ ...this.electionOptions(), lease: { name: LEASE_NAME, identity: `${count} shards`, joint } });
    this.client = this.common.client;
  }

  /** Shards that this process works on at this moment. */
  public get held(): readonly number[] {
    return this.turns.flatMap(({ works }, index) => (works ? [index] : []));
  }

  /** Whether this process works on a job, by its key. */
  public holds(key: string): boolean {
    return this.turns[shardOf(key, this.options.count)]?.works ?? false;
  }

  /** Takes and gives back shards until the signal aborts and the last pass has ended. */
  public async run(signal: AbortSignal): Promise<void> {
    const forget = onAbort(signal, () => { this.leaves = true; });
    await this.common.run(async () => {
      await Promise.all(Array.from({ length: this.options.count }, async (_, index) => this.contend(index, signal)));
    }, signal);
    forget();
  }

  private async contend(index: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.isLost) {
      const turn: Turn = { stop: new AbortController(), works: false, leadership: this.leadershipOf(index) };
      const forget = onAbort(signal, () => turn.stop.abort());
      this.turns[index] = turn;
      await turn.leadership.run(async () => {
        const owns = (key: string): boolean => shardOf(key, this.options.count) === index;
        turn.works = true;
        await this.options.work({ index, client: turn.leadership.client, owns }, turn.stop.signal);
        turn.works = false;
      }, turn.stop.signal);
      forget();
    }
  }

  private leadershipOf(index: number): Leadership {
    const { identity } = this.options.config;
    // A Lease in our name that we do not hold: the answer was lost when we took it or gave it back. Nobody else takes it while we are there.
    const mayLead = (): boolean => !this.leaves && (this.turns[index].leadership.leader === identity || this.share().wanted.includes(index));
    return new Leadership({ ...this.electionOptions(), within: this.common, lease: { name: operatorShardLease(index), mayLead } });
  }

  private electionOptions(): LeadershipOptions {
    const { onLost, ...options } = this.options;
    return { ...options, onLost: (reason) => {
      if (!this.isLost) {
        this.isLost = true;
        onLost(reason);
      }
    } };
  }

  /** Gives back what is too much. One change after the other: what is being given back is held until its passes have ended. */
  private settle(): void {
    if (!this.leaves && !this.turns.some(({ leadership, stop }) => leadership.isLeading && stop.signal.aborted)) {
      this.share().surplus.map((index) => this.turns[index]).filter(({ works }) => works).forEach(({ stop }) => stop.abort());
    }
  }

  private share(): Share {
    const { count, config: { identity } } = this.options;
    const holders = Array.from({ length: count }, (_, index) => {
      const { isLeading = false, leader } = this.turns[index]?.leadership ?? {};
      return isLeading ? identity : leader;
    });
    return shareOf(identity, this.members.present(), holders);
  }
}
