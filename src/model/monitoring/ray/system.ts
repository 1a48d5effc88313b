/** All about Ray that is installed: who is scraped, alerts, dashboard. */
import {
  RATE, chosen, dashboardUid, query, type Dashboard, type MonitoredSystem, type PanelRow, type Scrape, type Alert, type RuleGroup,
} from '../monitored-system';
import {
  equals, identityOf, matches, nameRegex, quantile, quoted, scrapeSelection, select, selectionMatchers, sumBy, promDuration, ratio, type Matchers,
  type Selection,
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

/** What KubeRay appends to the name of a RayJob or RayService when it makes its cluster. */
export const RAY_OWNED_SUFFIX = '-[a-z0-9]{5}';

/** What KubeRay appends to the name of a RayCronJob for each of its RayJobs, the time or five characters, and what it then appends to theirs. */
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

/** From when on alerts fire. */
interface RayThresholds {
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
function rayRuleGroups(thresholds: RayThresholds, cluster: Matchers, operator: Matchers): RuleGroup[] {
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
