/** Who is scraped, and how. A monitor of the Prometheus Operator is made of it. */

import type { Dashboard } from './dashboard';
import type { RuleGroup } from './rules';

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

/** A monitor. */
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

/** Everything that is installed for one system. */
export interface MonitoredSystem {
  readonly scrapes: readonly Scrape[];
  readonly groups: readonly RuleGroup[];
  readonly dashboard: Dashboard;
}
