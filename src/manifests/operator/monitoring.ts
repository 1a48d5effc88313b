/**
 * Monitoring of the operator: a ServiceMonitor or PodMonitor and a PrometheusRule for the Prometheus Operator, and a ConfigMap that Grafana's sidecar
 * loads as a dashboard. Alerts and dashboard are in `model/monitoring/operator`.
 */
import { OPERATOR_LABELS, OPERATOR_NAME, OPERATOR_PORT_NAME } from './settings';
import { constructDashboardConfigMap } from '../monitoring/dashboard';
import { constructMonitor, constructPrometheusRule } from '../monitoring/monitors';
import { operatorRuleGroups, type OperatorThresholds } from '../../model/monitoring/operator/alerts';
import { operatorDashboard } from '../../model/monitoring/operator/dashboard';
import type { Manifest } from '../kubernetes';

/** Path of the metrics on the operator's HTTP port. */
const METRICS_PATH = '/metrics';

/** Name of the ConfigMap with the dashboard, and of its file without the extension. */
const DASHBOARD_NAME = `${OPERATOR_NAME}-dashboard`;

/** How metrics are scraped. */
export interface MonitorOptions {
  readonly namespace: string;
  /** Seconds between two scrapes. */
  readonly intervalSeconds: number;
  /** Labels with which a Prometheus selects its monitors and rules. */
  readonly labels: { readonly [label: string]: string };
}

/** The monitor of the operator's pods, through their Service or by their own addresses. */
export function constructOperatorMonitor(of: 'pods' | 'services', options: MonitorOptions): Manifest & { readonly spec: object } {
  const { intervalSeconds } = options;
  const endpoints = [{ port: OPERATOR_PORT_NAME, path: METRICS_PATH }];
  return constructMonitor(object(options), { of, name: '', matchLabels: OPERATOR_LABELS, endpoints, podLabels: [] }, { intervalSeconds });
}

/** Alerts about the operator and its jobs, and the recorded goodput. */
export function constructOperatorRule(options: MonitorOptions, thresholds: OperatorThresholds): Manifest & { readonly spec: object } {
  return constructPrometheusRule(object(options), operatorRuleGroups(thresholds));
}

/**
 * The dashboard as a ConfigMap.
 * @param labels labels with which Grafana's sidecar finds it
 * @param folder Grafana's folder for it
 */
export function constructOperatorDashboard(
  namespace: string, labels: { readonly [label: string]: string }, folder?: string,
): Manifest & { readonly data: object } {
  return constructDashboardConfigMap({ name: DASHBOARD_NAME, namespace, labels: { ...labels, ...OPERATOR_LABELS }, folder }, operatorDashboard());
}

function object({ namespace, labels }: MonitorOptions) {
  return { name: OPERATOR_NAME, namespace, labels: { ...labels, ...OPERATOR_LABELS } };
}
