/**
 * Keeps a {@link Store} equal to the API server: a list, then a watch from the list's version, for ever. It never gives up and never
 * throws; what it cannot do it tries again, and `health` says how it goes.
 *
 *     list ──ok──> watch ──server time-out──> watch from the last version seen
 *      ^  ^          │ 410 Gone, version too large, resync due
 *      │  └──────────┤
 *      └─ failed     └─ broken, silent, refused: pause, then watch again from the last version seen
 *
 * - The list is a consistent read in pages (the store relies on that). A page token that expires is answered by one list without pages.
 * - The watch asks for bookmarks, which keep the version fresh, and for an end after 4 to 5 minutes, drawn at random so that many
 *   watches do not return together.
 * - Silence: a connection can die without either side noticing, and then changes are missed for hours (the most reported fault of
 *   operator frameworks). TCP keep-alive finds a peer that is gone within a minute. Against everything else, such as a proxy that keeps
 *   the connection up, stands a watchdog: it ends a watch that the server should have ended. The time between two bookmarks cannot be
 *   watched instead: kube-apiserver sends none while nothing changes in the cluster.
 * - Pauses double, with jitter, up to a cap, and are never shorter than `Retry-After`; they start over once a watch has lasted and
 *   delivered. A watch that ends within a second counts as a failure, or a server that accepts and closes would be stormed.
 * - Nothing depends on this for correctness, but a relist at intervals (resync) puts a bound on the life of any mistake.
 */
import { ApiError, isApiError } from '../http/api-error';
import { Backoff, BackoffOptions } from '../process/backoff';
import { SelectOptions } from '../http/call-options';
import { Clock, SYSTEM_CLOCK, onAbort, sleep } from '../process/clock';
import { KubeClient } from '../kube-client';
import { KubeObject } from '../kube-object';
import { readPages } from './list-pages';
import { Logger } from '../process/logger';
import { qualifiedPlural, ResourceKind } from '../resource-kind';
import { Store } from './store';
import { Watchdog } from '../process/watchdog';

/** Settings of a {@link ListWatch}. */
export interface ListWatchOptions<T extends KubeObject> extends SelectOptions {
  readonly client: Pick<KubeClient, 'listPage' | 'watch'>;
  readonly kind: ResourceKind;
  readonly store: Store<T>;
  readonly logger: Logger;
  /** Most objects of a page of the list. @default 500 */
  readonly pageSize?: number;
  /** Bounds of the time after which the server is asked to end a watch, in seconds. @default [240, 300] */
  readonly watchTimeoutSeconds?: readonly [number, number];
  /** How long past that time a watch may live, in milliseconds. @default 30000 */
  readonly watchMarginMs?: number;
  /** Lists again about this long after the last list, in milliseconds; `Infinity` for never. @default 3600000 */
  readonly resyncMs?: number;
  /** @default 200 ms doubling to 30 s */
  readonly backoff?: BackoffOptions;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Source of jitter. @default Math.random */
  readonly random?: () => number;
}

/** How a {@link ListWatch} is doing. */
export interface ListWatchHealth {
  readonly resource: string;
  readonly state: 'stopped' | 'listing' | 'watching' | 'pausing';
  readonly synced: boolean;
  /** Attempts that failed since the last one that worked. */
  readonly consecutiveFailures: number;
  readonly lastError?: string;
  /** Whether the last answer was that there is no right to this, or no such thing (403, 404), and has been for two attempts or more. */
  readonly refused: boolean;
  /** Milliseconds since the loop last took a step: a list, a watch, an event, a pause. */
  readonly idleMs: number;
  /** False when the loop itself hangs, which only a restart of the process cures; an unreachable server does not make it false. */
  readonly alive: boolean;
  /** Completed lists, finished watches, and watches ended by a watchdog. */
  readonly lists: number;
  readonly watches: number;
  readonly watchdogEnds: number;
}

