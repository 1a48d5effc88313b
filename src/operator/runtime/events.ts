/**
 * Kubernetes Events about our objects, for `kubectl describe`: best effort by design. Recording never waits, never fails, and never takes
 * from the requests that jobs need:
 * - the same event again (object, type, reason, message) within ten minutes raises the count of the first one, by a patch;
 *   while the first is still waiting to be sent it costs no request at all;
 * - each object has a budget, as in client-go: a burst, then one event each few minutes;
 * - events wait in a bounded line and are sent a few at a time; when the line is full or the API server refuses, they are dropped and
 *   counted.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/record
 */
import { randomUUID } from 'node:crypto';
import { isApiError } from './http/api-error';
import { Clock, SYSTEM_CLOCK } from './process/clock';
import { KubeClient } from './kube-client';
import { KubeObject } from './kube-object';
import { Logger } from './process/logger';
import { EVENTS } from './resource-kind';

/** What an event says. */
export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, stable, for machines. */
  readonly reason: string;
  /** For people; cut at 1024 bytes. */
  readonly message: string;
}

/** Settings of an {@link EventRecorder}. */
export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly logger: Logger;
  /** Who reports: a domain-prefixed name such as `trainyard.dev/operator`. */
  readonly component: string;
  /** Which process reports. @default "" */
  readonly instance?: string;
  /** Events per object before its budget is spent. @default 25 */
  readonly burst?: number;
  /** Time until an object may have one more, in milliseconds. @default 300000 */
  readonly refillMs?: number;
  /** Events that may wait to be sent. @default 1000 */
  readonly maxWaiting?: number;
  /** Requests at the same time. @default 2 */
  readonly concurrency?: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

interface KubeEvent extends KubeObject {
  count?: number;
  [field: string]: unknown;
}

interface Series {
  readonly key: string;
  readonly regarding: KubeObject;
  readonly note: EventNote;
  readonly firstAt: number;
  lastAt: number;
  /** Occurrences, and how many of them the server knows of. */
  count: number;
  sent: number;
  waiting: boolean;
  sending: boolean;
  /** Name of the Event object once it exists. */
  name?: string;
}

/** After this time, in milliseconds, a repeated event is a new one. */
const SERIES_MS = 600_000;
/** Series and budgets that are remembered; the oldest go first. */
const REMEMBERED = 4096;
/** Longest message that the API takes. */
const MAX_MESSAGE_BYTES = 1024;

/** See the top of this file. */
export class EventRecorder {
  private readonly clock: Clock;
  private readonly series = new Map<string, Series>();
  private readonly budgets = new Map<string, { tokens: number; at: number }>();
  private readonly waiting: Series[] = [];
  private active = 0;
  private idle: (() => void)[] = [];
  private droppedCount = 0;

  public constructor(private readonly options: EventRecorderOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Events that were given up: over budget, line full, or refused. */
  public get dropped(): number {
    return this.droppedCount;
  }

  /** Records an event about an object, which must have a name and a uid. Returns at once. */
  public record(regarding: KubeObject, note: EventNote): void {
    const uid = regarding.metadata?.uid ?? '';
    const key = [uid, note.type, note.reason, note.message].join('\n');
    const now = this.clock.now();
    const known = this.series.get(key);
    if (!this.spend(uid)) {
      this.droppedCount++;
      return;
    }
    if (known !== undefined && now - known.lastAt < SERIES_MS) {
      known.count++;
      known.lastAt = now;
      this.enqueue(known);
      return;
    }
    const state = { firstAt: now, lastAt: now, count: 1, sent: 0, waiting: false, sending: false };
    const series: Series = { key, regarding: reference(regarding), note, ...state };
    remember(this.series, key, series);
    this.enqueue(series);
  }

  /** Resolves when everything recorded so far is sent or dropped; for an orderly end. */
  public flush(): Promise<void> {
    return this.active === 0 && this.waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => this.idle.push(resolve));
  }

  /** Takes one event out of the budget of an object; false when there is none left. */
  private spend(uid: string): boolean {
    const now = this.clock.monotonic();
    const burst = this.options.burst ?? 25;
    const budget = this.budgets.get(uid) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / (this.options.refillMs ?? 300_000));
    const allowed = tokens >= 1;
    remember(this.budgets, uid, { tokens: allowed ? tokens - 1 : tokens, at: now });
    return allowed;
  }

  private enqueue(series: Series): void {
    // While it is being sent its Event object has no name yet; what comes meanwhile goes out afterwards.
    if (series.waiting || series.sending) {
      return;
    }
    if (this.waiting.length >= (this.options.maxWaiting ?? 1000)) {
      this.droppedCount++;
      return;
    }
    series.waiting = true;
    this.waiting.push(series);
    if (this.active < (this.options.concurrency ?? 2)) {
      this.active++;
      void this.drain();
    }
  }

  private async drain(): Promise<void> {
    // Not in the caller's turn: what it records next about the same thing still merges.
    await Promise.resolve();
    for (let series = this.waiting.shift(); series !== undefined; series = this.waiting.shift()) {
      series.waiting = false;
      series.sending = true;
      try {
        await this.send(series);
      } catch (error) {
        this.droppedCount += series.count - series.sent;
        series.sent = series.count;
        this.series.delete(series.key);
        this.options.logger.debug('an event could not be recorded', { reason: series.note.reason, error });
      }
      series.sending = false;
      if (series.count > series.sent) {
        this.enqueue(series);
      }
    }
    this.active--;
    if (this.active === 0) {
      this.idle.splice(0).forEach((resolve) => resolve());
    }
  }

  private async send(series: Series): Promise<void> {
    const { count, lastAt } = series;
    const namespace = series.regarding.metadata?.namespace ?? 'default';
    const lastTimestamp = timestamp(lastAt);
    if (series.name !== undefined) {
      try {
        await this.options.client.patch(EVENTS, { namespace, name: series.name }, { count, lastTimestamp }, { maxRetries: 0 });
        series.sent = count;
        return;
      } catch (error) {
        // Events live an hour; a new one takes its place.
        if (!isApiError(error, 'isNotFound')) {
          throw error;
        }
      }
    }
    const name = `${(series.regarding.metadata?.name ?? 'event').slice(0, 200)}.${randomUUID()}`;
    await this.options.client.create<KubeEvent>(EVENTS, this.toEvent(series, name, namespace, count, lastTimestamp), { maxRetries: 0 });
    series.name = name;
    series.sent = count;
  }

  private toEvent(series: Series, name: string, namespace: string, count: number, lastTimestamp: string): KubeEvent {
    const { apiVersion, kind, metadata } = series.regarding;
    const { component, instance } = this.options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: {
        apiVersion,
        kind,
        namespace: metadata?.namespace,
        name: metadata?.name,
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
      },
      type: series.note.type,
      reason: series.note.reason,
      message: cut(series.note.message),
      source: { component, host: instance },
      reportingComponent: component,
      reportingInstance: instance ?? '',
      firstTimestamp: timestamp(series.firstAt),
      lastTimestamp,
      count,
    };
  }
}

/** Only what an event needs: a series must not keep a whole object in memory. */
function reference({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > REMEMBERED) {
    const [oldest] = map.keys();
    map.delete(oldest);
  }
}

/** Whole seconds, as core/v1 events have them. */
function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function cut(message: string): string {
  if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) {
    return message;
  }
  // Cutting bytes may split a character, which toString marks; leave the mark out.
  const kept = Buffer.from(message).subarray(0, MAX_MESSAGE_BYTES - 3).toString('utf8').replace(/\uFFFD$/, '');
  return `${kept}…`;
}
