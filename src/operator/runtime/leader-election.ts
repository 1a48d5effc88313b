/**
 * At most one of several processes leads: the holder of a Lease object, as in client-go (`tools/leaderelection`).
 *
 * - The holder renews every `retryPeriod`. A candidate takes over only when it has not seen the lease change for `leaseDuration`,
 *   measured from when IT saw the last change, on its own monotonic clock: the times written in the lease are for people, and clocks of
 *   different machines, or jumps of one, decide nothing.
 * - Every write carries the resourceVersion that was read, so of two candidates one gets a conflict.
 * - A leader that could not renew for `renewDeadline` is no leader any more, and must stop at once: the process exits. As renewDeadline is
 *   shorter than leaseDuration, it stops before anybody else can start.
 * - That reasoning fails for a process that stands still (SIGSTOP, a frozen machine) and wakes up after its time. `isLeader` is therefore
 *   a comparison of times, counted from before the last successful renewal was sent, and is worth asking before each write.
 * - On a regular end the lease is given back, and a successor need not wait.
 *
 * A joint lease (`JointLease`) has several holders, which write the same identity into it and keep out all others together. Each renews by a patch
 * that needs no version, because the others write too; the answer says whether the identity is still theirs. Whoever waits for the lease waits from
 * the last renewal of any of them, so that each may act for as long as its own last one is good.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/leaderelection
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isApiError } from './http/api-error';
import { Clock, sleep, SYSTEM_CLOCK } from './process/clock';
import { KubeClient } from './kube-client';
import { KubeObject } from './kube-object';
import { Logger } from './process/logger';
import { LEASES } from './resource-kind';

/** Settings of a {@link LeaderElector}. */
export interface LeaderElectorOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace' | 'patch'>;
  /** The Lease that is fought over; it is made if need be. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly logger: Logger;
  /** Name of this candidate; must be unique for each process. @default - host name and a random part */
  readonly identity?: string;
  /** How long others wait for a silent leader, in milliseconds. @default 15000 */
  readonly leaseDurationMs?: number;
  /** How long a leader tries to renew before it gives up, in milliseconds. @default 10000 */
  readonly renewDeadlineMs?: number;
  /** Time between two attempts, in milliseconds. @default 2000 */
  readonly retryPeriodMs?: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Source of jitter. @default Math.random */
  readonly random?: () => number;
  /** Asked before a lease is taken that nobody holds. @default - it is taken */
  readonly mayLead?: () => boolean;
  /** Others hold the lease together with this process, under the same identity. @default - nobody does */
  readonly joint?: JointLease;
  /**
   * Called at each attempt that finds the leader silent: it has missed a renewal, and its lease has not expired yet. Must not reject.
   * @default - a candidate only waits
   */
  readonly onSilent?: (leader: string) => Promise<void>;
  /** Called once this process leads. */
  readonly onStarted: () => void;
  /** Called when this process does not lead any more although it was not asked to stop. It must exit: another leader may be at work. */
  readonly onLost: (reason: string) => void;
}

/** What the holders of a joint lease tell each other. */
export interface JointLease {
  /** Annotations that go with each renewal; null removes one. Asked once more at the end, for the last word. */
  mark(): { readonly [annotation: string]: string | null };
  /** Takes in the lease after each renewal. */
  renewed(lease: Lease): void;
}

interface LeaseSpec {
  holderIdentity?: string | null;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** A Lease of coordination.k8s.io/v1. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** A leader whose lease has not changed for so many retry periods has missed a renewal. */
const SILENT_PERIODS = 1.5;

/** Candidates lengthen the retry period by up to this part of it, at random, so that they do not come together. */
const JITTER = 0.2;

/** See the top of this file. */
export class LeaderElector {
  /** Name of this candidate, as in the lease. */
  public readonly identity: string;
  private readonly clock: Clock;
  private readonly leaseDurationMs: number;
  private readonly renewDeadlineMs: number;
  private readonly retryPeriodMs: number;
  /** The lease as last seen, and when (monotonic) its content was last seen to change. */
  private observed?: { lease: Lease; content: string; changedAt: number };
  /** When (monotonic) the last successful renewal was sent. */
  private renewedAt = -Infinity;
  private leading = false;

