/** All about Ray that is installed: who is scraped, alerts, dashboard. */
import { rayRuleGroups, type RayThresholds } from './alerts';
import { counter, gauge, histogram, type MetricSource } from '../metric';
import { RATE, chosen, dashboardUid, query, type Dashboard, type MonitoredSystem, type PanelRow, type Scrape } from '../monitored-system';
import {
  equals, identityOf, matches, nameRegex, quantile, quoted, scrapeSelection, select, selectionMatchers, sumBy, type Matchers, type Selection,
} from '../promql';

/** Ports of Ray's pods: of the node, of the autoscaler and of the dashboard. The last two are on heads that declare them. */
const PORTS = ['metrics', 'as-metrics', 'dash-metrics'];

const CLUSTER_LABEL = 'ray.io/cluster';

/** The KubeRay operator, as its chart labels it. */
const OPERATOR_SCRAPE: Scrape = {
  of: 'pods', name: 'operator', matchLabels: { 'app.kubernetes.io/name': 'kuberay-operator' }, inNamespaces: 'any',
  endpoints: [{ port: 'http', path: '/metrics' }], podLabels: [],
};

const POD = '{{pod}}';

function clusterRow(matchers: Matchers): PanelRow {
  const of = (metric: string, ...more: string[]) => select(metric, ...matchers, ...more);
  const byPod = (metric: string) => [query(`sum by (pod) (${of(metric)})`, POD)];
  return {
    panels: [
      { title: 'Nodes', kind: 'stat', queries: [query(`count(${of('ray_node_cpu_count')})`, 'nodes')] },
      { title: 'Nodes of the autoscaler', queries: ['active', 'pending', 'recently_failed'].map((state) => query(`sum(${of(`autoscaler_${state}_nodes`)})`, state.replace('_', ' '))) },
      { title: 'Worker processes lost per hour', queries: [
        query(`sum(increase(${of('ray_node_manager_unexpected_worker_failure_total')}[1h]))`, 'unexpected'),
        query(`sum(increase(${of('ray_memory_manager_worker_eviction_total')}[1h]))`, 'out of memory'),
      ] },
      { title: 'CPUs in use', unit: 'percent', queries: byPod('ray_node_cpu_utilization') },
      { title: 'Memory in use', unit: 'percentunit', queries: [query(`sum by (pod) (${of('ray_node_mem_used')}) / sum by (pod) (${of('ray_node_mem_total')})`, POD)] },
      { title: 'GPUs in use', unit: 'percent', queries: [query(`avg by (pod, GpuIndex) (${of('ray_node_gpus_utilization')})`, `${POD} GPU {{GpuIndex}}`)] },
      { title: 'Memory of GPUs', unit: 'mbytes', queries: [query(`sum by (pod) (${of('ray_node_gram_used')})`, POD)] },
      { title: 'Network', unit: 'Bps', queries: [
        query(`sum by (pod) (${of('ray_node_network_send_speed')})`, `${POD} sent`), query(`sum by (pod) (${of('ray_node_network_receive_speed')})`, `${POD} received`),
      ] },
      { title: 'Disk in use', unit: 'bytes', queries: byPod('ray_node_disk_usage') },
    ],
  };
}

function workRow(matchers: Matchers): PanelRow {
  const of = (metric: string, ...more: string[]) => select(metric, ...matchers, ...more);
  return {
    title: 'Work',
    panels: [
      { title: 'Tasks by state', queries: [query(`sum by (State) (${of('ray_tasks')})`, '{{State}}')] },
      { title: 'Actors by state', queries: [query(`sum by (State) (${of('ray_actors')})`, '{{State}}')] },
      { title: 'Placement groups by state', queries: [query(`sum by (State) (${of('ray_placement_groups')})`, '{{State}}')] },
      { title: 'Logical CPUs and GPUs', queries: [query(`sum by (Name, State) (${of('ray_resources', 'Name=~"CPU|GPU"')})`, '{{Name}} {{State}}')] },
      { title: 'Object store', unit: 'bytes', queries: [query(`sum by (Location) (${of('ray_object_store_memory')})`, '{{Location}}')] },
    ],
  };
}

