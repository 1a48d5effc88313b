/**
 * Places in queues, from Kueue's visibility API: an aggregated API that an installation may lack, and that answers for a whole queue at once. So it
 * is asked at most every few seconds for each queue, however many jobs wait in it, and left alone for a while when it does not answer.
 * @see https://kueue.sigs.k8s.io/docs/tasks/manage/monitor_pending_workloads/pending_workloads_on_demand/
 */
import { ApiError } from '../runtime/http/api-error';
import type { Clock } from '../runtime/process/clock';
import type { KubeClient } from '../runtime/kube-client';
import type { Logger } from '../runtime/process/logger';

/** Least time between two questions about one queue, milliseconds. */
const REFRESH_MS = 10_000;

/** How long nothing is asked after the API was not there, milliseconds. */
const ABSENT_MS = 300_000;

/** After which time a queue is forgotten that no job has asked about, milliseconds. */
const FORGOTTEN_MS = 600_000;

/** How many places are asked for. */
const MAX_PLACES = 1_000;

/** Versions of the API, the newest first. */
const VERSIONS = ['v1beta2', 'v1beta1'];

interface QueueView {
  /** When a job last wanted to know. */
  wantedAt: number;
  askedAt: number;
  asking: boolean;
  places: ReadonlyMap<string, number>;
}

interface PendingWorkload {
  readonly metadata?: { readonly name?: string };
  readonly positionInLocalQueue?: number;
  readonly positionInClusterQueue?: number;
}

interface PendingWorkloads {
  readonly items?: readonly PendingWorkload[];
}

/** See the top of this file. */
export class QueuePositions {
  private readonly queues = new Map<string, QueueView>();
  private absentUntil = -Infinity;
  private version = 0;

  public constructor(private readonly client: Pick<KubeClient, 'raw'>, private readonly clock: Clock, private readonly logger: Logger) {}

  /** The place that the Workload had when the queue was last looked at; never waits. Asks again in the background when that is a while ago. */
  public positionOf(namespace: string, queue: string, workload: string): number | undefined {
    const key = `${namespace}/${queue}`;
    const now = this.clock.monotonic();
    const view = this.queues.get(key) ?? this.begin(key);
    view.wantedAt = now;
    if (!view.asking && now >= view.askedAt + REFRESH_MS && now >= this.absentUntil) {
      view.asking = true;
      view.askedAt = now;
      void this.refresh(namespace, queue, view).finally(() => { view.asking = false; });
    }
    return view.places.get(workload);
  }

  /** Queues that are known at this moment. */
  public get size(): number {
    return this.queues.size;
  }

  /** A queue that was not known; others, which nobody asks about any more, make room. */
  private begin(key: string): QueueView {
    const now = this.clock.monotonic();
    this.queues.forEach(({ wantedAt, asking }, other) => !asking && now >= wantedAt + FORGOTTEN_MS && this.queues.delete(other));
    const view: QueueView = { wantedAt: now, askedAt: -Infinity, asking: false, places: new Map() };
    this.queues.set(key, view);
    return view;
  }

  private async refresh(namespace: string, queue: string, view: QueueView): Promise<void> {
    const path = `/apis/visibility.kueue.x-k8s.io/${VERSIONS[this.version]}/namespaces/${namespace}/localqueues/${queue}/pendingworkloads?limit=${MAX_PLACES}`;
    try {
      const { items = [] } = await this.client.raw<PendingWorkloads>('GET', path, undefined, { maxRetries: 0 });
      // The cluster queue decides; its order is what the user waits for.
      view.places = new Map(items.map((item) => [item.metadata?.name ?? '', item.positionInClusterQueue ?? item.positionInLocalQueue ?? 0]));
    } catch (error) {
      view.places = new Map();
      if (error instanceof ApiError && error.isNotFound && this.version + 1 < VERSIONS.length) {
        this.version++;
        view.askedAt = -Infinity;
        return;
      }
      this.version = 0;
      this.absentUntil = this.clock.monotonic() + ABSENT_MS;
      this.logger.debug('Kueue does not report queue positions', { queue: `${namespace}/${queue}`, error });
    }
  }
}
