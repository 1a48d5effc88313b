/** Metrics of Ray and of the KubeRay operator that are asked for. */
import { counter, gauge, histogram, type MetricSource } from '../metric';

/** Labels of what a node tells about itself. */
const NODE = ['ip', 'RayNodeType', 'IsHeadNode', 'SessionName', 'Version'];

const GPU = [...NODE, 'GpuDeviceName', 'GpuIndex'];

/** What Ray's processes put on what they count. */
const CORE = ['Component', 'JobId', 'NodeAddress', 'SessionName', 'Version', 'WorkerId'];

/** Labels of pods that a monitor of Ray takes along: `ray_io_cluster` and `ray_io_node_type`. */
export const RAY_POD_LABELS = ['ray.io/cluster', 'ray.io/node-type'];

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

/** All of them. */
export const RAY_SOURCES: readonly MetricSource[] = [RAY, RAY_SERVE, RAY_AUTOSCALER, KUBERAY];