function serveRow(matchers: Matchers): PanelRow {
  const rate = (metric: string) => sumBy(['application'], `rate(${select(metric, ...matchers)}[${RATE}])`);
  return {
    title: 'Serve',
    panels: [
      { title: 'Requests per second', unit: 'reqps', queries: [query(rate('ray_serve_num_http_requests_total'), '{{application}}')] },
      { title: 'Errors per second', unit: 'reqps', queries: [query(rate('ray_serve_num_http_error_requests_total'), '{{application}}')] },
      { title: 'Time of a request', unit: 'ms', queries: [0.5, 0.95].map((q) => (
        query(quantile(q, 'ray_serve_http_request_latency_ms', ['application'], matchers, RATE), `{{application}} p${q * 100}`))) },
      { title: 'Waiting requests', queries: [query(`sum by (application, deployment) (${select('ray_serve_deployment_queued_queries', ...matchers)})`, '{{application}} {{deployment}}')] },
      { title: 'Healthy replicas', queries: [query(`sum by (application, deployment) (${select('ray_serve_deployment_replica_healthy', ...matchers)})`, '{{application}} {{deployment}}')] },
    ],
  };
}

function dashboard(selection: Selection): Dashboard {
  const isOne = selection.name !== undefined;
  const matchers = isOne ? selectionMatchers(selection, 'ray_io_cluster') : [chosen('namespace', 'namespace'), chosen('ray_io_cluster', 'cluster')];
  return {
    uid: dashboardUid('ray', identityOf(selection)),
    title: isOne ? `Ray: ${selection.name}` : 'Trainyard: Ray',
    tags: ['trainyard', 'ray'],
    variables: isOne ? [] : [
      { name: 'namespace', label: 'Namespace', metric: 'ray_node_cpu_count', valuesOf: 'namespace' },
      { name: 'cluster', label: 'Cluster', metric: 'ray_node_cpu_count{namespace=~"$namespace"}', valuesOf: 'ray_io_cluster' },
    ],
    rows: [clusterRow(matchers), workRow(matchers), serveRow(matchers)],
  };
}

/** What KubeRay puts behind the name of a RayJob or RayService when it makes its cluster. */
export const RAY_OWNED_SUFFIX = '-[a-z0-9]{5}';

/** What KubeRay puts behind the name of a RayCronJob for each of its RayJobs, the time or five characters, and what it then puts behind theirs. */
export const RAY_CRON_OWNED_SUFFIX = '-[a-z0-9]{5,10}(-[a-z0-9]{5})?';

/** Clusters of Ray as their nodes, their autoscaler and the KubeRay operator see them. */
export function raySystem(selection: Selection, thresholds: RayThresholds): MonitoredSystem {
  const { name } = selection;
  const { matchLabels, ...pods } = scrapeSelection(selection, CLUSTER_LABEL);
  const regex = nameRegex(selection);
  // The operator's `namespace` may be that of its own pod, so that only names are asked for. They are those of owners and of their clusters.
  const operated = name === undefined ? [] : [regex === undefined ? equals('name', name) : matches('name', `${quoted(name)}|${regex}`)];
  return {
    scrapes: [
      { of: 'pods', name: '', matchLabels: { 'ray.io/is-ray-node': 'yes', ...matchLabels }, ...pods, endpoints: PORTS.map((port) => ({ port, path: '/metrics' })), podLabels: RAY_POD_LABELS },
      ...(name === undefined ? [OPERATOR_SCRAPE] : []),
    ],
    groups: rayRuleGroups(thresholds, selectionMatchers(selection, 'ray_io_cluster'), operated),
    dashboard: dashboard(selection),
  };
}

/** Labels of what a node tells about itself. */
const NODE = ['ip', 'RayNodeType', 'IsHeadNode', 'SessionName', 'Version'];

const GPU = [...NODE, 'GpuDeviceName', 'GpuIndex'];

/** What Ray's processes put on what they count. */
const CORE = ['Component', 'JobId', 'NodeAddress', 'SessionName', 'Version', 'WorkerId'];

/** Labels of pods that a monitor of Ray takes along: `ray_io_cluster` and `ray_io_node_type`. */
const RAY_POD_LABELS = ['ray.io/cluster', 'ray.io/node-type'];

const TARGET_LABELS = ['ray_io_cluster', 'ray_io_node_type'];

