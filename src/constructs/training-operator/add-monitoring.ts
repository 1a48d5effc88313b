import { ApiObject, Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { MetricsScrape, type OperatorMonitoring } from './monitoring';
import type { Manifest } from '../../manifests/kubernetes';
import {
  constructDashboardConfigMap, constructPodMonitor, constructPrometheusRule, constructServiceMonitor,
} from '../../manifests/operator/monitoring';

/** Adds the objects of the monitoring to the operator's construct. `add` makes one of them. */
export function addMonitoring(
  operator: Construct, namespace: string, monitoring: OperatorMonitoring, add: (id: string, manifest: Manifest) => ApiObject,
): void {
  check(operator, monitoring);
  const options = { namespace, intervalSeconds: (monitoring.interval ?? Duration.seconds(30)).toSeconds(), labels: monitoring.labels ?? {} };
  switch (monitoring.scrape ?? MetricsScrape.SERVICE_MONITOR) {
    case MetricsScrape.SERVICE_MONITOR:
      add('ServiceMonitor', constructServiceMonitor(options));
      break;
    case MetricsScrape.POD_MONITOR:
      add('PodMonitor', constructPodMonitor(options));
      break;
    case MetricsScrape.NONE:
  }
  if (monitoring.alerts ?? true) {
    add('PrometheusRule', constructPrometheusRule(options, {
      goodput: monitoring.goodputTarget ?? 0.8,
      checkpointAgeSeconds: (monitoring.checkpointMaxAge ?? Duration.hours(2)).toSeconds(),
    }));
  }
  if (monitoring.dashboard ?? true) {
    add('Dashboard', constructDashboardConfigMap(namespace, monitoring.dashboardLabels ?? { grafana_dashboard: '1' }, monitoring.dashboardFolder));
  }
}

function check(operator: Construct, { interval, goodputTarget, checkpointMaxAge }: OperatorMonitoring): void {
  const fail = (field: string, value: unknown, rule: string): never => {
    throw new Error(`TrainingOperator at '${operator.node.path}': monitoring.${field} is ${String(value)} and must be ${rule}.`);
  };
  if (goodputTarget !== undefined && !(goodputTarget >= 0 && goodputTarget <= 1)) {
    fail('goodputTarget', goodputTarget, 'a part of the time, from 0 to 1');
  }
  for (const [field, duration] of [['interval', interval], ['checkpointMaxAge', checkpointMaxAge]] as const) {
    if (duration !== undefined && !(duration.toMilliseconds() >= 1000 && Number.isInteger(duration.toMilliseconds() / 1000))) {
      fail(field, `${duration.toMilliseconds()} ms`, 'whole seconds, 1 or more');
    }
  }
}
