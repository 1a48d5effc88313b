import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { MetricsScrape, type OperatorMonitoring } from './monitoring';
import type { Manifest } from '../../manifests/kubernetes';
import { constructOperatorDashboard, constructOperatorMonitor, constructOperatorRule } from '../../manifests/operator/monitoring';
import { DEFAULT_OPERATOR_THRESHOLDS } from '../../model/monitoring/operator/alerts';
import { DASHBOARD_LABELS } from '../monitoring/add-objects';
import { MonitoringChecks } from '../monitoring/systems';

/** Adds the objects of the monitoring to the operator's construct. `add` makes one of them. */
export function addMonitoring(
  operator: Construct, namespace: string, monitoring: OperatorMonitoring, gpuExporterNamespaces: readonly string[] | undefined,
  add: (id: string, manifest: Manifest) => ApiObject,
): void {
  const { goodputTarget, checkpointMaxAge, queueMaxWait, gpuIdleBelowPercent, gpuIdleFor, interval = Duration.seconds(30) } = monitoring;
  const checks = new MonitoringChecks(operator, 'TrainingOperator', 'monitoring.');
  checks.part('goodputTarget', goodputTarget, 'the time');
  checks.percent('gpuIdleBelowPercent', gpuIdleBelowPercent);
  Object.entries({ interval, checkpointMaxAge, queueMaxWait, gpuIdleFor }).forEach(([field, duration]) => checks.wholeSeconds(field, duration));

  const options = { namespace, intervalSeconds: interval.toSeconds(), labels: monitoring.labels ?? {} };
  switch (monitoring.scrape ?? MetricsScrape.SERVICE_MONITOR) {
    case MetricsScrape.SERVICE_MONITOR:
      add('ServiceMonitor', constructOperatorMonitor('services', options));
      break;
    case MetricsScrape.POD_MONITOR:
      add('PodMonitor', constructOperatorMonitor('pods', options));
      break;
    case MetricsScrape.NONE:
  }
  if (monitoring.alerts ?? true) {
    const standard = DEFAULT_OPERATOR_THRESHOLDS;
    add('PrometheusRule', constructOperatorRule(options, {
      goodput: goodputTarget ?? standard.goodput,
      checkpointAgeSeconds: checkpointMaxAge?.toSeconds() ?? standard.checkpointAgeSeconds,
      queueWaitSeconds: queueMaxWait?.toSeconds() ?? standard.queueWaitSeconds,
      gpuIdlePercent: gpuIdleBelowPercent ?? standard.gpuIdlePercent,
      gpuIdleSeconds: gpuIdleFor?.toSeconds() ?? standard.gpuIdleSeconds,
      gpuExporterNamespaces: gpuExporterNamespaces ?? standard.gpuExporterNamespaces,
    }));
  }
  if (monitoring.dashboard ?? true) {
    add('Dashboard', constructOperatorDashboard(namespace, monitoring.dashboardLabels ?? DASHBOARD_LABELS, monitoring.dashboardFolder));
  }
}