  /** Throws when the periods do not fit together. */
  public constructor(private readonly options: LeaderElectorOptions) {
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.retryPeriodMs = options.retryPeriodMs ?? 2_000;
    if (!(this.leaseDurationMs > this.renewDeadlineMs && this.renewDeadlineMs > this.retryPeriodMs * (1 + JITTER))) {
      throw new Error(
        `Building the leader election: leaseDuration ${this.leaseDurationMs} ms, renewDeadline ${this.renewDeadlineMs} ms, retryPeriod ` +
          `${this.retryPeriodMs} ms; leaseDuration must be longer than renewDeadline, and that longer than ${1 + JITTER} times retryPeriod.`,
      );
    }
  }

  /** Whether this process may act as the leader at this moment. */
  public get isLeader(): boolean {
    return this.leading && !this.hasExpired;
  }

  /** Whether this process became the leader and its lease has run out since. */
  public get hasExpired(): boolean {
    return this.leading && this.clock.monotonic() >= this.renewedAt + this.leaseDurationMs;
  }

  /** Identity of the leader as last seen; undefined when nobody leads. */
  public get leader(): string | undefined {
    return this.observed?.lease.spec?.holderIdentity || undefined;
  }

  /**
   * Waits to become the leader, calls `onStarted`, and renews until `signal` aborts; then gives the lease back. Abort only when the
   * leader's work has ended: a successor starts at once. Resolves after that, or after `onLost`. Never rejects.
   */
  public async run(signal: AbortSignal): Promise<void> {
    while (!(await this.attempt())) {
      await sleep(this.clock, this.retryPeriodMs * (1 + JITTER * (this.options.random ?? Math.random)()), signal);
      if (signal.aborted) {
        return;
      }
    }
    this.leading = true;
    this.options.logger.info('became the leader', { identity: this.identity });
    if (!signal.aborted) {
      this.options.onStarted();
    }
    const lostBecause = await this.renew(signal);
    this.leading = false;
    if (lostBecause === undefined) {
      await this.release();
    } else {
      this.options.logger.error('lost leadership', { identity: this.identity, leader: this.leader, reason: lostBecause });
      this.options.onLost(lostBecause);
    }
  }

  /** Renews until stopped (undefined) or lost (the reason). */
  private async renew(signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      await sleep(this.clock, Math.min(this.retryPeriodMs, this.remainingMs), signal);
      if (signal.aborted) {
        return undefined;
      }
      if (this.remainingMs <= 0) {
        return `the lease could not be renewed for ${this.renewDeadlineMs} ms`;
      }
      if (!(await this.attempt()) && this.leader !== undefined && this.leader !== this.identity) {
        return `"${this.leader}" holds the lease`;
      }
    }
  }

  /** Time left to renew, in milliseconds. */
  private get remainingMs(): number {
    return this.renewedAt + this.renewDeadlineMs - this.clock.monotonic();
  }

  /** One attempt to take or renew the lease; false when somebody else has it or the API server does not help. */
  private async attempt(): Promise<boolean> {
    const startedAt = this.clock.monotonic();
    try {
      // A leader knows the lease and saves the read, unless its last write failed.
      const known = this.leading ? this.observed?.lease : undefined;
      const lease = known ?? (await this.read());
      if (lease !== undefined && this.isHeldByAnother()) {
        if (this.clock.monotonic() - this.observed!.changedAt >= this.retryPeriodMs * SILENT_PERIODS) {
          void this.options.onSilent?.(this.leader!);
        }
        return false;
      }
      if (!this.leading && this.options.mayLead?.() === false) {
        return false;
      }
      const written = await this.write(lease);
      this.observe(written);
      if (written.spec?.holderIdentity !== this.identity) {
        return false;
      }
      this.renewedAt = startedAt;
      this.options.joint?.renewed(written);
      return true;
    } catch (error) {
      this.options.logger[isApiError(error, 'isConflict') ? 'debug' : 'warn']('no progress with the lease', { identity: this.identity, error });
      if (this.leading && isApiError(error)) {
        // What was known is outdated: look before the next write.
        await this.read().catch(() => undefined);
      }
      return false;
    }
  }

