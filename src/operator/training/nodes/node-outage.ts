/**
 * An outage of nodes: most nodes of the cluster are not ready at once. Most often it is the API server then that they cannot reach (its network, its
 * load), and what runs there goes on. A job that is started again then loses what it has done since its checkpoint,
 * its new pods find no node, and all of them together are one more load. So no node counts as lost for being silent or not ready until this has
 * passed, and each then has the whole grace again to report. A node that was deleted or is out of service is lost as ever.
 *
 * The limits are those by which Kubernetes' node controller stops evicting pods, of the whole cluster and not of each zone: a zone that fails is
 * lost.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction
 */

/** At least so many nodes have to be not ready, unless no node at all is ready. */
const LEAST_NODES = 3;

/** From so many percent of all nodes on. */
const PERCENT_OF_NODES = 55;

/** Counts nodes. */
export class NodeOutage {
  private readonly counts = { ready: 0, notReady: 0 };
  private readonly listeners = new Set<() => void>();
  private isOn = false;
  private isJudging = false;
  private endedAt?: number;

  /** @param now milliseconds since the epoch */
  public constructor(private readonly now: () => number) {}

  /** Whether one lasts. */
  public get lasts(): boolean {
    return this.isOn;
  }

  /** Nodes that are ready, and nodes that are not. */
  public get nodes(): { readonly ready: number; readonly notReady: number } {
    return { ...this.counts };
  }

  /** Calls `listener` when an outage begins or ends; returns what ends that. */
  public onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Takes in that a node came, changed or went. Changes that come together, such as those of a list, are judged together.
   * @param before whether it was ready; undefined when it was not there
   */
  public count(before: boolean | undefined, after: boolean | undefined): void {
    for (const [isReady, step] of [[before, -1], [after, 1]] as const) {
      if (isReady !== undefined) {
        this.counts[isReady ? 'ready' : 'notReady'] += step;
      }
    }
    if (!this.isJudging) {
      this.isJudging = true;
      queueMicrotask(() => this.judge());
    }
  }

  /** Since when a node counts as not ready: what was before the end of the last outage does not. @param since milliseconds since the epoch */
  public since(since: number | undefined): number | undefined {
    return this.endedAt === undefined ? since : Math.max(since ?? 0, this.endedAt);
  }

  private judge(): void {
    this.isJudging = false;
    const { ready, notReady } = this.counts;
    const isOn = notReady > 0 && (ready === 0 || (notReady >= LEAST_NODES && 100 * notReady >= PERCENT_OF_NODES * (ready + notReady)));
    if (isOn !== this.isOn) {
      this.isOn = isOn;
      this.endedAt = isOn ? this.endedAt : this.now();
      this.listeners.forEach((listener) => listener());
    }
  }
}
