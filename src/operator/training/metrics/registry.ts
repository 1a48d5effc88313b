/** prom-client's objects for our families. Each operator has a registry of its own, so that two in one process (tests) do not mix. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Family } from './families';

/** Values of the labels of one series. */
export type Labels = { readonly [label: string]: string };

/** A metric as the code uses it. */
export interface Metric {
  /** Adds to a counter. */
  inc(labels: Labels, value?: number): void;
  /** Sets a gauge, or a counter whose count is kept elsewhere. */
  set(labels: Labels, value: number): void;
  /** Adds a value to a histogram. */
  observe(labels: Labels, value: number): void;
  /** Forgets all series. */
  reset(): void;
  /** Forgets the series for which `isGone` holds. */
  prune(isGone: (labels: Labels) => boolean): Promise<void>;
}

/** Metrics by the names of their families in the code. */
export type Metrics<T> = { readonly [name in keyof T]: Metric };

/** A registry that is filled from lists of families. */
export class MetricsRegistry {
  private readonly registry = new Registry();
  private answering?: Promise<{ contentType: string; body: string }>;
  private readonly collectors: (() => void | Promise<void>)[] = [];

  /** Makes the metrics of a list. Counters without labels start at 0, so that their first step is seen. */
  public add<T extends { readonly [name: string]: Family }>(families: T): Metrics<T> {
    return Object.fromEntries(Object.entries(families).map(([name, family]) => [name, this.metric(family)])) as Metrics<T>;
  }

  /** Metrics of the process itself: CPU, memory, event loop, garbage collection. Once per process. */
  public addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Calls `collect` before each answer; for gauges that are counted when somebody asks. */
  public beforeAnswer(collect: () => void | Promise<void>): void {
    this.collectors.push(collect);
  }

  /** The answer of `/metrics`. Whoever asks while one is being made gets the same: what is counted is counted by one at a time. */
  public answer(): Promise<{ contentType: string; body: string }> {
    this.answering ??= this.collect().finally(() => {
      this.answering = undefined;
    });
    return this.answering;
  }

  private async collect(): Promise<{ contentType: string; body: string }> {
    for (const collect of this.collectors) {
      await collect();
    }
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  private metric({ name, help, type, labels, buckets }: Family): Metric {
    const settings = { name, help, labelNames: labels, registers: [this.registry] };
    switch (type) {
      case 'counter': {
        const made = new Counter(settings);
        return { ...unfit(name), inc: (values, by) => made.inc(values, by), ...kept(made), set: (values, value) => replace(made, values, value) };
      }
      case 'gauge': {
        const made = new Gauge(settings);
        return { ...unfit(name), set: (values, value) => made.set(values, value), ...kept(made) };
      }
      case 'histogram': {
        const made = new Histogram({ ...settings, buckets: [...buckets ?? []] });
        return { ...unfit(name), observe: (values, value) => made.observe(values, value), ...kept(made) };
      }
    }
  }
}

/** A count that is kept elsewhere becomes the counter's value. */
function replace(counter: Counter, labels: Labels, value: number): void {
  counter.remove(labels);
  counter.inc(labels, value);
}

type Kept = Counter | Gauge | Histogram;

function kept(metric: Kept): Pick<Metric, 'reset' | 'prune'> {
  return {
    reset: () => metric.reset(),
    prune: async (isGone) => {
      const { values } = await metric.get();
      // A histogram lists its buckets, which have the label `le` and go with the series.
      const series = new Map(values.map(({ labels: { le: _le, ...labels } }) => [JSON.stringify(labels), labels as Labels]));
      [...series.values()].filter(isGone).forEach((labels) => metric.remove(labels));
    },
  };
}

/** Methods that a type of metric does not have; reaching one is a mistake in the code, not in the data. */
function unfit(name: string): Pick<Metric, 'inc' | 'set' | 'observe'> {
  const refuse = (method: string) => () => {
    throw new Error(`${name}: ${method} does not fit its type`);
  };
  return { inc: refuse('inc'), set: refuse('set'), observe: refuse('observe') };
}
