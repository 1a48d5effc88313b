/** Alerts about clusters of Ray, their jobs and what they serve. */
import { promDuration, quantile, ratio, select, sumBy, type Matchers } from '../promql';
import type { Alert, RuleGroup } from '../monitored-system';

/** From when on alerts fire. */
export interface RayThresholds {
  /** Part of Serve's requests, from 0 to 1, that may fail. */
  readonly errorRatio: number;
  /** Seconds that 95 of 100 of Serve's requests may take. */
  readonly latencySeconds: number;
  /** Use in percent below which a cluster's GPUs are idle. */
  readonly gpuIdlePercent: number;
  /** Seconds that nodes and clusters may be asked for in vain. */
  readonly pendingSeconds: number;
}

/** What a cluster is known by. */
const CLUSTER = ['namespace', 'ray_io_cluster'] as const;
const WHERE = 'Ray cluster {{ $labels.ray_io_cluster }} in {{ $labels.namespace }}';
const SERVE = [...CLUSTER, 'application'] as const;

/** Rules for the clusters that match. @param operator conditions on the KubeRay operator's series, whose labels are its own */
export function rayRuleGroups(thresholds: RayThresholds, cluster: Matchers, operator: Matchers): RuleGroup[] {
  return [
    { name: 'trainyard-ray-clusters', rules: [...clusterAlerts(thresholds, cluster), ...operatorAlerts(thresholds, operator)] },
    { name: 'trainyard-ray-serve', rules: serveAlerts(thresholds, cluster) },
  ];
}

function clusterAlerts({ gpuIdlePercent, pendingSeconds }: RayThresholds, matchers: Matchers): Alert[] {
  const sum = (metric: string, ...more: string[]) => sumBy(CLUSTER, select(metric, ...matchers, ...more));
  const increase = (metric: string, range: string) => sumBy(CLUSTER, `increase(${select(metric, ...matchers)}[${range}])`);
  return [
    {
      alert: 'RayHeadDown', severity: 'critical', for: '5m', expr: `max by (${CLUSTER.join(', ')}) (${select('up', ...matchers, 'ray_io_cluster!=""', 'ray_io_node_type="head"')}) == 0`,
      summary: `The head of ${WHERE} does not answer`,
      description: 'Without it no task is started; without fault tolerance of the GCS the cluster is lost. Check the head pod.',
    },
    {
      alert: 'RayWorkersDown', severity: 'warning', for: '10m',
      expr: `count by (${CLUSTER.join(', ')}) (${select('up', ...matchers, 'ray_io_cluster!=""', 'ray_io_node_type="worker"')} == 0) > 0`,
      summary: `{{ $value }} workers of ${WHERE} do not answer`,
      description: 'Their pods exist, but their metrics are missing. Ranks of distributed training that run on them hold up all others.',
    },
    {
      alert: 'RayWorkersFailOften', severity: 'warning', expr: `${increase('ray_node_manager_unexpected_worker_failure_total', '30m')} > 10`,
      summary: `Workers of ${WHERE} are lost repeatedly`,
      description: 'More than ten processes within half an hour ended for reasons other than their own code. The raylet log on their nodes shows why.',
    },
    {
      alert: 'RayOutOfMemory', severity: 'warning', expr: `${increase('ray_memory_manager_worker_eviction_total', '15m')} > 0`,
      summary: `${WHERE} kills workers because of low memory`,
      description: 'Ray\'s memory monitor has killed tasks or actors. Give workers more memory, or run fewer at a time.',
    },
    {
      alert: 'RayObjectStoreFull', severity: 'warning', for: '10m',
      expr: `${sum('ray_object_store_memory', 'Location!="SPILLED"')} / (${sum('ray_resources', 'Name="object_store_memory"')} > 0) > 0.9`,
      summary: `The object store of ${WHERE} is full`,
      description: '{{ $value | humanizePercentage }} of it is in use; further objects are spilled to disk.',
    },
    {
      alert: 'RayDiskFull', severity: 'warning', for: '10m',
      expr: `max by (${[...CLUSTER, 'pod'].join(', ')}) (${select('ray_node_disk_usage', ...matchers)} / (${select('ray_node_disk_usage', ...matchers)} + ${select('ray_node_disk_free', ...matchers)})) > 0.9`,
      summary: 'The disk of pod {{ $labels.pod }} in {{ $labels.namespace }} is full',
      description: '{{ $value | humanizePercentage }} of the disk of this node of Ray is in use. Logs and spilled objects are in /tmp/ray.',
    },
    {
      alert: 'RayGpusIdle', severity: 'warning', for: '1h', expr: `avg by (${CLUSTER.join(', ')}) (avg_over_time(${select('ray_node_gpus_utilization', ...matchers)}[10m])) < ${gpuIdlePercent}`,
      summary: `${WHERE} leaves its GPUs idle`,
      description: 'They have been used {{ $value | humanize }} % of the time for an hour. Scale the worker group down, or give the cluster an idle timeout.',
    },
    {
      alert: 'RayNodesPending', severity: 'warning', for: promDuration(pendingSeconds), expr: `${sum('autoscaler_pending_nodes')} > 0`,
      summary: `${WHERE} waits for {{ $value }} nodes`,
      description: 'The autoscaler requested pods that do not start. Check the pending pods, quotas and their queue.',
    },
  ];
}

function operatorAlerts({ pendingSeconds }: RayThresholds, matchers: Matchers): Alert[] {
  const by = ['namespace', 'exported_namespace', 'name'];
  const where = '{{ $labels.name }} in {{ or $labels.exported_namespace $labels.namespace }}';
  return [
    {
      alert: 'RayClusterNotProvisioned', severity: 'warning', for: promDuration(pendingSeconds),
      expr: `max by (${by.join(', ')}) (${select('kuberay_cluster_condition_provisioned', ...matchers, 'condition="false"')}) > 0`,
      summary: `RayCluster ${where} has not become ready`,
      description: 'Not all of its pods are ready. Check the conditions of the RayCluster and its pending pods.',
    },
    {
      alert: 'RayJobFailed', severity: 'warning',
      expr: `max by (${by.join(', ')}) (${select('kuberay_job_deployment_status', ...matchers, 'deployment_status=~"Failed|ValidationFailed"')}) > 0`,
      summary: `RayJob ${where} has failed`,
      description: 'status.message and status.reason of the RayJob show why.',
    },
  ];
}

function serveAlerts({ errorRatio, latencySeconds }: RayThresholds, matchers: Matchers): Alert[] {
  const rate = (metric: string) => sumBy(SERVE, `rate(${select(metric, ...matchers)}[5m])`);
  return [
    {
      alert: 'RayServeErrors', severity: 'critical', for: '5m',
      expr: `${ratio(rate('ray_serve_num_http_error_requests_total'), rate('ray_serve_num_http_requests_total'))} > ${errorRatio}`,
      summary: `Requests to {{ $labels.application }} on ${WHERE} fail`,
      description: '{{ $value | humanizePercentage }} of the HTTP requests of the last five minutes returned an error.',
    },
    {
      alert: 'RayServeSlow', severity: 'warning', for: '10m', expr: `${quantile(0.95, 'ray_serve_http_request_latency_ms', SERVE, matchers, '5m')} > ${latencySeconds * 1000}`,
      summary: `Requests to {{ $labels.application }} on ${WHERE} are slow`,
      description: '5 % take longer than {{ $value | humanize }} ms. Check queued requests and the number of replicas.',
    },
  ];
}
