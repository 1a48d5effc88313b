/**
 * What the monitoring of a system is, as data: who is scraped, alerts and recorded series, dashboards.
 *
 * Who is scraped, and how. It becomes a monitor of the Prometheus Operator.
 *
 * Alerts and recorded series, as data. Each alert asks for an action and names it: what only informs is on a dashboard.
 *
 * Dashboards, as data: queries, titles and rows. What Grafana wants for that is in `manifests/monitoring`.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
 */
import { createHash } from 'node:crypto';

/** Where the numbers are. One of `port` and `fromAnnotations` says which port. */
export interface ScrapeEndpoint {
  /** Name of the port, of the pod or of the Service. */
  readonly port?: string;
  readonly path: string;
  readonly scheme?: 'https';
  /** Whether labels of the exporter win over those of the scrape. Only with `inNamespaces`: it can forge every series. @default false */
  readonly honorLabels?: boolean;
  /** Annotations of the pod that say port and path, for containers that declare no port. */
  readonly fromAnnotations?: { readonly container: string; readonly port: string; readonly path: string };
}

export interface Scrape {
  /** Whether pods are scraped by their own addresses, or those behind a Service. */
  readonly of: 'pods' | 'services';
  /** What distinguishes several monitors of one system; empty for one alone. */
  readonly name: string;
  readonly matchLabels: { readonly [label: string]: string };
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'Exists' | 'In'; readonly values?: readonly string[] }[];
  /** Pods whose label matches as a whole; for what a selector of labels cannot say. */
  readonly keep?: { readonly label: string; readonly regex: string };
  readonly endpoints: readonly ScrapeEndpoint[];
  /** Labels of pods that become labels of the series. */
  readonly podLabels: readonly string[];
  /** Namespaces that it is looked for in, whatever is selected; `any` for all. @default - those that are selected */
  readonly inNamespaces?: readonly string[] | 'any';
}

export interface MonitoredSystem {
  readonly scrapes: readonly Scrape[];
  readonly groups: readonly RuleGroup[];
  readonly dashboard: Dashboard;
}

/** Whether it needs immediate attention. */
type Severity = 'critical' | 'warning';

export interface Alert {
  /** Name. Two alerts of one name are about the same and have other `labels`. */
  readonly alert: string;
  readonly severity: Severity;
  /** Labels beyond the severity, which distinguish alerts of one name. @default none */
  readonly labels?: { readonly [label: string]: string };
  /** How long the expression has to hold, such as `15m`. @default at once */
  readonly for?: string;
  readonly expr: string;
  /** One line, which may name labels of the expression. */
  readonly summary: string;
  /** What it means and what to do. */
  readonly description: string;
}

/** A series that is computed and kept. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Rules that are evaluated in order. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (Alert | Recording)[];
}

export function isAlert(rule: Alert | Recording): rule is Alert {
  return 'alert' in rule;
}

export function alertsOf(groups: readonly RuleGroup[]): Alert[] {
  return groups.flatMap(({ rules }) => rules.filter(isAlert));
}

export interface Query {
  readonly expr: string;
  /** Name of each series, with labels in double braces. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** `stat` shows the last value as a number. @default timeseries */
  readonly kind?: 'timeseries' | 'stat';
  /** Grafana's unit, such as `s`, `bytes`, `percentunit`. @default short */
  readonly unit?: string;
  readonly description?: string;
  readonly queries: readonly Query[];
}

export interface PanelRow {
  /** @default - no heading */
  readonly title?: string;
  readonly panels: readonly Panel[];
}

/** Something to choose above the dashboard, from the values of a label. */
export interface Variable {
  readonly name: string;
  readonly label: string;
  /** Metric, or selector, whose label is listed. */
  readonly metric: string;
  readonly valuesOf: string;
}

export interface Dashboard {
  /** Id in its URL: at most 40 letters, digits, `-` and `_`. */
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly variables: readonly Variable[];
  readonly rows: readonly PanelRow[];
}

/** Id of a dashboard: what it is about and, of one among many, a hash of its identity. */
export function dashboardUid(about: string, identity: readonly string[] = []): string {
  const hash = identity.length === 0 ? '' : `-${createHash('sha256').update(identity.join('/')).digest('hex').slice(0, 12)}`;
  return `trainyard-${about}${hash}`;
}

export const query = (expr: string, legend: string): Query => ({ expr, legend });

/** Window of rates that fits the zoom of the dashboard. */
export const RATE = '$__rate_interval';

/** Condition that a label has one of the values that are chosen above the dashboard. */
export const chosen = (label: string, variable: string): string => `${label}=~"$${variable}"`;
