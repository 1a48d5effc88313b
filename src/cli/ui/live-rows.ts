/**
 * Rows of kinds with many jobs, kept current by a watch while somebody looks: to list thousands of jobs for each look takes the API server longer
 * than all else. They belong to one client, and so to one user. Whether that user may still list them is asked of the API server at each look, by a
 * list of one object. A watch that ends, for whatever reason, takes its rows with it, and the next look lists all again.
 */
import type { CommandKind } from '../jobs/kinds';
import type { AnyObject } from '../jobs/objects';
import { rowsOf, type ObjectRow } from '../jobs/read-rows';
import { LIMIT, type Reader } from '../jobs/reader';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { objectKey, type KubeList, type WatchEvent } from '../../operator/runtime/kube-object';
import { qualifiedPlural } from '../../operator/runtime/resource-kind';

/** Fewer objects are listed as fast as one. */
const WORTH_A_WATCH = 100;

/** Milliseconds after the last look at which rows are forgotten. */
const IDLE_MS = 60_000;

/** Seconds after which the server ends a watch, drawn at random so that not all lists come together, and how long past that it may live. */
const WATCH_SECONDS = [240, 300] as const;
const MARGIN_SECONDS = 30;

/** Milliseconds without another attempt after a watch that was refused or broke. */
const PAUSE_MS = 60_000;

/** Rows and watches of all users of a process. Who comes when they are taken has all jobs listed at each look. */
export class RowBudget {
  private rows = 0;
  private watches = 0;

  public constructor(private readonly maxRows = 40_000, private readonly maxWatches = 200) {}

  /** Takes a watch and rows for it; false when they are not to be had. */
  public open(rows: number): boolean {
    if (this.watches >= this.maxWatches || this.rows + rows > this.maxRows) {
      return false;
    }
    this.watches += 1;
    this.rows += rows;
    return true;
  }

  /** Takes or gives rows; false when there are too many now. */
  public change(rows: number): boolean {
    this.rows += rows;
    return this.rows <= this.maxRows;
  }

  /** Gives them back. */
  public close(rows: number): void {
    this.watches -= 1;
    this.rows -= rows;
  }
}

/** Settings of {@link LiveRows}. */
export interface LiveRowsOptions {
  readonly budget: RowBudget;
  /** Objects from which on a watch is opened. @default 100 */
  readonly worthAWatch?: number;
  /** Milliseconds after the last look at which rows are forgotten. @default 60000 */
  readonly idleMs?: number;
}

export class LiveRows {
  private readonly watched = new Map<string, WatchedRows>();
  /** When a watch that failed may be tried again. */
  private readonly pausedUntil = new Map<string, number>();

  public constructor(private readonly client: KubeClient, private readonly options: LiveRowsOptions) {}

  /** Kinds and namespaces that are watched. */
  public get watches(): number {
    return this.watched.size;
  }

  /** Reads the rows of a kind; none when it is not installed, or may not be listed: the reader says which. @param namespace all when undefined */
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
    return watched.look();
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

/** Rows of a kind, and the watch that keeps them. */
class WatchedRows {
  /** Whether the watch is open: from then on nothing is missed. */
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

  public look(): readonly ObjectRow[] {
    this.idle.refresh();
    return [...this.rows.values()].flat();
  }

  public end(): void {
    this.isCurrent = false;
    this.abort.abort();
  }

  /** Watches until it ends. @returns whether it was refused or broke */
  public async run(client: KubeClient, namespace: string | undefined, resourceVersion: string): Promise<boolean> {
    const [shortest, longest] = WATCH_SECONDS;
    const timeoutSeconds = Math.round(shortest + (longest - shortest) * Math.random());
    const signal = AbortSignal.any([this.abort.signal, AbortSignal.timeout((timeoutSeconds + MARGIN_SECONDS) * 1000)]);
    const onOpen = (): void => { this.isCurrent = true; };
    try {
      await client.watch<AnyObject>(this.kind, { namespace, resourceVersion, timeoutSeconds, signal, onOpen }, (event) => this.apply(event));
      return false;
    } catch {
      // Why is said by the list that comes next, if it is still so.
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
