/** All about Ray that is installed: who is scraped, alerts, dashboard. */
import { rayRuleGroups, type RayThresholds } from './alerts';
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

/** Labels of pods that a monitor of Ray takes along: `ray_io_cluster` and `ray_io_node_type`. */
const RAY_POD_LABELS = ['ray.io/cluster', 'ray.io/node-type'];
