/**
 * Rows of kinds with many jobs. A watch keeps them current while a page is open, because listing thousands of jobs for each update is slow. They
 * belong to one client, and so to one user. Each update checks the user's permission by listing one object. When a watch ends, its rows are removed,
 * and the next update lists all jobs again.
 */
import type { CommandKind } from '../jobs/kinds';
import type { AnyObject } from '../jobs/objects';
import { rowsOf, type ObjectRow } from '../jobs/read-rows';
import { LIMIT, type Reader } from '../jobs/reader';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { objectKey, type KubeList, type WatchEvent } from '../../operator/runtime/kube-object';
import { qualifiedPlural } from '../../operator/runtime/resource-kind';

/** Fewer objects are listed without a watch. */
const WORTH_A_WATCH = 100;

/** Rows are removed after this time without a read; milliseconds. */
const IDLE_MS = 60_000;

/** Range for the random lifetime of a watch, so that not all end at the same time, and a margin after which it is aborted; seconds. */
const WATCH_SECONDS = [240, 300] as const;
const MARGIN_SECONDS = 30;

/** Pause after a watch was rejected or failed; milliseconds. */
const PAUSE_MS = 60_000;

/** Limits on rows and watches of all users of a process. Above these, jobs are listed for each update. */
export class RowBudget {
  private rows = 0;
  private watches = 0;

  public constructor(private readonly maxRows = 40_000, private readonly maxWatches = 200) {}

  /** Reserves a watch and its rows; false if that exceeds the limits. */
  public open(rows: number): boolean {
    if (this.watches >= this.maxWatches || this.rows + rows > this.maxRows) {
      return false;
    }
    this.watches += 1;
    this.rows += rows;
    return true;
  }

  /** Changes the number of reserved rows; false if there are now too many. */
  public change(rows: number): boolean {
    this.rows += rows;
    return this.rows <= this.maxRows;
  }

  /** Releases a watch and its rows. */
  public close(rows: number): void {
    this.watches -= 1;
    this.rows -= rows;
  }
}

export interface LiveRowsOptions {
  readonly budget: RowBudget;
  /** Minimum number of objects for a watch. @default 100 */
  readonly worthAWatch?: number;
  /** Rows are removed after this time without a read; milliseconds. @default 60000 */
  readonly idleMs?: number;
}

export class LiveRows {
  private readonly watched = new Map<string, WatchedRows>();
  /** When a failed watch may be retried. */
  private readonly pausedUntil = new Map<string, number>();

  public constructor(private readonly client: KubeClient, private readonly options: LiveRowsOptions) {}

  /** Number of watches. */
  public get watches(): number {
    return this.watched.size;
  }

  /** Reads the rows of a kind; none if it is not installed or may not be listed, which the reader notes. @param namespace undefined for all */
  public async read(reader: Reader, kind: CommandKind, namespace: string | undefined): Promise<readonly ObjectRow[]> {
    const key = `${qualifiedPlural(kind)}/${kind.version} ${namespace ?? ''}`;
    const watched = this.watched.get(key);
    if (watched?.isCurrent !== true) {
      const page = await reader.firstPage<AnyObject>(kind, namespace);
      if (page !== undefined && watched === undefined) {
        this.watch(key, kind, namespace, page);
      }
      return page === undefined ? [] : rowsOf(kind, page.items);
    }
    if (await reader.page(kind, namespace, { limit: 1 }) === undefined) {
      watched.end();
      return [];
    }
    return watched.read();
  }

  private watch(key: string, kind: CommandKind, namespace: string | undefined, { items, resourceVersion, continueToken }: KubeList<AnyObject>): void {
    const { budget, worthAWatch = WORTH_A_WATCH, idleMs = IDLE_MS } = this.options;
    const isPaused = performance.now() < (this.pausedUntil.get(key) ?? 0);
    if (isPaused || items.length < worthAWatch || continueToken !== undefined || this.watched.has(key) || !budget.open(items.length)) {
      return;
    }
    const watched = new WatchedRows(kind, items, budget, idleMs);
    this.watched.set(key, watched);
    this.pausedUntil.delete(key);
    void watched.run(this.client, namespace, resourceVersion).then((hasFailed) => {
      this.watched.delete(key);
      if (hasFailed) {
        this.pausedUntil.set(key, performance.now() + PAUSE_MS);
      }
    });
  }
}

/** Rows of a kind, and the watch that keeps them current. */
class WatchedRows {
  /** Whether the watch is open, so that the rows are current. */
  public isCurrent = false;
  private readonly abort = new AbortController();
  private readonly rows = new Map<string, readonly ObjectRow[]>();
  private readonly idle: NodeJS.Timeout;
  private taken: number;

  public constructor(private readonly kind: CommandKind, items: readonly AnyObject[], private readonly budget: RowBudget, idleMs: number) {
    items.forEach((item) => this.put(item));
    this.taken = items.length;
    this.idle = setTimeout(() => this.end(), idleMs).unref();
  }

  public read(): readonly ObjectRow[] {
    this.idle.refresh();
    return [...this.rows.values()].flat();
  }

  public end(): void {
    this.isCurrent = false;
    this.abort.abort();
  }

  /** Watches until the watch ends. @returns whether it was rejected or failed */
  public async run(client: KubeClient, namespace: string | undefined, resourceVersion: string): Promise<boolean> {
    const [shortest, longest] = WATCH_SECONDS;
    const timeoutSeconds = Math.round(shortest + (longest - shortest) * Math.random());
    const signal = AbortSignal.any([this.abort.signal, AbortSignal.timeout((timeoutSeconds + MARGIN_SECONDS) * 1000)]);
    const onOpen = (): void => { this.isCurrent = true; };
    try {
      await client.watch<AnyObject>(this.kind, { namespace, resourceVersion, timeoutSeconds, signal, onOpen }, (event) => this.apply(event));
      return false;
    } catch {
      // If the problem persists, the next list reports it.
      return !signal.aborted;
    } finally {
      this.end();
      clearTimeout(this.idle);
      this.budget.close(this.taken);
      this.rows.clear();
    }
  }

  private apply({ type, object }: WatchEvent<AnyObject>): void {
    if (type === 'BOOKMARK') {
      return;
    }
    if (type === 'DELETED') {
      this.rows.delete(objectKey(object));
    } else {
      this.put(object);
    }
    const more = this.rows.size - this.taken;
    this.taken = this.rows.size;
    if (!this.budget.change(more) || this.rows.size > LIMIT) {
      this.end();
    }
  }

  private put(object: AnyObject): void {
    this.rows.set(objectKey(object), rowsOf(this.kind, [object]));
  }
}
