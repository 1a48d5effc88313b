/**
 * When nodes were last heard from, by their Leases in `kube-node-lease`. A kubelet renews its Lease every 10 seconds; Kubernetes calls a node not
 * ready only after 40 to 50 seconds without. Leases are read one by one, and only while something hangs on the answer: a watch of all would bring
 * an update for each node every 10 seconds.
 *
 * The times in a Lease are of the node's clock. As client-go's leader election does, a Lease is judged by when it was seen to change, by this
 * operator's own clock, which never jumps. Two looks that are far apart say nothing about the time between: an operator or an API server that was
 * away for a while makes no node silent.
 */
import type { LeaseState } from '../plan/types';
import { ApiError } from '../../runtime/http/api-error';
import type { Clock } from '../../runtime/process/clock';
import type { KubeClient } from '../../runtime/kube-client';
import type { KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import { LEASES } from '../../runtime/resource-kind';

/** Namespace of the Leases of nodes. */
const NODE_LEASE_NAMESPACE = 'kube-node-lease';

/** Least time between two looks at one Lease, milliseconds. */
export const LOOK_EVERY_MS = 3_000;

/** Looks that are further apart do not show that nothing happened in between; milliseconds. */
const MAX_GAP_MS = 10_000;

/** How long a node that was silent at the last look is kept from new pods without another look, milliseconds: until Kubernetes calls it not ready. */
const KEPT_SILENT_MS = 60_000;

/** Leases that are remembered; the one that was looked at longest ago gives way. */
const MAX_LEASES = 4_096;

/** What was seen of a Lease. Times of the monotonic clock. */
interface Looks {
  /** What changes with each renewal; undefined when the node has no Lease, or it may not be read. */
  readonly version?: string;
  readonly lookedAt: number;
  /** Since when it was seen unchanged. */
  readonly since: number;
  /** Before its last change that was seen, and after the one before: it was renewed later than this. */
  readonly renewedAfter?: number;
}

/** What was seen of Leases, whoever reads them. */
export class LeaseLooks {
  private readonly looks = new Map<string, Looks>();

  public constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  /** Takes note of a look. @param version what changes with each renewal; undefined when there is no Lease to read */
  public note(node: string, version: string | undefined): void {
    const now = this.clock.monotonic();
    const before = this.looks.get(node);
    const isSame = before !== undefined && before.version === version;
    this.looks.delete(node);
    this.looks.set(node, {
      version,
      lookedAt: now,
      since: isSame && now - before.lookedAt <= MAX_GAP_MS ? before.since : now,
      renewedAfter: before?.version === undefined || version === undefined ? undefined : isSame ? before.renewedAfter : before.lookedAt,
    });
    if (this.looks.size > MAX_LEASES) {
      this.looks.delete(this.looks.keys().next().value!);
    }
  }

  /** Whether it is time for another look. */
  public isDue(node: string): boolean {
    const before = this.looks.get(node);
    return before === undefined || this.clock.monotonic() - before.lookedAt >= LOOK_EVERY_MS;
  }

  /** What is known of a node's Lease; undefined when nobody has looked lately: what it was like before says nothing of a node that came back. */
  public of(node: string): LeaseState | undefined {
    const looks = this.looks.get(node);
    const [monotonic, wall] = [this.clock.monotonic(), this.clock.now()];
    if (looks === undefined || monotonic - looks.lookedAt > MAX_GAP_MS) {
      return undefined;
    }
    return {
      exists: looks.version !== undefined,
      ...(looks.renewedAfter !== undefined && { renewedAgoMs: monotonic - looks.renewedAfter }),
      silentSince: wall - (monotonic - looks.since),
      lookedAt: wall - (monotonic - looks.lookedAt),
    };
  }

  /** Nodes whose Leases were not renewed for so long at the last look, which is not long ago. */
  public silentNodes(graceMs: number): string[] {
    const now = this.clock.monotonic();
    return [...this.looks].filter(([, { version, lookedAt, since }]) => (
      version !== undefined && lookedAt - since >= graceMs && now - lookedAt <= KEPT_SILENT_MS)).map(([node]) => node);
  }
}

/** Reads Leases of nodes. */
export class NodeLeases {
  private readonly looks: LeaseLooks;
  private hasWarned = false;

  public constructor(private readonly options: { readonly client: Pick<KubeClient, 'tryGet'>; readonly clock: Pick<Clock, 'now' | 'monotonic'>; readonly logger: Logger }) {
    this.looks = new LeaseLooks(options.clock);
  }

  /** What is known of a node's Lease; undefined when nobody has looked lately. */
  public of(node: string): LeaseState | undefined {
    return this.looks.of(node);
  }

  /** Nodes that are silent, and that Kubernetes may still put pods on. @param graceMs how long a Lease was not renewed at least, milliseconds */
  public silentNodes(graceMs: number): string[] {
    return this.looks.silentNodes(graceMs);
  }

  /** Looks at a node's Lease unless somebody just did. What cannot be read now is looked at again later. */
  public async look(node: string): Promise<void> {
    if (this.looks.isDue(node)) {
      await this.lookNow(node).catch((error: unknown) => this.options.logger.debug('a Lease of a node could not be read', { node, error }));
    }
  }

  /** Looks at a node's Lease in any case. @throws ApiError, TransportError when nobody can say how it stands */
  public async lookNow(node: string): Promise<void> {
    try {
      const lease = await this.options.client.tryGet<KubeObject>(LEASES, { namespace: NODE_LEASE_NAMESPACE, name: node });
      this.looks.note(node, lease && `${lease.metadata?.uid} ${lease.metadata?.resourceVersion}`);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) {
        throw error;
      }
      if (!this.hasWarned) {
        this.hasWarned = true;
        this.options.logger.warn('no permission to read node Leases; a lost node is detected only when it is not ready', { error });
      }
      this.looks.note(node, undefined);
    }
  }
}
