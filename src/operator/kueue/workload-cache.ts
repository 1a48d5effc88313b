/**
 * Workloads in memory, on a cluster that may have no Kueue. Nothing is read before the first queued job is met; then Kueue is looked for now and
 * then, and its Workloads are watched from the moment that their definition is there, until it goes away.
 */
import { WORKLOADS, trimWorkload, type Workload } from './workload';
import { ApiError } from '../runtime/http/api-error';
import { sleep, type Clock } from '../runtime/process/clock';
import type { KubeClient } from '../runtime/kube-client';
import { controllerOf, keyOf, type KubeObject } from '../runtime/kube-object';
import { ListWatch } from '../runtime/watch/list-watch';
import type { Logger } from '../runtime/process/logger';
import { Store } from '../runtime/watch/store';

/** How often Kueue is looked for where it is not installed, milliseconds. */
const PROBE_MS = 5_000;

/** How often a watch is looked after; when it fails, Kueue may have been removed. Milliseconds. */
const LOOK_AFTER_MS = 5_000;

const BY_OWNER = 'owner';

const BY_OWNER_NAME = 'owner-name';

/** What a cache needs. */
export interface WorkloadCacheOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly clock: Clock;
  /** @default - all namespaces */
  readonly namespace?: string;
  readonly resyncMs: number;
}

/** See the top of this file. */
export class WorkloadCache {
  /** The Workloads. */
  public readonly store = new Store<Workload>({
    transform: trimWorkload,
    indexes: {
      [BY_OWNER]: (workload) => {
        const uid = controllerOf(workload)?.uid;
        // A controller is in the same namespace as what it controls. Others have forged the reference, and may be of another tenant.
        return uid === undefined ? [] : [keyOf(workload.metadata?.namespace, uid)];
      },
      [BY_OWNER_NAME]: (workload) => {
        const name = controllerOf(workload)?.name;
        return name === undefined ? [] : [keyOf(workload.metadata?.namespace, name)];
      },
    },
  });

  private listWatch?: ListWatch<Workload>;
  private installed = true;
  private readonly servedListeners = new Set<() => void>();
  private begin?: () => void;
  private readonly begun = new Promise<void>((resolve) => { this.begin = resolve; });

  public constructor(private readonly options: WorkloadCacheOptions) {}

  /** What feeds the store at this moment; undefined while nobody reads Workloads, or Kueue is not there. */
  public get watch(): ListWatch<Workload> | undefined {
    return this.listWatch;
  }

  /** Whether Workloads can be read. The first question is what starts the reading. */
  public get state(): 'Ready' | 'NotInstalled' | 'NotRead' {
    this.begin?.();
    if (!this.installed) {
      return 'NotInstalled';
    }
    return (this.watch?.health.lists ?? 0) > 0 ? 'Ready' : 'NotRead';
  }

  /** Calls back each time that Kueue has come to be there; returns what ends that. */
  public onServed(listener: () => void): () => void {
    this.servedListeners.add(listener);
    return () => this.servedListeners.delete(listener);
  }

  /** The Workload that this owner controls. */
  public ofOwner({ namespace, uid }: NonNullable<KubeObject['metadata']>): Workload | undefined {
    const owned = this.store.byIndex(BY_OWNER, keyOf(namespace, uid!));
    // One that is leaving counts only while there is no other.
    return owned.find((workload) => workload.metadata?.deletionTimestamp === undefined) ?? owned[0];
  }

  /** Workloads of owners with this name, whichever uid they have or had. */
  public ofOwnerName(key: string): readonly Workload[] {
    return this.store.byIndex(BY_OWNER_NAME, key);
  }

  /** Runs until `signal` aborts; never rejects. */
  public async run(signal: AbortSignal): Promise<void> {
    await Promise.race([this.begun, new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    })]);
    while (!signal.aborted) {
      if (await this.isServed()) {
        await this.watchWhileServed(signal);
      } else {
        await sleep(this.options.clock, PROBE_MS, signal);
      }
    }
  }

  private async watchWhileServed(signal: AbortSignal): Promise<void> {
    const { client, logger, namespace, resyncMs, clock } = this.options;
    const end = new AbortController();
    const stop = () => end.abort();
    signal.addEventListener('abort', stop, { once: true });
    const watch = new ListWatch<Workload>({ client, kind: WORKLOADS, store: this.store, logger, namespace, resyncMs });
    this.listWatch = watch;
    const running = watch.run(end.signal);
    this.servedListeners.forEach((listener) => listener());
    while (!signal.aborted && (watch.health.consecutiveFailures === 0 || await this.isServed())) {
      await sleep(clock, LOOK_AFTER_MS, signal);
    }
    end.abort();
    signal.removeEventListener('abort', stop);
    await running;
    this.listWatch = undefined;
  }

  /** Whether the API server serves Workloads; what it was last known to do when it does not answer. */
  private async isServed(): Promise<boolean> {
    const { client, logger } = this.options;
    try {
      const { resources = [] } = await client.raw<{ resources?: readonly { readonly name: string }[] }>('GET', `/apis/${WORKLOADS.group}/${WORKLOADS.version}`);
      this.installed = resources.some(({ name }) => name === WORKLOADS.plural);
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) {
        this.installed = false;
      } else {
        logger.warn('could not find out whether Kueue is installed', { error });
        return this.listWatch !== undefined;
      }
    }
    if (!this.installed) {
      logger.debug('Kueue is not installed');
    }
    return this.installed;
  }
}
