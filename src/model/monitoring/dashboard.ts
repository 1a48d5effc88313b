/** Dashboards, as data: what is asked, how it is called, in which rows it stands. What Grafana wants for that is in `manifests/monitoring`. */
import { createHash } from 'node:crypto';

/** A line of a panel. */
export interface Query {
  readonly expr: string;
  /** Name of each series, with labels in double braces. */
  readonly legend: string;
}

/** A picture. */
export interface Panel {
  readonly title: string;
  /** `stat` shows the last value as a number. @default timeseries */
  readonly kind?: 'timeseries' | 'stat';
  /** Grafana's unit, such as `s`, `bytes`, `percentunit`. @default short */
  readonly unit?: string;
  readonly description?: string;
  readonly queries: readonly Query[];
}

/** Panels under a heading. */
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

/** A dashboard. */
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

/** A line. */
export const query = (expr: string, legend: string): Query => ({ expr, legend });

/** Window of rates that fits the zoom of the dashboard. */
export const RATE = '$__rate_interval';

/** Condition that a label has one of the values that are chosen above the dashboard. */
export const chosen = (label: string, variable: string): string => `${label}=~"$${variable}"`;
