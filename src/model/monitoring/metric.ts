/** What a monitored system exports: names of metrics with their types and labels, and where that is written. */

/** How a metric counts. */
export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

/** A metric and what is said about it. */
export interface Metric {
  /** Name in Prometheus' text format. */
  readonly name: string;
  readonly type: MetricType;
  /** Labels of its own, without those that a scrape adds. */
  readonly labels: readonly string[];
  readonly help: string;
}

/** Metrics of one program. */
export interface MetricSource {
  /** The program, with the version that was looked at. */
  readonly program: string;
  /** Where its metrics are described or made. */
  readonly url: string;
  readonly metrics: readonly Metric[];
  /** Labels that every series has beyond those of its metric: of the program itself, and those that our monitors take from pods. */
  readonly targetLabels: readonly string[];
}

/** Labels that the Prometheus Operator's monitors put on every series. */
export const SCRAPE_LABELS = ['namespace', 'pod', 'container', 'instance', 'job', 'endpoint'] as const;

export const counter = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'counter', help, labels });
export const gauge = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'gauge', help, labels });
export const histogram = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'histogram', help, labels });
export const summary = (name: string, help: string, labels: readonly string[] = []): Metric => ({ name, type: 'summary', help, labels });

/** Series that metrics make, by name, with the labels of their metric. */
export function seriesOf(metrics: readonly Metric[]): Map<string, readonly string[]> {
  return new Map(metrics.flatMap(({ name, type, labels }): [string, readonly string[]][] => {
    switch (type) {
      case 'histogram':
        return [[`${name}_bucket`, [...labels, 'le']], [`${name}_sum`, labels], [`${name}_count`, labels]];
      case 'summary':
        return [[name, [...labels, 'quantile']], [`${name}_sum`, labels], [`${name}_count`, labels]];
      case 'counter':
      case 'gauge':
        return [[name, labels]];
    }
  }));
}

/** Series that a source's programs have, with all their labels. */
export function seriesOfSource({ metrics, targetLabels }: MetricSource): Map<string, readonly string[]> {
  return new Map([...seriesOf(metrics)].map(([name, labels]) => [name, [...labels, ...targetLabels, ...SCRAPE_LABELS]]));
}
