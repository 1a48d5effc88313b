/**
 * The operator's caches: the real stores, fed from the server's logs as late as the history likes. Each kind lags by itself; a watch can
 * break, after which nothing arrives until everything is listed again.
 */
import { type ApiServer, CORE_KINDS, KINDS, type KindName } from './api-server';
import { count, type FaultCounts } from './fault-counts';
import { NodeHealth } from './node-health';
import { controllerOf, type KubeObject } from '../../../../../src/operator/runtime/kube-object';
import { trimWorkload, type Workload } from '../../../../../src/operator/kueue/workload';
import { Store } from '../../../../../src/operator/runtime/watch/store';
import {
  BY_OWNER, CHILD_INDEXES, trimJob, trimPod, trimService, type PodObject, type TrainingJobObject,
} from '../../../../../src/operator/training/resources';

/** How one kind is followed. */
interface Feed {
  readonly store: Store<KubeObject>;
  /** Next entry of the log. */
  cursor: number;
  broken: boolean;
  /** A list whose answer is on its way. */
  listing?: { readonly begunAt: number; readonly items: KubeObject[]; readonly version: string; readonly cursor: number };
}

/** See the top of this file. */
export class Caches {
  public readonly jobs = new Store<TrainingJobObject>({
    indexes: CHILD_INDEXES, transform: (job) => trimJob({ ...job, metadata: { ...job.metadata } }),
  });
  public readonly pods = new Store<PodObject>({ indexes: CHILD_INDEXES, transform: trimPod });
  public readonly services = new Store<KubeObject>({ indexes: CHILD_INDEXES, transform: trimService });
  public readonly workloads = new Store<Workload>({
    indexes: { [BY_OWNER]: (workload) => [controllerOf(workload)?.uid ?? ''] }, transform: trimWorkload,
  });
  /** Whether everything is listed anew after a watch was broken, and not just watched from then on. */
  public listsAfterBreak = true;
  /** Whether a list leaves alone what was written while it was under way. */
  public keepsOwnWrites = true;
  /** What has gone wrong is counted here. */
  public faults: FaultCounts = new Map();
  /** Number of the plan that is being carried out. */
  public planNumber = 0;
  /** Uids of all pods that the cache has ever held, each with the plan during which it was first seen. */
  public readonly seenPods = new Map<string, number>();
  private readonly feeds: Record<KindName, Feed>;

  public constructor(private readonly server: ApiServer, /** What is known of nodes. */ public readonly nodes = new NodeHealth()) {
    const feed = (store: unknown): Feed => ({ store: store as Store<KubeObject>, cursor: 0, broken: true });
    this.feeds = { jobs: feed(this.jobs), pods: feed(this.pods), services: feed(this.services), workloads: feed(this.workloads) };
    this.pods.onChange(({ current }) => {
      if (current && !this.seenPods.has(current.metadata!.uid!)) {
        this.seenPods.set(current.metadata!.uid!, this.planNumber);
      }
    });
  }

  /** The Workload that a job has, as `WorkloadCache.ofOwner` says. */
  public workloadOf(jobUid: string): Workload | undefined {
    return this.workloads.byIndex(BY_OWNER, jobUid)[0];
  }

  /** Whether every kind was listed once that nothing is planned without. */
  public get synced(): boolean {
    return CORE_KINDS.every((kind) => this.feeds[kind].store.hasSynced);
  }

  /** Calls back at every change of any store. */
  public onChange(listener: () => void): void {
    KINDS.forEach((kind) => this.feeds[kind].store.onChange(listener));
    this.nodes.onTold(listener);
  }

  /** Ends the watch and sends the request of a list; its answer is what stands now, whenever it arrives. */
  public beginList(kind: KindName): void {
    const feed = this.feeds[kind];
    if (!this.listsAfterBreak && feed.store.hasSynced) {
      feed.broken = false;
      feed.cursor = this.server[kind].log.length;
      return;
    }
    feed.broken = true;
    feed.listing ??= {
      begunAt: feed.store.beginList(),
      items: [...this.server[kind].objects.values()].map((object) => feed.store.trim(object as KubeObject)),
      version: this.server.newestVersion,
      cursor: this.server[kind].log.length,
    };
  }

  /** The answer of a list arrives, if one is on its way; the watch goes on from there. */
  public commitList(kind: KindName): void {
    const feed = this.feeds[kind];
    if (feed.listing) {
      const { begunAt, items, version, cursor } = feed.listing;
      if (version !== this.server.newestVersion) {
        count(this.faults, 'list answered late');
      }
      if (cursor > feed.cursor && feed.store.hasSynced) {
        count(this.faults, 'watch event lost', cursor - feed.cursor);
      }
      feed.listing = undefined;
      feed.cursor = cursor;
      feed.broken = false;
      feed.store.commitList(this.keepsOwnWrites ? begunAt : Infinity, items, version);
    }
  }

  /** The watch of a kind ends without a word. */
  public break(kind: KindName): void {
    this.feeds[kind].broken = true;
    count(this.faults, 'watch broken');
  }

  /** Delivers up to `atMost` events of a kind. Answers whether there was any. */
  public deliver(kind: KindName, atMost = Infinity): boolean {
    const feed = this.feeds[kind];
    const log = this.server[kind].log;
    if (feed.broken || feed.cursor >= log.length) {
      return false;
    }
    for (let left = atMost; left > 0 && feed.cursor < log.length; left--) {
      feed.store.applyEvent(log[feed.cursor++] as { type: 'ADDED'; object: KubeObject });
    }
    return true;
  }

  /** Mends every broken watch by a new list, and delivers everything: the runtime's watchdog and resync, sooner or later. */
  public catchUp(): void {
    this.nodes.tell();
    for (const kind of KINDS) {
      if (this.feeds[kind].listing) {
        this.commitList(kind);
      }
      if (this.feeds[kind].broken) {
        this.beginList(kind);
        this.commitList(kind);
      }
      this.deliver(kind);
    }
  }
}
