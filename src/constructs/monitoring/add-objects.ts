/** The monitoring objects of one system: monitors, rules, dashboard. */
import { Chart, Duration } from 'cdk8s';
import type { Construct } from 'constructs';
import { addManifest } from '../rendering/objects';
import type { MonitoringChecks } from './systems';
import type { MonitoringOptions } from './monitoring-options';
import { constructDashboardConfigMap } from '../../manifests/monitoring/dashboard';
import { constructMonitor, constructPrometheusRule } from '../../manifests/monitoring/monitors';
import { MANAGED_BY_LABEL } from '../../model/labels';
import type { MonitoredSystem } from '../../model/monitoring/monitored-system';

/** Labels by which Grafana's sidecar finds dashboards, as in its charts. */
export const DASHBOARD_LABELS = { grafana_dashboard: '1' };

/** Names and namespaces of the objects. */
export interface ObjectsPlace {
  /** Name of the objects, or its prefix. */
  readonly name: string;
  /** Namespace of the objects. @default - the chart's */
  readonly namespace?: string;
  /** Namespaces that are monitored. @default - the namespace of the objects */
  readonly namespaces?: readonly string[] | 'any';
}

/** Adds the objects below a construct. */
export function addMonitoringObjects(
  scope: Construct, checks: MonitoringChecks, system: MonitoredSystem, options: MonitoringOptions, place: ObjectsPlace,
): void {
  const { interval = Duration.seconds(30), labels = {}, dashboardLabels = DASHBOARD_LABELS, dashboardFolder } = options;
  checks.wholeSeconds('interval', interval);
  const namespace = place.namespace ?? Chart.of(scope).namespace;
  const own = { [MANAGED_BY_LABEL]: 'trainyard' };
  const object = (suffix: string) => ({ name: [place.name, suffix].filter((part) => part !== '').join('-'), namespace, labels: { ...labels, ...own } });

  if (options.scrape ?? true) {
    system.scrapes.forEach((scrape) => {
      const monitor = constructMonitor(object(scrape.name), scrape, { intervalSeconds: interval.toSeconds(), namespaces: place.namespaces });
      addManifest(scope, ['Monitor', scrape.name].filter((part) => part !== '').join('-'), monitor);
    });
  }
  if (options.alerts ?? true) {
    addManifest(scope, 'Rules', constructPrometheusRule(object(''), system.groups));
  }
  if (options.dashboard ?? true) {
    const { name } = object('dashboard');
    addManifest(scope, 'Dashboard', constructDashboardConfigMap({ name, namespace, labels: { ...dashboardLabels, ...own }, folder: dashboardFolder }, system.dashboard));
  }
}
