/**
 * Which of several replicas acts, and that no other does. The lease alone cannot say: a process that is stopped (SIGSTOP, a machine that is paused,
 * an event loop that is blocked) and wakes up after its lease has run out goes on with what it had planned, while another leads. So what only the
 * leader may write is written by a client that compares times right before each write. Where the lease has run out nothing is sent, and the process
 * ends.
 */
import { LEASE_NAME, type OperatorConfig } from './config';
import { SYSTEM_CLOCK, onAbort, type Clock } from '../runtime/process/clock';
import type { ClientHooks, KubeClient } from '../runtime/kube-client';
import { LeaderElector, type LeaderElectorOptions } from '../runtime/leader-election';
import type { Logger } from '../runtime/process/logger';

/** What a {@link Leadership} works with. */
export interface LeadershipOptions {
  readonly client: KubeClient;
  readonly config: Pick<OperatorConfig, 'leaderElect' | 'leaseSeconds' | 'identity' | 'namespace'>;
  readonly logger: Logger;
  /** Called when the leadership is lost: another replica may act already, so the process has to end at once. */
  readonly onLost: (reason: string) => void;
  /**
   * Called while the leader is silent and this process waits for its lease. Must not reject.
   * @param leader its pod, if it is a pod
   * @default - this process only waits
   */
  readonly onSilent?: (leader: { readonly namespace: string; readonly name: string }) => Promise<void>;
  /** Told how requests end, those for the lease and those of the leader. @default - nobody is told */
  readonly afterRequest?: ClientHooks['afterRequest'];
  /** The lease, and by whose name it is held. @default - the operator's own, by the identity of this process */
  readonly lease?: Pick<LeaderElectorOptions, 'mayLead' | 'joint'> & { readonly name: string; readonly identity?: string };
  /** A leadership that has to last as well: whoever has lost it writes nothing by this one either. @default - none */
  readonly within?: Leadership;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** Thrown in place of a write of a process that does not lead any more. */
export class NotLeadingError extends Error {
  public constructor() {
    super('this process is no longer the leader: its lease has expired, and another replica may act; nothing was sent');
    this.name = 'NotLeadingError';
  }
}

/** See the top of this file. */
export class Leadership {
  /** For all that only the leader may write. */
  public readonly client: KubeClient;
  private readonly elector?: LeaderElector;
  private isOver = false;
  private start?: () => void;

  /** @throws Error when the operator's own namespace is unknown */
  public constructor(private readonly options: LeadershipOptions) {
    const { client, config, afterRequest } = options;
    this.client = client.with({ afterRequest, ...(config.leaderElect && { beforeWrite: () => this.check() }) });
    this.elector = config.leaderElect ? this.createElector() : undefined;
  }

  /** Whether this process may write at this moment. */
  public get isLeading(): boolean {
    return (this.elector?.isLeader ?? true) && (this.options.within?.isLeading ?? true);
  }

  /** Who holds the lease, as last seen; undefined when nobody does. */
  public get leader(): string | undefined {
    return this.elector?.leader;
  }

  /**
   * Runs `work` as the leader, or at once where nobody else can be. Resolves when the work has ended.
   * @param work ends when the signal aborts, with all its writes
   */
  public async run(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.elector === undefined) {
      await work();
      return;
    }
    const workEnded = new AbortController();
    let working: Promise<void> | undefined;
    this.start = () => { working = work(); };
    onAbort(signal, () => {
      // The lease is given back when the last pass has ended, so that the successor finds nothing half done.
      void (working ?? Promise.resolve()).then(() => workEnded.abort());
    });
    await this.elector.run(workEnded.signal);
    await working;
  }

  private createElector(): LeaderElector {
    const { client, config, logger, afterRequest, onSilent, clock = SYSTEM_CLOCK, lease } = this.options;
    const namespace = ownNamespace(client, config, 'Electing a leader', 'set LEADER_ELECT=false for a single replica');
    return new LeaderElector({
      client: client.with({ afterRequest, beforeWrite: () => this.checkRenewal() }),
      logger: lease === undefined ? logger : logger.child({ lease: lease.name }),
      clock,
      identity: lease?.identity ?? config.identity,
      lease: { namespace, name: lease?.name ?? LEASE_NAME },
      mayLead: lease?.mayLead,
      joint: lease?.joint,
      onSilent: onSilent && (async (name) => onSilent({ namespace, name })),
      // In the proportions of client-go's own: 15, 10 and 2 seconds.
      leaseDurationMs: config.leaseSeconds * 1000,
      renewDeadlineMs: config.leaseSeconds * 667,
      retryPeriodMs: config.leaseSeconds * 133,
      onStarted: () => this.start!(),
      onLost: (reason) => this.lose(reason),
    });
  }

  /** @throws NotLeadingError when this process does not lead */
  private check(): void {
    if (this.isLeading) {
      return;
    }
    this.options.logger.error('a write was blocked', { reason: 'the lease has expired' });
    this.lose('the lease had expired before a write');
    throw new NotLeadingError();
  }

  /**
   * A renewal that was about to go out when the process was stopped has nothing to renew. (The version that it carries would have it refused, and
   * a joint lease has none.)
   * @throws NotLeadingError when this process has led and does not any more
   */
  private checkRenewal(): void {
    if (this.elector!.hasExpired) {
      throw new NotLeadingError();
    }
  }

  private lose(reason: string): void {
    if (!this.isOver) {
      this.isOver = true;
      this.options.onLost(reason);
    }
  }
}

/** Where the operator's own objects are. @throws Error when that is unknown */
export function ownNamespace(client: KubeClient, config: Pick<OperatorConfig, 'namespace'>, what: string, otherwise: string): string {
  const namespace = config.namespace ?? client.connection.namespace;
  if (!namespace) {
    throw new Error(`${what}: the operator's own namespace is unknown; set POD_NAMESPACE, or ${otherwise}.`);
  }
  return namespace;
}