  private async write(current: Lease | undefined): Promise<Lease> {
    const { client, joint, lease } = this.options;
    if (joint !== undefined && current?.spec?.holderIdentity === this.identity) {
      const patch = { metadata: { annotations: joint.mark() }, spec: { renewTime: microTime(this.clock.now()) } };
      return client.patch<Lease>(LEASES, lease, patch, this.callOptions);
    }
    return current === undefined
      ? client.create<Lease>(LEASES, this.claim(undefined), this.callOptions)
      : client.replace<Lease>(LEASES, this.claim(current), this.callOptions);
  }

  private async read(): Promise<Lease | undefined> {
    try {
      const lease = await this.options.client.get<Lease>(LEASES, this.options.lease, this.callOptions);
      this.observe(lease);
      return lease;
    } catch (error) {
      if (isApiError(error, 'isNotFound')) {
        this.observed = undefined;
        return undefined;
      }
      throw error;
    }
  }

  private observe(lease: Lease): void {
    const content = JSON.stringify(lease.spec ?? {});
    const previous = this.observed;
    if (previous !== undefined && previous.lease.spec?.holderIdentity !== lease.spec?.holderIdentity) {
      this.options.logger.info('the leader changed', { leader: lease.spec?.holderIdentity || undefined });
    }
    const changedAt = previous?.content === content ? previous.changedAt : this.clock.monotonic();
    this.observed = { lease, content, changedAt };
  }

  private isHeldByAnother(): boolean {
    const { lease, changedAt } = this.observed!;
    const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? this.leaseDurationMs : leaseDurationSeconds * 1000;
    return Boolean(holderIdentity) && holderIdentity !== this.identity && this.clock.monotonic() < changedAt + durationMs;
  }

  /** The lease as it is to be written: ours. */
  private claim(current: Lease | undefined): Lease {
    const now = microTime(this.clock.now());
    const spec = current?.spec;
    const isOurs = spec?.holderIdentity === this.identity;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: current?.metadata ?? { ...this.options.lease },
      spec: {
        ...spec,
        holderIdentity: this.identity,
        leaseDurationSeconds: Math.ceil(this.leaseDurationMs / 1000),
        acquireTime: (isOurs ? spec.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: (spec?.leaseTransitions ?? 0) + (isOurs || spec === undefined ? 0 : 1),
      },
    };
  }

  private async release(): Promise<void> {
    const lease = this.observed?.lease;
    if (lease?.spec?.holderIdentity !== this.identity) {
      return;
    }
    const { client, joint, logger } = this.options;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(this.clock.now()) };
    try {
      if (joint !== undefined) {
        // The others hold it still. Of the last one it runs out.
        await client.patch<Lease>(LEASES, this.options.lease, { metadata: { annotations: joint.mark() } }, this.callOptions);
        return;
      }
      await client.replace<Lease>(LEASES, { ...lease, spec }, this.callOptions);
      logger.info('released leadership', { identity: this.identity });
    } catch (error) {
      // It will run out by itself.
      logger.warn('the lease could not be released', { identity: this.identity, error });
    }
  }

  /** No retries, and little patience: after a hung connection there must be time left for an attempt on another one. */
  private get callOptions(): { urgent: true; maxRetries: 0; timeoutMs: number } {
    const patienceMs = this.renewDeadlineMs / 3;
    return { urgent: true, maxRetries: 0, timeoutMs: this.leading ? Math.max(1, Math.min(patienceMs, this.remainingMs)) : patienceMs };
  }
}

/** RFC 3339 with microseconds, the form of lease times. */
function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
