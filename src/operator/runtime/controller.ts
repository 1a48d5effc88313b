/**
 * Connects stores to a reconciler, with the contract of controller-runtime:
 *
 *     store changes ──keysOf──> work queue ──> reconcile(key)
 *                                   ^              │ returns            done; the next failure starts from the first delay
 *                                   │              │ requeueAfterMs     again after that time
 *                                   └──────────────┤ throws             again after a delay that doubles
 *                                                  └ TerminalError      logged; again only when something changes
 *
 * The reconciler gets a key and nothing else: it reads the state of the world, never what happened. A key is worked on by one worker at
 * a time. Whatever it throws is contained: one bad object never stops the others.
 *
 * Every change enqueues, our own writes included: the pass that made them was planned from the state before. As the watch's echo of
 * a write changes nothing in the store, that is one extra pass (without requests, if the reconciler is right), where
 * controller-runtime has one per echo.
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/reconcile
 */
import { isApiError } from './http/api-error';
import { Clock, SYSTEM_CLOCK, onAbort } from './process/clock';
import { KubeObject, objectKey } from './kube-object';
import { Logger } from './process/logger';
import { Store, StoreChange } from './watch/store';
import { WorkQueue } from './work-queue';

/** What a successful pass may ask for. */
export interface ReconcileResult {
  /** Reconcile again after this many milliseconds even if nothing happens. */
  readonly requeueAfterMs?: number;
  /**
   * Leave the key alone for this many milliseconds: what changes meanwhile is dealt with together. For objects whose passes are long and whose
   * changes are many. @default - the next change is dealt with at once
   */
  readonly restMs?: number;
}

/** Given to each pass. */
export interface ReconcileContext {
  /** Aborts when a shutdown cannot wait any longer for this pass. */
  readonly signal: AbortSignal;
  /** Bound to the controller and the key. */
  readonly logger: Logger;
}

/** Makes the world match what the object under `key` asks for, as far as it can be done now. */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | void>;

/** What was planned rests on something that has changed meanwhile, which is normal: the next pass sees it. It is retried, and no error in the log. */
export class OutdatedError extends Error {
  public readonly name = 'OutdatedError';
}

/** Thrown by a reconciler when trying again is useless until something changes. */
export class TerminalError extends Error {
  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

/** Changes of objects that concern a controller; made by {@link storeSource}. */
export interface Source {
  /** For messages. */
  readonly name: string;
  /** Resolves when the first state is known. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Calls `onChange` for what is there and for each change from now on; returns what ends that. */
  subscribe(onChange: (keys: readonly string[], lowPriority: boolean) => void, onError: (error: unknown) => void): () => void;
}

/** Counts for metrics. */
export interface ReconcileRecord {
  readonly controller: string;
  readonly key: string;
  readonly outcome: 'success' | 'requeue' | 'error' | 'terminal';
  /** Whether the error only says that what was read was old by then. */
  readonly conflict: boolean;
  readonly seconds: number;
}

/** Settings of a {@link Controller}. */
export interface ControllerOptions {
  /** For logs and metrics. */
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly sources: readonly Source[];
  readonly logger: Logger;
  /** Passes that run at the same time, of different keys. @default 16 */
  readonly concurrency?: number;
  /** How long a shutdown waits for passes that are running before it aborts their signal, in milliseconds. @default 20000 */
  readonly drainMs?: number;
  /** @default - a new one with default settings */
  readonly queue?: WorkQueue;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Called after each pass; for metrics. Must not throw. */
  readonly onReconcile?: (record: ReconcileRecord) => void;
}

/** Passes that find nothing to do never wait for I/O; after this many milliseconds of them, timers and sockets get their turn. */
const YIELD_AFTER_MS = 10;

/** See the top of this file. */
export class Controller {
  /** The queue, for metrics and for adding keys by hand. */
  public readonly queue: WorkQueue;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly unsubscribe: (() => void)[] = [];
  private readonly abandon = new AbortController();
  private lastYield = performance.now();

  /** Subscribes to the sources at once: what happens before {@link run} waits in the queue. */
  public constructor(private readonly options: ControllerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.queue = options.queue ?? new WorkQueue({ clock: this.clock });
    this.logger = options.logger.child({ controller: options.name });
    for (const source of options.sources) {
      this.unsubscribe.push(
        source.subscribe(
          (keys, lowPriority) => keys.forEach((key) => this.queue.add(key, { lowPriority })),
          (error) => this.logger.error('a change could not be mapped to keys', { source: source.name, error }),
        ),
      );
    }
  }

