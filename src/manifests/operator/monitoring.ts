/**
 * What a monitoring stack needs of the operator: a ServiceMonitor or PodMonitor and a PrometheusRule for the Prometheus Operator, and a ConfigMap
 * that Grafana's sidecar loads as a dashboard. The alerts are in `monitoring-rules.ts`, the dashboard in `monitoring-dashboard.ts`.
 *
 * @see https://prometheus-operator.dev/docs/api-reference/api/
 */
import { constructDashboard } from './monitoring-dashboard';
import { constructRuleGroups, type AlertThresholds } from './monitoring-rules';
import { OPERATOR_NAME, OPERATOR_NAME_LABEL, OPERATOR_PORT_NAME } from './settings';
import type { Manifest } from '../kubernetes';

const MONITORING_VERSION = 'monitoring.coreos.com/v1';

/** Path of the metrics on the operator's HTTP port. */
export const METRICS_PATH = '/metrics';

/** Name of the ConfigMap with the dashboard, and of the file in it without its ending. */
export const DASHBOARD_NAME = `${OPERATOR_NAME}-dashboard`;

/** How the metrics are read, and by whom. */
export interface MonitorOptions {
  readonly namespace: string;
  /** Seconds between two scrapes. */
  readonly intervalSeconds: number;
  /** Labels by which a Prometheus selects its monitors and rules. */
  readonly labels: { readonly [label: string]: string };
}

/** Has the operator's pods scraped through their Service. */
export function constructServiceMonitor(options: MonitorOptions): Manifest & { readonly spec: object } {
  return {
    ...monitor('ServiceMonitor', options),
    spec: { ...SELECTED, endpoints: [endpoint(options)] },
  };
}

/** Has the operator's pods scraped by their own addresses. */
export function constructPodMonitor(options: MonitorOptions): Manifest & { readonly spec: object } {
  return {
    ...monitor('PodMonitor', options),
    spec: { ...SELECTED, podMetricsEndpoints: [endpoint(options)] },
  };
}

/** Alerts about the operator and its jobs, and the recorded goodput. */
export function constructPrometheusRule(options: MonitorOptions, thresholds: AlertThresholds): Manifest & { readonly spec: object } {
  return { ...monitor('PrometheusRule', options), spec: { groups: constructRuleGroups(thresholds) } };
}

/**
 * The dashboard as a ConfigMap.
 * @param labels by which Grafana's sidecar finds it
 * @param folder Grafana's folder that it is shown in
 */
export function constructDashboardConfigMap(
  namespace: string, labels: { readonly [label: string]: string }, folder?: string,
): Manifest & { readonly data: object } {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: DASHBOARD_NAME,
      namespace,
      labels: { ...labels, [OPERATOR_NAME_LABEL]: OPERATOR_NAME },
      ...(folder !== undefined && { annotations: { grafana_folder: folder } }),
    },
    data: { [`${DASHBOARD_NAME}.json`]: `${JSON.stringify(constructDashboard(), null, 2)}\n` },
  };
}

const SELECTED = { selector: { matchLabels: { [OPERATOR_NAME_LABEL]: OPERATOR_NAME } } };

function monitor(kind: string, { namespace, labels }: MonitorOptions): Manifest {
  return {
    apiVersion: MONITORING_VERSION,
    kind,
    metadata: { name: OPERATOR_NAME, namespace, labels: { ...labels, [OPERATOR_NAME_LABEL]: OPERATOR_NAME } },
  };
}

function endpoint({ intervalSeconds }: MonitorOptions): object {
  return { port: OPERATOR_PORT_NAME, path: METRICS_PATH, interval: `${intervalSeconds}s` };
}
