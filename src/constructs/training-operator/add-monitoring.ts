import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { MetricsScrape, type OperatorMonitoring } from './monitoring';

import { constructOperatorDashboard, constructOperatorMonitor, constructOperatorRule } from '../../manifests/operator/monitoring';
import { DEFAULT_OPERATOR_THRESHOLDS as STANDARD } from '../../model/monitoring/operator/alerts';
import { DASHBOARD_LABELS } from '../monitoring/add-objects';
import { MonitoringChecks } from '../monitoring/systems';
import { addManifest } from '../rendering/objects';

/** Adds the monitoring objects to the operator's construct. */
export function addMonitoring(
  operator: Construct, namespace: string, monitoring: OperatorMonitoring, gpuExporterNamespaces: readonly string[] = STANDARD.gpuExporterNamespaces,
): void {
  const {
    goodputTarget = STANDARD.goodput, gpuIdleBelowPercent = STANDARD.gpuIdlePercent, interval = Duration.seconds(30),
    checkpointMaxAge = Duration.seconds(STANDARD.checkpointAgeSeconds), queueMaxWait = Duration.seconds(STANDARD.queueWaitSeconds),
    gpuIdleFor = Duration.seconds(STANDARD.gpuIdleSeconds),
  } = monitoring;
  const checks = new MonitoringChecks(operator, 'TrainingOperator', 'monitoring.');
  checks.part('goodputTarget', goodputTarget, 'the time');
  checks.percent('gpuIdleBelowPercent', gpuIdleBelowPercent);
  Object.entries({ interval, checkpointMaxAge, queueMaxWait, gpuIdleFor }).forEach(([field, duration]) => checks.wholeSeconds(field, duration));

  const options = { namespace, intervalSeconds: interval.toSeconds(), labels: monitoring.labels ?? {} };
  switch (monitoring.scrape ?? MetricsScrape.SERVICE_MONITOR) {
    case MetricsScrape.SERVICE_MONITOR:
      addManifest(operator, 'ServiceMonitor', constructOperatorMonitor('services', options));
      break;
    case MetricsScrape.POD_MONITOR:
      addManifest(operator, 'PodMonitor', constructOperatorMonitor('pods', options));
      break;
    case MetricsScrape.NONE:
  }
  if (monitoring.alerts ?? true) {
    addManifest(operator, 'PrometheusRule', constructOperatorRule(options, {
      goodput: goodputTarget,
      checkpointAgeSeconds: checkpointMaxAge.toSeconds(),
      queueWaitSeconds: queueMaxWait.toSeconds(),
      gpuIdlePercent: gpuIdleBelowPercent,
      gpuIdleSeconds: gpuIdleFor.toSeconds(),
      gpuExporterNamespaces,
    }));
  }
  if (monitoring.dashboard ?? true) {
    addManifest(operator, 'Dashboard', constructOperatorDashboard(namespace, monitoring.dashboardLabels ?? DASHBOARD_LABELS, monitoring.dashboardFolder));
  }
}