  /**
   * Waits until all sources have synced, then works until `signal` aborts, then waits for the passes that are running. Never rejects.
   * Can run once.
   */
  public async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.options.sources.map((source) => source.waitForSync(signal)));
    if (!signal.aborted) {
      this.logger.info('controller started', { waiting: this.queue.depth });
      const workers = Array.from({ length: this.options.concurrency ?? 16 }, () => this.work());
      // Within the abort itself, so that no pass begins after it.
      await new Promise<void>((resolve) => onAbort(signal, () => resolve(this.drain())));
      await Promise.all(workers);
      this.logger.info('controller stopped');
    }
    this.unsubscribe.forEach((stop) => stop());
    await this.queue.shutDown();
  }

  private async drain(): Promise<void> {
    const timer = this.clock.schedule(() => {
      this.logger.warn('passes are still running at the end of the drain timeout; aborting them', { running: this.queue.processingCount });
      this.abandon.abort();
    }, this.options.drainMs ?? 20_000);
    await this.queue.shutDown();
    timer.cancel();
  }

  private async work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      let restMs = 0;
      try {
        restMs = await this.reconcile(key);
      } finally {
        this.queue.done(key, restMs);
      }
      if (performance.now() - this.lastYield > YIELD_AFTER_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        this.lastYield = performance.now();
      }
    }
  }

  /** One pass. @returns for how many milliseconds the key is to be left alone */
  private async reconcile(key: string): Promise<number> {
    const started = this.clock.monotonic();
    const logger = this.logger.child({ key });
    let outcome: ReconcileRecord['outcome'];
    let conflict = false;
    let restMs = 0;
    try {
      const result = await this.options.reconcile(key, { signal: this.abandon.signal, logger });
      this.queue.forget(key);
      outcome = 'success';
      restMs = result?.restMs ?? 0;
      if (result?.requeueAfterMs !== undefined) {
        outcome = 'requeue';
        this.queue.addAfter(key, result.requeueAfterMs);
      }
    } catch (error) {
      outcome = this.handleFailure(key, error, logger);
      conflict = isApiError(error, 'isConflict');
    }
    this.options.onReconcile?.({ controller: this.options.name, key, outcome, conflict, seconds: (this.clock.monotonic() - started) / 1000 });
    return restMs;
  }

  private handleFailure(key: string, error: unknown, logger: Logger): 'error' | 'terminal' {
    if (isTerminal(error)) {
      this.queue.forget(key);
      logger.error('reconciling failed permanently', { error });
      return 'terminal';
    }
    const retryAfterMs = isApiError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const retryInMs = Math.round(this.queue.addRateLimited(key, retryAfterMs));
    const level = isOutdated(error) ? 'debug' : 'error';
    logger[level]('reconciling failed, will be retried', { error, retryInMs, failures: this.queue.failuresOf(key) });
    return 'error';
  }
}

/** Settings of {@link storeSource}. */
export interface StoreSourceOptions<T extends KubeObject> {
  readonly name: string;
  readonly store: Store<T>;
  /** Usually that of the list/watch that feeds the store. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Keys to reconcile because of an object: its own, or that of its owner. */
  keysOf(object: T): readonly string[];
  /** Changes for which this is false are ignored. @default - none are */
  readonly concerns?: (change: StoreChange<T>) => boolean;
}

/**
 * A source that follows a store. The keys of both the previous and the current object are reconciled, so that an object that changed
 * its owner is noticed by both. Objects that are there already, or that a first list brings, come with low priority.
 */
export function storeSource<T extends KubeObject>(options: StoreSourceOptions<T>): Source {
  return {
    name: options.name,
    waitForSync: (signal) => options.waitForSync(signal),
    subscribe: (onChange, onError) => {
      const tell = (change: StoreChange<T>): void => {
        try {
          if (options.concerns?.(change) === false) {
            return;
          }
          const keys = [change.previous, change.current].flatMap((object) => (object === undefined ? [] : options.keysOf(object)));
          onChange([...new Set(keys)], change.origin === 'list' && change.previous === undefined);
        } catch (error) {
          // One object that cannot be mapped must not cut off the ones after it.
          onError(error);
        }
      };
      options.store.list().forEach((current) => tell({ key: objectKey(current), current, origin: 'list' }));
      return options.store.onChange(tell);
    },
  };
}

/** A conflict only says that our view was old, which is normal; the next pass has a newer one. */
function isOutdated(error: unknown): boolean {
  return isApiError(error, 'isConflict') || error instanceof OutdatedError || (error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isOutdated));
}

function isTerminal(error: unknown): boolean {
  return error instanceof TerminalError || (error instanceof AggregateError && error.errors.length > 0 && error.errors.every(isTerminal));
}