/** A node of Ray, on the port `metrics`. */
const RAY: MetricSource = {
  program: 'Ray 2.56',
  url: 'https://docs.ray.io/en/latest/ray-observability/reference/system-metrics.html',
  targetLabels: TARGET_LABELS,
  metrics: [
    gauge('ray_node_cpu_utilization', 'CPU utilization of the node in percent.', NODE),
    gauge('ray_node_cpu_count', 'CPUs of the node.', NODE),
    gauge('ray_node_mem_used', 'Memory in use, bytes.', NODE),
    gauge('ray_node_mem_total', 'Memory of the node, bytes.', NODE),
    gauge('ray_node_disk_usage', 'Disk in use, bytes.', NODE),
    gauge('ray_node_disk_free', 'Free disk, bytes.', NODE),
    gauge('ray_node_network_send_speed', 'Bytes sent per second.', NODE),
    gauge('ray_node_network_receive_speed', 'Bytes received per second.', NODE),
    gauge('ray_node_gpus_utilization', 'GPU utilization in percent.', GPU),
    gauge('ray_node_gram_used', 'Memory of a GPU in use, MiB.', GPU),
    gauge('ray_resources', 'Logical resources, used and available.', [...CORE, 'Name', 'State']),
    gauge('ray_object_store_memory', 'Memory of objects, by where they are.', [...CORE, 'Location', 'ObjectState']),
    gauge('ray_tasks', 'Tasks by state.', [...CORE, 'Name', 'State', 'IsRetry', 'Source']),
    gauge('ray_actors', 'Actors by state.', [...CORE, 'Name', 'State', 'Source']),
    gauge('ray_placement_groups', 'Placement groups by state.', [...CORE, 'State']),
    counter('ray_memory_manager_worker_eviction_total', 'Workers killed because of low memory.', [...CORE, 'Name', 'Type']),
    counter('ray_node_manager_unexpected_worker_failure_total', 'Workers lost for reasons other than their code.', [...CORE, 'Name', 'Type']),
  ],
};

/** Ray Serve's part of it. */
const RAY_SERVE: MetricSource = {
  program: 'Ray Serve 2.56',
  url: 'https://docs.ray.io/en/latest/serve/monitoring.html',
  targetLabels: TARGET_LABELS,
  metrics: [
    counter('ray_serve_num_http_requests_total', 'HTTP requests.', [...CORE, 'application', 'route', 'method', 'status_code']),
    counter('ray_serve_num_http_error_requests_total', 'HTTP requests that returned an error.', [...CORE, 'application', 'route', 'method', 'error_code']),
    histogram('ray_serve_http_request_latency_ms', 'Time of an HTTP request in milliseconds.', [...CORE, 'application', 'route', 'method', 'status_code']),
    gauge('ray_serve_deployment_queued_queries', 'Requests waiting for a replica.', [...CORE, 'application', 'deployment', 'handle', 'actor_id']),
    gauge('ray_serve_deployment_replica_healthy', '1 for a healthy replica.', [...CORE, 'application', 'deployment', 'replica']),
  ],
};

/** The autoscaler in the head's pod, on the port `as-metrics`. */
const RAY_AUTOSCALER: MetricSource = {
  program: 'Ray autoscaler 2.56',
  url: 'https://github.com/ray-project/ray/blob/master/python/ray/autoscaler/_private/prom_metrics.py',
  targetLabels: TARGET_LABELS,
  metrics: [
    gauge('autoscaler_active_nodes', 'Nodes of the cluster.', ['NodeType', 'SessionName']),
    gauge('autoscaler_pending_nodes', 'Requested nodes.', ['NodeType', 'SessionName']),
    gauge('autoscaler_recently_failed_nodes', 'Recently lost nodes.', ['NodeType', 'SessionName']),
  ],
};

/** The KubeRay operator. Its own `namespace` becomes `exported_namespace` where its monitor does not honour labels. */
const KUBERAY: MetricSource = {
  program: 'KubeRay operator 1.7',
  url: 'https://docs.ray.io/en/latest/cluster/kubernetes/k8s-ecosystem/metrics-references.html',
  targetLabels: ['exported_namespace'],
  metrics: [
    gauge('kuberay_cluster_condition_provisioned', 'Whether all pods of a RayCluster have been ready at least once.', ['name', 'namespace', 'uid', 'condition']),
    gauge('kuberay_job_deployment_status', 'Status of a RayJob.', ['name', 'namespace', 'uid', 'deployment_status']),
  ],
};

export const RAY_SOURCES: readonly MetricSource[] = [RAY, RAY_SERVE, RAY_AUTOSCALER, KUBERAY];