/** A watch that ends sooner than this, in milliseconds, has failed, whatever it said. */
const SHORTEST_HEALTHY_WATCH_MS = 1_000;
/** A watch that lasted this long, in milliseconds, was good even if there was nothing to say. */
const HEALTHY_QUIET_WATCH_MS = 30_000;
/** So many refusals one after the other are no hiccup of an API server that is starting. */
const LASTING_REFUSALS = 2;
/** Name of the deadline that is no failure. */
const RESYNC = 'resync';
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 200, maxMs: 30_000 };

/** See the top of this file. */
export class ListWatch<T extends KubeObject> {
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly backoff: Backoff;
  private state: ListWatchHealth['state'] = 'stopped';
  private lastStepAt: number;
  private lastError?: string;
  /** Attempts in a row that were answered with 403 or 404. */
  private refusals = 0;
  private resyncAt = Infinity;
  private mustList = true;
  private lists = 0;
  private watches = 0;
  private watchdogEnds = 0;
  private readonly syncWaiters = new Set<() => void>();

  public constructor(private readonly options: ListWatchOptions<T>) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.random = options.random ?? Math.random;
    this.backoff = new Backoff(options.backoff ?? DEFAULT_BACKOFF, this.random);
    this.lastStepAt = this.clock.monotonic();
  }

  /** The store that this keeps. */
  public get store(): Store<T> {
    return this.options.store;
  }

  /** How it goes; cheap. */
  public get health(): ListWatchHealth {
    const idleMs = this.clock.monotonic() - this.lastStepAt;
    return {
      resource: qualifiedPlural(this.options.kind),
      state: this.state,
      synced: this.store.hasSynced,
      consecutiveFailures: this.backoff.failures,
      lastError: this.lastError,
      refused: this.refusals >= LASTING_REFUSALS,
      idleMs,
      alive: this.state === 'stopped' || idleMs <= this.longestStepMs,
      lists: this.lists,
      watches: this.watches,
      watchdogEnds: this.watchdogEnds,
    };
  }

  /** Resolves when the store has its first list, or when `signal` aborts. */
  public async waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.store.hasSynced || signal?.aborted) {
      return;
    }
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        this.syncWaiters.delete(finish);
        forget();
        resolve();
      };
      this.syncWaiters.add(finish);
      const forget = onAbort(signal, finish);
    });
  }

  /** Runs until `signal` aborts; never rejects. */
  public async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.mustList || this.clock.monotonic() >= this.resyncAt) {
          await this.list(signal);
        }
        await this.watch(signal);
      } catch (error) {
        if (!signal.aborted) {
          await this.pause(error, signal);
        }
      }
    }
    this.step('stopped');
  }

  private async list(signal: AbortSignal): Promise<void> {
    this.step('listing');
    const begunAt = this.store.beginList();
    const { items, resourceVersion } = await this.listPages(signal);
    this.store.commitList(begunAt, items, resourceVersion);
    this.mustList = false;
    this.refusals = 0;
    // Spread, so that the lists of several resources do not fall together for ever.
    this.resyncAt = this.clock.monotonic() + (this.options.resyncMs ?? 3_600_000) * (0.9 + 0.2 * this.random());
    this.lists++;
    this.options.logger.debug('listed', { resource: this.health.resource, objects: items.length, resourceVersion });
    this.syncWaiters.forEach((finish) => finish());
  }

  private async listPages(signal: AbortSignal): Promise<{ items: T[]; resourceVersion: string }> {
    const items: T[] = [];
    const { client, kind, pageSize } = this.options;
    const resourceVersion = await readPages<T>(client, kind, { ...this.selection, largestPage: pageSize, signal }, {
      take: (page) => {
        this.step('listing');
        page.forEach((item) => items.push(this.store.trim(item)));
      },
      restart: () => { items.length = 0; },
    });
    return { items, resourceVersion };
  }

  /** One watch, until it ends in one way or another. Throws what the caller should pause for. */
  private async watch(signal: AbortSignal): Promise<void> {
    this.step('watching');
    const [shortest, longest] = this.options.watchTimeoutSeconds ?? [240, 300];
    const timeoutSeconds = Math.round(shortest + (longest - shortest) * this.random());
    const startedAt = this.clock.monotonic();
    const attempt = new AbortController();
    const forget = onAbort(signal, () => attempt.abort());
    let expired: string | undefined;
    const watchdog = new Watchdog(this.clock, (deadline) => {
      expired = deadline;
      attempt.abort();
    });
    watchdog.expireIn('not ended by the server', timeoutSeconds * 1000 + this.marginMs);
    // The resync cuts the watch short, to be on time even if the server forgets to end watches.
    watchdog.expireIn(RESYNC, this.resyncAt - startedAt);
    let delivered = false;
    const { resource } = this.health;
    const onOpen = (): void => { this.refusals = 0; };
    const options = { ...this.selection, resourceVersion: this.store.progress, timeoutSeconds, signal: attempt.signal, onOpen };
    try {
      await this.options.client.watch<T>(this.options.kind, options, (event) => {
        delivered = true;
        this.step('watching');
        this.store.applyEvent(event);
      });
    } catch (error) {
      if (expired === undefined) {
        throw error;
      }
    } finally {
      watchdog.stop();
      forget();
      this.watches++;
      const lastedMs = this.clock.monotonic() - startedAt;
      if (lastedMs >= (delivered ? SHORTEST_HEALTHY_WATCH_MS : HEALTHY_QUIET_WATCH_MS)) {
        this.backoff.reset();
        this.lastError = undefined;
      }
    }
    const lastedMs = Math.round(this.clock.monotonic() - startedAt);
    if (expired !== undefined && expired !== RESYNC) {
      this.watchdogEnds++;
      throw new Error(`watch ${resource}: ${expired} after ${lastedMs} ms; the connection is presumed dead`);
    }
    if (expired === undefined && lastedMs < SHORTEST_HEALTHY_WATCH_MS && !signal.aborted) {
      throw new Error(`watch ${resource}: the server ended it after ${lastedMs} ms, although ${timeoutSeconds} s were requested`);
    }
  }

  private async pause(error: unknown, signal: AbortSignal): Promise<void> {
    if (isApiError(error) && (error.isGone || error.isTooLargeResourceVersion)) {
      this.mustList = true;
    }
    this.refusals = isApiError(error, 'isForbidden') || isApiError(error, 'isNotFound') ? this.refusals + 1 : 0;
    this.lastError = (error as Error | undefined)?.message ?? String(error);
    const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const delayMs = Math.max(this.backoff.next(), retryAfterMs);
    // A version that has become too old is a matter of course; anything twice in a row is not.
    const level = isApiError(error, 'isGone') || this.backoff.failures < 2 ? 'info' : 'warn';
    this.options.logger[level]('list/watch interrupted', {
      resource: this.health.resource,
      phase: this.state,
      relist: this.mustList,
      retryInMs: Math.round(delayMs),
      failures: this.backoff.failures,
      error,
    });
    this.step('pausing');
    await sleep(this.clock, delayMs, signal);
  }

  private step(state: ListWatchHealth['state']): void {
    this.state = state;
    this.lastStepAt = this.clock.monotonic();
  }

  private get selection(): SelectOptions {
    const { namespace, labelSelector, fieldSelector } = this.options;
    return { namespace, labelSelector, fieldSelector };
  }

  private get marginMs(): number {
    return this.options.watchMarginMs ?? 30_000;
  }

  /** No step of a loop that works takes longer: watchdogs, request time-outs with their retries and pauses all end sooner. */
  private get longestStepMs(): number {
    const [, longestWatch] = this.options.watchTimeoutSeconds ?? [240, 300];
    const longestPause = (this.options.backoff ?? DEFAULT_BACKOFF).maxMs;
    return 2 * (longestWatch * 1000 + this.marginMs + longestPause);
  }
}
